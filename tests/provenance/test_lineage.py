"""A checkpoint's lineage reaches down to the episodes, and every link is verified again."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import FormatError, InputError
from eops_traj.provenance.checkpoint import checkpoint_hash
from eops_traj.provenance.contamination import training_data
from eops_traj.provenance.dataset import Dataset
from eops_traj.provenance.lineage import GONE, lineage
from eops_traj.provenance.lineage_file import MOST_ANCESTORS, TrainedOn, read_lineage, write_lineage
from eops_traj.schema import Episode
from eops_traj.store.store import Store
from eops_traj.train.config import RecipeConfig
from tests.episodes import episode
from tests.made import made
from tests.selected import exported, store_of

OTHER = "the rows come from a store called 'store': give it with --store, too"


class Config(RecipeConfig):
    model: str | None = None


def checkpoint(
    folder: Path,
    data: Path | None,
    model: Path | str | None = None,
    parent: str | None = None,
    left_out: tuple[Any, ...] = (),
) -> Path:
    """A checkpoint that says where it comes from; its weights are its name."""
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(folder.name.encode())
    seen = None
    if data is not None:
        content = Dataset(data).certificate.model_dump(include=set(TrainedOn.model_fields))
        seen = TrainedOn(folder=str(data), **content)
    settings = Config(
        recipe="sft", data=data or Path("none"), output=folder.parent, model=model and str(model)
    )
    if isinstance(model, Path):
        parent = checkpoint_hash(model)
    write_lineage(folder, parent, seen, settings, {"left_out": [*left_out]})
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An export of three episodes of two runs, in the store beside it."""
    shutil.copytree(made("export-of-two-runs", export_two_runs), tmp_path, dirs_exist_ok=True)
    return tmp_path / "sft"


def export_two_runs(folder: Path) -> None:
    """Export three episodes of two runs, two splits of them."""
    episodes = [
        episode("e1", run_id="r3"),
        episode("e2", run_id="r3", split="dev"),
        episode("e3", run_id="r2"),
    ]
    exported(folder, episodes, splits=("train", "dev"))


@pytest.fixture
def store(data: Path) -> Iterator[Store]:
    with Store.open(data.parent / "store") as opened:
        yield opened


@pytest.fixture
def tuned(tmp_path: Path, data: Path) -> Path:
    """A checkpoint whose parent was trained on the same data, and that one's on none."""
    first = checkpoint(tmp_path / "runs" / "first", None)
    second = checkpoint(tmp_path / "runs" / "second", data, first)
    return checkpoint(tmp_path / "runs" / "third", data, second)


def played(by: str, number: int) -> Episode:
    settings = json.dumps({"models": {"executor": {"checkpoint": by, "model": "m"}}}, separators=(",", ":"))
    return episode(f"b{number}", settings=settings, run_id="bench", split="test", orchestrator="plan")


def test_it_reaches_from_the_benchmark_down_to_the_episodes(tuned: Path, data: Path, store: Store) -> None:
    store.append([played(checkpoint_hash(tuned), 1), played(checkpoint_hash(tuned), 2), played("0" * 64, 3)])
    store.flush()
    checkpoint_lineage = lineage(tuned, store)
    assert (
        checkpoint_lineage.checkpoint,
        checkpoint_lineage.recipe,
        list(checkpoint_lineage.every_problem()),
    ) == (
        checkpoint_hash(tuned),
        "sft",
        [],
    )
    [run] = checkpoint_lineage.made or []
    assert (run["run_id"], run["split"], run["episodes"], run["passed"]) == ("bench", "test", 2, 2)
    assert checkpoint_lineage.data is not None and (
        checkpoint_lineage.data.state,
        checkpoint_lineage.data.rows,
    ) == ("certified", 3)
    assert checkpoint_lineage.data.episodes["run"] == {"r3": 2, "r2": 1}
    assert (
        checkpoint_lineage.data.episodes["split"] == {"train": 2, "dev": 1}
        and sum(checkpoint_lineage.data.tasks.values()) == 1
    )
    assert checkpoint_lineage.data.chosen.rules == [
        {"rule": name, "dropped": 0, "kept": 3} for name in ("no_error", "outcome")
    ]
    assert checkpoint_lineage.parent is not None and checkpoint_lineage.parent.parent is not None
    assert checkpoint_lineage.parent.data is not None and checkpoint_lineage.parent.parent.data is None
    assert checkpoint_lineage.parent.parent.parent is None


