"""What the scenarios of human resources share: who asks, whom and what they mean, small steps."""

from typing import Any

from eops_traj.plan import Text
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.result_ref import Found, count, text
from eops_traj.taskgen.scene import Row, Scene

MANAGERS = "SELECT * FROM user WHERE role IN ('manager', 'admin') AND active"
"""Who may ask for anything: whoever leads people, or the system."""
ALONE = """(SELECT COUNT(*) FROM user v WHERE instr(lower(v.first_name), lower(u.first_name))
    AND instr(lower(v.last_name), lower(u.last_name)) AND v.active) = 1 AND NOT EXISTS (SELECT 1 FROM user v
    WHERE (v.first_name <> u.first_name AND instr(lower(u.first_name), lower(v.first_name)))
    OR (v.last_name <> u.last_name AND instr(lower(u.last_name), lower(v.last_name))))"""
"""That someone's name is borne by one active person, and has nobody else's name in it."""
NAMESAKES = """EXISTS (SELECT 1 FROM user v WHERE v.first_name = u.first_name AND v.last_name = u.last_name
    AND v.active AND v.user_id <> u.user_id)"""
PEOPLE = """SELECT u.*, p.personal_email, p.hr_profile_id FROM user u JOIN hr_profile p USING (user_id)
    WHERE u.active AND u.email <> :me"""
"""Active people other than the asker, with a profile; some share their name with someone."""
WITH_PROFILE = """c.opened_for IN (SELECT user_id FROM hr_profile JOIN user u USING (user_id) WHERE
    u.active)"""
"""That a case is for someone active who has a profile."""
LEADS = f"""SELECT u.*, p.hr_profile_id FROM user u JOIN hr_profile p USING (user_id) WHERE u.active AND
    u.role = 'manager' AND {ALONE} AND u.email <> :me"""
"""Who can lead people, with their profiles."""
TEAMS = "SELECT * FROM user_group WHERE active"
NOT_IN = TEAMS + " AND group_id NOT IN (SELECT group_id FROM user_group_member WHERE user_id = :user)"
"""Groups that someone is not in yet."""
POSITIONS = ("Software Engineer", "QA", "Administration", "Sales", "IT Support")
PLACES = {"Hotdesk": "at a hot desk", "Office Based": "in the office", "Remote": "remotely"}
"""How a request says where someone works."""
OPEN = "('draft', 'ready', 'awaiting_approval', 'work_in_progress', 'awaiting_acceptance', 'suspended')"
NO_RIGHT = "UPDATE user SET role = 'employee' WHERE email = :me"
LEFT = "UPDATE user SET active = 0 WHERE user_id = :user"
SAME_NAME = """UPDATE user SET first_name = :first, last_name = :last WHERE user_id = (SELECT user_id
    FROM user WHERE active AND role = 'employee' AND user_id <> :user AND email <> :me ORDER BY user_id
    LIMIT 1)"""
"""Another active person comes to have the same name."""
WORKERS = f"""SELECT * FROM user u WHERE active AND role IN ('agent', 'manager') AND {ALONE} AND user_id IN
    (SELECT user_id FROM user_group_member WHERE group_id = :group)"""
"""Who of a group may be given cases and tasks."""

_SOURCES = {
    "phone": ("they rang me about it", "it came by phone"),
    "email": ("they sent me an email about it", "it came by email"),
    "chat": ("they wrote to me on chat", "it came by chat"),
    "walk-in": ("they walked in to ask", "it was a walk-in"),
}


def me(s: Scene) -> str:
    """The address of whoever asks."""
    return str(s.speaker["email"])


def name(user: Row) -> str:
    """First and last name."""
    return f"{user['first_name']} {user['last_name']}"


def source(s: Scene) -> tuple[str, str]:
    """How something came in, and how a request says so."""
    way = s.rng.choice(list(_SOURCES))
    return way, s.rng.choice(_SOURCES[way])


def asker(s: Scene) -> Found:
    """Look up who asks; what follows takes a manager or an admin."""
    found = s.do("get_user_using_email", "who asks, and in what role", email=me(s))
    s.require(found["role"], "in", ["manager", "admin"], "this takes the role of a manager or an admin")
    return found


def somebody(s: Scene, sql: str, **values: Any) -> Row:
    """One of these people; ``said`` is how a request speaks of them: by name, or with the address too."""
    user = s.pick(sql, **values)
    namesakes = s.rows(f"SELECT 1 FROM user u WHERE user_id = :user AND NOT {ALONE}", user=user["user_id"])
    return user | {"said": f"{name(user)} ({user['email']})" if namesakes else name(user)}


