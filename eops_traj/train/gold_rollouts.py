"""Gold rollouts: what the right way through a task takes, in the tokens of the model that is trained.

A budget that gold rollouts do not fit into fails the model at tasks that it does right.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.messages import Message
from eops_traj.plan import parse, run
from eops_traj.taskgen.gold_answer import asked_of, gold_answer
from eops_traj.train.length_filter import count_tokens
from eops_traj.train.rollout_env import Environment, Environments

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

MOST = 50
"""How many tasks are measured, spread over the data: a few seconds."""


def gold_messages(environment: Environment) -> list[Message]:
    """Do a task by its gold plan, call by call, in an environment that was reset to it; return the rollout.

    The environment can be judged afterwards. Returns nothing where the task has no gold plan.
    """
    context = environment._context
    assert context is not None
    if not context.task.plan:
        return []
    plan = parse(context.task.plan)
    done = run(plan, context)
    messages = [m for call, result in done.calls for m in _turn(call.tool, call.arguments, result.text)]
    answer = done.ending.answer
    if done.ending.kind == "completed":
        servers = [server.name for server in context.task.servers]
        answer = gold_answer(plan, done.calls, asked_of(context.task.details), servers)
    return [*messages, {"role": "assistant", "content": answer}]


def _turn(tool: str, arguments: Mapping[str, Any], result: str) -> list[Message]:
    """Return the messages of a call and its answer."""
    call = {"type": "function", "function": {"name": tool, "arguments": dict(arguments)}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": tool, "content": result},
    ]


def gold_lengths(
    rows: Sequence[Mapping[str, Any]],
    environments: Environments,
    tokenizer: "PreTrainedTokenizerBase",
    options: Mapping[str, Any],
) -> Iterator[int]:
    """Yield the tokens of the gold rollout of each row that has one, tools' answers included."""
    for row in rows:
        environment = environments[row["environment"]]()
        environment.reset(task=row["task"])
        messages = gold_messages(environment)
        environment._close()
        if messages:
            # the tools stand in front, alike in both, and are left out of both
            start = count_tokens(tokenizer, row["prompt"], [], add_generation_prompt=True, **options)
            yield count_tokens(tokenizer, [*row["prompt"], *messages], [], **options) - start


def spread(rows: Any, most: int = MOST) -> list[Mapping[str, Any]]:
    """Return some of the rows, evenly spread over all of them."""
    step = max(1, -(-len(rows) // most))
    return [rows[n] for n in range(0, len(rows), step)]


def describe_gold(lengths: Sequence[int], max_new_tokens: int) -> str:
    """Describe the lengths of gold rollouts beside a budget, in a sentence."""
    fit = sum(length <= max_new_tokens for length in lengths)
    middle, longest = round(statistics.median(lengths)), max(lengths)
    return (
        f"gold rollouts: {fit} of {len(lengths)} fit into max_new_tokens {max_new_tokens}"
        f" (median {middle} tokens, longest {longest})"
    )
