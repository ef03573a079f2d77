"""Requests that are a held-out one's but for the values, which a row tells by their numbers."""

from dataclasses import replace

import pytest

from eops_traj.provenance.dataset import DataRow
from eops_traj.provenance.held_out_wording import HeldOutWording
from tests.collect.case_tasks import task

PROMPT = "You act for Ada Berg (ada.berg@acme.example). It is Monday, 3 August 2026, 09:00 UTC."
ASKED = 'Please give Jane Park the ticket "Dead screen", and tell Otto Lind.\n\nThen close ticket 4711.'
HELD = replace(task(1), task_id="held", system_prompt=PROMPT, user_prompt=ASKED)
SHOWN = "Please give [name 2] the ticket [text 1], and tell [name 3].\n\nThen close ticket [number 1]."
SHOUTED = SHOWN.replace("Please give", "PLEASE  GIVE")
PLAIN = replace(task(2), task_id="plain", system_prompt=PROMPT, user_prompt="Close what is oldest, please.")


def found(text: object, role: str = "user") -> str | None:
    row = DataRow("", {"prompt": [{"role": "system", "content": PROMPT}, {"role": role, "content": text}]})
    return HeldOutWording([PLAIN, HELD]).task_of(row)


@pytest.mark.parametrize(
    "text",
    [
        SHOWN,
        SHOWN.replace("name 2", "name 1.2").replace("number 1", "number 3"),
        f"Plan this:\n\n{SHOUTED}",
        f"{SHOWN}\n\nget_ticket\nclose_ticket\n",
    ],
    ids=["the same", "other numbers", "after another paragraph, in other letters", "before tools"],
)  # fmt: skip
def test_a_row_with_a_held_out_requests_words_is_found(text: str) -> None:
    assert found(text) == "held"


@pytest.mark.parametrize(
    "text",
    [
        ASKED,
        SHOWN.replace("[name 3]", "[address 2]"),
        SHOWN.replace("Please", "Now, please"),
        f"{SHOWN} And thank you.",
        SHOWN.replace("\n\n", " "),
        "Then close ticket [number 1].",
        "Please give name the ticket text, and tell name.\n\nThen close ticket number.",
        PLAIN.user_prompt,
        f"{PLAIN.user_prompt}\n\nAsk [name 2].",
        "",
        None,
    ],
    ids=[
        "values as they are", "a value of another kind", "a word more", "a sentence more", "one paragraph",
        "a part", "words that are no values", "a request without values", "and another paragraph", "nothing",
        "no text",
    ],
)  # fmt: skip
def test_other_rows_are_not(text: object) -> None:
    assert found(text) is None


def test_what_a_model_says_is_no_request() -> None:
    assert found(SHOWN, "assistant") is None
