"""Scenarios about who has how much to do: queues handed over, and callers reminded."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group, about_person
from eops_traj.taskgen.scenarios.itsm.lookups import (
    ALONE,
    MANAGERS,
    NO_RIGHT,
    WORKERS,
    caller_email,
    find_caller,
    find_group,
    find_member,
    find_person,
    full_name,
)
from eops_traj.taskgen.scene import Row, Scene

_BUSY = f"""SELECT u.*, g.group_id, g.name AS group_name FROM users u JOIN user_group_member m USING (user_id)
    JOIN user_group g USING (group_id) WHERE u.org_id = 'ORG_001' AND u.active AND {ALONE} AND u.email <> :me
    AND g.active AND EXISTS (SELECT 1 FROM incident i WHERE i.assigned_to = u.user_id AND i.assignment_group =
    g.group_id AND i.status IN ('in_progress', 'on_hold') AND i.priority <> 'critical')"""


def _add_namesake(s: Scene, away: Row, taker: Row) -> None:
    """Give another member of the group, who works on a ticket of it, the same name."""
    other = s.pick("""SELECT u.* FROM users u JOIN user_group_member USING (user_id) WHERE group_id = :group
        AND u.active AND u.email <> :me AND u.user_id NOT IN (:away, :taker)""", me=caller_email(s),
        group=away["group_id"], away=away["user_id"], taker=taker["user_id"])  # fmt: skip
    ticket = s.pick("SELECT * FROM incident WHERE org_id = 'ORG_001' AND status = 'new' AND priority <> "
                    "'critical'")  # fmt: skip
    s.perturb("two_namesakes", "UPDATE users SET first_name = :first, last_name = :last WHERE user_id = :id",
              first=away["first_name"], last=away["last_name"], id=other["user_id"])  # fmt: skip
    s.perturb("two_namesakes", """UPDATE incident SET status = 'in_progress', assignment_group = :group,
        assigned_to = :id WHERE number = :number""", group=away["group_id"], id=other["user_id"],
        number=ticket["number"])  # fmt: skip


@family("itsm", perturbations=("inactive_person", "policy_forbids", "two_namesakes", "no_right"))
def hand_over_queue(s: Scene) -> None:
    """All that somebody works on in a group goes to a colleague, what is critical aside."""
    s.pick_caller(MANAGERS)
    away = s.pick(_BUSY, me=caller_email(s))
    taker = s.pick(
        WORKERS + f" AND user_id <> :away AND {ALONE}", group=away["group_id"], away=away["user_id"]
    )
    more = besides(s, *about_group(away["group_name"]), *about_person(full_name(taker)))
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=taker["user_id"])
    s.perturb("policy_forbids", "DELETE FROM user_group_member WHERE group_id = :group AND user_id = :user",
              group=away["group_id"], user=taker["user_id"])  # fmt: skip
    _add_namesake(s, away, taker)
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{away} [goes on parental leave tomorrow|starts a sabbatical tomorrow], so whatever they have
        in progress or on hold in {group} changes hands to {taker}. Only critical tickets [stay where
        they are|are left with them], since I will talk about those with the team in person.""",
        """For the next three weeks {taker} [covers for|stands in for] {away} in {group}, which means
        that every ticket of theirs there that is in progress or on hold, with the exception of critical
        ones, [gets the new name|is to carry the new name]. New ones can wait until the week after.""",
        """The doctor has [signed {away} off|put {away} on sick leave] until the end of the month, and
        the queue of {group} shows tickets in that name that nobody touches. Give {taker} all those in
        progress and all those on hold, but [critical ones I hand out myself|leave the critical ones to
        me].""",
        """[From Monday on|As of Monday], {away} is lent to the data centre project with all of their
        time, and {taker} has agreed to take over what is in progress or on hold with them in {group},
        except anything critical. [The names should be right by tonight|By tonight the names should be
        right].""",
        """Do you see the tickets that {away} has in {group}, those in progress and those on hold? [I
        want {taker} to have them|{taker} should have them], whatever their number, but no critical one
        among them, [since those were promised by name|as customers were given a name there].""",
        """Too much [lies with {away}|hangs on {away}] at the moment, so what {group} has under that name
        in progress or on hold moves to {taker}. Critical tickets [are the exception and stay put|stay
        with {away}], and nothing else about any of the tickets changes.""",
        away=full_name(away), taker=full_name(taker), group=away["group_name"],
    )  # fmt: skip
    more.say()
    s.covers("all tickets of a person in a group, critical ones aside")
    find_caller(s)
    person = find_person(s, away, "whose tickets they are")
    group = find_group(s, away["group_name"], "where they have them")
    new = find_member(s, group, taker, "who takes them over")
    work = s.do("get_incidents_assigned_to", "what they work on there", assigned_to=person["user_id"],
                assignment_group=group["group_id"])["incidents"]  # fmt: skip
    moving = work.every(("status", "in", ["in_progress", "on_hold"]), ("priority", "!=", "critical"))
    more.look(group=group, person=new)
    s.do_each(moving, "update_incident", "it changes hands", incident_id=ROW["incident_id"],
              assigned_to=new["user_id"])  # fmt: skip
    s.rule(
        "Nothing of the person is in progress or on hold in that group, critical tickets aside",
        """SELECT COUNT(*) FROM incident i WHERE assigned_to = :away AND assignment_group = :group AND status
        IN ('in_progress', 'on_hold') AND priority <> 'critical'""",
        expected=0, away=away["user_id"], group=away["group_id"],
    )  # fmt: skip


