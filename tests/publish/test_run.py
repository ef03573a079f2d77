"""A selection becomes a folder that ``datasets`` opens, split by split; or nothing at all is left."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from eops_traj.privacy.pii import personal_data
from eops_traj.store.arrow import to_row
from eops_traj.store.store import Store
from tests.exporters.attempts import mixed, store_with
from tests.publish.publications import may_go, publication
from tests.selected import store_of

EPISODES = [may_go("e0"), may_go("e1", split="dev"), may_go("e2", reply="He has left.")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder, of whole episodes and of rows to train on."""
    where = tmp_path_factory.mktemp("publish")
    publication(where, EPISODES, configs=("episodes", "sft")).run()
    return where / "data"


@pytest.mark.parametrize("config", ["episodes", "sft"])
def test_datasets_opens_every_configuration_and_split(
    config: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datasets import load_dataset

    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    splits = load_dataset(str(folder), config, cache_dir=str(tmp_path))
    assert {name: rows["episode_id"][:] for name, rows in splits.items()} == {
        "train": ["e0", "e2"],
        "validation": ["e1"],
    }


def test_an_episode_is_there_whole_but_for_what_no_scan_can_read(folder: Path) -> None:
    import pyarrow.parquet as pq

    row = pq.read_table(folder / "episodes" / "validation-00000-of-00001.parquet").to_pylist()[0]
    assert json.loads(row["turns"][0]["tool_calls"][0]["arguments"]) == {"name": "Odile"}
    assert row["verdicts"][0]["passed_strict"] and row["system_prompt"] and json.loads(row["tools"])
    assert row["servers"][0]["url"] is None and "changeset" not in row and "token_ids" not in row["turns"][0]


def test_certificates_name_the_files_that_are_there(folder: Path) -> None:
    certificate = json.loads((folder / "certificates" / "sft-train.json").read_text())
    assert certificate["passed"] and certificate["rows"] == 2
    [file] = certificate["data_files"]
    content = (folder / "sft" / "train-00000-of-00001.parquet").read_bytes()
    assert file == {"name": "sft/train-00000-of-00001.parquet", "size": len(content), "rows": 2} | {
        "sha256": hashlib.sha256(content).hexdigest()
    }
    statuses = {check["check"]: check["status"] for check in certificate["checks"]}
    assert statuses["parquet_holds_the_rows"] == statuses["reads_as_written"] == "passed"


def test_the_card_says_what_it_is(folder: Path) -> None:
    card = (folder / "README.md").read_text("utf-8")
    front = yaml.safe_load(card.split("---")[1])
    assert front["license"] == "cc-by-4.0" and [c["config_name"] for c in front["configs"]] == [
        "episodes",
        "sft",
    ]
    assert front["dataset_info"][0]["splits"][0]["num_examples"] == 2
    assert front["configs"][1]["data_files"][0] == {
        "split": "train",
        "path": ["sft/train-00000-of-00001.parquet"],
    }
    for line in ("| expert | 3 | Apache-2.0 | yes |", "| no_error | 0 | 3 |", "database_state", "@misc"):
        assert line in card
    assert "10.0.0.7" not in card and str(folder.parent) not in card


def test_the_card_names_every_kind_of_personal_data_that_is_found(folder: Path) -> None:
    texts = ("ann@corvane.com", "+1 212 555 0123", "DE89370400440532013000", "4111 1111 1111 1111",
             "NHS 9434765919", "Ann Person, born on 12 March 1984")  # fmt: skip
    found = {datum.kind for text in texts for datum in personal_data(text)}
    card = (folder / "README.md").read_text("utf-8")
    assert len(found) == len(texts) and not {kind for kind in found if kind not in card}
    assert "known keys, and behind words that announce one. Personal" in card


@pytest.mark.slow
def test_plans_go_out_beside_episodes(tmp_path: Path) -> None:
    made = [replace(m, episode=replace(m.episode, split="train")) for m in mixed()]
    store_with(tmp_path, made)
    dataset = publication(tmp_path, [], configs=("planner_sft", "planner_dpo")).rehearse()
    assert [(part["config"], part["rows"] > 0) for part in dataset.parts] == [
        ("planner_sft", True),
        ("planner_dpo", True),
    ]
    assert dataset.report.stops == []


def test_a_rehearsal_shows_everything_and_writes_nothing(tmp_path: Path, cli: Callable) -> None:
    publication(tmp_path, EPISODES)
    before = sorted(tmp_path.iterdir())
    where = ("--store", tmp_path / "store", "--to", tmp_path / "out", "--tasks", tmp_path / "tasks")
    vouch = ("--task-licence", "tests=CC0-1.0")
    ran = cli("publish", "chosen", *where, "--licence", "MIT", *vouch, "--dry-run")
    assert ran.code == 0 and "## Source models" in ran.out and "personal_data" in ran.out
    assert sorted(tmp_path.iterdir()) == before


def test_whatever_stops_it_is_shown_and_nothing_is_written(tmp_path: Path, cli: Callable) -> None:
    publication(tmp_path, EPISODES)
    where = ("--store", tmp_path / "store", "--to", tmp_path / "out", "--tasks", tmp_path / "tasks")
    asked = ("publish", "chosen", *where, "--licence", "MIT")
    stopped, dry = cli(*asked, "--json"), cli(*asked, "--json", "--dry-run")
    told = json.loads(stopped.out)["stops"]
    assert stopped.code == dry.code == 1 and "not published. licences" in stopped.err
    assert told == json.loads(dry.out)["stops"] and {stop["check"] for stop in told} == {"licences"}
    assert "licences" in cli(*asked).out and not (tmp_path / "out").exists()


BAD = {
    "unknown selection 'none'; choose from chosen": {"SELECTION": "none"},
    "'free' is no SPDX licence; choose one such as": {"--licence": "free"},
    "unknown configuration 'xml'; choose from corrections, episodes, kto": {"--config": "xml"},
    "mine is there already": {"--to": "mine"},
    "hub:alone is not of the form hub:ORG/NAME": {"--to": "hub:alone"},
    "unknown publish config 'none'; choose from publish_default": {"--policy": "none"},
    "'m' is not of the form NAME=SPDX": {"--model-licence": "m"},
    "'x' is no SPDX licence": {"--task-licence": "tests=x"},
    "no held-out task in": {"--tasks": "empty"},
    "no store at": {"--store": "nowhere"},
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and tasks, a folder that is there already, and one without tasks."""
    where = tmp_path_factory.mktemp("place")
    publication(where, EPISODES)
    (where / "mine").mkdir()
    (where / "empty").mkdir()
    return where


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_one_line_and_nothing_is_written(
    message: str, place: Path, cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    before = sorted(place.iterdir())
    usual = {"SELECTION": "chosen", "--store": "store", "--to": "out", "--licence": "MIT", "--tasks": "tasks"}
    options = usual | BAD[message]
    ran = cli("publish", options.pop("SELECTION"), *(part for pair in options.items() for part in pair))
    assert ran.code == 2 and message in ran.err and ran.err.count("\n") == 1, ran.err
    assert sorted(place.iterdir()) == before


def test_what_a_link_leads_to_is_published(tmp_path: Path) -> None:
    (link := tmp_path / "link").symlink_to("elsewhere/data")
    place, _ = publication(tmp_path, EPISODES[:1], to=str(link)).run()
    assert place == str(link) and link.is_symlink()
    assert (tmp_path / "elsewhere" / "data" / "README.md").is_file()


def test_a_selection_that_keeps_nothing_is_bad_input(tmp_path: Path) -> None:
    from eops_traj.errors import InputError

    store_of(tmp_path, EPISODES, dropped=["e0", "e1", "e2"])
    with pytest.raises(InputError, match="selection 'chosen' is empty"):
        publication(tmp_path, []).run()


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    from eops_traj.errors import FormatError

    with Store.open(tmp_path / "store", create=True) as store:  # an old one; today none takes such a row
        store.tables["episodes"].append([to_row(may_go("e1", settings='{"cut'))])
    store_of(tmp_path, [may_go("e0"), may_go("e1")])
    with pytest.raises(FormatError, match="episode e1 is damaged: settings is not JSON"):
        publication(tmp_path, []).run()
    assert not (tmp_path / "data").exists()


def test_episodes_that_come_to_no_row_are_bad_input(tmp_path: Path) -> None:
    from eops_traj.errors import InputError

    with pytest.raises(InputError, match="no plans to imitate to make"):
        publication(tmp_path, EPISODES, configs=("planner_sft",)).run()
