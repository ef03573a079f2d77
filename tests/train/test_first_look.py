"""A first look counts tries by prompt, in an order of its own, and stops when it has enough."""

from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import InputError
from eops_traj.train.first_look import (
    Look,
    check_whole_model,
    look_first,
    mixed_rows,
    read_looks,
    summary,
)
from eops_traj.train.judge import Tried
from eops_traj.train.rollout_config import FirstLook

PASSES = [0, 1, 2, 3, 4, 2]
"""Of four tries at each of six prompts, how many pass."""


class Trainer:
    """A trainer of one process, whose tries at a prompt pass as often as it says."""

    def __init__(self) -> None:
        """Have made no tries."""
        self.train_dataset = [{"task": f'{{"task_id": "t{n}"}}', "passes": n} for n in range(len(PASSES))]
        self.accelerator, self.num_processes, self.process_index = self, 1, 0
        self.tried: list[int] = []

    def wait_for_everyone(self) -> None:
        """Wait for no one."""

    def is_world_process_zero(self) -> bool:
        """Return that it is the only one."""
        return True

    def attempt(self, rows: list[dict[str, Any]], greedy: bool) -> list[Tried]:
        """Try each of these rows, which pass as often as they are to and fail from then on."""
        assert not greedy
        outcomes = []
        for row in rows:
            self.tried.append(row["passes"])
            passed = self.tried.count(row["passes"]) <= PASSES[row["passes"]]
            outcomes.append(Tried("success" if passed else "failure"))
        return outcomes


def test_prompts_that_differ_among_their_tries_are_kept(tmp_path: Path) -> None:
    looks = look_first(Trainer(), tmp_path, FirstLook(tries=4), seed=0, batch_size=5)
    assert sorted(looks, key=lambda look: look.row) == [
        Look(n, f"t{n}", passed, 4) for n, passed in enumerate(PASSES)
    ]
    assert mixed_rows(looks) == [1, 2, 3, 5] and [look.row for look in looks] != list(range(6))
    counts = {"kept": 4, "all_passed": 1, "none_passed": 1, "not_looked_at": 0, "tries": 24}
    assert summary(6, looks) == counts and read_looks(tmp_path / "first_look.jsonl") == looks


@pytest.mark.parametrize("kind", ["FSDP", "DEEPSPEED"])
def test_a_model_in_parts_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_whole_model(FirstLook())
    monkeypatch.setenv(f"ACCELERATE_USE_{kind}", "true")
    check_whole_model(None)
    with pytest.raises(InputError, match=f"with {kind} there is no whole model .* give first_look=null"):
        check_whole_model(FirstLook())


def test_it_stops_when_it_has_enough_and_goes_on_for_more(tmp_path: Path) -> None:
    few = look_first(Trainer(), tmp_path, FirstLook(tries=4, enough=2), seed=0, batch_size=4)
    assert len(mixed_rows(few)) == 2 and few[-1].mixed and len(few) < 6
    again, more = Trainer(), Trainer()
    assert look_first(again, tmp_path, FirstLook(tries=4, enough=2), seed=0, batch_size=4) == few
    assert again.tried == []
    every = look_first(more, tmp_path, FirstLook(tries=4), seed=0, batch_size=4)
    assert every[: len(few)] == few and len(mixed_rows(every)) == 4
    assert set(more.tried).isdisjoint(look.row for look in few)
