"""What the scenarios of customer service share: who may ask, what holds, and look-ups that most of them
make."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scene import ProducedRecord, Row, Scene, fill_values

STAFF = ("agent", "manager", "admin")
_OWN = "SELECT * FROM user WHERE active AND email LIKE '%@corvane.example'"
DESK = f"{_OWN} AND role IN ('agent', 'manager', 'admin')"
MANAGERS = f"{_OWN} AND role = 'manager'"
ADMINS = f"{_OWN} AND role = 'admin'"

ALONE = "(SELECT COUNT(*) FROM user v WHERE v.first_name = u.first_name AND v.last_name = u.last_name) = 1"
"""Nobody else bears the name of the user `u`."""

_DISTINCT = """NOT EXISTS (SELECT 1 FROM user v WHERE v.user_id <> u.user_id
    AND instr(lower(v.first_name), lower(u.first_name)) AND instr(lower(v.last_name), lower(u.last_name)))
    AND NOT EXISTS (SELECT 1 FROM user v WHERE v.first_name <> u.first_name
        AND instr(lower(u.first_name), lower(v.first_name)))
    AND NOT EXISTS (SELECT 1 FROM user v WHERE v.last_name <> u.last_name
        AND instr(lower(u.last_name), lower(v.last_name)))"""
WORKS = f"u.active AND u.role IN ('agent', 'manager') AND {_DISTINCT}"
"""The user `u` can be given work, and neither shares a name nor has one that holds somebody else's."""

IN_FORCE = """k.status = 'active' AND k.account_id = a.account_id
    AND k.start_date <= '2026-01-05' AND k.end_date >= '2026-01-05'"""
"""The contract `k` is one of the account `a`, and holds today."""

OPEN = "('new', 'in_progress', 'pending')"
CASES = f"""
    SELECT c.*, a.name AS account, p.name AS product, p.category, u.first_name, u.last_name, u.email
    FROM customer_case c JOIN account a USING (account_id) JOIN product p USING (product_id)
    JOIN contact k USING (contact_id) JOIN user u ON u.user_id = k.portal_user_id
    WHERE a.active AND k.active AND u.active AND {ALONE} AND NOT EXISTS (SELECT 1 FROM notification n
        WHERE n.case_id = c.case_id AND n.type IN ('update', 'alert', 'next_steps', 'solution_proposal'))"""
"""Cases with their account, product and contact, who can be written to and was not so far."""


def name(person: Row) -> str:
    """First and last name."""
    return f"{person['first_name']} {person['last_name']}"


def hand(product: Row) -> str:
    """The type of group that problems with a product go to, as SQL writes it."""
    return "field" if product["category"] == "hardware" else "support"


def team(s: Scene, kind: str, **others: Any) -> tuple[Row, Row]:
    """A group of a type that takes cases, and a member of it who can be given work and is not the one
    asking."""
    group = s.pick("SELECT * FROM user_group WHERE active AND type = :kind", kind=kind)
    person = s.pick(
        f"""SELECT u.* FROM user u JOIN user_group_member m USING (user_id)
        WHERE m.group_id = :group AND {WORKS} AND u.email <> :me""",
        group=group["group_id"], me=s.caller["email"], **others,
    )  # fmt: skip
    return group, person


def asker(s: Scene, *roles: str) -> ResultRef:
    """The one who asks, who has to have one of these roles and to work here still."""
    me = s.do("find_user_by_email", "what the one who asks may do", email=s.caller["email"])
    s.require(
        me["role"], "in", list(roles), f"this takes the role {' or '.join(roles)}, which you do not have"
    )
    return me


def demote(s: Scene, role: str) -> None:
    """The twist by which the one who asks lacks the right."""
    s.perturb("no_right", "UPDATE user SET role = :role WHERE email = :me", role=role, me=s.caller["email"])


def colleague(s: Scene, person: Row, why: str) -> ResultRef:
    """A person found by name among all who bear it; they have to be the only one, and active."""
    who = name(person)
    people = s.do("list_users", why, first_name=person["first_name"], last_name=person["last_name"])
    same = people.every(first_name=person["first_name"], last_name=person["last_name"])
    s.require(count(same), "==", 1, f"there is not exactly one person named {who}")
    s.require(same[0]["active"], "==", 1, f"{who} is no longer active")
    return same[0]


