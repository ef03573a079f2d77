"""What the scenarios of IT service management share: who asks, whom and what they mean, small steps."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from eops_traj.gym.servers.itsm.seed_assets import PRIORITIES
from eops_traj.plan import Text
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scene import Row, Scene

MANAGERS = "SELECT * FROM users WHERE role IN ('manager', 'admin') AND active AND org_id = 'ORG_001'"
"""Who may ask for anything: whoever leads people, or the system."""
_ALIKE = """SELECT COUNT(*) FROM users v WHERE v.first_name LIKE '%' || u.first_name || '%'
    AND v.last_name LIKE '%' || u.last_name || '%'"""
ALONE = f"""({_ALIKE}) = 1 AND NOT EXISTS (SELECT 1 FROM users v WHERE v.user_id <> u.user_id
    AND (u.first_name LIKE '%_' || v.first_name || '%' OR u.first_name LIKE v.first_name || '_%'
    OR u.last_name LIKE '%_' || v.last_name || '%' OR u.last_name LIKE v.last_name || '_%'))"""
"""That a name is borne by one person in all organizations, and has nobody else's name in it."""
COLLEAGUES = f"SELECT * FROM users u WHERE active AND org_id = 'ORG_001' AND {ALONE} AND email <> :me"
"""People of Corvane whose name is their own."""
OPEN = "('new', 'in_progress', 'on_hold')"
OURS = f"""SELECT * FROM incident i WHERE org_id = 'ORG_001' AND status IN {OPEN}
    AND caller_id IN (SELECT user_id FROM users WHERE active AND email <> :me)"""
"""Open incidents of Corvane whose caller is still there, and is not the one who asks."""
_CASES = " ".join(f"WHEN '{impact} {urgency}' THEN '{p}'" for (impact, urgency), p in PRIORITIES.items())
UNMAPPED = OURS + """ AND incident_id NOT IN (SELECT ifnull(incident_id, '') FROM change_request_mapping)"""
"""Open incidents that no change is mapped to."""
STOCK = """SELECT * FROM configuration_item WHERE org_id = 'ORG_001' AND status = 'in_stock'
    AND location_id IS NOT :site AND substr(serial_number, 4, 2) IN ('LT', 'DT', 'MN', 'PH')"""
"""What people of Corvane can be given from stock: it stands at another site."""
EARLY = OURS + " AND status IN ('new', 'in_progress') AND priority <> 'critical'"
"""Those that nobody has resolved or put on hold yet, critical ones aside."""
NO_RIGHT = "UPDATE users SET role = 'reporter' WHERE email = :me"

BY_TABLE = f"priority = CASE impact || ' ' || urgency {_CASES} END"
"""That an incident has the priority that its impact and urgency lead to."""

ARTICLE_OF = {
    "Corporate Email": "Mail is late: checking the relay", "Remote Access": "VPN drops: what to collect",
    "Office Network": "Wireless coverage of the sites", "Identity and Sign-on": "Unlocking an account",
    "Workplace Devices": "Updating dock firmware",
    "File Storage": "Rights on department shares", "Payroll Suite": "Releasing a held payslip",
    "Expense Tracker": "Sending an expense report again", "Customer Portal": "Portal login loops",
    "Telephony": "Choosing a microphone", "Meeting Rooms": "Booking rooms and desks",
}  # fmt: skip
"""A published article about each service that has one."""
_IMPACT = {"high": "a whole site is affected", "medium": "one group is affected",
           "low": "just one person is affected"}  # fmt: skip
_URGENCY = {"high": "work stands still", "medium": "work is hindered but goes on",
            "low": "nobody is held up by it"}  # fmt: skip
_CHANNELS = {
    "phone": ("I was told on the phone", "it came in by phone"),
    "email": ("it reached me by email", "I have it from an email"),
    "chat": ("it came in by chat", "I was told on chat"),
    "walk-in": ("it was reported as a walk-in at the desk", "this was a walk-in"),
}


