"""The card says what the data is, where it is from and what it lacks."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from eops_traj.export.run import Export
from eops_traj.schema import Json, ToolSet, Turn
from tests.episodes import episode
from tests.selected import FIT, call, calling, exported, store_of

EPISODES = [calling("e0", {"name": "O"}), episode("e1", domain="hr|x", outcome="failure")]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of them, of no licence."""
    return exported(tmp_path_factory.mktemp("plain"), EPISODES)


def card(folder: Path) -> str:
    return (folder / "README.md").read_text("utf-8")


def test_the_front_matter_declares_files_columns_and_licence(tmp_path: Path) -> None:
    front = yaml.safe_load(card(exported(tmp_path, EPISODES, licence="cc-by-4.0")).split("---\n")[1])
    assert front["license"] == "cc-by-4.0" and front["size_categories"] == ["n<1K"]
    assert front["configs"][0]["data_files"] == [{"split": "train", "path": ["data/train.jsonl"]}]
    assert {"name": "messages", "list": "json"} in front["dataset_info"]["features"]


def test_it_counts_and_names_store_selection_and_certificate(plain: Path) -> None:
    text = card(plain)
    assert "2 episodes of 1 tasks, 4 replies, 2 tool calls" in text
    assert "| domain | csm | 1 |\n|  | hr\\|x | 1 |" in text
    assert "| outcome | success | 1 |\n|  | failure | 1 |" in text
    assert "Store `store`, version 1; selection `chosen`" in text
    assert "| loss_mask | not run: no tokenizer was given | 0 | 0 |" in text
    assert str(plain.parent) not in text


@pytest.mark.parametrize(
    "place", ["/home/jane/acme/held.txt", "s3://jane/acme/held.txt/", "C:\\acme\\held.txt"]
)
def test_places_in_rules_are_named_without_what_leads_there(place: str, tmp_path: Path) -> None:
    held = {"ids": place, "tasks": place, "store": place, "selection": "jane/acme", "words": 3}
    rules = {"rules": [*json.loads(FIT)["rules"], {"decontaminate": held}]}
    store = store_of(tmp_path, EPISODES, rules=json.dumps(rules))
    Export("openai", str(store), "chosen", tmp_path / "out").run()
    text = card(tmp_path / "out")
    assert text.count('"held.txt"') == 3 and place not in text and json.dumps(place) not in text
    assert '"selection": "jane/acme"' in text and '"words": 3' in text


def test_an_unknown_licence_is_said_to_be_unknown(plain: Path) -> None:
    text = card(plain)
    assert "license: unknown" in text and "Settle it before the data leaves your hands" in text


def test_limits_are_named(tmp_path: Path) -> None:
    broken = episode("e", turns=(Turn(text="", tool_calls=(replace(call("c"), raw="{"),)),))
    seen = ToolSet.of([{"name": "find_user", "inputSchema": {"type": "object"}}], origin="observed")
    Export("openai", str(store_of(tmp_path, [broken], toolsets=[seen])), "chosen", tmp_path / "out").run()
    text = card(tmp_path / "out")
    assert "- Episodes that came without the tools they were shown: 1; theirs are" in text
    assert "- Tool calls whose arguments did not parse as written: 1." in text
    assert "- Conversations that end without a final reply: 1." in text


def test_the_protocol_is_counted_and_our_wording_is_marked(tmp_path: Path) -> None:
    there = {"settings": Json('{"protocol":"benchmark"}'), "orchestrator": "benchmark_decomposing"}
    ours = episode("e0", source="eops-traj")
    text = card(exported(tmp_path, [ours, episode("e1", source="eops-traj", **there)]))
    assert "| protocol | robust | 1 |" in text and "|  | benchmark | 1 |" in text
    assert "- Of the benchmark's orchestrators, benchmark_decomposing: algorithm equal, wording ours." in text
