"""Cut replies and samples that differ are counted over what is scored."""

import json
from pathlib import Path
from typing import Any

from eops_traj.metrics.reply_stats import ReplyStats, reply_stats
from eops_traj.schema import Episode, Json, Turn
from eops_traj.store.store import Store
from tests.episodes import episode


def attempt(key: str, task: str, plan: str | None, *reasons: str | None, **fields: Any) -> Episode:
    turns = tuple(Turn(text="", finish_reason=reason) for reason in reasons)
    details = Json(json.dumps({"plan": plan} if plan is not None else {}))
    return episode(key, task_hash=task, turns=turns, n_turns=len(turns), details=details, **fields)


def counted(folder: Path, *episodes: Episode) -> ReplyStats:
    with Store.open(folder / "store", create=True) as store:
        store.append(episodes)
    with Store.open(folder / "store") as store:
        return reply_stats(store.scan())


def test_replies_of_models_count_and_turns_of_machines_do_not(tmp_path: Path) -> None:
    stats = counted(
        tmp_path,
        attempt("a", "t1", "p", "stop", None, None),
        attempt("b", "t2", "p", "length"),
        attempt("c", "t3", "p", "length", outcome="error", success_strict=None),
        attempt("d", "t4", "p", "tool_calls", "stop"),
    )
    assert (stats.replies, stats.cut, stats.samples, stats.tasks_sampled) == (4, 0.25, 1, 0)
    assert list(stats.lines()) == ["replies: 4, 25.0% cut at the cap"]


def test_tasks_whose_samples_differ_are_counted(tmp_path: Path) -> None:
    same = [attempt(f"s{n}", "t1", "p", "stop") for n in range(3)]
    other = [attempt(f"o{n}", "t2", f"p{n // 2}", "stop") for n in range(3)]
    stats = counted(
        tmp_path, *same, *other, attempt("x", "t3", None, "stop"), attempt("y", "t3", None, "stop")
    )
    assert (stats.samples, stats.tasks_sampled, stats.tasks_with_different_samples) == (3, 2, 1)
    assert not stats.all_alike and list(stats.lines())[1] == (
        "samples: up to 3 a task; those of 1 of 2 tasks differ"
    )


def test_samples_that_are_all_alike_are_warned_of(tmp_path: Path) -> None:
    stats = counted(tmp_path, *(attempt(f"s{n}", "t1", "p", "stop") for n in range(3)))
    assert stats.all_alike and list(stats.lines())[-1].startswith("warning: no two samples of a task differ")


def test_no_episodes_are_no_replies(tmp_path: Path) -> None:
    assert counted(tmp_path) == ReplyStats(0, 0.0, 0, 0, 0)
