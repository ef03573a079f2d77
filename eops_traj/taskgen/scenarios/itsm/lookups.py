"""Shared look-ups of the IT service management scenarios, and small steps."""

from dataclasses import dataclass

from eops_traj.gym.servers.itsm.seed_assets import PRIORITIES
from eops_traj.plan import Text
from eops_traj.taskgen.expressions import Holds
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
from eops_traj.taskgen.scenarios.itsm.clocks import add_slas as add_slas
from eops_traj.taskgen.scenarios.itsm.clocks import find_slas as find_slas
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.wording import vary

OPEN_STATES = ["new", "in_progress", "on_hold"]
MANAGERS = "SELECT * FROM users WHERE role IN ('manager', 'admin') AND active AND org_id = 'ORG_001'"
"""Who may ask for anything: whoever leads people, or the system."""
_ALIKE = """SELECT COUNT(*) FROM users v WHERE v.first_name LIKE '%' || u.first_name || '%'
    AND v.last_name LIKE '%' || u.last_name || '%'"""
_DISTINCT = """NOT EXISTS (SELECT 1 FROM users v WHERE v.user_id <> u.user_id
    AND (u.first_name LIKE '%_' || v.first_name || '%' OR u.first_name LIKE v.first_name || '_%'
    OR u.last_name LIKE '%_' || v.last_name || '%' OR u.last_name LIKE v.last_name || '_%'))"""
ALONE = f"({_ALIKE}) = 1 AND {_DISTINCT}"
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

TABLE = {f"{impact} {urgency}": priority for (impact, urgency), priority in PRIORITIES.items()}
"""The table of the policy: the priority by impact and urgency."""
NOTCH_UP = {"low": "medium", "medium": "high"}
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
OWN_TITLE = """NOT EXISTS (SELECT 1 FROM knowledge o WHERE o.knowledge_id <> k.knowledge_id AND
    (instr(lower(o.title), lower(k.title)) OR instr(lower(k.title), lower(o.title))))"""
"""That the title of an article is in no other's, and has no other's in it."""
_IMPACT = {
    "high": "[a whole site is affected|everybody at the site feels it|it hits one site as a whole"
    "|no desk at that site is spared]",
    "medium": "[one group is affected|no more than one team is affected|a single group is hit by it"
    "|one team has to live with it]",
    "low": "[just one person is affected|nobody else is affected|it concerns one person only"
    "|no second person has noticed it]",
}
_URGENCY = {
    "high": "[work stands still|nothing can be done until it is fixed|all work has come to a halt"
    "|nobody concerned can work]",
    "medium": "[work is hindered but goes on|people get on with it, only slower|work goes on, with hindrance"
    "|it slows work down without stopping it]",
    "low": "[nobody is held up by it|it keeps nobody from working|work is not hindered at all"
    "|everyone can work as before]",
}
_CHANNELS = {
    "phone": ("[I was told on the phone|they rang me about it|a call came in about it]",
              "[it came in by phone|it was a phone call|we know it from a phone call]"),
    "email": ("[it reached me by email|they wrote me an email|an email came in about it]",
              "[I have it from an email|it came by email|we know it from an email]"),
    "chat": ("[it came in by chat|they asked over chat|I read it in a chat]",
             "[I was told on chat|it started as a chat|we know it from a chat]"),
    "walk-in": ("[it was reported as a walk-in at the desk|they came to the desk as a walk-in]",
                "[this was a walk-in|it is a walk-in of this morning|a walk-in brought it up]"),
}  # fmt: skip


def full_name(user: Row) -> str:
    """Return first and last name."""
    return f"{user['first_name']} {user['last_name']}"


def caller_email(s: Scene) -> str:
    """Return the email address of the caller."""
    return str(s.caller["email"])


def find_caller(s: Scene) -> ResultRef:
    """Find the caller, who must be a manager or an admin."""
    user = s.do("get_user_using_email", "who asks, and in what role", email=caller_email(s))
    s.require(user["role"], "in", ["manager", "admin"], "this takes the role of a manager or an admin",
              names=no_right("reporter", "manager", "admin"))  # fmt: skip
    return user


def organization_of(s: Scene, user_id: ResultRef, why: str) -> ResultRef:
    """Find whose a record is that does not tell its organization: that of the user who answers for it."""
    return s.do("get_user", why, user_id=user_id)["org_id"]


FOREIGN_DEVICE = """UPDATE configuration_item SET org_id = 'ORG_003', owner_id = (SELECT user_id FROM users
    WHERE org_id = 'ORG_003' AND active ORDER BY user_id LIMIT 1) WHERE serial_number = :serial"""
"""A device of a tenant, in the name of one of its people."""
FOREIGN_CHANGE = """UPDATE change SET org_id = 'ORG_002', requested_by = (SELECT user_id FROM users WHERE
    org_id = 'ORG_002' AND active ORDER BY user_id LIMIT 1) WHERE number = :number"""
"""A change of a tenant, asked for by one of its people."""


def find_person(s: Scene, user: Row, why: str, org: ResultRef | None = None) -> ResultRef:
    """Find a person by name: exactly one, of that organization if given, and active."""
    ours = s.do("list_users", why, first_name=user["first_name"], last_name=user["last_name"])["users"]
    ours = ours.every(org_id=org) if org else ours
    s.require(count(ours), "==", 1, f"more than one person here is called {full_name(user)}",
              names=(named(user), NAMESAKES))  # fmt: skip
    s.require(ours[0]["active"], "==", True, f"{full_name(user)} is no longer active here",
              names=(named(user), INACTIVE))  # fmt: skip
    return ours[0]


