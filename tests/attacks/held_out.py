"""An attack on the held-out check: a held-out task's request and gold plan in every column and disguise.

The columns are walked from the record's own types. Beside them stand look-alikes, which must pass: the
policy, which tasks of all splits share, and a request and a plan of the same making about something else.
"""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import wrap
from urllib.parse import quote

from eops_traj.bundle import EpisodeBundle
from eops_traj.provenance.dataset import DataRow
from eops_traj.provenance.held_out_index import KINDS, HeldOutIndex
from eops_traj.publish.episode_exporter import EpisodeExporter
from eops_traj.schema import Task, ToolCall, Turn
from tests.attacks.secrets import TEMPLATE, in_result, plantings
from tests.attacks.tally import HELD, Tally
from tests.episodes import PROMPT, TOOLS

REQUEST = (
    "Case 81 of the bakery in Lund was reopened again by its owner, who waits for a word from us; please put"
    " its count to nine, give it to Marta, and see to it that nothing else in it is different from before."
)
STEPS = [
    'find_user(name="Marta Lund") -- who gets it',
    "require($1.active == true) -- she has left",
    "find_case_slas(case_id=81) -- look",
    "update_case(case_id=81, reopen_count=9, assigned_to=$1.user_id) -- do it",
    'send_notification(case_id=$4.case_id, email=$1.email, type="update") -- tell her',
    'add_note(case_id=$4.case_id, text="Nine times now.") -- a note',
]
LIKE_IT = (
    "Case 17 of the florist in Bergen was closed by mistake, and its owner waits for a word from us; please"
    " put its state to open, give it to Oskar, and see to it that he knows about it today."
)
Disguise = Callable[[str], str]


def numbered(steps: list[str]) -> str:
    """Return the text of a plan."""
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def held_task() -> Task:
    """Return the task that is held out."""
    return Task(task_id="held", domain="csm", mode="oracle", suite="tests", split="test", servers=(),
                system_prompt=PROMPT.text, user_prompt=REQUEST, plan=numbered(STEPS))  # fmt: skip


ANYWHERE: dict[str, Disguise] = {
    "as it is": str,
    "in capitals": str.upper,
    "without its punctuation": lambda text: text.replace(",", "").replace(";", "").replace(".", " "),
    "in quoted lines": lambda text: "> " + "\r\n> ".join(wrap(text, 40)),
    "with more spaces": lambda text: text.replace(" ", "  \t"),
    "with zero-width characters": lambda text: text.replace("e", "e\u200b"),
    "in full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "percent": quote,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "JSON in JSON": lambda text: json.dumps({"a": json.dumps([text])}),
    "within a text": lambda text: f"Plan how this is done:\n\n{text}\n\nBe quick about it.",
    "with a word changed": lambda text: text.replace("waits for a word", "waits for a line"),
    "struck through": lambda text: "".join(letter + "\u0336" for letter in text),
    "with Greek letters": lambda text: text.translate(str.maketrans("oavnu", "οανηυ")),
    "with underscores": lambda text: text.replace(" ", "_"),
    "letter by letter": " ".join,
    "in bold words": lambda text: f"<b>{text.replace(' ', '</b> <b>')}</b>",
    "with numbers of lines": lambda text: "\n".join(
        f"{n:3}| {line}" for n, line in enumerate(wrap(text, 60))
    ),
    "in base64 in lines, with words around": lambda text: (
        f"Like this:\n{base64.encodebytes((text + '  ').encode()).decode()}So it begins."
    ),
    "in base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "without its first words": lambda text: text.partition(" of ")[2],
}
PLANS = {
    "as it is": numbered(STEPS),
    "with a step more": numbered([*STEPS[:3], "get_accounts(account_id=3) -- an account", *STEPS[3:]]),
    "with a step less": numbered(STEPS[:4] + STEPS[5:]),
    "without its reasons": numbered([step.partition(" -- ")[0] for step in STEPS]),
    "without numbers": "\n".join(STEPS),
    "with dashes": "\n".join(f"- {step}" for step in STEPS),
    "with names": "\n".join(f"v{i} = {step.replace('$', '$v')}" for i, step in enumerate(STEPS)),
    "in another order": numbered(STEPS[::-1]),
    "with other spaces": numbered(STEPS).replace("=", " = ").replace("(", "( "),
    "in base64": base64.b64encode(numbered(STEPS).encode()).decode(),
    "in quotes of another kind": re.sub(r'"([^"]*)"', "“\\1”", numbered(STEPS)),
    "without quotes": numbered(STEPS).replace('"', ""),
    "in one line": "; ".join(STEPS),
    "in code": "\n".join(f"**Step {n}:** `{step}`" for n, step in enumerate(STEPS, 1)),
    "in other brackets": numbered(STEPS).replace("(", " {").replace(")", "}").replace("=", ": "),
    "as calls": json.dumps([{"arguments": s.partition("(")[2], "name": s.partition("(")[0]} for s in STEPS]),
    "as a list": json.dumps(STEPS),
    "in lines of forty": "\n".join(wrap(numbered(STEPS), 40)),
    "with arguments in another order": numbered(STEPS).replace(
        "case_id=81, reopen_count=9", "reopen_count=9, case_id=81"
    ),
    "in JSON": json.dumps({"plan": json.dumps(numbered(STEPS))}),
}
LOOK_ALIKES = {
    "the policy": PROMPT.text,
    "a request like it": LIKE_IT,
    "a plan like it": numbered(STEPS)
    .replace("81", "17")
    .replace("Marta Lund", "Oskar Dahl")
    .replace("Nine", "Two"),
    "its first step": STEPS[0],
    "half of the request": REQUEST[: len(REQUEST) // 2],
}


def attack(folder: Path) -> Tally:
    """Plant request and plan everywhere; nothing is written."""
    tally, index = Tally("held-out tasks at the gate"), HeldOutIndex([held_task()])
    for kind, text in (("prompt", REQUEST), ("plan", f"\n{numbered(STEPS)}\n")):
        for place, planted in plantings(TEMPLATE, text):
            if place != "servers.url":  # which does not go out
                tally.add(HELD if kind in kinds(planted, index) else "passed", f"{kind} in {place}")
    for name, disguise in ANYWHERE.items():
        tally.add(
            HELD if "prompt" in kinds(in_result(disguise(REQUEST)), index) else "passed", f"request {name}"
        )
    for name, text in PLANS.items():
        tally.add(HELD if "plan" in kinds(in_result(text), index) else "passed", f"plan {name}")
    tally.add(HELD if "prompt" in kinds(in_two_messages(), index) else "passed", "request in two messages")
    for name, text in LOOK_ALIKES.items():
        tally.add("false alarm" if kinds(in_result(text), index) else HELD, name)
    return tally


def kinds(bundle: EpisodeBundle, index: HeldOutIndex) -> set[str]:
    """Return the kinds in which the row of an episode gives the held-out task away."""
    row = DataRow("row", EpisodeExporter().record(bundle))
    return {kind for kind, find in KINDS.items() if find(index, row, [])}


def in_two_messages() -> EpisodeBundle:
    """Return an episode with half of the request in a reply, and the rest in the next one's reasoning."""
    words = REQUEST.split()
    first = Turn(
        text=" ".join(words[:19]), tool_calls=(ToolCall(id="c", name="t", arguments=TEMPLATE.settings),)
    )
    episode = replace(TEMPLATE, turns=(first, Turn(text="", reasoning=" ".join(words[19:]))))
    return EpisodeBundle(episode, PROMPT, TOOLS)
