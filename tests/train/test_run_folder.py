"""The data of a run on several ranks: checked and read once, and resumed by as many processes as began."""

import threading
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import ConfigError, InputError
from eops_traj.export.certificate_file import read_certificate
from eops_traj.train import run_folder
from eops_traj.train.config import RecipeConfig
from eops_traj.train.load_rows import load_rows
from eops_traj.train.ranks import Quiet, Ranks
from eops_traj.train.run_folder import claim_output, open_data
from tests.planner_data import planner_sft
from tests.train.threaded_ranks import on_ranks


@pytest.fixture
def config(tmp_path: Path) -> RecipeConfig:
    return RecipeConfig(recipe="sft", data=planner_sft(tmp_path), output=tmp_path / "out")


def opened(
    config: RecipeConfig, ranks: int, monkeypatch: pytest.MonkeyPatch, resume: bool = False
) -> list[Any]:
    """Open the data of a run on this many ranks; return what each has, or how it ends."""
    here = threading.local()
    monkeypatch.setattr(run_folder, "joined_ranks", lambda: nullcontext(here.ranks))

    def work(rank: Ranks) -> Any:
        here.ranks = rank
        with open_data(config, ("planner_sft",), resume) as data:
            return data

    return on_ranks(ranks, work)


def claimed(config: RecipeConfig, processes: int, left_out: Sequence[int] = ()) -> None:
    """Take the output for a run of so many processes."""
    config.output.mkdir()
    claim_output(config, read_certificate(config.data), processes, left_out)


def started(output: Path, step: int, states: int) -> None:
    """Make a checkpoint that this many ranks wrote their random states into."""
    folder = output / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    (folder / "trainer_state.json").touch()
    for rank in range(states):
        (folder / f"rng_state_{rank}.pth").touch()


def test_the_first_rank_reads_and_all_have_the_same_rows(
    config: RecipeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    monkeypatch.setattr(run_folder, "load_rows", lambda *given: read.append(given) or load_rows(*given))
    first, second = opened(config, 2, monkeypatch)
    assert len(read) == 1 and second.rows.cache_files == first.rows.cache_files
    assert second.processes == 2 and len(second.rows) == 8


def test_what_the_first_rank_refuses_it_alone_says(
    config: RecipeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.output.mkdir()
    (config.output / "taken").touch()
    said, quiet = opened(config, 2, monkeypatch)
    assert isinstance(said, InputError) and "is not an empty folder" in str(said)
    assert isinstance(quiet, Quiet) and quiet.code == 2


@pytest.mark.parametrize("resume", [False, True])
def test_while_a_run_holds_its_output_no_other_begins_or_goes_on(
    resume: bool, config: RecipeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    if resume:
        claimed(config, 1)
        started(config.output, 2, states=0)
    with open_data(config, ("planner_sft",), resume):
        said, quiet = opened(config, 2, monkeypatch, resume)
        assert isinstance(said, InputError) and "another run works in" in str(said)
        assert isinstance(quiet, Quiet) and quiet.code == 2
    assert not (config.output / "run.lock").exists() and config.output.exists() == resume


def test_an_output_that_was_killed_before_it_was_taken_is_free(
    config: RecipeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.output.mkdir()
    (config.output / "run.lock").touch()
    assert opened(config, 1, monkeypatch)[0].checkpoint is None


def test_a_run_goes_on_from_the_last_checkpoint_that_every_rank_wrote(
    config: RecipeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed(config, 2)
    started(config.output, 2, states=2)
    started(config.output, 4, states=1)  # the run was killed before the second rank had written
    first, second = opened(config, 2, monkeypatch, resume=True)
    assert first.checkpoint == second.checkpoint == config.output / "checkpoint-2"


def test_a_run_goes_on_without_the_rows_it_went_without(
    config: RecipeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed(config, 1, left_out=[3])
    started(config.output, 2, states=0)
    said = opened(config, 1, monkeypatch, resume=True)[0]
    assert isinstance(said, ConfigError) and said.problems == ["other rows are left out of the data"]


@pytest.mark.parametrize(("then", "now"), [(2, 1), (1, 2)])
def test_a_run_goes_on_in_as_many_processes_as_it_began_with(
    then: int, now: int, config: RecipeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed(config, then)
    started(config.output, 2, states=then)
    said = opened(config, now, monkeypatch, resume=True)[0]
    assert isinstance(said, ConfigError)
    assert said.problems == [f"it ran in {then} processes, this is {now}"]
