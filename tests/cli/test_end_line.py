"""Work ends with a line that says what is kept, and with a next command that works as it stands."""

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.cli import train as training
from eops_traj.schema import Episode
from tests.collectors.group_tasks import TASK
from tests.conftest import FIXTURES, Ran
from tests.episodes import episode
from tests.planner_data import task_files
from tests.publish.publications import may_go, publication
from tests.selected import calling, store_of

Cli = Callable[..., Ran]
TRAINED, HELD_OUT = replace(calling("e0"), split="train"), replace(calling("e1"), split="test")
STRANGE = calling("e2")
FAILED = replace(calling("e3"), split="train", outcome="failure", success_strict=False)


def end(ran: Ran) -> tuple[str, list[str]]:
    """Return what was kept, and the words of the next command without the program's name."""
    assert ran.code == 0, ran.err
    *_, kept, following = ran.err.splitlines()
    assert kept.startswith("kept: ") and following.startswith("next: eops-traj ")
    return kept.removeprefix("kept: "), shlex.split(following)[2:]


def test_files_lead_to_their_score_and_a_selection_to_an_export_and_its_quality(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kept, score = end(cli("import", "enterpriseops", FIXTURES / "results", "--store", "s"))
    assert kept == "5 episodes of these files are in s" and cli(*score).code == 0
    kept, export = end(cli("filter", "filter_imported", "--store", "s", "--name", "chosen"))
    assert kept == "selection 'chosen' in s, 2 episodes"
    kept, quality = end(cli(*export))
    assert kept == "data/chosen, 2 rows" and cli(*quality).code == 0 and quality[-1] == "none"


@pytest.mark.parametrize(
    ("rules", "episodes", "format_", "splits"),
    [("[verified]", [TRAINED], "sft", []),
     ("[verified]", [TRAINED, HELD_OUT], "sft", ["--split", "test", "--split", "train"]),
     ("[verified]", [TRAINED, STRANGE], "sft", ["--split", "none", "--split", "train"]),
     ("[no_error]", [TRAINED, FAILED], "nemo_gym", []),
     ("[no_error]", [TRAINED, STRANGE], "nemo_gym", ["--split", "none", "--split", "train"])],
)  # fmt: skip
def test_a_selection_leads_to_an_export_that_takes_it_as_it_stands(
    rules: str, episodes: list[Episode], format_: str, splits: list[str], tmp_path: Path, cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    store_of(tmp_path, episodes, split=None)
    Path("rules.yaml").write_text(f"rules: {rules}")
    _, export = end(cli("filter", "rules.yaml", "--store", "store", "--name", "mine"))
    assert export[1] == format_ and export[6:-2] == splits
    kept, quality = end(cli(*export))
    assert kept == f"data/mine, {len(episodes)} rows" and cli(*quality).code == 0


@pytest.mark.parametrize("format_", ["atif", "openai"])
def test_what_was_converted_is_read_back(format_: str, tmp_path: Path, cli: Cli) -> None:
    store = store_of(tmp_path, [calling("e0", {"name": "Odile"}), episode("e1")])
    kept, back = end(cli("convert", store, tmp_path / "out", "--to", format_))
    assert kept == f"{tmp_path / 'out'}, 2 episodes"
    kept, score = end(cli(*back))
    assert kept.startswith("2 episodes") and cli(*score).code == 0
    kept, score = end(cli("convert", tmp_path / "out", tmp_path / "again"))
    assert score == ["score", "--store", str(tmp_path / "again")] and cli(*score).code == 0


def test_a_rehearsed_publication_is_followed_by_itself(tmp_path: Path, cli: Cli) -> None:
    pytest.importorskip("huggingface_hub")
    publication(tmp_path, [may_go("e0"), may_go("e1")])
    words = ["publish", "chosen", "--store", tmp_path / "store", "--to", tmp_path / "pub", "--config", "sft"]
    words += ["--licence", "CC-BY-4.0", "--task-licence", "tests=CC0-1.0", "--tasks", tmp_path / "tasks"]
    kept, again = end(cli(*words, "--dry-run"))
    assert kept == "nothing: this was a dry run" and not (tmp_path / "pub").exists()
    kept, hub = end(cli(*again))
    assert kept == str(tmp_path / "pub") and "hub:ORG/pub" in hub and "sft" in hub


def test_a_place_with_a_space_in_its_name_is_one_word(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def following(*words: object) -> str:
        return cli(*words).err.splitlines()[-1]

    monkeypatch.chdir(tmp_path)
    facts = {"tasks": 8, "infeasible": 1, "by_split": {}}
    monkeypatch.setattr("eops_traj.workspace.make.make_workspace", lambda *_, **__: facts)
    assert following("init", "my work") == "next: cd 'my work' && eops-traj doctor"
    task_files(tmp_path / "my tasks", [replace(TASK, split="train")])
    words = ("collect_expert", "--store", "my store", "tasks.source=my tasks", "tasks.splits=[train]")
    checked = following("doctor", *words)
    assert shlex.split(checked)[1:] == ["eops-traj", "collect", *words]
    assert following(*shlex.split(checked)[2:]) == "next: eops-traj score --store 'my store'"


def test_machines_read_no_end(tmp_path: Path, cli: Cli) -> None:
    ran = cli("import", "enterpriseops", FIXTURES / "results", "--store", tmp_path / "s", "--json")
    assert not re.search("kept|next", ran.err)


@pytest.mark.parametrize(
    ("format_", "lora", "command"),
    [("planner_sft", None, "rebench"), ("planner_dpo", {"rank": 8}, "rebench"), ("sft", {"rank": 8}, "merge"),
     ("sft", None, "collect")],
)  # fmt: skip
def test_a_model_is_measured_or_made_whole(format_: str, lora: object, command: str) -> None:
    metrics = {"data": {"format": format_}, "config": {"lora": lora}}
    words = training._after_training(metrics, Path("runs/a/model"))
    assert words[:2] == ["eops-traj", command] and any("runs/a/model" in str(word) for word in words)
