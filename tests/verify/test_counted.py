"""What a number counts, by the words around it."""

import re

import pytest

from eops_traj.verify.counted import counted_noun, counts_another


@pytest.mark.parametrize(
    ("what", "noun"),
    [
        ("how many open tasks the case has", "tasks"),
        ("how many tasks", "tasks"),
        ("how many of their contracts are expired", "contracts"),
        ("how many messages CS0012 has had", "messages"),
        ("the number of the talks with them", "talks"),
        ("how many people are let in", "people"),
        ("how many addresses it sends as", "addresses"),
        ("how many minutes all definitions add up to", "minutes"),
        ("how many active groups belong to vendors", "groups"),
        ("how many tickets about Printing are open", "tickets"),
        ("the number of all access rules", "rules"),
        ("how many breached SLAs were canceled", "slas"),
        ("how many are closed", None),
        ("the number", None),
        ("the name of the webinar", None),
    ],
)
def test_the_noun_of_what_is_asked_for(what, noun):
    assert counted_noun(what) == noun


@pytest.mark.parametrize(
    ("noun", "text", "of_another"),
    [
        ("entries", "7 entries, 1 new alert", True),
        ("entries", "1 entry and 7 entries", False),
        ("cases", "7 cases, 1 case of theirs", False),
        ("cases", "7 caseworkers, 1 alert", False),
        ("tasks", "tasks: 7, alerts: 1", False),
        ("tasks", "tasks on CS-002 of the wide group of those in the north: 7. 1 alert", True),
        ("tasks", "tasks on CS-002 are high. 1 alert", False),
        ("tasks", "tasks of tier 1 are high", True),
        ("tasks", "tier 1", True),
        ("tasks", "tasks: 7, on level 1", True),
        ("tasks", "7 tasks, that is to say 1 daily", False),
        ("tasks", "7 tasks, of which 1 was newly assigned there", False),
        ("tasks", "7 tasks, 1 newly", False),
        ("tasks", "7 tasks elsewhere, 1 support task here", False),
        ("tasks", "1 support task", False),
        ("tasks", "7 tasks, 1 assigned alert", True),
        ("tasks", "no tasks at all. 7 things, 1 alert", False),
        ("tasks", "7 quite old tasks, 1 alert", True),
        ("tasks", "1 entry; 7 of the tasks are new", False),
        ("tasks", "1 entry; 7 new tasks", True),
        ("tasks", "1 entry (7 tasks)", False),
        ("tasks", "1 entry, 7 tasks", True),
        ("tasks", "7 tasks, 1 closed ones", False),
        ("tasks", "7 of all their many tasks, 1 alert", False),
    ],
)
def test_what_a_number_counts(noun, text, of_another):
    (match,) = re.finditer(r"\b1\b", text)
    assert counts_another(noun, text)(match) is of_another


def test_a_quality_that_is_asked_for_tells_what_a_number_counts():
    text = "3 open incidents; I looked through 9 tickets, and at 4 closed incidents"
    three, four = (next(re.finditer(number, text)) for number in "34")
    another = counts_another("tickets", text, "how many tickets are open")
    assert not another(three) and another(four)
