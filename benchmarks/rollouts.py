"""Rollouts without a model: what they hold in memory, and how many tokens the right ones take.

    python -m benchmarks.rollouts [TASKS] [--rollouts N] [--limit N] [--tokenizer NAME]

TASKS is a source as configs name it (`suite:quick` where nothing is said). Each rollout is a task reset in an
environment out of a pool, as TRL keeps them, done by its gold plan call by call, and judged. The resident
memory is printed every 200 rollouts; with a tokenizer (a folder) also the tokens of each gold rollout.
"""

import argparse
import gc
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eops_traj.hashing import canonical_json
from eops_traj.messages import Message
from eops_traj.schema import Task
from eops_traj.store.arrow import to_row
from eops_traj.tasks import find_tasks
from eops_traj.tasks.catalog import root_of
from eops_traj.train.gold_rollouts import gold_lengths, gold_messages
from eops_traj.train.judge import Judge
from eops_traj.train.length_filter import count_tokens
from eops_traj.train.rollout_config import ROLLOUT_TOKENS
from eops_traj.train.rollout_env import Environment, Environments, acting_row, make_environments

EVERY, GROUP = 200, 8
"""Rollouts between two lines, and how many of one task TRL has open at a time."""


def main() -> None:
    """Roll out and print."""
    options = parser().parse_args()
    tasks = [t for t in find_tasks(options.tasks, limit=options.limit) if t.plan]
    root = root_of(options.tasks)
    environments = make_environments(tasks, root)
    print(f"{len(tasks)} tasks with gold plans, {len(environments)} sets of tools, {resident():.0f} MB")
    rows = [acting_row(prompt_of(task), canonical_json(to_row(task)), root) for task in tasks]
    if options.tokenizer:
        print_lengths(rows, environments, options.tokenizer)
    roll_out(rows, environments, options.rollouts)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    new = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    new.add_argument("tasks", nargs="?", default="suite:quick")
    new.add_argument("--rollouts", type=int, default=2000)
    new.add_argument("--limit", type=int)
    new.add_argument("--tokenizer")
    return new


def prompt_of(task: Task) -> list[Message]:
    """Return the policy, as a planner's prompt has it."""
    return [{"role": "system", "content": task.system_prompt}]


def roll_out(rows: Sequence[dict[str, Any]], environments: Environments, rollouts: int) -> None:
    """Roll out groups at one task after another, and print memory and rewards as they go."""
    pool: dict[str, list[Environment]] = defaultdict(list)
    start, done, calls, rewards = time.perf_counter(), 0, 0, Counter[float]()
    while done < rollouts:
        row = rows[done // GROUP % len(rows)]
        group, made = roll_out_group(row, pool[row["environment"]], environments)
        rewards.update(group)
        done, calls = done + GROUP, calls + made
        if done % EVERY == 0:
            gc.collect()
            speed = done / (time.perf_counter() - start)
            pace = f"{speed:5.0f} a second, {calls / done:.1f} calls each"
            print(f"{done:>6} rollouts {resident():7.0f} MB  {pace}", flush=True)
    print(f"rewards: {dict(rewards)}")


def roll_out_group(
    row: dict[str, Any], pool: list[Environment], environments: Environments
) -> tuple[list[float], int]:
    """Do a task in each environment of a group, then judge them all; return their rewards and calls."""
    pool.extend(environments[row["environment"]]() for _ in range(GROUP - len(pool)))
    for environment in pool:
        environment.reset(task=row["task"])
    replies = [gold_messages(environment) for environment in pool]
    calls = sum(message["role"] == "tool" for messages in replies for message in messages)
    return Judge().rollouts(replies, [[0]] * GROUP, pool), calls


def print_lengths(rows: Sequence[dict[str, Any]], environments: Environments, name: str) -> None:
    """Print how long gold rollouts are, and what share of them fits into budgets."""
    from eops_traj.llm.chat_template import load_tokenizer
    from eops_traj.train.scratch_model import chat_template

    tokenizer = load_tokenizer(name)
    tokenizer.chat_template = chat_template()
    shown = [list(environments[row["environment"]]._schemas) for row in rows]
    prompts = [count_tokens(tokenizer, r["prompt"], t) for r, t in zip(rows, shown, strict=True)]
    lengths = list(gold_lengths(rows, environments, tokenizer, {}))
    for what, tokens in (("prompts with tools", prompts), ("gold rollouts", lengths)):
        tenths = statistics.quantiles(tokens, n=10)
        print(f"{what}: median {tenths[4]:.0f} tokens, p90 {tenths[8]:.0f}, longest {max(tokens)}")
    for budget in (1024, 4096, 8192, ROLLOUT_TOKENS):
        print(f"  {sum(n <= budget for n in lengths)} of {len(lengths)} fit into {budget}")


def resident() -> float:
    """Return the resident memory of this process in MB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


if __name__ == "__main__":
    main()
