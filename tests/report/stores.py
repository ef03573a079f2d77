"""Stores for tests of reports: they feed every figure, with awkward names."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from eops_traj.causes.cause import KINDS
from eops_traj.hashing import canonical_json, digest
from eops_traj.schema import CATEGORIES, Episode, Json, Run, Verdict
from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS, episode

DOMAINS = ("csm", "itsm", "hr", "teams", "drive", "email", "calendar", "hybrid")
MODES = ("oracle", "plus_5_tools", "plus_10_tools", "plus_15_tools", "all")
FAILURES = ("loop", "premature_end", "no_tool_used", "repeated_errors", "excess_calls")
HOSTILE = '<script>alert(1)</script> & $x_1$ "q" --> ]]> \u4f60\u597d \x07'
"""A model's name that is markup, mathtext, a comment's end, and letters that the font lacks."""


def long_name(number: int) -> str:
    """Return a model's name of 60 characters."""
    return f"organisation-{number:02}/a-model-with-a-very-long-name-instruct-2026-11".ljust(60, "x")


def settings(**flat: Any) -> Json:
    """Return an agent's settings: those that matter to a figure."""
    return Json(canonical_json(flat))


def worked(
    model: str, skill: float, tasks: Iterable[int], *, attempts: int = 1, run: str | None = None,
    orchestrator: str = "react", settings: str = "{}", suffix: str = "", **fields: Any,
) -> Iterator[Episode]:  # fmt: skip
    """Yield attempts of an agent at tasks by number, successes by ``skill``; the same at every call."""
    agent = digest(model, orchestrator, settings)
    mode = fields.pop("mode", "oracle")
    for task in tasks:
        for attempt in range(1, attempts + 1):
            name = f"{model}|{orchestrator}|{settings}|{mode}|{suffix}|{task}|{attempt}"
            yield episode(
                digest(name), agent_hash=agent, attempt=attempt, run_id=run or digest("run", agent),
                model=model, orchestrator=orchestrator, settings=settings, mode=mode, suite="made",
                **_result(Random(name), skill, task, mode), **fields,
            )  # fmt: skip


def _result(rng: Random, skill: float, task: int, mode: str) -> dict[str, Any]:
    won, feasible = rng.random() < skill, task % 5 != 0
    lost = ("failure", "over_refusal") if feasible else ("unsafe_action", "false_success")
    passed = [won or rng.random() < 0.4 for _ in CATEGORIES]
    outcome = ("success" if feasible else "safe_refusal") if won else rng.choice(lost)
    return {
        "task_id": f"task_{task}",
        "task_hash": f"task-{task}-{mode}",
        "domain": DOMAINS[task % len(DOMAINS)],
        "feasible": feasible,
        "outcome": outcome,
        "success_parity": won,
        "success_strict": won,
        "verifier_pass_parity": sum(passed) / len(passed),
        "verifier_pass_strict": sum(passed) / len(passed),
        "verdicts": tuple(_verdict(c, p) for c, p in zip(CATEGORIES, passed, strict=True)),
        "n_steps": 2 + task % 18,
        "causes": () if won else tuple(rng.sample(sorted(KINDS), 2)),
        "failure_modes": () if won else tuple(rng.sample(FAILURES, 2)),
        "started_at": f"2026-11-01T{task % 24:02}:00:00.000+00:00",
        "duration_ms": 1000.0 * (5 + task % 30),
    }


def _verdict(category: str, passed: bool) -> Verdict:
    return Verdict(
        name=category, kind="database_state", passed_parity=passed, passed_strict=passed, category=category
    )


def errors(model: str, *messages: str) -> Iterator[Episode]:
    """Yield attempts that ended in these errors."""
    for number, error in enumerate(messages):
        yield episode(
            digest(model, error, number), agent_hash=digest(model, "react", "{}"), model=model,
            run_id=digest("run", digest(model, "react", "{}")), outcome="error", error=error,
            success_parity=None, success_strict=None, verifier_pass_parity=None, verifier_pass_strict=None,
        )  # fmt: skip


def everything(agents: int = 1, tasks: int = 8, step: int = 4) -> Iterator[Episode]:
    """Yield episodes that feed every figure, by so many agents with long names besides those they need.

    With a ``step`` of 4 they are of two domains, with one of 1 of all eight.
    """
    numbers = range(0, tasks * step, step)
    for n in range(agents):
        priced = {"cost": 0.002 * 2.2**n, "reasoning_tokens": 100 * n}
        yield from worked(long_name(n), 0.2 + 0.7 * n / agents, numbers, attempts=2, **priced)
    for mode in MODES:
        yield from worked("overloaded", 0.9 - 0.15 * MODES.index(mode), numbers, mode=mode)
    for effort, skill in (("low", 0.3), ("high", 0.7)):
        thinks = settings(models={"executor": {"sampling": {"reasoning_effort": effort}}})
        yield from worked("thinker", skill, numbers, settings=thinks, reasoning_tokens=900)
    plans = {"gold": ("conditioned", "gold", 0.9), "other": ("conditioned", "ab" * 12, 0.6)}
    for orchestrator, source, skill in plans.values():
        conditioned = settings(orchestrator={"plans": source})
        yield from worked(long_name(0), skill, numbers, orchestrator=orchestrator, settings=conditioned)
    yield from worked(long_name(0), 0.5, numbers, orchestrator="planner_react")
    yield from trained(numbers)
    yield from errors(long_name(0), "timeout: no reply", "throttled: HTTP 429", "odd")
    yield from worked(HOSTILE, 0.5, numbers)


def trained(numbers: Iterable[int]) -> Iterator[Episode]:
    """Yield episodes of a planner before and after training, on two held-out splits."""
    for hour, (model, skill) in enumerate((("untrained", 0.1), ("sft", 0.7), ("dpo", 0.8))):
        weights = settings(models={"planner": {"checkpoint": digest(model), "model": model}})
        for split in ("test", "test_ood"):
            for attempt in worked(
                model, skill, numbers, orchestrator="plan", settings=weights, split=split, suffix=split
            ):
                at = f"2026-11-02T{hour:02}:00:00.000+00:00"
                yield episode_like(attempt, started_at=at, task_hash=f"{attempt.task_hash}-{split}")


def episode_like(original: Episode, **fields: Any) -> Episode:
    """Return the episode with some fields changed."""
    return replace(original, **fields)


def store_of(folder: Path, episodes: Iterable[Episode]) -> Path:
    """Write a store of these episodes and the runs that they name."""
    stored = list(episodes)
    runs = [
        Run(run_id=run, kind="collect", config=Json(json.dumps({})), version="0")
        for run in sorted({e.run_id for e in stored})
    ]
    with Store.open(folder / "store", create=True) as store:
        store.append(stored, prompts=[PROMPT], toolsets=[TOOLS], runs=runs)
    return folder / "store"
