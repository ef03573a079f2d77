"""A scenario in which figures decide: a case goes to that one of two groups which has less of something."""

from eops_traj.taskgen.expressions import holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import (
    CASES,
    DESK,
    STAFF,
    demote,
    find_caller,
    find_case,
)
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE
from eops_traj.taskgen.scene import Row, Scene

_LOAD = "count_case_for_assignment_group", {"state": "in_progress"}, "count"
_REOPENED = "avg_reopen_count_for_assignment_group", dict[str, str](), "avg_reopen_count"
"""The tool that tells a figure of a group, what it takes besides the group, and the field of its reply."""


@family("csm", perturbations=("no_right", "missing_entity", "policy_forbids"))
def balance_groups(s: Scene) -> None:
    """A case goes to that one of two groups which has less of something."""
    s.pick_caller(DESK)
    record = s.pick(
        f"""{CASES} AND c.state = 'in_progress' AND c.assigned_to IS NULL
        AND c.assignment_group_id IS NOT NULL"""
    )
    two = s.pick_some(
        "SELECT * FROM user_group WHERE active AND type = :kind AND group_id <> :now", 2,
        kind="field" if record["category"] == "hardware" else "support", now=record["assignment_group_id"],
    )  # fmt: skip
    one, other = (group["name"] for group in two)
    by_load = s.chance(0.5)
    gets_it = _pick_lower(s, two, by_load)
    demote(s, "customer")
    s.perturb("missing_entity", "UPDATE customer_case SET number = 'CS-0009' || number WHERE case_id = :id",
              id=record["case_id"])  # fmt: skip
    s.perturb("policy_forbids", "UPDATE user_group SET active = 0 WHERE group_id = :id",
              id=gets_it["group_id"])  # fmt: skip
    s.indirect("the group with the lower figure")
    s.branches("which of two groups has less")
    s.ask(
        """{number} has nobody who works on it, and its group [cannot help|has no one to spare]. [Let it go
        to|It goes to] {one} or {other}, whichever [of the two |]has {less}; [if they are level|should they be
        equal], {one} gets it. [Nothing else about the case changes|All else stays]. {tell}""",
        """[Which|Which one] of {one} and {other} has {less}? [That group|The one that does] takes over
        {number}, which lies with another group now, without [anybody in particular|a person]. {one} has it in
        case of a tie. {tell}""",
        """[The choice for|For] {number} is between {one} and {other}[, and a figure decides|]: the case moves
        to the group with {less}, on equal figures to {one}. [No person is named yet|There is no person yet],
        only the group changes. {tell}""",
        """[I cannot decide between|It is hard to choose between] {one} and {other} for {number}, so let the
        [records|numbers] speak. {less_up} is what counts, a tie goes to {one}, and [the group of the case is
        all that is to be changed|only the group changes]. {tell}""",
        """[As|Since] {number} is in the wrong group, {one} or {other} should have it. [Compare them
        first|First compare the two]: the one with {less} [gets|receives] the case, {one} if there is no
        difference. {tell}""",
        """{one} says {other} has more time, and {other} says the opposite, so [we go by figures|let us go by
        figures]. {number} [belongs|goes] to whoever of them has {less}, and to {one} if it is the same for
        both. {tell}""",
        number=record["number"], one=one, other=other,
        less="fewer cases in progress" if by_load else "the lower average of reopened cases",
        less_up="The number of cases in progress (fewer is better)" if by_load
        else "The average of reopenings (lower is better)",
        tell=s.rng.choice(("Tell me both figures.", "Both figures belong in your answer, too.",
                           "I would like to hear the figure of each.")) if by_load else "",
    )  # fmt: skip
    extra = ask_more(s, "cases", account=False)
    find_caller(s, *STAFF)
    case = find_case(s, record["number"], "in_progress")
    groups = [s.do("find_user_group", "one of the two", name=name) for name in (one, other)]
    for group, name in zip(groups, (one, other), strict=True):
        s.require(group["active"], "==", 1, f"{name} is inactive and takes no work", names=(name, INACTIVE))
    found = [_figure(s, group, by_load) for group in groups]
    answer_more(s, extra)
    for group, than in zip(groups, ("<=", ">"), strict=True):
        s.do_when(holds(found[0], than, found[1]), "set_case_assignment_group",
                  "it has less, so it gets the case", case_id=case["case_id"],
                  assignment_group_id=group["group_id"])  # fmt: skip
    s.rule(
        "The case is with one of the two groups, and still in progress",
        """SELECT COUNT(*) FROM customer_case c JOIN user_group g ON g.group_id = c.assignment_group_id
        WHERE c.number = :number AND g.name IN (:one, :other) AND c.state = 'in_progress'""",
        number=record["number"], one=one, other=other,
    )  # fmt: skip
    if by_load:
        s.answer(f"how many cases in progress {one} has", found[0])
        s.answer(f"how many cases in progress {other} has", found[1])


def _pick_lower(s: Scene, groups: list[Row], by_load: bool) -> Row:
    """Pick that one of two groups which gets the case: the first, unless the other has less."""
    tool, more, field = _LOAD if by_load else _REOPENED
    one, other = (s.peek(tool, assignment_group_id=group["group_id"], **more)[field] for group in groups)
    return groups[0] if one <= other else groups[1]


def _figure(s: Scene, group: ResultRef, by_load: bool) -> ResultRef:
    tool, more, field = _LOAD if by_load else _REOPENED
    why = "what it has in progress" if by_load else "how often its cases come back"
    return s.do(tool, why, assignment_group_id=group["group_id"], **more)[field]
