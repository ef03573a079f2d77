"""Attacks find what is wrong with verifiers, and nothing where they are right."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from eops_traj.schema import Task
from eops_traj.taskgen.attacks.kinds import Try
from eops_traj.taskgen.attacks.table import ATTACKS, Tally, attack_task, attack_tasks, other_reasons, some
from eops_traj.taskgen.family import domains, families
from eops_traj.workers.engine import HERE, Engine
from tests.taskgen.attacks.drawn import draw, feasible, infeasible

RIGHT = [name for name, attack in ATTACKS.items() if attack.passes]
WRONG = [name for name, attack in ATTACKS.items() if not attack.passes]
JOIN_GROUP = next(family for family in families(["csm"]) if family.name == "join_group")


def fell(tasks: Iterable[Task], kinds: Sequence[str], most: int) -> tuple[set[str], list[str]]:
    """Return the tasks that were attacked, and each attempt with another verdict than it should have."""
    drawn = list(tasks)
    attacked: set[str] = set()
    examples: list[str] = []
    for task, reasons in zip(drawn, other_reasons(drawn), strict=True):
        for (kind, _), tally in attack_task((task, reasons), None, kinds, most).items():
            attacked |= tally.tasks
            examples += [f"{kind}: {example}" for example in tally.examples]
    return attacked, examples


@pytest.mark.slow
@pytest.mark.parametrize("domain", domains())
def test_the_work_done_in_another_way_passes(domain: str) -> None:
    """Of one family in three; ``eops-traj tasks attack`` attacks a whole suite."""
    attacked, examples = fell(feasible(domain, every=3), [n for n in RIGHT if n != "right_reason"], most=6)
    assert examples == [] and len(attacked) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("domain", domains())
def test_wrong_work_fails(domain: str) -> None:
    attacked, examples = fell(feasible(domain, every=3), WRONG, most=2)
    assert examples == [] and len(attacked) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("domain", domains())
def test_refusals_pass_with_the_right_reason_alone(domain: str) -> None:
    attacked, examples = fell(infeasible(domain, every=10), list(ATTACKS), most=18)
    assert examples == [] and len(attacked) >= 3


def test_a_task_that_holds_stands_every_attack() -> None:
    tasks = [draw(JOIN_GROUP), draw(JOIN_GROUP, kind="inactive_person")]
    attacked, examples = fell([task for task in tasks if task], list(ATTACKS), most=2)
    assert examples == [] and len(attacked) == 2


@pytest.mark.parametrize("kind", ["value_changed", "argument_added", "denied"])
def test_without_its_verifiers_wrong_work_passes(kind: str) -> None:
    task = draw(JOIN_GROUP)
    assert task is not None
    always = [v for v in task.verifiers if v.kind == "database_state"][:1]
    tally = attack_task((replace(task, verifiers=tuple(always)), []), None, [kind], 12)[kind, "csm"]
    assert 0 < tally.wrong <= tally.tries and tally.examples


def test_a_wrong_figure_beside_the_right_number_of_other_things_fails() -> None:
    family = next(family for family in families(["hr"]) if family.name == "escalate_case")
    asking = [task for number in (0, 8, 16, 24) if (task := draw(family, number)) is not None]
    attacked, examples = fell(asking, ["wrong_figure"], most=4)
    assert attacked and examples == []


def test_processes_share_the_work_and_count_the_same() -> None:
    tasks = [task for task in (draw(JOIN_GROUP, 0), draw(JOIN_GROUP, 5)) if task]
    alone = attack_tasks(tasks, None, HERE, ["other_order", "denied"])
    assert alone == attack_tasks(tasks, None, Engine(2), ["other_order", "denied"])
    assert alone["denied", "csm"].tasks == {task.task_id for task in tasks}


def test_attempts_that_may_do_either_do_not_count() -> None:
    tries = [Try("a", True, "no trace"), Try("b", True), Try("c", True), Try("d", True)]
    assert [t.what for t in some(iter(tries), 2)] == ["a", "b", "c"]
    tally = Tally()
    tally.add("t", "a", True, "no trace")
    assert (tally.tries, tally.wrong, dict(tally.free)) == (0, 0, {"no trace": 1})


def test_reasons_come_from_tasks_that_are_infeasible_in_another_way() -> None:
    one, two = draw(JOIN_GROUP, kind="inactive_person"), draw(JOIN_GROUP, kind="no_right")
    assert one and two
    reasons = list(other_reasons([one, one, two]))
    assert "no longer" in reasons[2][0] and reasons[0] == reasons[1] != reasons[2]
