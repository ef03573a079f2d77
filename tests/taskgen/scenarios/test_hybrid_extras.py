"""What a request over several servers asks for besides fits its servers, and its answer holds."""

from collections import Counter
from contextlib import suppress

import pytest

from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import families
from eops_traj.taskgen.plan_calls import tool_calls
from eops_traj.taskgen.scenarios.hybrid import extras
from eops_traj.taskgen.trial import Trial
from eops_traj.verify.counted import counted_noun


def test_what_the_work_changes_is_not_counted() -> None:
    kept = extras.of("calendar", "drive", but=(extras.count_entries, extras.count_remarks))
    assert extras.count_entries not in kept and extras.count_remarks not in kept
    assert {extras.mark_day, extras.count_readers, extras.count_drives} <= {*kept}


@pytest.mark.parametrize("desk", ["csm", "itsm", "hr"])
def test_beside_a_desk_nobody_is_looked_up_in_the_directory_of_teams(desk: str) -> None:
    assert extras.set_status in extras.of("teams", "email")
    assert extras.set_status not in extras.of(desk, "teams")


def test_draws_of_one_family_take_different_tools() -> None:
    family = next(family for family in families(["hybrid"]) if family.name == "seat_reports")
    sequences: Counter[tuple[str, ...]] = Counter()
    for number in range(8):
        try:
            plan = play((family,), 1 + number % 2, f"extras:{number}").scene.plan()
        except NoMatch:
            continue
        sequences[tuple(step.tool for _, step in plan.calls())] += 1
    assert len(sequences) >= 0.5 * sequences.total() >= 3


def test_a_wrong_figure_that_was_asked_for_besides_fails() -> None:
    family = next(family for family in families(["hybrid"]) if family.name == "clear_day")
    drafts = (play((family,), 2, f"besides:{number}") for number in range(30))
    draft = next(one for one in drafts if any("list_chats" in str(step) for step in one.scene.steps))
    trial = Trial(build_task(draft, "t", "s", "train"))
    session, outcome = trial.gold
    answer = trial.answer(outcome)
    figure = next(line for line in answer.splitlines() if line.startswith("how many group chats"))
    more = figure.replace(" ".join(figure.split()[-1:]), f"{int(figure.split()[-1].rstrip('.')) + 1}.")
    calls = tool_calls(outcome.calls)
    assert trial.passes(session, calls, answer)
    assert not trial.passes(session, calls, answer.replace(figure, more))


@pytest.mark.parametrize(
    ("servers", "name", "enough"),
    [("hybrid", "seat_reports", 3), ("itsm", "figures_as_article", 8), ("csm", "write_up_figures", 6)],
)
def test_figures_are_called_by_what_they_count(servers: str, name: str, enough: int) -> None:
    family = next(family for family in families([servers]) if family.name == name)
    asked = []
    for number in range(12):
        with suppress(NoMatch):
            asked += play((family,), 2, f"figures:{number}").scene.asked
    assert len(asked) >= enough and all(counted_noun(fact.what) for fact in asked)
