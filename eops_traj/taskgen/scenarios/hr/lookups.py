"""Parts that the scenarios of human resources share: queries, pickers, look-ups and small steps."""

import json
from collections.abc import Iterable
from typing import Any

from eops_traj.gym.servers.hr.seed_catalogue import GROUP_OF
from eops_traj.plan import Text
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW, mapped
from eops_traj.taskgen.result_ref import ResultRef, count, text
from eops_traj.taskgen.scenarios.desk_reasons import (
    INACTIVE,
    MISSING,
    NAMESAKES,
    NOT_MEMBER,
    RETIRED,
    in_state,
    named,
    no_right,
    spell_out,
)
from eops_traj.taskgen.scene import Row, Scene

MANAGERS = "SELECT * FROM user WHERE role IN ('manager', 'admin') AND active"
"""Those who may ask for anything: whoever leads people, or the system."""
UNIQUE_NAME = """(SELECT COUNT(*) FROM user v WHERE instr(lower(v.first_name), lower(u.first_name))
    AND instr(lower(v.last_name), lower(u.last_name)) AND v.active) = 1 AND NOT EXISTS (SELECT 1 FROM user v
    WHERE (v.first_name <> u.first_name AND instr(lower(u.first_name), lower(v.first_name)))
    OR (v.last_name <> u.last_name AND instr(lower(u.last_name), lower(v.last_name))))"""
"""The condition that one active person has the name, and that it contains no other person's name."""
PEOPLE = """SELECT u.*, p.personal_email, p.hr_profile_id FROM user u JOIN hr_profile p USING (user_id)
    WHERE u.active AND u.email <> :me"""
"""Active people other than the asker, with a profile; some share their name with someone."""
WITH_PROFILE = """c.opened_for IN (SELECT user_id FROM hr_profile JOIN user u USING (user_id) WHERE
    u.active)"""
"""The condition that a case is for someone active who has a profile."""
LEADERS = f"""SELECT u.*, p.hr_profile_id FROM user u JOIN hr_profile p USING (user_id) WHERE u.active AND
    u.role = 'manager' AND {UNIQUE_NAME} AND u.email <> :me"""
"""Managers who can lead people, with their profiles."""
TEAMS = "SELECT * FROM user_group WHERE active"
TEAMS_TO_JOIN = TEAMS + " AND group_id NOT IN (SELECT group_id FROM user_group_member WHERE user_id = :user)"
"""Groups that someone is not in yet."""
POSITIONS = ("Software Engineer", "QA", "Administration", "Sales", "IT Support")
WORKPLACES = {"Hotdesk": "at a hot desk", "Office Based": "in the office", "Remote": "remotely"}
"""The words by which a request says where someone works."""
OPEN_STATES = (
    "('draft', 'ready', 'awaiting_approval', 'work_in_progress', 'awaiting_acceptance', 'suspended')"
)
OPEN = ["draft", "ready", "awaiting_approval", "work_in_progress", "awaiting_acceptance", "suspended"]
"""The states of a case that is open; `OPEN_STATES` is the same for SQL."""
OPEN_TASK = ["draft", "ready", "work_in_progress"]
"""The states of a task that is open."""
DEMOTE_CALLER = """UPDATE user SET role = 'employee' WHERE email = :me; UPDATE user_role SET role_id =
    (SELECT role_id FROM role WHERE name = 'employee') WHERE user_id = (SELECT user_id FROM user WHERE email =
    :me)"""
RENUMBER_CASE = "UPDATE hr_case SET number = 'HRC0009' || substr(number, 8) WHERE number = :number"
"""The change by which a case has another number, so that the one that is known leads nowhere."""
DEACTIVATE_USER = "UPDATE user SET active = 0 WHERE user_id = :user"
ANOTHER = """(SELECT user_id FROM user JOIN hr_profile USING (user_id) WHERE active AND role = 'employee' AND
    user_id <> :user AND email <> :me ORDER BY user_id LIMIT 1)"""
"""Whom `add_namesake` gives the name of the person ``:user``."""
SAME_NAME = f"UPDATE user SET first_name = :first, last_name = :last WHERE user_id = {ANOTHER}"
"""The change that gives another active person the same name."""
_SAME_GROUP = f"""INSERT OR IGNORE INTO user_group_member (group_id, user_id, org_id, created_at, updated_at)
    SELECT group_id, {ANOTHER}, org_id, '2025-09-01 08:00:00', '2025-09-01 08:00:00' FROM user_group
    WHERE group_id = :group"""
