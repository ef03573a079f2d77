"""Shared look-ups of the customer service scenarios: callers, conditions that hold, and small steps."""

from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.desk_reasons import (
    INACTIVE,
    MISSING,
    NAMESAKES,
    NOT_MEMBER,
    in_state,
    named,
    no_right,
    spell_out,
)
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

OUT_OF_WARRANTY = """(p.category <> 'hardware' OR NOT EXISTS (SELECT 1 FROM installed_product w
    WHERE w.account_id = a.account_id AND w.product_id = p.product_id AND w.warranty_end >= '2026-01-05'))"""
"""The account `a` has no piece of the product `p` under warranty: support comes by a contract alone."""

OPEN = "('new', 'in_progress', 'pending')"
OPEN_STATES = ("state", "in", ["new", "in_progress", "pending"])
"""The cases that are not finished, as a test of their rows."""
CASES = f"""
    SELECT c.*, a.name AS account, p.name AS product, p.category, u.first_name, u.last_name, u.email
    FROM customer_case c JOIN account a USING (account_id) JOIN product p USING (product_id)
    JOIN contact k USING (contact_id) JOIN user u ON u.user_id = k.portal_user_id
    WHERE a.active AND k.active AND u.active AND {ALONE} AND NOT EXISTS (SELECT 1 FROM notification n
        WHERE n.case_id = c.case_id AND n.type IN ('update', 'alert', 'next_steps', 'solution_proposal'))"""
"""Cases with their account, product and contact, who can be written to and was not so far."""


def full_name(person: Row) -> str:
    """Return first and last name."""
    return f"{person['first_name']} {person['last_name']}"


def group_type_sql(product: Row) -> str:
    """Render the type of group that handles problems with a product, as an SQL literal."""
    return "field" if product["category"] == "hardware" else "support"


def pick_group(s: Scene, kind: str, **others: Any) -> tuple[Row, Row]:
    """Pick a group of a type that takes cases, and a member other than the caller who can get work."""
    group = s.pick("SELECT * FROM user_group WHERE active AND type = :kind", kind=kind)
    person = s.pick(
        f"""SELECT u.* FROM user u JOIN user_group_member m USING (user_id)
        WHERE m.group_id = :group AND {WORKS} AND u.email <> :me""",
        group=group["group_id"], me=s.caller["email"], **others,
    )  # fmt: skip
    return group, person


def find_caller(s: Scene, *roles: str) -> ResultRef:
    """Find the caller, who must have one of these roles and still work here."""
    me = s.do("find_user_by_email", "what the one who asks may do", email=s.caller["email"])
    s.require(
        me["role"], "in", list(roles), f"this takes the role {' or '.join(roles)}, which you do not have",
        names=no_right(me["role"].value, *roles),
    )  # fmt: skip
    return me


def demote(s: Scene, role: str) -> None:
    """Perturb: the caller lacks the right."""
    s.perturb("no_right", "UPDATE user SET role = :role WHERE email = :me", role=role, me=s.caller["email"])


def find_colleague(s: Scene, person: Row, why: str) -> ResultRef:
    """Find a person by name among all who bear it; they must be the only one, and active."""
    who = full_name(person)
    people = s.do("list_users", why, first_name=person["first_name"], last_name=person["last_name"])
    same = people.every(first_name=person["first_name"], last_name=person["last_name"])
    s.require(count(same), "==", 1, f"more than one person is named {who}",
              names=(named(person), NAMESAKES))  # fmt: skip
    s.require(same[0]["active"], "==", 1, f"{who} is no longer active", names=(named(person), INACTIVE))
    return same[0]


def find_worker(s: Scene, person: Row, group: ResultRef, why: str) -> ResultRef:
    """Find a person who is to get work of a group: alone of that name, active, and a member of it."""
    user = find_colleague(s, person, why)
    s.require(user["role"], "in", ["agent", "manager"], f"{full_name(person)} cannot be given cases")
    belongs = s.do("check_user_membership", "work goes to members only",
                   user_id=user["user_id"], group_id=group["group_id"])  # fmt: skip
    s.require(belongs["exists"], "==", True, f"{full_name(person)} is not a member of the group",
              names=(named(person), NOT_MEMBER))  # fmt: skip
    return user


def find_case(s: Scene, number: str, *states: str) -> ResultRef:
    """Find the case of a number, which must be in one of these states."""
    case = s.do("search_cases", f"find {number}", number=number)
    s.require(count(case), "==", 1, f"there is no case {number}", names=(number, MISSING))
    listed = "open" if len(states) == 3 else spell_out(*states)
    s.require(case[0]["state"], "in", list(states), f"{number} is not {listed}",
              names=(in_state(case[0]["state"].value, listed),))  # fmt: skip
    return case[0]


def pick_case(s: Scene, sql: str, *states: str) -> tuple[ProducedRecord | None, Row]:
    """Take the case that a chain hands on, if its state is one of these; else pick one of a query."""
    produced = s.consume("case")
    if produced is None:
        return None, s.pick(sql)
    if produced.record["state"].value not in states:
        raise NoMatch(f"{produced.words} is in another state")
    return produced, dict(produced.record.value)


def find_picked_case(s: Scene, produced: ProducedRecord | None, number: str, *states: str) -> ResultRef:
    """Find the picked case by its number, unless an earlier part of the chain handed it on."""
    if produced is None:
        return find_case(s, number, *states)
    s.require(produced.record["state"], "in", list(states),
              f"{produced.words} is not in a state that allows this")  # fmt: skip
    return produced.record


def find_contact_user(s: Scene, record: ResultRef) -> ResultRef:
    """Find the person behind the contact of a case."""
    contact = s.do("find_contacts", "who raised it", contact_id=record["contact_id"])
    return s.do("list_users", "the address to write to", user_id=contact[0]["portal_user_id"])[0]


def case_condition(record: Row) -> str:
    """Render a condition that selects a case `c`: by its number, or by what it is about where it is new."""
    if record["sys_created_on"] < "2026-01-05 09:00:00":
        return fill_values("c.number = :number", record)
    return fill_values(
        "c.account_id = :account_id AND c.product_id = :product_id"
        " AND c.sys_created_on >= '2026-01-05 09:00:00'",
        record,
    )