_WAITED = "2026-01-02T09:00:00"


@family("itsm", perturbations=("missing_entity", "no_right"))
def remind_callers(s: Scene) -> None:
    """Callers who keep a group waiting for more than three days are reminded, each of them once."""
    s.pick_caller(MANAGERS)
    group = s.pick("""SELECT g.* FROM user_group g WHERE org_id = 'ORG_001' AND active AND (SELECT COUNT(*)
        FROM incident i JOIN users u ON u.user_id = i.caller_id WHERE i.assignment_group = g.group_id AND
        i.status IN ('new', 'in_progress', 'on_hold') AND i.created_at < '2025-12-30' AND u.active AND u.email
        <> :me) >= 2""", me=caller_email(s))  # fmt: skip
    held = s.pick_some("""SELECT i.* FROM incident i JOIN users u ON u.user_id = i.caller_id WHERE
        i.assignment_group = :group AND i.status IN ('new', 'in_progress', 'on_hold') AND i.created_at <
        '2025-12-30' AND u.active AND u.email <> :me""", 2, group=group["group_id"],
        me=caller_email(s))  # fmt: skip
    for row in held:
        s.arrange("""UPDATE incident SET status = 'on_hold', on_hold_reason = 'Awaiting Caller', problem =
            NULL, change_request = NULL, updated_at = created_at WHERE incident_id = :incident""",
            incident=row["incident_id"])  # fmt: skip
    s.arrange("""INSERT INTO notification (notification_id, incident_id, org_id, email, subject, message,
        type, status, created_on, updated_on) SELECT 'NOTIF_901', i.incident_id, i.org_id, u.email, number ||
        ' waits for you', 'We need your answer.', 'reminder', 'delivered', '2025-12-31 10:00:00',
        '2025-12-31 10:00:00' FROM incident i JOIN users u ON u.user_id = i.caller_id WHERE i.incident_id =
        :incident""", incident=held[0]["incident_id"])  # fmt: skip
    more = besides(s, *about_group(group["name"]))
    s.perturb("missing_entity", "UPDATE user_group SET name = name || ' (old)' WHERE group_id = :group",
              group=group["group_id"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{group} [cannot close its month|cannot get on] because callers do not answer. Everyone who has
        kept one of its tickets on hold for more than three days should get the reminder [that our rules
        foresee|our rules have for that], ticket by ticket, and nobody for a second time.""",
        """On hold for the caller [is where tickets go to die|can last for ever], if nobody writes. So
        remind the callers of all such tickets of {group} that have been waiting longer than three days;
        [whoever was reminded before is left alone|leave out those who have had a reminder].""",
        """[The lead of {group} complains|{group} complain] that they wait for answers which never come.
        Go through what they hold for the caller for more than three days now and send what is due then,
        [but one reminder a ticket is the limit|never more than one a ticket].""",
        """How many people [does {group} wait for|keep {group} waiting]? For all of its tickets that are
        on hold awaiting the caller, and have been for longer than three days, a reminder goes out [to
        whoever reported it|to the one who reported it]; those already reminded have had theirs.""",
        """Three days is what we give callers, [then we write|and then they hear from us]. In {group}
        some tickets have been on hold for them much longer, and reminders went out to only a part of
        them. [Send the missing ones|The missing ones have to go out], subject and text as our rules say.""",
        """[After the holidays|Now that everyone is back] the callers whom {group} waits for can be
        expected to answer. Each ticket on hold for its caller beyond the three days [calls for a
        reminder|is worth a reminder] unless there has been one, queued as usual.""",
        group=group["name"],
    )  # fmt: skip
    more.say()
    s.covers("all tickets of a group that wait for their caller")
    s.duty("nobody is reminded twice, nor who has left")
    me = find_caller(s)
    found = s.do("find_group_by_name", "whose tickets these are", name=group["name"])
    s.require_ok(found, f"there is no group called {group['name']}", names=(group["name"], MISSING))
    held_now = s.do("list_incidents", "what waits for its caller", assignment_group=found["group_id"],
                    status="on_hold", on_hold_reason="Awaiting Caller")["incidents"]  # fmt: skip
    told = s.do("find_notifications", "who was reminded before", type="reminder")["notifications"]
    due = held_now.every(("updated_at", "<", _WAITED), ("caller_id", "!=", me["user_id"]),
                         ("incident_id", "not in", told.every()["incident_id"]))  # fmt: skip
    more.look(group=found)
    people = s.do_each(due, "get_user", "who is waited for", user_id=ROW["caller_id"])
    caller = people.where(user_id=ROW["caller_id"])
    s.do_each(
        due, "send_notification", "remind them", when=holds(caller["active"], "==", True),
        incident_id=ROW["incident_id"], email=caller["email"], type="reminder", status="queued",
        subject=text("{} waits for your answer", ROW["number"]),
        message="Your ticket is on hold until we hear from you. Please answer, so that we can go on.",
    )  # fmt: skip
    s.rule(
        "No ticket has two reminders",
        """SELECT COUNT(*) FROM (SELECT 1 FROM notification WHERE type = 'reminder' GROUP BY incident_id
        HAVING COUNT(*) > 1)""",
        expected=0,
    )  # fmt: skip