def name(user: Row) -> str:
    """First and last name."""
    return f"{user['first_name']} {user['last_name']}"


def me(s: Scene) -> str:
    """The address of whoever asks."""
    return str(s.caller["email"])


def asker(s: Scene) -> ResultRef:
    """Look up who asks; what follows takes a manager or an admin."""
    found = s.do("get_user_using_email", "who asks, and in what role", email=me(s))
    s.require(found["role"], "in", ["manager", "admin"], "this takes the role of a manager or an admin")
    return found


def person(s: Scene, user: Row, why: str, org: ResultRef | None = None) -> ResultRef:
    """Look someone up by name: one person, of that organization if one is given, and still there."""
    ours = s.do("list_users", why, first_name=user["first_name"], last_name=user["last_name"])["users"]
    ours = ours.every(org_id=org) if org else ours
    s.require(count(ours), "==", 1, f"more than one person here is called {name(user)}")
    s.require(ours[0]["active"], "==", True, f"{name(user)} is no longer active here")
    return ours[0]


def member(s: Scene, group: ResultRef, user: Row, why: str) -> ResultRef:
    """Look up someone who may take work in a group: active, agent or manager, and a member."""
    found = person(s, user, why, group["org_id"])
    s.require(found["role"], "in", ["agent", "manager"], f"{name(user)} does not work on tickets")
    members = s.do("list_group_members", "whether they are in the group",
                   group_id=group["group_id"], user_id=found["user_id"])  # fmt: skip
    s.require(members["total_count"], "==", 1, f"{name(user)} is not a member of that group")
    return found


def team(s: Scene, group_name: str, why: str) -> ResultRef:
    """Look a group up by its name; it takes work."""
    group = s.do("find_group_by_name", why, name=group_name)
    s.require(group["active"], "==", True, f"the group {group_name} takes no work any more")
    return group


WORKERS = f"""SELECT * FROM users u WHERE active AND role IN ('agent', 'manager')
    AND ({_ALIKE} AND v.org_id = u.org_id) = 1 AND user_id IN
    (SELECT user_id FROM user_group_member WHERE group_id = :group)"""
"""Who of a group may be given incidents; a tenant may have a namesake of theirs."""


@dataclass(frozen=True)
class Ticket:
    """An incident that a request is about: its row, how it is spoken of, and the record if it was given."""

    row: Row
    said: str
    given: ResultRef | None = None


def ticket(s: Scene, sql: str, kind: str = "") -> Ticket:
    """The incident that an earlier part of the chain hands on, or one of these rows."""
    given = s.consume(kind) if kind else None
    if given:
        return Ticket(dict(given.record.value), given.words, given.record)
    row = s.pick(sql, me=me(s))
    return Ticket(row, row["number"])


def several(s: Scene, sql: str, n: int) -> list[Row]:
    """Some of the rows, none twice."""
    rows = s.rows(sql, me=me(s))
    if len(rows) < n:
        raise NoMatch(sql)
    return s.rng.sample(rows, n)


def open_ticket(s: Scene, which: Ticket, *states: str) -> ResultRef:
    """Look the incident up by its number; it is in one of these states, of any open ones if none is given."""
    found = which.given or s.do("find_incident_by_number", f"{which.said}", number=which.row["number"])
    allowed = list(states or ("new", "in_progress", "on_hold"))
    s.require(found["status"], "in", allowed, f"the state of {which.said} does not allow this")
    return found


def scale(s: Scene, *pairs: tuple[str, str]) -> tuple[str, str, str, str]:
    """Impact, urgency, the priority that follows, and how a request says the first two."""
    impact, urgency = s.rng.choice(pairs)
    plain = f"impact {impact}, urgency {urgency}"
    words = s.rng.choice((plain, f"{_IMPACT[impact]} and {_URGENCY[urgency]}"))
    return impact, urgency, PRIORITIES[impact, urgency], words


USUAL = (("low", "high"), ("low", "medium"), ("medium", "low"), ("medium", "medium"), ("medium", "high"),
         ("high", "low"), ("high", "medium"))  # fmt: skip
