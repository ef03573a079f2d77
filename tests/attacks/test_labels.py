import dataclasses
from pathlib import Path

import pytest

from tests.attacks import labels
from tests.attacks.commands import ARGUMENTS, commands, runs
from tests.attacks.hostile_pages import card_problems, page_problems
from tests.attacks.hostile_records import ATTACKS, FIXED, every_record, hostile


@pytest.mark.slow
def test_no_label_acts_in_what_a_command_prints_or_writes(tmp_path: Path) -> None:
    """Two attacks of four, each on half the commands; ``python -m tests.attacks labels`` runs them all."""
    tally = labels.attack(tmp_path, ("acting", "markup"), every=2)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 1_300


def test_every_command_is_run_and_no_other_is_listed() -> None:
    names = {"store": "s", "new": "n"}
    places = {key: "x" for lines in ARGUMENTS.values() for line in lines for key in _fields(line)}
    run = [" ".join(arguments) for arguments in runs({**places, **names})]
    assert set(ARGUMENTS) == set(commands())
    assert all(any(line.startswith(name) for line in run) for name in commands())


def _fields(line: str) -> list[str]:
    return [part.partition("}")[0] for part in line.split("{")[1:]]


@pytest.mark.parametrize("record", every_record())
def test_every_text_of_a_record_is_hostile(record: type) -> None:
    attacked = hostile(record, "\x1b", {})
    texts = [
        value
        for field in dataclasses.fields(record)
        if isinstance(value := getattr(attacked, field.name), str)
    ]
    assert all("\x1b" in text or "\\u001b" in text for text in texts) and not set(FIXED) - _all_fields()


def _all_fields() -> set[str]:
    return {field.name for record in every_record() for field in dataclasses.fields(record)}


@pytest.mark.parametrize("text", ["\x1b[2J", "a\u202eb", "\x9b", "\u200b", "\x00"])
def test_a_character_that_acts_is_seen(text: str) -> None:
    assert labels.acts(f"a{text}") and not labels.acts("a\n\tb é")


def test_markup_is_seen_on_pages_and_cards() -> None:
    attack = ATTACKS["markup"]
    assert page_problems(f"<p>{attack}</p>").startswith("injected")
    assert card_problems(f"---\n---\n{attack}").startswith("injected")
    for part in ("[x](javascript:1)", "# heading", "<script>", "![x](y)", "| a | b |\n|---|---|\n| c | d |"):
        assert card_problems(f"---\n---\n{part}") and not card_problems("---\n---\n# Title\n`x`")