def test_a_task_of_two_splits_counts_where_its_first_episode_is(tmp_path: Path) -> None:
    """By the episodes' ids: the order of a table's rows changes when its files are merged."""
    data = exported(tmp_path, [episode("e2", split="dev"), episode("e1")], splits=("train", "dev"))
    with Store.open(tmp_path / "store") as store:
        found = lineage(checkpoint(tmp_path / "run" / "model", data), store).data
    assert found is not None and found.episodes["split"] == {"dev": 1, "train": 1}
    assert found.tasks == {"train": 1}


def test_without_a_store_it_tells_what_the_folders_tell(tuned: Path) -> None:
    checkpoint_lineage = lineage(tuned)
    assert (
        checkpoint_lineage.made is None
        and checkpoint_lineage.data is not None
        and checkpoint_lineage.data.rows == 3
    )
    assert (checkpoint_lineage.data.episodes, checkpoint_lineage.data.chosen.rules) == ({}, None)


def test_it_is_printed_as_a_tree_and_as_json(tuned: Path, store: Store, cli: Callable) -> None:
    ran = cli("lineage", tuned, "--store", store.url)
    assert ran.code == 0
    for message in (
        f"checkpoint {checkpoint_hash(tuned)}", "trained from scratch",
        "selection chosen of store store, version 1", "no_error: 0 dropped, 3 left",
        "episodes by run: r3 2, r2 1", "made no episode of this store",
    ):  # fmt: skip
        assert message in ran.out
    content = json.loads(cli("lineage", tuned, "--json").out)
    assert content["parent"]["checkpoint"] == checkpoint_hash(tuned.parent / "second")


def test_rows_that_a_training_left_out_are_not_behind_it(tmp_path: Path, data: Path, cli: Callable) -> None:
    whole = checkpoint(tmp_path / "whole" / "model", data)
    part = checkpoint(tmp_path / "part" / "model", data, left_out=(2,))
    for model, ids in ((whole, ["e1", "e2", "e3"]), (part, ["e1", "e3"])):
        [behind] = training_data(model)[0]
        assert [i for row in behind.rows() for i in row.episode_ids] == ids
    with Store.open(data.parent / "store") as store:
        found = lineage(part, store)
    assert found.problems == [] and found.data is not None
    assert (found.data.rows, [*found.data.episodes["run"].items()]) == (2, [("r2", 1), ("r3", 1)])
    assert "2 rows without 1 that leak" in cli("lineage", part).out
    both = checkpoint(tmp_path / "both" / "model", data, whole, left_out=(2,))
    assert [len(list(each.rows())) for each in training_data(both)[0]] == [2, 3]


@pytest.mark.parametrize("numbers", [5, "12", ["1"], [True], [1.5]])
def test_rows_left_out_that_are_no_numbers_are_one_line(
    tmp_path: Path, data: Path, numbers: Any, cli: Callable
) -> None:
    model = checkpoint(tmp_path / "run" / "model", data)
    content = json.loads((model / "lineage.json").read_text())
    (model / "lineage.json").write_text(json.dumps(content | {"leaks": {"left_out": numbers}}))
    ran = cli("lineage", model)
    assert ran.code == FormatError.exit_code and "left_out is a list of rows' numbers" in ran.err


def test_the_output_of_a_run_names_its_model(tmp_path: Path, data: Path) -> None:
    episodes = checkpoint(tmp_path / "run" / "model", data)
    assert lineage(tmp_path / "run").checkpoint == checkpoint_hash(episodes)