def two_of_them(s: Scene, user: Row) -> None:
    """Where two namesakes are wanted: another active person comes to have the same name."""
    if s.twisted == "two_namesakes" and user.get("said", name(user)) != name(user):
        raise NoMatch("named by their address already")
    s.twist("two_namesakes", SAME_NAME, first=user["first_name"], last=user["last_name"],
            user=user["user_id"], me=me(s))  # fmt: skip


def person(s: Scene, user: Row, why: str) -> Found:
    """Look someone up as the request names them: by name, or by address where that tells namesakes apart."""
    if user.get("said", "").endswith(")"):
        known = s.do("get_user_using_email", why, email=user["email"])
        s.require(known["active"], "==", True, f"{name(user)} is no longer active here")
        return known
    found = s.do("list_users", why, first_name_like=user["first_name"], last_name_like=user["last_name"])
    here = found["users"].every(active=True)
    s.require(count(here), "==", 1, f"{name(user)} is not the name of just one active person here")
    return here[0]


def key(found: Found) -> Text:
    """An id as a text, which is how most tools take it."""
    return text("{}", found)


def profile(s: Scene, user: Found, why: str) -> Found:
    """Look up someone's profile, which has their private address."""
    return s.do("get_users_hr_profile", why, user_id=key(user["user_id"]))


def worker(s: Scene, group: Found, user: Row, why: str) -> Found:
    """Look up someone who may take work of a group: active, agent or manager, and a member."""
    found = person(s, user, why)
    s.require(found["role"], "in", ["agent", "manager"], f"{name(user)} takes no cases")
    seats = s.do("list_group_members", "whether they are in the group",
                 group_id=group["group_id"], user_id=found["user_id"])  # fmt: skip
    s.require(count(seats), "==", 1, f"{name(user)} is not a member of that group")
    return found


def tell(s: Scene, case: Found, email: Found, kind: str, status: str, why: str) -> None:
    """Send word of a case, as section 11 of the policy asks for it."""
    s.do("send_notification", why, hr_case_id=case["hr_case_id"], email=email, type=kind, status=status)


def service(s: Scene, service_name: str) -> tuple[Found, Found]:
    """Look up a service and its topic, both still offered; the topic knows the centre of excellence."""
    known = s.do("get_hr_service_by_name", "the service", service_name=service_name)
    s.require_ok(known, f"there is no service called {service_name}")
    s.require(known["active"], "==", True, f"the service {service_name} is no longer offered")
    topics = s.do("get_topic_details", "its topic",
                  topic_detail_id=key(known["topic_detail"]["topic_detail_id"]))  # fmt: skip
    s.require(topics[0]["active"], "==", True, f"the topic of {service_name} is no longer offered")
    return known, topics[0]


def no_open_case(s: Scene, user: Found, service_name: str) -> None:
    """Make sure that the person has no open case of that service."""
    cases = s.do("list_hr_cases", "whether they have such a case", opened_for=user["email"],
                 hr_service=service_name)  # fmt: skip
    for state in ("ready", "work_in_progress", "awaiting_approval", "suspended"):
        s.require(count(cases.every(status=state)), "==", 0,
                  f"there is an open case of {service_name} already")  # fmt: skip


def open_case(s: Scene, row: Row, given: Found | None, *states: str) -> Found:
    """The case that is given, or look it up by its number; it is in one of these states."""
    found = given or s.do("find_hr_case_by_number", f"the case {row['number']}", number=row["number"])
    allowed = list(states or ("draft", "ready", "awaiting_approval", "work_in_progress", "suspended"))
    s.require(found["status"], "in", allowed, f"the state of {row['number']} does not allow this")
    return found


def lead(s: Scene, boss: Row) -> Found:
    """Look up a manager, and their profile; only who has the role of a manager can be one."""
    found = person(s, boss, "who is to lead them")
    s.require(found["role"], "==", "manager", f"{name(boss)} does not have the role of a manager")
    return profile(s, found, "their profile, which is what leads")


def cancel_tasks(s: Scene, case: Found, row: Row) -> None:
    """Cancel the open tasks of a case, which makes them inactive."""
    tasks = s.do("list_hr_case_tasks", "its tasks", parent_case=key(case["hr_case_id"]))
    rows = s.rows("SELECT * FROM hr_case_task WHERE parent_case = :case ORDER BY hr_case_task_id",
                  case=row["hr_case_id"])  # fmt: skip
    for place, task in enumerate(rows):
        if task["status"] in ("draft", "ready", "work_in_progress"):
            s.do("update_hr_case_task", "a task that is open", status="cancelled", active=False,
                 hr_case_task_id=key(tasks[place]["hr_case_task_id"]))  # fmt: skip
