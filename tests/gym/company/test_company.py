from collections import Counter
from difflib import SequenceMatcher
from itertools import combinations, islice
from random import Random

import pytest

from eops_traj.gym.company.company import TODAY, company, names


@pytest.fixture(scope="module", params=[0, 1, 2])
def corvane(request):
    return company(Random(request.param))


def test_a_number_is_a_company():
    assert company(Random(7)) == company(Random(7)) != company(Random(8))


def test_what_identifies_people_is_unique(corvane):
    for what in ("number", "email", "user_name", "phone"):
        assert len({getattr(p, what) for p in corvane.people}) == len(corvane.people), what
    assert [p.number for p in corvane.people] == list(range(1, len(corvane.people) + 1))
    assert all(p.email.endswith("@" + corvane.domain) for p in corvane.people)


def test_it_is_a_company_of_its_size(corvane):
    assert 60 <= len(corvane.people) <= 80
    assert len({p.department for p in corvane.people}) == len(corvane.groups) == 12
    assert len({s.city for s in corvane.sites}) == 5
    assert {p.role for p in corvane.people} == {"admin", "manager", "agent", "employee"}


def test_managers_make_a_tree(corvane):
    (chief,) = [p for p in corvane.people if p.manager is None]
    for person in corvane.people:
        while person.manager:
            assert person.manager < person.number and corvane.person(person.manager).active
            person = corvane.person(person.manager)
        assert person == chief


def test_some_have_left(corvane):
    gone = [p for p in corvane.people if not p.active]
    assert 0.06 <= len(gone) / len(corvane.people) <= 0.1
    assert all(p.left and p.hired < p.left < TODAY for p in gone)
    assert all(p.left is None and p.hired < TODAY for p in corvane.people if p.active)


def test_some_are_easily_confused(corvane):
    counts = Counter(p.name for p in corvane.people)
    assert sorted(counts.values())[-3:] == [1, 2, 2]
    alike = [p for p in combinations(counts, 2) if SequenceMatcher(None, *p).ratio() > 0.85]
    assert len(alike) >= 3


def test_a_group_is_managed_by_an_active_member(corvane):
    for group in corvane.groups:
        assert group.manager in group.members and corvane.person(group.manager).active
        assert len(set(group.members)) == len(group.members) > 1


def test_names_go_on_without_repeating():
    found = list(islice(names(Random(1)), 900))
    assert len(set(found)) == 900 and all("".join(pair).isascii() for pair in found)