def test_relative_paths_hold_where_all_was_moved_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tmp_path / "before"
    exported(before, [episode("e1")])
    monkeypatch.chdir(before)
    checkpoint(Path("runs/first/model"), Path("sft"))
    checkpoint(Path("runs/second/model"), Path("sft"), Path("runs/first/model"))
    monkeypatch.chdir(tmp_path)
    before.rename(tmp_path / "after")
    checkpoint_lineage = lineage(tmp_path / "after" / "runs" / "second")
    assert checkpoint_lineage.data is not None and (
        checkpoint_lineage.data.state,
        checkpoint_lineage.data.rows,
    ) == ("certified", 1)
    assert (
        checkpoint_lineage.parent is not None
        and not checkpoint_lineage.parent.gone
        and checkpoint_lineage.parent.data == checkpoint_lineage.data
    )


def test_a_link_that_does_not_hold_is_named(tuned: Path, data: Path, cli: Callable) -> None:
    (tuned / "model.safetensors").write_bytes(b"other weights")
    with (data / "data" / "train.jsonl").open("a") as lines:
        lines.write("\n")
    ran = cli("lineage", tuned)
    assert ran.code == 1 and "was changed after training" in ran.err
    assert "is not what its certificate.json certifies" in ran.err
    with pytest.raises(InputError, match=r"cannot be told: .* was changed after training"):
        training_data(tuned)


def test_episodes_that_the_store_or_the_selection_lacks_are_a_problem(tuned: Path, tmp_path: Path) -> None:
    with Store.open(store_of(tmp_path / "b", [episode("e1"), episode("e2")], dropped=["e2"])) as other:
        problems = lineage(tuned, other).problems
    assert any("1 of 3 episodes of the rows are not in version 1" in problem for problem in problems)
    assert any("2 of 3 episodes of the rows are not in 'chosen'" in problem for problem in problems)


def test_a_version_or_a_selection_that_the_store_lacks_is_a_problem(tuned: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "new", create=True) as new:
        assert lineage(tuned, new).problems == [
            f"{new.url}/episodes has no version 1, its newest is 0",
            OTHER,
        ]
        new.append([episode("e1"), episode("e2"), episode("e3")])
        new.flush()
        assert lineage(tuned, new).problems == ["unknown selection 'chosen'; choose from (none)", OTHER]


@pytest.mark.parametrize("name", ["store", "moved"])
def test_data_may_be_of_two_stores_of_any_names(tmp_path: Path, cli: Callable, name: str) -> None:
    first = exported(tmp_path / "a", [episode("e1"), episode("e2", run_id="r2")])
    second = exported(tmp_path / "b", [episode("e3")])
    stores = [tmp_path / "a" / "store", tmp_path / "b" / name]
    (tmp_path / "b" / "store").rename(stores[1])
    begun = checkpoint(tmp_path / "runs" / "first", first)
    tuned = checkpoint(tmp_path / "runs" / "second", second, begun)
    both = [part for store in stores for part in ("--store", store)]
    assert cli("lineage", tuned, *both).code == cli("lineage", tuned, *both[2:], *both[:2]).code == 0
    alone = cli("lineage", tuned, *both[:2])
    assert alone.code == 1 and "1 of 1 episodes of the rows are not in" in alone.err
    assert OTHER not in alone.err


def test_what_it_played_is_told_of_each_store(tuned: Path, store: Store, tmp_path: Path) -> None:
    with Store.open(tmp_path / "more", create=True) as more:
        for each, runs in ((store, 1), (more, 2)):
            each.append([replace(played(checkpoint_hash(tuned), n), run_id=f"r{n}") for n in range(runs)])
            each.flush()
        found = lineage(tuned, store, more)
    assert [run["run_id"] for run in found.made or ()] == ["r0", "r0", "r1"] and not found.problems


def test_where_data_is_in_no_store_that_of_its_name_is_blamed(tuned: Path, tmp_path: Path) -> None:
    with (
        Store.open(tmp_path / "new", create=True) as new,
        Store.open(store_of(tmp_path / "b", [episode("e1"), episode("e2")])) as named,
    ):
        problems = lineage(tuned, new, named).problems
    assert problems and all(new.url not in problem for problem in problems) and OTHER not in problems
    assert any(f"1 of 3 episodes of the rows are not in version 1 of {named.url}" in p for p in problems)