def find_member(s: Scene, group: ResultRef, user: Row, why: str) -> ResultRef:
    """Find a person who may take work in a group: active, agent or manager, and a member."""
    member = find_person(s, user, why, group["org_id"])
    s.require(member["role"], "in", ["agent", "manager"], f"{full_name(user)} does not work on tickets")
    members = s.do("list_group_members", "whether they are in the group",
                   group_id=group["group_id"], user_id=member["user_id"])  # fmt: skip
    s.require(members["total_count"], "==", 1, f"{full_name(user)} is not a member of that group",
              names=(named(user), NOT_MEMBER))  # fmt: skip
    return member


def find_group(s: Scene, group_name: str, why: str) -> ResultRef:
    """Find a group by its name; it must take work."""
    group = s.do("find_group_by_name", why, name=group_name)
    s.require(group["active"], "==", True, f"the group {group_name} takes no work any more",
              names=(group_name, f"takes no work|takes no more|no longer|{INACTIVE}"))  # fmt: skip
    return group


WORKERS = f"""SELECT * FROM users u WHERE active AND role IN ('agent', 'manager')
    AND ({_ALIKE} AND v.org_id = u.org_id) = 1 AND {_DISTINCT} AND user_id IN
    (SELECT user_id FROM user_group_member WHERE group_id = :group)"""
"""Who of a group may be given incidents; a tenant may have a namesake of theirs."""


@dataclass(frozen=True)
class Ticket:
    """An incident that a request is about: its row, its words in the request, and its record if handed on."""

    row: Row
    words: str
    record: ResultRef | None = None


def pick_ticket(s: Scene, sql: str, kind: str = "") -> Ticket:
    """Take the incident that an earlier part of the chain hands on, or pick one of these rows."""
    produced = s.consume(kind) if kind else None
    if produced:
        return Ticket(dict(produced.record.value), produced.words, produced.record)
    row = s.pick(sql, me=caller_email(s))
    return Ticket(row, row["number"])


def pick_several(s: Scene, sql: str, n: int) -> list[Row]:
    """Pick some of the rows, none twice."""
    return list(s.pick_some(sql, n, me=caller_email(s)))


def find_ticket(s: Scene, which: Ticket, *states: str) -> ResultRef:
    """Find the incident by its number; it must be in one of these states, or open if none is given."""
    incident = which.record or s.do("find_incident_by_number", f"{which.words}", number=which.row["number"])
    allowed = list(states or ("new", "in_progress", "on_hold"))
    listed = "open" if not states else spell_out(*states)
    s.require(incident["status"], "in", allowed, f"{which.words} is not {listed}",
              names=(in_state(incident["status"].value, listed, "open"),))  # fmt: skip
    return incident


def pick_scale(s: Scene, *pairs: tuple[str, str]) -> tuple[str, str, str, str]:
    """Pick impact and urgency; return them with the resulting priority and their words in a request."""
    impact, urgency = s.rng.choice(pairs)
    plain = (
        f"[the impact is {impact} and the urgency {urgency}|its impact is {impact}, its urgency {urgency}"
        f"|it has {impact} impact and {urgency} urgency]"
    )
    words = vary(s.rng, f"[{plain}|{_IMPACT[impact]} and {_URGENCY[urgency]}]")
    return impact, urgency, PRIORITIES[impact, urgency], words


USUAL = (("low", "high"), ("low", "medium"), ("medium", "low"), ("medium", "medium"), ("medium", "high"),
         ("high", "low"), ("high", "medium"))  # fmt: skip
"""Impacts and urgencies of incidents that have SLAs and are not critical."""


def pick_channel(s: Scene) -> tuple[str, str]:
    """Pick the channel of a contact, and its words in a request."""
    way = s.rng.choice(list(_CHANNELS))
    return way, vary(s.rng, s.rng.choice(_CHANNELS[way]))


def notify(
    s: Scene, incident: ResultRef, user: ResultRef, kind: str, subject: Text, message: str, why: str,
    when: Holds | None = None,
) -> None:  # fmt: skip
    """Send a notification, as the policy requires; with ``when`` only where that holds."""
    told = {"incident_id": incident["incident_id"], "email": user["email"], "type": kind}
    if when is None:
        s.do("send_notification", why, status="queued", subject=subject, message=message, **told)
    else:
        s.do_when(when, "send_notification", why, status="queued", subject=subject, message=message, **told)


def find_leader(s: Scene, group: ResultRef) -> ResultRef:
    """Find who leads a group; they must be active."""
    lead = s.do("get_user", "who leads that group", user_id=group["manager_id"])
    s.require(lead["active"], "==", True, "whoever leads that group is no longer active",
              names=("lead|manage|head|in charge", INACTIVE))  # fmt: skip
    return lead


def find_incident(s: Scene, number: str) -> ResultRef:
    """Find an open incident by its number."""
    incident = s.do("find_incident_by_number", f"the ticket {number}", number=number)
    s.require_ok(incident, f"there is no ticket {number}", names=(number, MISSING))
    s.require(incident["status"], "in", ["new", "in_progress", "on_hold"], f"{number} is closed already",
              names=(number, in_state("closed", "open")))  # fmt: skip
    return incident


def assign_device(s: Scene, item: ResultRef, user: ResultRef, place: ResultRef) -> None:
    """Assign a device to a person, at a location."""
    s.do("update_configuration_item", "it is theirs now", configuration_item_id=item["configuration_item_id"],
         owner_id=user["user_id"], location_id=place, status="in_use")  # fmt: skip
