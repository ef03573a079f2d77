"""What the scenarios of email share: alternatives, names with addresses, mail beside the matter."""

import re
from random import Random

import pytest

from eops_traj.taskgen.family import Family, families
from eops_traj.taskgen.scenarios.email import lookups, mailboxes, sending
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.start_state import StartState
from eops_traj.taskgen.wording import vary
from tests.taskgen.scenarios.played import wordings

MODULES = ("passing", "signatures", "certificates")
OF_MODULES = [one for one in families(["email"]) if one.play.__module__.endswith(MODULES)]
USUAL, TWISTED = "[Send it.|It goes out.|Off it goes.]", "[Keep it.|It stays.|No sending.]"


def scene(perturbation: str | None = None) -> Scene:
    made = Scene(StartState(3, {"email": ""}), Random("words"), perturbation)
    made.begin(Random("words"))
    return made


def test_a_phrase_leaves_chance_alike_with_and_without_the_perturbation() -> None:
    plain, twisted = scene(), scene("policy_forbids")
    said = [lookups.phrase(each, "policy_forbids", USUAL, TWISTED) for each in (plain, twisted)]
    assert said[0] in USUAL and said[1] in TWISTED and said[0] != said[1]
    assert plain.rng.random() == twisted.rng.random()


def test_people_are_named_with_their_address_in_several_ways() -> None:
    where, row = scene(), {"name": "Ana Ruiz", "email": "ana.ruiz@corvane.example"}
    ways = {mailboxes.addressed(where, row) for _ in range(40)}
    assert len(ways) > 3 and all(row["name"] in way and row["email"] in way for way in ways)


@pytest.mark.parametrize("wording", sending.SIDE_MAIL)
def test_a_mail_beside_the_matter_says_to_whom_under_which_subject_and_what(wording: str) -> None:
    parts = {"name": "Ana Ruiz", "about": "Budget", "title": "Done", "words": "All is done.", "own": ""}
    said = vary(Random(1), wording).format(**parts)
    assert all(part in said for part in parts.values()) and "[" not in said and "|" not in said


@pytest.mark.parametrize("family", OF_MODULES, ids=lambda family: family.name)
def test_a_slot_that_is_a_sentence_begins_one(family: Family) -> None:
    """What ends in a quoted text needs its own full stop, unless that text is a sentence itself."""
    asked, slots = wordings(family)
    said = re.compile(r"([A-Z].* .*[.?!]'?)?")  # one that is empty here holds sentences elsewhere
    sentences = {name for name, value in slots.items() if said.fullmatch(str(value).strip())}
    unended = [
        wording
        for wording in asked
        for before, name in re.findall(r"(\S*[^\s}]) \{(\w+)\}", wording)
        if name in sentences and not (before[-1] in ".:?!" or before.strip("'{}") in sentences)
    ]
    assert unended == []
