"""Every family of every domain: it drafts tasks that hold, and perturbed ones that are declined."""

import subprocess
import sys
from ast import literal_eval
from collections import Counter

import pytest

from eops_traj.taskgen.draft_command import try_family
from eops_traj.taskgen.family import PERTURBATIONS, Family, asides, families
from eops_traj.taskgen.suites import SUITES
from tests.collectors.agents.expert.test_agent import came_to, worked

EVERY = families()
OWN = tuple(SUITES["default"].tasks)
"""The domains of the default suite, of which there has to be enough for 1,150 tasks."""
SOME = [next(family for family in families([domain]) if family.perturbations) for domain in OWN]


def test_there_are_families_enough_and_some_that_training_never_sees() -> None:
    counts = Counter(family.domain for family in EVERY)
    assert all(counts[domain] >= 25 for domain in OWN) and len(EVERY) >= 300
    assert sum(family.ood for family in EVERY) >= 50
    assert {family.domain for family in EVERY if family.ood} >= set(OWN)


def test_every_kind_of_infeasible_task_is_there() -> None:
    assert {kind for family in EVERY for kind in family.perturbations} == set(PERTURBATIONS)


@pytest.mark.parametrize(
    "first",
    ["families(['hybrid'])", "import_module('eops_traj.taskgen.scenarios.calendar.zones')"],
    ids=["a domain", "a module"],
)
def test_the_order_of_families_does_not_depend_on_what_is_imported_first(first: str) -> None:
    code = "from importlib import import_module; from eops_traj.taskgen.family import families"
    code += f"; {first}; print([(family.domain, family.name) for family in families()])"
    run = [sys.executable, "-c", code]
    other = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert literal_eval(other) == [(family.domain, family.name) for family in EVERY]


@pytest.mark.parametrize("domain", sorted({family.domain for family in EVERY}))
def test_asides_are_sentences_and_no_two_are_alike(domain: str) -> None:
    sentences = asides(domain)
    assert len(sentences) >= (40 if domain in OWN else 1) and len(set(sentences)) == len(sentences)
    assert all(5 <= len(aside.split()) <= 24 and "{" not in aside for aside in sentences)


@pytest.mark.parametrize("domain", OWN)
def test_some_families_chain(domain: str) -> None:
    produced = {family.produces for family in families([domain]) if family.produces and not family.ood}
    consumed = {family.consumes for family in families([domain]) if family.consumes and not family.ood}
    assert produced & consumed


@pytest.mark.parametrize("family", EVERY, ids=lambda family: f"{family.domain}-{family.name}")
def test_a_family_is_named_and_explained(family: Family) -> None:
    assert family.intent.endswith(".")


@pytest.mark.parametrize("family", SOME, ids=lambda family: f"{family.domain}-{family.name}")
def test_a_family_drafts_tasks_that_hold(family: Family) -> None:
    """One of each domain; the slow tests have all of them."""
    _holds(family, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "family"), list(enumerate(EVERY)), ids=lambda one: getattr(one, "name", None)
)
def test_a_family_holds_and_a_perturbation_of_it_is_declined(place: int, family: Family) -> None:
    """Its near misses fail. Families take turns in which of their perturbations is tried."""
    _holds(family, None)
    if family.perturbations:
        _holds(family, family.perturbations[place % len(family.perturbations)])


def _holds(family: Family, perturbation: str | None) -> None:
    """Check that one of four companies has matching entities; the task holds, and the expert passes it."""
    reports = []
    for n in range(4):
        reports.append(try_family((family,), n, f"contract:{n}", perturbation))
        if (task := reports[-1].task) and reports[-1].passes:
            ends = {came_to(worked(task, attempt, rate=0)) for attempt in (1, 2, 3)}  # in other words each
            assert ends == {"success" if task.feasible else "safe_refusal"}
            return
    pytest.fail("\n".join(f"{report.title}: {report.problems}" for report in reports))
