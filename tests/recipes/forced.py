"""A model whose replies are forced, token by token, while all else of a rollout is real.

What is played at a prompt is decided by the calls that stand in it already. The right way through ``TO_DO``
is ``FIRST``, ``SECOND``, and a last reply; the wrong way leaves the first call out. Through any other task it
is what its gold plan does.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eops_traj.messages import Message
from eops_traj.schema import Task
from eops_traj.train.gold_rollouts import gold_messages
from eops_traj.train.rollout_env import acting_prompt, environment_name, make_environments
from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model, train_tokenizer
from tests.collectors.group_tasks import TASK
from tests.planner_data import planner_prompt, reply, task_text

TO_DO = replace(TASK, split="dev", tools=("add_new_group_member", "update_user_details"))
FIRST = ("add_new_group_member", {"group_id": 1, "user_id": 8})
SECOND = ("update_user_details", {"user_id": 8, "phone": "+1 555 0100"})
SIZES = ScratchConfig(vocabulary=900, hidden=64, layers=2, heads=2, intermediate=128)
RIGHT, HALF, WRONG = 1, 2, 0
"""How many of the tries go the right way: every one, every other one, none."""


def call_message(name: str, arguments: dict[str, Any]) -> Message:
    """Return the message of a call."""
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def worked_conversation() -> dict[str, Any]:
    """Build the conversation of one who does the work, with the tools as the trainer shows them."""
    environment = make_environments([TO_DO])[environment_name(TO_DO)]()
    environment.reset(task=task_text(TO_DO))
    messages = acting_prompt(planner_prompt(TO_DO), TO_DO)
    for name, arguments in (FIRST, SECOND):
        answer = getattr(environment, name)(**arguments)
        messages += [call_message(name, arguments), {"role": "tool", "name": name, "content": answer}]
    return {"messages": [*messages, *reply("Done.")], "tools": list(environment._schemas)}


def actor(folder: Path) -> Path:
    """Save a model with random weights, its tokenizer trained on the worked conversation."""
    import torch

    torch.manual_seed(0)
    tokenizer = train_tokenizer([worked_conversation()], SIZES.vocabulary)
    make_scratch_model(SIZES, tokenizer, 4096).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def rendered(tokenizer: Any, message: Message) -> list[int]:
    """Return the tokens of an assistant's message, up to the one that ends it."""
    asked = [{"role": "user", "content": "x"}]
    texts = [
        tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=opened)
        for messages, opened in ((asked, True), ([*asked, message], False))
    ]
    ids: list[int] = tokenizer(texts[1].removeprefix(texts[0]).rstrip(), add_special_tokens=False)[
        "input_ids"
    ]
    return ids


NextReply = Callable[[int, str], Sequence[int]]
"""The tokens of the next reply, of the place in the batch and the conversation so far."""


def force(trainer: Any, right: int) -> Any:
    """Have the model of a trainer play its part at ``TO_DO``: every ``right``-th try goes the right way."""
    tokenizer = trainer.processing_class
    plays = {name: rendered(tokenizer, call_message(name, arguments)) for name, arguments in (FIRST, SECOND)}
    last = rendered(tokenizer, reply("Done.")[0])

    def next_reply(n: int, said: str) -> list[int]:
        called = calls_in(said)
        if not called:
            return plays[FIRST[0] if right and n % right == 0 else SECOND[0]]
        return plays[SECOND[0]] if called == [FIRST[0]] else last

    return play(trainer, next_reply)


def force_gold(trainer: Any, tasks: Sequence[Task]) -> Any:
    """Have the model of a trainer do each of these tasks by its gold plan, call by call."""
    plays = {task.user_prompt: gold_replies(trainer.processing_class, task) for task in tasks}
    longest_first = sorted(plays, key=len, reverse=True)

    def next_reply(n: int, said: str) -> list[int]:
        asked = next(request for request in longest_first if request in said)
        return plays[asked][len(calls_in(said))]

    return play(trainer, next_reply)


def gold_replies(tokenizer: Any, task: Task) -> list[list[int]]:
    """Return the tokens of each reply of one who does a task by its gold plan."""
    environment = make_environments([task])[environment_name(task)]()
    environment.reset(task=task_text(task))
    messages = gold_messages(environment)
    environment._close()
    return [rendered(tokenizer, message) for message in messages if message["role"] == "assistant"]


def calls_in(said: str) -> list[str]:
    """Return the names of the tools that were called in a conversation, in their order."""
    return re.findall(r'"name": "(\w+)", "arguments"', said.partition("</tools>")[2])


def play(trainer: Any, next_reply: NextReply) -> Any:
    """Have the model of a trainer say what it is told to, and nothing else."""
    from transformers import LogitsProcessorList

    tokenizer, generate = trainer.processing_class, trainer.model.generate

    def forced(**options: Any) -> Any:
        said = tokenizer.batch_decode(options["input_ids"])
        replies = [next_reply(n, text) for n, text in enumerate(said)]
        start = options["input_ids"].shape[1]
        return generate(**options, logits_processor=LogitsProcessorList([Played(replies, start)]))

    trainer.model.generate = forced
    return trainer


class Played:
    """A logits processor that leaves each row the next token of its reply, and no other."""

    def __init__(self, replies: Sequence[Sequence[int]], start: int) -> None:
        """Take the replies, and the length of the prompts before them."""
        self._replies, self._start = replies, start

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return the scores with all other tokens ruled out; a reply that is over is padded by its end."""
        place = input_ids.shape[1] - self._start
        allowed = [play[min(place, len(play) - 1)] for play in self._replies]
        only = scores.new_full(scores.shape, float("-inf"))
        for row, token in enumerate(allowed):
            only[row, token] = 0.0
        return only
