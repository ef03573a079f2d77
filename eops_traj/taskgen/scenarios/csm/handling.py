"""Scenarios about the handling of cases: taking them up, and handing them over."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.csm.lookups import (
    CASES,
    DESK,
    OPEN,
    STAFF,
    WORKS,
    case_condition,
    demote,
    find_caller,
    find_picked_case,
    find_sla_definitions,
    find_worker,
    full_name,
    group_type_sql,
    pick_case,
    pick_group,
    start_clocks,
)
from eops_traj.taskgen.scene import Row, Scene


@family(
    "csm", perturbations=("two_namesakes", "inactive_person", "no_right"), produces="case", consumes="case"
)
def take_up(s: Scene) -> None:
    """A new case gets its group, its person and its clocks."""
    s.pick_caller(DESK)
    produced, record = pick_case(s, f"{CASES} AND c.state = 'new' AND c.assignment_group_id IS NULL", "new")
    product = s.rows("SELECT category FROM product WHERE product_id = :id", id=record["product_id"])[0]
    group, person = pick_group(s, group_type_sql(product))
    demote(s, "customer")
    s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE user_id = :id", id=person["user_id"])
    _add_namesake(s, person, group)
    talked = s.chance(0.5)
    what = produced.words if produced else f"case {record['number']}"
    s.ask(
        """{what} should not lie around any longer. {group} is the right place, and {who} has agreed to work
        on it. {talk}""",
        """please hand {what} to {who} in {group} so that the work starts today. {talk} See that the clocks
        are right, too.""",
        """{who} from {group} takes {what}. Set it up so that it counts as being worked on. {talk}""",
        """who does what: {what} goes to {group}, and in there to {who}. {talk} From now on it is in
        progress.""",
        """I just had a word with {who}. They can start on {what} at once, as a member of {group}. Could you
        make the assignment? {talk}""",
        """nobody has touched {what} so far, and it should be with {group}. Give it to {who} there, check that
        they can take it, and get it moving. {talk}""",
        what=what, group=group["name"], who=full_name(person),
        talk="I rang the customer about it a minute ago, so log my call as handled." if talked else "",
    )  # fmt: skip
    me = find_caller(s, *STAFF)
    case = find_picked_case(s, produced, record["number"], "new")
    target = s.do("find_user_group", "the group to answer for it", name=group["name"])
    s.require(target["active"], "==", 1, f"{group['name']} takes no work any more")
    who = find_worker(s, person, target, "who is to work on it")
    slas = s.do("find_case_slas", "what is timed already", case_id=case["case_id"])
    definitions = find_sla_definitions(s)
    done = s.do("update_case", f"{full_name(person)} starts on it", case_id=case["case_id"],
                state="in_progress",
         assignment_group_id=target["group_id"], assigned_to=who["user_id"])  # fmt: skip
    if not slas.value:
        start_clocks(s, case, definitions, record["priority"], ("response", "resolution"))
    if talked:
        s.do("register_new_interaction", "log the call", channel="phone", account_id=case["account_id"],
             contact_id=case["contact_id"], case_id=case["case_id"], interacted_user=me["user_id"],
             status="handled")  # fmt: skip
    s.rule(
        "Whoever works on the case is an active member of the group that answers for it",
        f"""SELECT COUNT(*) FROM customer_case c
        JOIN user_group_member m ON m.group_id = c.assignment_group_id AND m.user_id = c.assigned_to
        JOIN user u ON u.user_id = c.assigned_to AND u.active = 1 AND u.role IN ('agent', 'manager')
        JOIN user_group g ON g.group_id = m.group_id AND g.active = 1
        WHERE {case_condition(record)} AND u.email = :email AND g.name = :group""",
        email=person["email"], group=group["name"],
    )  # fmt: skip
    s.rule(
        "No SLA runs twice on any case",
        """SELECT COUNT(*) FROM (SELECT 1 FROM case_sla WHERE stage IN ('in_progress', 'paused')
        GROUP BY case_id, sla_def_id HAVING COUNT(*) > 1)""",
        expected=0, category="integrity",
    )  # fmt: skip
    s.produce("case", done, "that case")


@family("csm", perturbations=("two_namesakes", "inactive_person", "policy_forbids"))
def cover_absence(s: Scene) -> None:
    """Somebody is away, and a colleague of the same group takes over what they have open there."""
    s.pick_caller("SELECT * FROM user WHERE active AND role = 'agent' AND email LIKE '%@corvane.example'")
    away = s.pick(
        f"""SELECT u.*, g.group_id, g.name AS team FROM user u
        JOIN customer_case c ON c.assigned_to = u.user_id
        JOIN user_group g ON g.group_id = c.assignment_group_id
        WHERE {WORKS} AND g.active AND c.state IN {OPEN} AND u.email <> :me
        GROUP BY u.user_id, g.group_id HAVING COUNT(*) BETWEEN 2 AND 4""",
        me=s.caller["email"],
    )
    stand_in = s.pick(
        f"""SELECT u.* FROM user u JOIN user_group_member m USING (user_id) WHERE {WORKS}
        AND m.group_id = :group AND u.user_id <> :away AND u.email <> :me""",
        group=away["group_id"], away=away["user_id"], me=s.caller["email"],
    )  # fmt: skip
    back = s.day(8, 20)
    s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE user_id = :id", id=stand_in["user_id"])
    s.perturb("policy_forbids", "DELETE FROM user_group_member WHERE user_id = :id AND group_id = :group",
              id=stand_in["user_id"], group=away["group_id"])  # fmt: skip
    _add_namesake(s, stand_in, away)
    s.ask(
        """{away} is on leave until {back}. Please hand everything that is still open for {away} in {team} to
        {other}; what is done stays where it is.""",
        """can you see to it that {other} takes over from {away} in {team}? Only the cases that are not
        finished, and only those of that group. {away} is back {on}.""",
        """{team} is one short until {back}: {away} called in sick. {other} will fill in, so move the open
        cases over, whatever their state, and leave the finished ones alone.""",
        """sick note from {away}, back {on}. Cases in {team} that are still running go to {other},
        please. Check that {other} may take them at all.""",
        """until {back}, {other} does the work of {away} in {team}. Could you put {other} on each case that
        {away} still has open there? I would not want one forgotten.""",
        """please go through what {away} has in {team}. Anything not yet resolved, closed or called off gets a
        new owner, namely {other}, since {away} will not be in before {back}.""",
        away=full_name(away), back=back, on=back.on, team=away["team"], other=full_name(stand_in),
    )  # fmt: skip
    gone = s.do("find_user", "who is away", name=full_name(away))
    group = s.do("find_user_group", "the group they share", name=away["team"])
    who = find_worker(s, stand_in, group, "who takes over")
    cases = s.do("get_cases_assigned_to", "what is in hand", assignment_group_id=group["group_id"],
                 assigned_to=gone["user_id"])  # fmt: skip
    still = [row for row in cases.value if row["state"] in ("new", "in_progress", "pending")]
    for row in still:
        s.do("assign_case_to_user", f"{row['number']} changes hands",
             case_id=cases.where(number=row["number"])["case_id"],
             assigned_to_user_id=who["user_id"])  # fmt: skip
    s.rule(
        "Nothing open in the group is left with the person who is away",
        f"""SELECT COUNT(*) FROM customer_case c JOIN user u ON u.user_id = c.assigned_to
        JOIN user_group g ON g.group_id = c.assignment_group_id
        WHERE u.email = :away AND g.name = :team AND c.state IN {OPEN}""",
        expected=0, away=away["email"], team=away["team"],
    )  # fmt: skip
    s.rule(
        "Who took the cases over is an active member of the group",
        """SELECT COUNT(*) FROM customer_case c JOIN user_group g ON g.group_id = c.assignment_group_id
        JOIN user u ON u.user_id = c.assigned_to AND u.active = 1
        JOIN user_group_member m ON m.user_id = u.user_id AND m.group_id = g.group_id
        WHERE u.email = :other AND g.name = :team AND c.case_id IN (SELECT value FROM json_each(:cases))""",
        expected=len(still), other=stand_in["email"], team=away["team"],
        cases=str([row["case_id"] for row in still]),
    )  # fmt: skip


def _add_namesake(s: Scene, person: Row, group: Row) -> None:
    """Perturb: another active member of the group has the same name."""
    s.perturb(
        "two_namesakes",
        """UPDATE user SET first_name = :first, last_name = :last WHERE user_id = (SELECT m.user_id
        FROM user_group_member m JOIN user o USING (user_id) WHERE m.group_id = :group AND o.active
        AND m.user_id <> :id AND o.email <> :me ORDER BY m.user_id LIMIT 1)""",
        first=person["first_name"], last=person["last_name"], group=group["group_id"],
        id=person["user_id"], me=s.caller["email"],
    )  # fmt: skip
