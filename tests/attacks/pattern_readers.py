"""The functions that read foreign text, each as a function of one text, for the attack on patterns."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from eops_traj.errors import EopsError
from eops_traj.llm.reply_parser import parse_reply
from eops_traj.llm.tool_arguments import read_arguments
from eops_traj.plan.parser import parse
from eops_traj.planner.slot_plan import SlotPlans
from eops_traj.planner.slots import Slots
from eops_traj.privacy.pii import personal_data
from eops_traj.privacy.redact import Scrubber
from eops_traj.privacy.secret_scan import secret_kinds
from eops_traj.schema import Episode, ToolCall, Turn, json_of
from eops_traj.untrusted.markdown import code, code_block, escape_markdown
from eops_traj.untrusted.terminal import visible
from eops_traj.verify.claims import false_claims
from eops_traj.verify.failure_modes import diagnose
from eops_traj.verify.judge import rate
from eops_traj.verify.refusal_text import declines
from eops_traj.verify.value_forms import Text
from eops_traj.view.formatting import changed_columns, fold_text
from tests.episodes import EPISODE
from tests.planner.test_slots import ASKER


def full_of(text: str, name: str = "find_user") -> Episode:
    """Return an episode that says, passes and gets this text wherever there is room for one."""
    passed = json_of({"user_id": text, text[:40]: text})
    failed = ToolCall(id="a", name=name, arguments=passed, result=text, is_error=True)
    wrote = ToolCall(id="b", name="update_user", arguments=passed, result=text)
    turns = (Turn(text=text, reasoning=text, tool_calls=(failed, wrote)), Turn(text=text))
    return replace(EPISODE, user_prompt=text, turns=turns, n_turns=2, n_steps=2)


def judge_reply(text: str) -> Any:
    """Have a judge reply with the text."""
    return rate(lambda prompt: text, "compare", {}, "answer")


def either(read: Callable[[str], Any], text: str) -> None:
    """Read a text, which may be refused with an error of ours or a ValueError."""
    with suppress(EopsError, ValueError):
        read(text)


def quietly(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a reader that may refuse its text."""
    return partial(either, read)


_VALUES = ("CS001", "2026-01-06 14:30", 12, True, "ana.ruiz@corvane.example", "Ana Ruiz")

READERS: dict[str, Callable[[str], Any]] = {
    "slots": lambda text: Slots.of(ASKER, text).show(text, "numbered"),
    "a plan by slots": lambda text: SlotPlans(Slots.of(ASKER, text)).by_slots(f"REFUSE: {text}"),
    "declines": declines,
    "claims": lambda text: false_claims(text, ()),
    "values": lambda text: [Text(text).says(value) for value in _VALUES],
    "diagnose": lambda text: diagnose(full_of(text), text),
    "diagnose a tool of that name": lambda text: diagnose(full_of(text, name=text)),
    "judge": quietly(judge_reply),
    "reply": parse_reply,
    "reply with a call": lambda text: parse_reply(f"<tool_call>{text}"),
    "reply in channels": lambda text: parse_reply(f"{text}<|message|>{text}", style="harmony"),
    "reply that is a call": lambda text: parse_reply(f'{{"name": "{text}', style="llama3_json"),
    "arguments": quietly(read_arguments),
    "plan": quietly(parse),
    "plan of one step": quietly(lambda text: parse(f"1. find_user(name={text})")),
    "scrubber": Scrubber().text,
    "secrets": secret_kinds,
    "personal data": lambda text: list(personal_data(text)),
    "terminal": visible,
    "Markdown": lambda text: (escape_markdown(text), code(text), code_block(text)),
    "viewer": lambda text: (fold_text(text), changed_columns(text, f"{text}.")),
}
"""Every such function by what it reads."""
