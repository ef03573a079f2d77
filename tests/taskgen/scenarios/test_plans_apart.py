"""Plans of families that work on few names: those of two companies are not taken for one another."""

import pytest

from eops_traj.plan import render
from eops_traj.provenance.held_out_text import HeldOutText
from eops_traj.taskgen.draft import play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import families

FEW_NAMES = (
    ("calendar", "align_zones"), ("calendar", "empty_calendar"), ("calendar", "retire_calendar"),
    ("calendar", "jot_down"), ("drive", "empty_trash"), ("teams", "sign_off"),
)  # fmt: skip


def plans(domain: str, name: str, companies: range) -> list[str]:
    """Return the plans of a family's tasks, one of each company that fits."""
    family = next(family for family in families([domain]) if family.name == name)
    found = []
    for company in companies:
        try:
            found.append(render(play((family,), company, f"apart:{company}").scene.plan()))
        except NoMatch:
            continue
    return found


@pytest.mark.parametrize("family", FEW_NAMES, ids="-".join)
def test_a_plan_of_training_does_not_hold_one_of_the_test(family: tuple[str, str]) -> None:
    training, held = plans(*family, range(1, 4)), plans(*family, range(11, 14))
    index = HeldOutText({}, {str(n): plan for n, plan in enumerate(held)})
    assert len(training) >= 3 and len(held) >= 3
    assert [index.plan_in({"plan": plan}) for plan in training] == [None] * len(training)
    assert all(index.plan_in({"plan": plan}) is not None for plan in held)
