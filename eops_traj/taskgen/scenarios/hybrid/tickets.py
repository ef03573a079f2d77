"""Scenarios in which an IT ticket begins with a mail, or ends with a meeting."""

import json

from eops_traj.gym.servers.itsm.seed_assets import PRIORITIES
from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.hybrid import extras, meetings
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.itsm.lookups import (
    COLLEAGUES,
    MANAGERS,
    NO_RIGHT,
    OURS,
    USUAL,
    add_slas,
    find_caller,
    find_person,
    find_slas,
    full_name,
    notify,
    pick_scale,
)
from eops_traj.taskgen.scenarios.reasons import MISSING, known_as
from eops_traj.taskgen.scene import Scene

_LEADS = f"{MANAGERS} AND {look.ALSO}"


@family(
    "hybrid", servers=("itsm", "calendar"), perturbations=("no_right", "policy_forbids", "impossible_date")
)
def resolve_and_review(s: Scene) -> None:
    """A ticket is resolved, and a review of it planned with whoever solved it."""
    s.pick_caller(MANAGERS)
    row = s.pick(
        OURS
        + """ AND status = 'in_progress' AND assigned_to IN (SELECT user_id FROM users WHERE active
            AND email <> :me
            AND org_id = 'ORG_001') AND created_at < '2026-01-05 06:00:00'
        AND incident_id NOT IN (SELECT parent_incident FROM child_incident)""",
        me=look.caller_email(s),
    )
    (solver,) = s.rows("SELECT * FROM users WHERE user_id = :id", id=row["assigned_to"])
    when = meetings.pick_slot(s, solver["email"])
    title = s.rng.choice((f"Review of {row['number']}", f"{row['number']}: what we learnt",
                          f"Looking back at {row['number']}", f"Lessons from {row['number']}"))  # fmt: skip
    note = s.rng.choice(
        (
            "Restarted the service and raised its memory limit.",
            "Replaced the faulty cable and tested the link.",
            "Rolled back the update of last week.",
            "Cleared the queue and corrected the schedule.",
            "Renewed the certificate on both nodes.",
            "Reset the profile and moved the old one aside.",
        )
    )
    code = s.rng.choice(("Solution Provided", "Workaround Provided", "Known Error"))
    minute = s.rng.choice(("7:20", "7:45", "8:10", "8:35"))
    more = besides(s, *extras.of("itsm", "calendar"))
    s.perturb("no_right", NO_RIGHT, me=look.caller_email(s))
    meetings.make_busy(s, solver["email"], when)
    never = s.rng.choice(("31 April", "30 February", "31 June", "31 September"))
    day = s.phrase("impossible_date", when.words, f"on {never} at {when.start:%H:%M}")
    s.ask(
        """{who} [solved|got to the bottom of] {number} at {minute} this morning, code {code}, note
        "{note}". [Close the books on it|Set it to resolved]: clocks completed, the caller told. And
        since I [want|mean] to go through it with {who}, [put|enter] "{title}" in our calendars, {when}.""",
        """[It took long|It was a long night], but since {minute} this morning {number} is solved: "{note}",
        which [counts as|is] {code}. [Its SLAs stop|The clocks stop], its caller hears of it, and [what
        we learn from it|the lessons] are a matter for {who} and me, {when}, under "{title}".""",
        """[The record of|Our record of] {number} is behind the facts. {who} [finished|was done] at
        {minute} this Monday ("{note}", {code}), so [resolve it|it is resolved], end what is timed, and [write
        to|inform] the caller. A review [follows|is wanted]: {who} and I, {when}, with "{title}" as its
        [name|title].""",
        """[A review|A meeting] called "{title}", {when}, with {who}: that [is how|is the way] we look
        back on {number}. [The ticket itself|As for the ticket, it] goes to resolved, time {minute} [of
        this morning|on 5 January], {code}, with the notes "{note}"; timers [come to their end|are completed]
        and the caller is [notified|told].""",
        """[Resolved, not closed|Not closed but resolved]: that is what {number} [should be|has to be] as
        of {minute} this morning, with the code {code} and the words "{note}", SLAs done and the caller
        [in the picture|informed]. {who} did the work, and [I invite|my invitation goes to] {who} to
        "{title}", {when}.""",
        """[Thanks to|Owing to] {who}, {number} is history since {minute} this morning. [For the file|On
        the ticket]: {code}, "{note}", its clocks completed, its caller told that it is [resolved|done].
        [For us|Afterwards]: a look back, {when}, "{title}", {who} and nobody else.""",
        number=row["number"], minute=minute, code=code, note=note, who=full_name(solver), title=title,
        when=day,
    )  # fmt: skip
    more.say()
    s.as_one()
    s.refuse("impossible_date", f"there is no {never}",
             names=(never.split()[1][:3], f"28|29|30|thirty|invalid|impossible|real|valid|{MISSING}")
             )  # fmt: skip
    find_caller(s)
    incident = s.do("find_incident_by_number", f"where {row['number']} stands", number=row["number"])
    s.require(incident["status"], "==", "in_progress", f"{row['number']} is not in progress",
              names=(row["number"], "progress|stat|resolved|closed"))  # fmt: skip
    below = s.do("list_child_incidents", "whether tickets hang below it",
                 parent_incident=incident["incident_id"])  # fmt: skip
    s.require(below["total_count"], "==", 0, f"{row['number']} has child tickets below it",
              names=(row["number"], "child|below"))  # fmt: skip
    caller = s.do("get_user", "who reported it", user_id=incident["caller_id"])
    hands = s.do("get_user", "who solved it", user_id=incident["assigned_to"])
    calendar = meetings.check_free(s, hands["email"], full_name(solver), when)
    hour, part = minute.split(":")
    then = f"2026-01-05 {int(hour):02d}:{part}:00"
    more.look()
    s.do("update_incident", "it is resolved", incident_id=incident["incident_id"], status="resolved",
         resolved=then, resolution_code=code, resolution_notes=note,
         resolved_by=incident["assigned_to"])  # fmt: skip
    incident_slas = find_slas(s, incident, "which clocks run")
    s.do_each(incident_slas.every(("stage", "in", ["in_progress", "breached"])),
              "update_incident_sla_details", "the clock has stopped", stage="completed", completed_time=then,
              incident_sla_id=ROW["incident_sla_id"])  # fmt: skip
    notify(s, incident, caller, "update", text("{} is resolved", incident["number"]),
           "Your ticket is resolved. Please write back if anything is left.",
           "the caller is told")  # fmt: skip
    meetings.create_meeting(s, calendar, title, [hands["email"]], when)
    more.write()
    s.rule(
        "It was resolved by whoever was assigned, and no clock of it is left open",
        """SELECT COUNT(*) FROM incident i WHERE number = :number AND status = 'resolved' AND resolved_by =
        assigned_to AND resolved > created_at AND NOT EXISTS (SELECT 1 FROM incident_sla s WHERE
        s.incident_id = i.incident_id AND stage IN ('in_progress', 'breached'))""",
        number=row["number"],
    )  # fmt: skip
    meetings.add_meeting_rule(s, title, when, solver["email"])


