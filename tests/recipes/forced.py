"""A model whose replies are forced, token by token, while all else of a rollout is real.

What is played at a prompt is decided by the calls that stand in it already. The right way through the task is
``FIRST``, ``SECOND``, and a last reply; the wrong way leaves the first call out.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eops_traj.messages import Message
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


def force(trainer: Any, right: int) -> Any:
    """Have the model of a trainer play its part: every ``right``-th try goes the right way."""
    from transformers import LogitsProcessorList

    tokenizer, generate = trainer.processing_class, trainer.model.generate
    plays = {name: rendered(tokenizer, call_message(name, arguments)) for name, arguments in (FIRST, SECOND)}
    last = rendered(tokenizer, reply("Done.")[0])

    def next_reply(n: int, said: str) -> list[int]:
        called = [name for name in plays if f'"name": "{name}", "arguments"' in said.partition("</tools>")[2]]
        if not called:
            return plays[FIRST[0] if right and n % right == 0 else SECOND[0]]
        return plays[SECOND[0]] if called == [FIRST[0]] else last

    def forced(**options: Any) -> Any:
        said = tokenizer.batch_decode(options["input_ids"])
        replies = [next_reply(n, text) for n, text in enumerate(said)]
        start = options["input_ids"].shape[1]
        return generate(**options, logits_processor=LogitsProcessorList([Played(replies, start)]))

    trainer.model.generate = forced
    return trainer


class Played:
    """A logits processor that leaves each row the next token of its reply, and no other."""

    def __init__(self, replies: Sequence[list[int]], start: int) -> None:
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