def worker(s: Scene, person: Row, group: ResultRef, why: str) -> ResultRef:
    """A person who is to get work of a group: alone of that name, active, and a member of it."""
    found = colleague(s, person, why)
    s.require(found["role"], "in", ["agent", "manager"], f"{name(person)} cannot be given cases")
    belongs = s.do("check_user_membership", "work goes to members only",
                   user_id=found["user_id"], group_id=group["group_id"])  # fmt: skip
    s.require(belongs["exists"], "==", True, f"{name(person)} is not a member of the group")
    return found


def case(s: Scene, number: str, *states: str) -> ResultRef:
    """The case of a number, which has to be in one of these states."""
    found = s.do("search_cases", f"find {number}", number=number)
    s.require(count(found), "==", 1, f"there is no case {number}")
    s.require(found[0]["state"], "in", list(states), f"{number} is not in a state that allows this")
    return found[0]


def offered(s: Scene, sql: str, *states: str) -> tuple[ProducedRecord | None, Row]:
    """A case that an earlier part of a chain hands on, if its state is one of these; else one of a query."""
    given = s.consume("case")
    if given is None:
        return None, s.pick(sql)
    if given.record["state"].value not in states:
        raise NoMatch(f"{given.words} is in another state")
    return given, dict(given.record.value)


def taken(s: Scene, given: ProducedRecord | None, number: str, *states: str) -> ResultRef:
    """The case that was offered, as the plan finds it."""
    if given is None:
        return case(s, number, *states)
    state = given.record["state"].value
    s.require(given.record["state"], "==", state, f"{given.words} is not in a state that allows this")
    return given.record


@dataclass(frozen=True)
class Clock:
    """An SLA of a case that runs or rests: what it times, its stage, and its record."""

    metric: str
    stage: str
    record: ResultRef


def running(s: Scene, record: ResultRef, number: str, definitions: ResultRef) -> list[Clock]:
    """The SLAs of a case that run or rest, told apart by their definitions, which stand in `promises`."""
    slas = s.do("find_case_slas", f"what is timed on {number}", case_id=record["case_id"])
    names = {row["sla_def_id"]: row for row in definitions.value}
    found = []
    for row in slas.value:
        if row["stage"] in ("in_progress", "paused"):
            what = names[row["sla_def_id"]]
            promise = promised(definitions, what["metric"], what["applies_to_priority"])
            clock = slas.where(sla_def_id=promise["sla_def_id"], stage=row["stage"])
            found.append(Clock(what["metric"], row["stage"], clock))
    return found


def promises(s: Scene) -> ResultRef:
    """The SLA definitions in force."""
    return s.do("find_sla_definitions", "what is promised for which priority", active=1)


def promised(definitions: ResultRef, metric: str, priority: str) -> ResultRef:
    """The definition of a metric for a priority."""
    return definitions.where(metric=metric, applies_to_priority=priority)


def start(s: Scene, record: ResultRef, definitions: ResultRef, priority: str, metrics: Iterable[str]) -> None:
    """Start the clocks of a priority on a case."""
    for metric in metrics:
        s.do("link_new_case_sla", f"start the {metric} clock", case_id=record["case_id"],
             stage="in_progress",
             sla_def_id=promised(definitions, metric, priority)["sla_def_id"])  # fmt: skip


def finish(s: Scene, clocks: Iterable[Clock], done: ResultRef) -> None:
    """Finish the clocks of a case at the time when it was resolved."""
    for clock in clocks:
        s.do("update_case_sla_details", "the clock is finished", case_sla_id=clock.record["case_sla_id"],
             stage="completed", completed_time=done["sys_updated_on"])  # fmt: skip


def reader(s: Scene, record: ResultRef) -> ResultRef:
    """The person behind the contact of a case."""
    contact = s.do("find_contacts", "who raised it", contact_id=record["contact_id"])
    return s.do("list_users", "the address to write to", user_id=contact[0]["portal_user_id"])[0]


def pointed(record: Row) -> str:
    """A condition that names a case `c`: by its number, or by content where it was opened just now."""
    if record["sys_created_on"] < "2026-01-05 09:00:00":
        return fill_values("c.number = :number", record)
    return fill_values(
        "c.account_id = :account_id AND c.short_description = :short_description"
        " AND c.sys_created_on >= '2026-01-05 09:00:00'",
        record,
    )