"""Impacts and urgencies of incidents that have SLAs and are not critical."""


def channel(s: Scene) -> tuple[str, str]:
    """How something came in, and how a request says so."""
    way = s.rng.choice(list(_CHANNELS))
    return way, s.rng.choice(_CHANNELS[way])


def track(s: Scene, incident: ResultRef, org: ResultRef, priority: str, start: ResultRef) -> None:
    """Put both SLAs of a priority on an incident, from this time on."""
    terms = s.do("find_sla_definitions", f"the SLAs for priority {priority}",
                 applies_to_priority=priority, active=True)["sla_definitions"]  # fmt: skip
    for metric in ("response", "resolution"):
        fits = terms.where(metric=metric, org_id=org)
        s.do("link_new_incident_sla", f"track the time of {metric}", incident_id=incident["incident_id"],
             sla_def_id=fits["sla_def_id"], start_time=start)  # fmt: skip


def slas(s: Scene, incident_id: str, *stages: str) -> list[Row]:
    """The SLAs on an incident in these stages, with what their definitions say, as a look-up lists them."""
    return s.rows(
        """SELECT s.*, metric, pause_on_pending FROM incident_sla s JOIN sla_definition USING (sla_def_id)
        WHERE incident_id = :incident AND instr(:stages, stage) ORDER BY s.created_on DESC,
        incident_sla_id""",
        incident=incident_id, stages=" ".join(stages),
    )  # fmt: skip


def tracked(s: Scene, incident: ResultRef, why: str) -> ResultRef:
    """Look up the SLAs on an incident."""
    return s.do("find_incident_slas", why, incident_id=incident["incident_id"])["incident_slas"]


def each(found: ResultRef, rows: list[Row]) -> Iterator[tuple[ResultRef, Row]]:
    """Those of the found SLAs that these rows are, by their stage and place."""
    seen: Counter[str] = Counter()
    for row in rows:
        yield found.every(stage=row["stage"])[seen[row["stage"]]], row
        seen[row["stage"]] += 1


def answered(s: Scene, incident: ResultRef, row: Row, org: ResultRef, now: ResultRef) -> None:
    """An incident leaves ``new``: its response SLA, if one still runs, is completed at that time."""
    running = [sla for sla in slas(s, row["incident_id"], "in_progress", "breached")
               if sla["metric"] == "response"]  # fmt: skip
    found = tracked(s, incident, "whether a response SLA still runs")
    if not running:
        return
    terms = s.do("find_sla_definitions", "which of them is for the response", metric="response",
                 applies_to_priority=row["priority"])["sla_definitions"]  # fmt: skip
    which = found.where(sla_def_id=terms.where(org_id=org)["sla_def_id"])
    s.do("update_incident_sla_details", "the response is given", stage="completed", completed_time=now,
         incident_sla_id=which["incident_sla_id"])  # fmt: skip


def tell(
    s: Scene, incident: ResultRef, user: ResultRef, kind: str, subject: Text, message: str, why: str
) -> None:
    """Send a notification, as section 13 of the policy asks for it."""
    s.do("send_notification", why, incident_id=incident["incident_id"], email=user["email"], type=kind,
         status="queued", subject=subject, message=message)  # fmt: skip


def numbered(s: Scene, number: str) -> ResultRef:
    """Look an incident up by its number; it is open."""
    found = s.do("find_incident_by_number", f"the ticket {number}", number=number)
    s.require_ok(found, f"there is no ticket {number}")
    s.require(found["status"], "in", ["new", "in_progress", "on_hold"], f"{number} is closed already")
    return found


def equip(s: Scene, item: ResultRef, user: ResultRef, place: ResultRef) -> None:
    """Give someone a device, to use it at this place."""
    s.do("update_configuration_item", "it is theirs now", configuration_item_id=item["configuration_item_id"],
         owner_id=user["user_id"], location_id=place, status="in_use")  # fmt: skip
