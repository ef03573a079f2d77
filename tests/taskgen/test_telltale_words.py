"""What makes a request infeasible is said in many ways, and in no word that is always there."""

import re
from random import Random

import pytest

from eops_traj.taskgen.build import mixed
from eops_traj.taskgen.draft import play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import Family, families

CASES = {  # families whose request, and not the database, makes it infeasible
    "change_priority": "conflicting_demands",
    "open_warranty_case": "conflicting_demands",
    "end_series": "conflicting_demands",
    "raise_classification": "conflicting_demands",
    "clear_drafts": "conflicting_demands",
    "open_for_approval": "conflicting_demands",
    "gather_for_ticket": "conflicting_demands",
    "rename_team": "conflicting_demands",
    "jot_down": "policy_forbids",
    "group_chat": "out_of_scope",
}


def words(text: str) -> set[str]:
    """Return the words of a text, in lower case."""
    return set(re.findall(r"\w+", text.lower()))


def told_apart(family: Family, kind: str) -> list[set[str]]:
    """Return the words that the infeasible request has and its twin has not, of some draws."""
    found: list[set[str]] = []
    for n in range(8):
        try:
            usual = play((family,), n % 2, f"telltale:{n}")
            perturbed = play((family,), n % 2, f"telltale:{n}", kind)
        except NoMatch:
            continue
        assert usual.request != perturbed.request
        found.append(words(perturbed.request) - words(usual.request))
    return found


@pytest.mark.parametrize(
    ("family", "kind"),
    [(family, CASES[family.name]) for family in families() if family.name in CASES],
    ids=lambda one: getattr(one, "name", one),
)
def test_no_word_gives_away_that_a_request_cannot_be_met(family: Family, kind: str) -> None:
    apart = told_apart(family, kind)
    assert len(apart) >= 5
    assert not set.intersection(*apart)
    assert len(set(map(frozenset, apart))) >= 3


def test_pairs_stand_among_the_other_places_of_a_suite() -> None:
    order = mixed(Random(1), 3, 10)
    assert [slot for slot in order if slot < 3] == [0, 1, 2]
    assert [slot for slot in order if slot >= 3] == [3, 4, 5, 6, 7, 8, 9]
    assert order != sorted(order)