"""The change that puts that person into a group."""
WORKERS = f"""SELECT * FROM user u WHERE active AND role IN ('agent', 'manager') AND {UNIQUE_NAME} AND user_id
    IN (SELECT user_id FROM user_group_member WHERE group_id = :group)"""
"""Members of a group who may be given cases and tasks."""

_SOURCES = {
    "phone": ("they rang me about it", "it reached me by phone", "the question came in over the phone"),
    "email": ("they sent me an email about it", "it came by email", "an email landed in my inbox about it"),
    "chat": ("they wrote to me on chat", "it came up in a chat", "they asked me in the chat"),
    "walk-in": ("they walked in to ask", "it was a walk-in", "they came by in person, as a walk-in"),
}


def my_email(s: Scene) -> str:
    """Return the address of the caller."""
    return str(s.caller["email"])


def full_name(user: Row) -> str:
    """Return the first and last name."""
    return f"{user['first_name']} {user['last_name']}"


def pick_source(s: Scene) -> tuple[str, str]:
    """Pick how something came in, and the words by which a request says so."""
    source = s.rng.choice(list(_SOURCES))
    return source, s.rng.choice(_SOURCES[source])


def require_manager(s: Scene) -> ResultRef:
    """Look up the caller and require the role of a manager or an admin."""
    user = s.do("get_user_using_email", "who asks, and in what role", email=my_email(s))
    s.require(user["role"], "in", ["manager", "admin"], "this takes the role of a manager or an admin",
              names=no_right("employee", "manager", "admin"))  # fmt: skip
    return user


def pick_person(s: Scene, sql: str, **values: Any) -> Row:
    """Pick one of these people; ``words`` names them in a request: by name, or with the address too."""
    user = s.pick(f"SELECT *, NOT ({UNIQUE_NAME}) AS shared FROM ({sql}) u", **values)
    return user | {"words": f"{full_name(user)} ({user['email']})" if user["shared"] else full_name(user)}


def add_namesake(s: Scene, user: Row, groups: Iterable[Row] = ()) -> None:
    """Give another active person the same name, where two namesakes make the task infeasible.

    They get into these ``groups`` too: what a request says of the person must not tell them apart.
    """
    for group in groups:
        s.perturb("two_namesakes", _SAME_GROUP, user=user["user_id"], me=my_email(s), group=group["group_id"])
    if s.perturbation == "two_namesakes" and user.get("words", full_name(user)) != full_name(user):
        raise NoMatch("named by their address already")
    s.perturb("two_namesakes", SAME_NAME, first=user["first_name"], last=user["last_name"],
              user=user["user_id"], me=my_email(s))  # fmt: skip


def add_leading_namesake(s: Scene, boss: Row, *others: Row) -> None:
    """Give another manager the name of one, but not these others: who is to lead people has that role."""
    kept = json.dumps([boss["user_id"], *(other["user_id"] for other in others)])
    s.perturb(
        "two_namesakes",
        """UPDATE user SET first_name = :first, last_name = :last WHERE user_id = (SELECT user_id FROM user
        JOIN hr_profile USING (user_id) WHERE active AND role = 'manager' AND email <> :me AND user_id NOT IN
        (SELECT value FROM json_each(:kept)) ORDER BY user_id LIMIT 1)""",
        first=boss["first_name"], last=boss["last_name"], kept=kept, me=my_email(s),
    )  # fmt: skip


def find_person(s: Scene, user: Row, why: str) -> ResultRef:
    """Look someone up as the request names them: by name, or by address where two share the name."""
    if user.get("words", "").endswith(")"):
        account = s.do("get_user_using_email", why, email=user["email"])
        s.require(account["active"], "==", True, f"{full_name(user)} is no longer active here",
                  names=(named(user), INACTIVE))  # fmt: skip
        return account
    users = s.do("list_users", why, first_name_like=user["first_name"], last_name_like=user["last_name"])
    active = users["users"].every(active=True)
    s.require(count(active), ">=", 1, f"{full_name(user)} is no longer active here",
              names=(named(user), INACTIVE))  # fmt: skip
    s.require(count(active), "<=", 1, f"more than one active person here is called {full_name(user)}",
              names=(named(user), NAMESAKES))  # fmt: skip
    return active[0]


def id_text(value: ResultRef) -> Text:
    """Return an id as a text, which is how most tools take it."""
    return text("{}", value)


def find_profile(s: Scene, user: ResultRef, why: str) -> ResultRef:
    """Look up the profile of a person, which has their private address."""
    return s.do("get_users_hr_profile", why, user_id=id_text(user["user_id"]))


