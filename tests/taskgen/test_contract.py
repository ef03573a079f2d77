"""Every family of every domain: it drafts tasks that hold, and twists that are declined."""

from collections import Counter

import pytest

from eops_traj.taskgen import checks
from eops_traj.taskgen.draft_command import try_family
from eops_traj.taskgen.family import DOMAINS, PERTURBATIONS, Family, asides, families

EVERY = families()
SOME = [next(family for family in families([domain]) if family.perturbations) for domain in DOMAINS]


def test_there_are_families_enough_and_some_that_training_never_sees() -> None:
    counts = Counter(family.domain for family in EVERY)
    assert all(counts[domain] >= 12 for domain in DOMAINS) and len(EVERY) >= 100
    assert sum(family.ood for family in EVERY) >= 20
    assert {family.domain for family in EVERY if family.ood} == set(DOMAINS)


def test_every_kind_of_infeasible_task_is_there() -> None:
    assert {twist for family in EVERY for twist in family.perturbations} == set(PERTURBATIONS)


@pytest.mark.parametrize("domain", DOMAINS)
def test_asides_are_sentences_and_no_two_are_alike(domain: str) -> None:
    said = asides(domain)
    assert len(said) >= 40 and len(set(said)) == len(said)
    assert all(5 <= len(aside.split()) <= 24 and "{" not in aside for aside in said)


@pytest.mark.parametrize("domain", DOMAINS)
def test_some_families_chain(domain: str) -> None:
    gives = {family.produces for family in families([domain]) if family.produces and not family.ood}
    takes = {family.consumes for family in families([domain]) if family.consumes and not family.ood}
    assert gives & takes


@pytest.mark.parametrize("family", EVERY, ids=lambda family: f"{family.domain}-{family.name}")
def test_a_family_drafts_tasks_that_hold(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of most only what a glance shows: near misses are executed for some here, for all in the slow tests."""
    assert family.intent.endswith(".")
    if family not in SOME:
        glance = {name: checks.FEASIBLE[name] for name in ("gold", "nothing", "grounded", "worded")}
        monkeypatch.setattr(checks, "FEASIBLE", glance)
    _holds(family, None)


@pytest.mark.slow
@pytest.mark.parametrize("family", EVERY, ids=lambda family: f"{family.domain}-{family.name}")
def test_near_misses_of_a_family_fail_and_every_twist_is_declined(family: Family) -> None:
    for twist in (None, *family.perturbations):
        _holds(family, twist)


def _holds(family: Family, twist: str | None) -> None:
    """One of four companies has what fits, and the task that comes of it holds."""
    reports = []
    for n in range(4):
        reports.append(try_family((family,), n, f"contract:{n}", twist))
        if reports[-1].passes:
            return
    pytest.fail("\n".join(f"{report.title}: {report.problems}" for report in reports))