_MAIL = """SELECT m.*, u.email FROM messages m JOIN users u ON u.id = m.user_id JOIN message_labels l
    ON l.message_id = m.id AND l.label_id = 'INBOX' WHERE m.subject LIKE 'Access request: %'
    AND m.from_email LIKE '%@corvane.example' AND (SELECT COUNT(*) FROM messages o WHERE o.user_id = m.user_id
        AND o.from_email = m.from_email AND o.subject LIKE '%' || m.subject || '%') = 1 ORDER BY m.id"""
"""Mails of colleagues that ask for access to something, each told from the others by sender and subject."""


@family("hybrid", servers=("itsm", "email"), produces="incident",
        perturbations=("no_right", "inactive_person", "missing_entity"))  # fmt: skip
def ticket_from_mail(s: Scene) -> None:
    """A colleague's mail becomes a ticket in their name; they get an answer, and the mail is put away."""
    senders = {row["email"]: row for row in s.rows(COLLEAGUES, me="")}
    letters = [row for row in s.rows(_MAIL, "email") if row["from_email"] in senders]
    s.pick_caller(_LEADS, also=json.dumps([row["email"] for row in letters]))
    letter = s.rng.choice([row for row in letters if row["email"] == look.caller_email(s)])
    sender, thing = senders[letter["from_email"]], letter["subject"].removeprefix("Access request: ")
    title = s.rng.choice((f"Needs access: {thing}", f"Cannot open {thing}", f"No access to {thing} so far",
                          f"Access to {thing} is missing"))  # fmt: skip
    impact, urgency, priority, scale_words = pick_scale(s, *USUAL[:4])
    answer = s.rng.choice(("We have opened a ticket for this and will be in touch.",
                           "Thanks, this is a ticket now. The desk will get back to you.",
                           "Got it. It is on the list of the desk as of today."))  # fmt: skip
    starred = s.chance(0.5)
    more = besides(s, *extras.of("itsm", "email", but=(extras.count_unread,)))
    s.perturb("no_right", NO_RIGHT, me=look.caller_email(s))
    s.perturb(
        "inactive_person", "UPDATE users SET active = 0 WHERE email = :email", email=letter["from_email"]
    )
    s.perturb("missing_entity", "UPDATE messages SET subject = 'Lunch on Friday' WHERE id = :id", "email",
              id=letter["id"])  # fmt: skip
    s.ask(
        """[In my inbox|Among my mails] is one from {who}, "{subject}", that [belongs with|is a matter
        for] the desk. [Make it|Turn it into] a ticket of theirs, an inquiry headed "{title}": {said},
        and [the clocks start|its clocks run]. In the same conversation [answer|reply] "{answer}" {after}""",
        """{who} wrote to me [instead of|and not] to IT, under "{subject}". [An incident|A ticket] has to
        come of it, caller {who}, "{title}", [in the category|under] inquiry or help, where {said}; SLAs
        [as they apply|included]. [Then|After that] my reply to the mail is "{answer}" {after}""",
        """[The mail|My mail] "{subject}" by {who} [should not stay|must not stay] with me. [Its way|It
        goes] into the queue: reported by email, of course, in the name of {who}, [short
        description|headline] "{title}", an inquiry; {said}, with SLAs. {who} [gets back|reads]:
        "{answer}" {after}""",
        """[What {who} gets|The reply that {who} gets] to "{subject}" is "{answer}", [which is only
        true|true only] once there is a ticket. [Write it up|Enter it] as "{title}", category inquiry or
        help, reporter {who}, [and as to its weight|its weight being this]: {said}. [Promised times|The
        SLAs] go along. {after}""",
        """[For lack of rights|Without the rights it takes] {who} cannot go on, says "{subject}" in my
        inbox. [Open|There should be] an incident for {who}, "{title}", filed as inquiry or help, [given
        that|for] {said}, and track what we promise. [In the thread|Under that mail] I answer "{answer}"
        {after}""",
        """[I do not decide|It is not for me to decide] what {who} asks in "{subject}", a mail [I have
        got|in my inbox]; the desk does. [So|Hence] a ticket: "{title}", inquiry, caller {who}; {said}.
        [Mind its clocks|With SLAs]. [Tell|Answer] {who} in that conversation: "{answer}" {after}""",
        who=full_name(sender), subject=letter["subject"], title=title, said=scale_words, answer=answer,
        after="Put a star on the mail and take it out of the inbox." if starred
        else "The mail can leave the inbox after that.",
    )  # fmt: skip
    more.say()
    s.as_one()
    find_caller(s)
    mails = s.do("list_messages", "the mail it is about", userId="me",
                 q=f'in:inbox from:"{full_name(sender)}" subject:"{letter["subject"]}"')  # fmt: skip
    s.require(mails["resultSizeEstimate"], "==", 1,
              f"there is no mail {letter['subject']} from {full_name(sender)} in your inbox",
              names=(f"{letter['subject']}|{known_as(full_name(sender))}", MISSING))  # fmt: skip
    message = s.do("get_message", "what it says", userId="me", id=mails["messages"][0]["id"])
    user = find_person(s, sender, "the sender, who becomes the caller")
    s.do("list_incidents", "what they have reported already", called_id=user["user_id"])
    more.look()
    incident = s.do(
        "create_incident", f"a ticket for {full_name(sender)}", caller_id=user["user_id"],
        short_description=title,
        channel="email", category="inquiry-help", impact=impact, urgency=urgency, priority=priority,
    )  # fmt: skip
    if priority != "planning":
        add_slas(s, incident, user["org_id"], priority, incident["created_at"])
    look.send_mail(
        s, user["email"], f"Re: {letter['subject']}", answer, "answer the sender",
        threadId=message["threadId"],
    )  # fmt: skip
    s.do("modify_message", "put the mail away", userId="me", id=message["id"], removeLabelIds=["INBOX"],
         **({"addLabelIds": ["STARRED"]} if starred else {}))  # fmt: skip
    more.write()
    s.rule(
        "The ticket was opened for the sender, with the channel it came by and the priority of the table",
        """SELECT COUNT(*) FROM incident i JOIN users u ON u.user_id = i.caller_id WHERE i.short_description
        = :title AND i.channel = 'email' AND u.email = :email AND i.created_at >= '2026-01-05 09:00:00' AND
        i.impact || ' ' || i.urgency || ' ' || i.priority IN (SELECT value FROM json_each(:table))""",
        title=title, email=letter["from_email"],
        table=json.dumps([f"{i} {u} {p}" for (i, u), p in PRIORITIES.items()]),
    )  # fmt: skip
    s.rule(
        "The answer stands in the conversation of the mail",
        """SELECT COUNT(*) FROM messages m JOIN messages o ON o.thread_id = m.thread_id AND o.id = :id WHERE
        m.subject = :subject AND m.to_emails = :email AND m.user_id = o.user_id AND m.body LIKE :answer ||
        '%'""",
        server="email", answer=answer, id=letter["id"], subject=f"Re: {letter['subject']}",
        email=letter["from_email"],
    )  # fmt: skip
    s.produce("incident", incident, "the ticket from that mail")