def find_worker(s: Scene, group: ResultRef, user: Row, why: str) -> ResultRef:
    """Look up a person who may take work of a group: active, agent or manager, and a member."""
    member = find_person(s, user, why)
    s.require(member["role"], "in", ["agent", "manager"],
              f"{full_name(user)} is neither an agent nor a manager, and cannot be given cases",
              names=(named(user), "admin|neither an agent|not an agent|isn't an agent|role")
              )  # fmt: skip
    seats = s.do("list_group_members", "whether they are in the group",
                 group_id=group["group_id"], user_id=member["user_id"])  # fmt: skip
    s.require(count(seats), "==", 1, f"{full_name(user)} is not a member of that group",
              names=(named(user), NOT_MEMBER))  # fmt: skip
    return member


def notify(
    s: Scene, case: ResultRef, email: ResultRef, kind: str | ResultRef, status: str | ResultRef, why: str
) -> None:
    """Send a notification about a case, as section 11 of the policy asks for it."""
    s.do("send_notification", why, hr_case_id=case["hr_case_id"], email=email, type=kind, status=status)


def words_for_new_case(s: Scene) -> str:
    """Return the words by which the next part of a chain names the case that was opened."""
    return s.rng.choice(("the case you just opened", "that new case", "the case from a moment ago",
                         "the case that has just come into being", "this new case"))  # fmt: skip


def find_service(s: Scene, service_name: str) -> tuple[ResultRef, ResultRef]:
    """Look up a service and its topic, both still offered; the topic knows the centre of excellence."""
    service = s.do("get_hr_service_by_name", "the service", service_name=service_name)
    s.require_ok(service, f"there is no service called {service_name}", names=(service_name, MISSING))
    s.require(service["active"], "==", True, f"the service {service_name} is no longer offered",
              names=(f"{service_name}|service", f"{INACTIVE}|{RETIRED}"))  # fmt: skip
    topics = s.do("get_topic_details", "its topic",
                  topic_detail_id=id_text(service["topic_detail"]["topic_detail_id"]))  # fmt: skip
    s.require(topics[0]["active"], "==", True, f"the topic of {service_name} is no longer offered")
    return service, topics[0]


def require_no_open_case(s: Scene, user: ResultRef, service_name: str) -> None:
    """Require that the person has no open case of that service."""
    cases = s.do("list_hr_cases", "whether they have such a case", opened_for=user["email"],
                 hr_service=service_name)  # fmt: skip
    s.require(count(cases.every(("status", "in", OPEN))), "==", 0,
              f"there is an open case of {service_name} already")  # fmt: skip


def group_for(coe: ResultRef) -> Any:
    """Return the group that works for a centre of excellence, as the table of the policy has it."""
    return mapped(coe, GROUP_OF)


_THIS_CASE = "the case|this case|that case|it is|it's|it was"


def find_case(s: Scene, row: Row, known_case: ResultRef | None, *states: str) -> ResultRef:
    """Return a known case or look it up by its number, and require one of these states."""
    case = known_case or s.do("find_hr_case_by_number", f"the case {row['number']}", number=row["number"])
    allowed = list(states or ("draft", "ready", "awaiting_approval", "work_in_progress", "suspended"))
    listed = "open" if not states else spell_out(*states)
    s.require(case["status"], "in", allowed, f"{row['number']} is not {listed}",
              names=(f"{row['number']}|{_THIS_CASE}", in_state(case["status"].value, listed, "open", *states))
              )  # fmt: skip
    return case


def find_lead(s: Scene, boss: Row) -> ResultRef:
    """Look up a manager and return their profile; require the role of a manager."""
    user = find_person(s, boss, "who is to lead them")
    s.require(user["role"], "==", "manager", f"{full_name(boss)} does not have the role of a manager",
              names=(named(boss), "role|not a manager|isn't a manager|agent")
              )  # fmt: skip
    return find_profile(s, user, "their profile, which is what leads")


def cancel_tasks(s: Scene, case: ResultRef) -> None:
    """Cancel the open tasks of a case, which makes them inactive."""
    tasks = s.do("list_hr_case_tasks", "its tasks", parent_case=id_text(case["hr_case_id"]))
    s.do_each(tasks.every(("status", "in", OPEN_TASK)), "update_hr_case_task", "each task that is open",
              hr_case_task_id=id_text(ROW["hr_case_task_id"]), status="cancelled", active=False)  # fmt: skip
