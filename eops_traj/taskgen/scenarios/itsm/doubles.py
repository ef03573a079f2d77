"""A scenario about tickets that somebody reported several times."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group, about_person
from eops_traj.taskgen.scenarios.itsm.lookups import (
    COLLEAGUES,
    EARLY,
    MANAGERS,
    NO_RIGHT,
    OPEN_STATES,
    caller_email,
    find_caller,
    find_group,
    find_person,
    full_name,
    pick_several,
)
from eops_traj.taskgen.scene import Row, Scene

_TITLES = (
    "Badge reader at the side door is dark", "Outlook asks for the password again and again",
    "Keyboard types the same letter twice", "Scans arrive without the second page",
    "Fonts are missing after the update", "Second screen is not recognised",
)  # fmt: skip
_NONE_OPEN = (
    "no open|none open|none is open|none of|not open|no longer open|nothing open|are closed"
    "|is closed|all closed|been closed|already closed|were closed"
)
"""By what an answer may say that none of the tickets is open."""


def _add_namesake(s: Scene, who: Row, title: str) -> None:
    """Give another person the same name, who has reported the same thing twice as well."""
    other = s.pick(COLLEAGUES + " AND user_id <> :user", me=caller_email(s), user=who["user_id"])
    s.perturb("two_namesakes", "UPDATE users SET first_name = :first, last_name = :last WHERE user_id = :id",
              first=who["first_name"], last=who["last_name"], id=other["user_id"])  # fmt: skip
    for row in s.pick_some("SELECT * FROM incident WHERE org_id = 'ORG_001' AND status = 'new' AND "
                           "short_description <> :title", 2, title=title):  # fmt: skip
        s.perturb("two_namesakes", "UPDATE incident SET caller_id = :id, short_description = :title, "
                  "description = NULL WHERE number = :number", id=other["user_id"], title=title,
                  number=row["number"])  # fmt: skip


@family("itsm", perturbations=("missing_entity", "two_namesakes", "no_right"))
def cancel_doubles(s: Scene) -> None:
    """Of tickets that somebody reported several times the oldest stays, and the rest is canceled."""
    s.pick_caller(MANAGERS)
    who = s.pick(COLLEAGUES, me=caller_email(s))
    title = s.rng.choice(_TITLES)
    group = s.pick("SELECT * FROM user_group WHERE org_id = 'ORG_001' AND active AND name IN "
                   "('Service Desk', 'Support Tier 1', 'Field Dispatch')")  # fmt: skip
    rows = pick_several(s, EARLY + " AND status = 'new' AND assigned_to IS NULL", 3)
    for row in rows:
        s.arrange("""UPDATE incident SET caller_id = :user, short_description = :title, assignment_group =
            NULL, description = NULL WHERE incident_id = :incident""", user=who["user_id"], title=title,
            incident=row["incident_id"])  # fmt: skip
    more = besides(s, *about_group(group["name"]), *about_person(full_name(who), "tickets"))
    s.perturb("missing_entity", "UPDATE incident SET status = 'closed' WHERE caller_id = :user AND "
              "short_description = :title", user=who["user_id"], title=title)  # fmt: skip
    _add_namesake(s, who, title)
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{who} [has reported the same thing over and over|sent the same report more than once], namely
        "{title}", and one open ticket is enough, the one that came in first, which goes to {group}. The
        others are doubles, [to be ended as such|so end them as such], and I need the number of the one
        that is left.""",
        """"{title}" stands in our list [several times|more than once], always from {who}. Keep the
        oldest, hand it to {group}, cancel the rest the way our rules have it for something created
        twice, and [give me|let me know] the number that I can quote to the caller.""",
        """[The same person, the same trouble|One caller, one trouble], and yet the queue has it
        repeatedly: "{title}", reported by {who}. What was reported first stays and belongs to {group},
        whatever came later about it and is still open is canceled as a duplicate, and [what I want back
        is|I want back] the number that remains.""",
        """Clean up after {who}, who [was not sure that the form works|got no confirmation] and sent
        "{title}" again and again. The earliest of the open ones is the ticket, group {group}, and [its
        later copies go|the later copies of it go]; answer with the number of the ticket that we keep.""",
        """{group} will look at "{title}" for {who}, but [not at the copies of it too|not several times
        over]. So assign them the first that came in, cancel all open ones after it as created twice, and
        [name the survivor|say which number survives], so that I can tell the caller.""",
        """[Before the counts of the day|Before today's figures] are taken, the doubles of {who}, all
        titled "{title}", have to vanish from them. The oldest is kept and given to {group}, the younger
        open ones [end as duplicates|are canceled as duplicates], and I would like the number of the kept
        one.""",
        who=full_name(who), title=title, group=group["name"],
    )  # fmt: skip
    more.say()
    s.indirect("the oldest of those that somebody reported",
               hidden=[row[name] for row in rows for name in ("number", "incident_id")])  # fmt: skip
    s.covers("all later tickets about the same")
    s.duty("the SLAs of a canceled ticket are cancelled")
    find_caller(s)
    user = find_person(s, who, "who reported it")
    mine = s.do("list_incidents", "all that they reported about it", called_id=user["user_id"],
                short_description=title)["incidents"]  # fmt: skip
    theirs = (("status", "in", OPEN_STATES), ("short_description", "==", title))
    still = mine.every(*theirs)
    s.require(count(still), ">=", 1, f"{full_name(who)} has no open ticket about that any more",
              names=("ticket|incident|report|double|duplicate|copy|copies", _NONE_OPEN))  # fmt: skip
    takes = find_group(s, group["name"], "who gets the one that stays")
    oldest = still.smallest("created_at")
    later = mine.every(*theirs, ("created_at", ">", oldest["created_at"]))
    tracked = s.do_each(later, "find_incident_slas", "what is tracked on the doubles",
                        incident_id=ROW["incident_id"])  # fmt: skip
    more.look(group=takes, person=user)
    s.do("update_incident", "the first one is theirs", incident_id=oldest["incident_id"],
         assignment_group=takes["group_id"])  # fmt: skip
    s.do_each(later, "update_incident", "created twice", incident_id=ROW["incident_id"], status="canceled",
              resolution_code="Duplicate")  # fmt: skip
    running = tracked.every()["incident_slas"].every(("stage", "in", ["in_progress", "paused", "breached"]))
    s.do_each(running, "update_incident_sla_details", "nothing is promised for it any more",
              incident_sla_id=ROW["incident_sla_id"], stage="cancelled")  # fmt: skip
    s.rule(
        "The oldest of them is the one that is open",
        """SELECT group_concat(number) FROM incident WHERE short_description = :title AND caller_id = :user
        AND status IN ('new', 'in_progress', 'on_hold')""",
        expected=min(rows, key=lambda row: row["created_at"])["number"], title=title, user=who["user_id"],
    )  # fmt: skip
    s.answer("the number of the ticket that stays", oldest["number"])