def test_what_a_base_model_played_is_told_from_one_of_a_name_alike(
    tmp_path: Path, data: Path, store: Store
) -> None:
    store.append([played("org/base.1", 1), played("org/base.1", 2), played("org/base11", 3)])
    store.flush()
    parent = lineage(checkpoint(tmp_path / "lora", data, "org/base.1", parent="org/base.1"), store).parent
    assert parent is not None and [run["episodes"] for run in parent.made or []] == [2]


def test_what_is_gone_is_said_to_be_gone(tuned: Path, data: Path) -> None:
    shutil.rmtree(data)
    checkpoint_lineage = lineage(tuned)
    assert (
        checkpoint_lineage.data is not None
        and checkpoint_lineage.data.state == GONE
        and not checkpoint_lineage.problems
    )
    with pytest.raises(InputError, match=r"the data of checkpoint .* is no longer there"):
        training_data(tuned)
    shutil.rmtree(tuned.parent / "second")
    gone = lineage(tuned).parent
    assert gone is not None and gone.gone and gone.recipe is None


def test_the_data_of_every_ancestor_counts_and_a_base_model_is_named(
    tuned: Path, data: Path, tmp_path: Path
) -> None:
    assert training_data(tuned) == ([Dataset(data)], [])
    assert training_data(data) == ([Dataset(data)], [])
    lora = checkpoint(tmp_path / "lora", data, "org/base", parent="org/base")
    assert training_data(lora) == ([Dataset(data)], ["org/base"])
    shutil.rmtree(tuned.parent / "second")
    with pytest.raises(InputError, match="is gone, and what it was trained on with it"):
        training_data(tuned)


def test_a_checkpoint_of_unknown_origin_is_refused(tmp_path: Path, cli: Callable) -> None:
    assert cli("lineage", tmp_path).code == 2
    episodes = checkpoint(tmp_path / "model", None)
    (episodes / "lineage.json").write_text('{"checkpoint": 1, "parents": []}')
    with pytest.raises(FormatError, match=r"checkpoint: .*; parent: Field required"):
        read_lineage(episodes)
    (episodes / "lineage.json").unlink()
    with pytest.raises(InputError, match=r"has no lineage.json"):
        lineage(tmp_path)


def test_a_lineage_that_is_no_text_is_one_line(tmp_path: Path, cli: Callable) -> None:
    model = checkpoint(tmp_path / "model", None)
    (model / "lineage.json").write_bytes(b'{"checkpoint": "\xff"}')
    ran = cli("lineage", model)
    assert (ran.code, ran.err.count("\n")) == (FormatError.exit_code, 1) and "not UTF-8 text" in ran.err


def test_a_checkpoint_that_is_its_own_ancestor_is_refused(tmp_path: Path, cli: Callable) -> None:
    first = checkpoint(tmp_path / "first", None)
    second = checkpoint(tmp_path / "second", None, first)
    told = read_lineage(first)
    for parent in (first, second):
        config = {**told.config, "model": str(parent)}
        loop = told.model_copy(update={"parent": checkpoint_hash(parent), "config": config})
        (first / "lineage.json").write_text(loop.model_dump_json())
        ran = cli("lineage", second)
        assert (ran.code, ran.err.count("\n")) == (FormatError.exit_code, 1)
        assert f"its parent {parent} is itself, or was trained from it" in ran.err


def test_a_line_is_followed_back_so_far_and_no_further(tmp_path: Path, cli: Callable) -> None:
    last = checkpoint(tmp_path / "0", None)
    for number in range(1, MOST_ANCESTORS + 1):
        last = checkpoint(tmp_path / str(number), None, last)
    assert cli("lineage", last, "--json").code == 0 == cli("lineage", last).code
    with pytest.raises(FormatError, match="more than 100 ancestors"):
        lineage(checkpoint(tmp_path / "one more", None, last))
