"""Scenarios about notifications: to the wrong person, wrongly worded, and how many there were."""

from eops_traj.taskgen.expressions import ROW, joined, mapped
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, in_state
from eops_traj.taskgen.scenarios.itsm.lookups import (
    ALONE,
    COLLEAGUES,
    MANAGERS,
    NO_RIGHT,
    OPEN,
    caller_email,
    find_caller,
    find_person,
    full_name,
    pick_several,
)
from eops_traj.taskgen.scenarios.itsm.ticket_extras import ASKED, NOTED, about, tell_site
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.wording import vary

_TOLD = f"""SELECT i.*, u.last_name FROM incident i JOIN users u ON u.user_id = i.caller_id WHERE i.org_id =
    'ORG_001' AND i.status IN ('in_progress', 'on_hold', 'resolved') AND u.active AND u.email <> :me AND
    {ALONE}"""
_TEXTS = (
    "We have found the cause and are working on a fix", "A technician will come by on Tuesday morning",
    "The part has been ordered and is due this week", "We need one more day for the tests",
    "Your colleague in the second line has taken over", "The fix is in place, we are watching it",
)  # fmt: skip

_RIGHTLY = (
    "reported|opened|raised|is the caller|is its caller|caller is|caller of|actual caller|same person"
    "|their own|right person|right recipient|right one|correct"
)
"""By what an answer may say that a notification went to whoever reported the ticket."""


def _notice(s: Scene, incident: Row, email: str, number: int, status: str, message: str) -> None:
    """Arrange that somebody was written to about an incident."""
    s.arrange("""INSERT INTO notification (notification_id, incident_id, org_id, email, subject, message,
        type, status, created_on, updated_on) VALUES (:id, :incident, 'ORG_001', :email, :subject, :message,
        'update', :status, '2026-01-05 08:10:00', '2026-01-05 08:10:00')""", id=f"NOTIF_90{number}",
        incident=incident["incident_id"], email=email, subject=f"News about {incident['number']}",
        message=message, status=status)  # fmt: skip


@family("itsm", perturbations=("missing_entity", "policy_forbids", "no_right"))
def misdirected_notice(s: Scene) -> None:
    """A notification went to the wrong person: it is taken back, and goes to whoever reported the ticket."""
    s.pick_caller(MANAGERS)
    row = s.pick(_TOLD, me=caller_email(s))
    wrong = s.pick(COLLEAGUES + """ AND user_id <> :caller AND NOT EXISTS (SELECT 1 FROM notification n WHERE
        n.email = u.email AND n.incident_id = :incident)""", me=caller_email(s), caller=row["caller_id"],
        incident=row["incident_id"])  # fmt: skip
    message, named = s.rng.choice(_TEXTS), s.chance(0.3)
    _notice(s, row, wrong["email"], 1, s.rng.choice(("queued", "sent", "delivered")), message)
    more = besides(s, *about(row["number"], row, *NOTED[:3], tell_site))
    s.perturb("missing_entity", "UPDATE notification SET email = :me WHERE notification_id = 'NOTIF_901'",
              me=caller_email(s))  # fmt: skip
    s.perturb("policy_forbids", "UPDATE incident SET caller_id = :user WHERE number = :number",
              user=wrong["user_id"], number=row["number"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{wrong} [asked me this morning|wants to know] why we write to them about {number}, which is
        not their ticket at all. That message [was meant for|belongs to] the person who reported it, so
        delete it where it is and send the very same, type, subject and text, to the right one. {told}""",
        """Our last notification on {number} [took the wrong turn|went astray] and landed with {wrong}. It
        has to disappear there, and whoever opened the ticket should get it instead, [in the same words|with
        not a word changed]. {told}""",
        """[By mistake|Through a mix-up] {wrong} was told about {number}, "{title}". Take that
        notification back, then let the ticket's own caller have it, with the same type, subject and
        message, [queued like any other|queued as usual]. {told}""",
        """The news about "{title}", {number}, [reached {wrong}|went to {wrong}] and not the one who
        waits for it. Remove the misdirected notification and write a new one of the same content to
        whoever is the caller there. {told}""",
        """{wrong} has [no part in|nothing to do with] {number}, and should not have had a message about
        it. Once that is deleted, its words are still true: they go to the ticket's caller as they stand,
        [subject and type included|together with subject and type]. {told}""",
        """[For reasons of privacy|The data protection officer insists]: what {wrong} received about
        {number} must not stay there. It was a message for the caller of that ticket, who [still waits
        for it|has heard nothing so far], so it is removed on the one side and sent unchanged on the
        other. {told}""",
        wrong=full_name(wrong), number=row["number"], title=row["short_description"],
        told=vary(s.rng, "[Then tell me|I would like to know, too,] the caller's last name.") * named,
    )  # fmt: skip
    more.say()
    s.indirect("whoever reported the ticket", hidden=[row["caller_id"]])
    s.duty("nobody is told twice for one reason")
    find_caller(s)
    reader = find_person(s, wrong, "who got it")
    incident = s.do("find_incident_by_number", "what it was about", number=row["number"])
    theirs = s.do("find_notifications_for_email", "what they were sent", email=reader["email"])
    s.require_ok(theirs, f"there is no notification to {full_name(wrong)}")
    stray = theirs["notifications"].every(incident_id=incident["incident_id"])
    s.require(count(stray), "==", 1, f"there is no notification to {full_name(wrong)} about {row['number']}",
              names=("notification|message|mail", MISSING))  # fmt: skip
    caller = s.do("get_user", "who should have had it", user_id=incident["caller_id"])
    s.require(caller["user_id"], "!=", reader["user_id"],
              f"{full_name(wrong)} reported {row['number']}, so that it went to the right person",
              names=(f"{full_name(wrong)}|{wrong['last_name']}", _RIGHTLY))  # fmt: skip
    told = s.do("find_notifications_sent_for_incident", "whether they have had it, too",
                incident_id=incident["incident_id"])["notifications"]  # fmt: skip
    again = told.every(email=caller["email"], message=stray[0]["message"])
    s.require(count(again), "==", 0, "whoever reported it has had that message already")
    more.look(ticket=incident)
    s.do("delete_notifications", "it went to the wrong person",
         notification_id=stray[0]["notification_id"])  # fmt: skip
    s.do("send_notification", "and now to the right one", incident_id=incident["incident_id"],
         email=caller["email"], type=stray[0]["type"], status="queued", subject=stray[0]["subject"],
         message=stray[0]["message"])  # fmt: skip
    more.write()
    s.rule(
        "Who reported it reads the same words",
        """SELECT COUNT(*) FROM notification n JOIN incident i USING (incident_id) JOIN users u ON u.user_id =
        i.caller_id WHERE i.number = :number AND n.email = u.email AND n.message = :message AND n.subject =
        'News about ' || i.number""",
        number=row["number"], message=message,
    )  # fmt: skip
    if named:
        s.answer("the last name of the caller", caller["last_name"])


@family("itsm", perturbations=("policy_forbids", "missing_entity", "no_right"))
def correct_notices(s: Scene) -> None:
    """The text of all notifications about a ticket that have not gone out yet is corrected."""
    s.pick_caller(MANAGERS)
    row = s.pick(_TOLD, me=caller_email(s))
    other = s.pick(COLLEAGUES + " AND user_id <> :caller", me=caller_email(s), caller=row["caller_id"])
    old, new = s.rng.sample(_TEXTS, 2)
    (caller,) = s.pick_some("SELECT email FROM users WHERE user_id = :user", 1, user=row["caller_id"])
    for number, email in enumerate((caller["email"], other["email"]), 1):
        _notice(s, row, email, number, "queued", old)
    more = besides(s, *about(row["number"], row, *NOTED[:3], *ASKED))
    s.perturb("policy_forbids", "UPDATE notification SET status = 'delivered' WHERE incident_id = :incident",
              incident=row["incident_id"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE incident SET number = 'INC-9' || substr(number, 6) WHERE number = "
              ":number", number=row["number"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """What we are about to write concerning {number} [is wrong|is no longer true]. In every
        notification about it that is still queued the message has to read "{new}", [subject and
        recipient unchanged|with nothing else changed]; say how many notifications the ticket has in all,
        sent or not.""",
        """"{new}" is what the people in the matter of {number} [should read|are to be told], not what
        stands in the queue now. Change the message wherever it has not gone out yet, and [count for
        me|let me know] how many notifications there are about this ticket altogether.""",
        """[The technician called|Field support called], and so our text about {number}, "{title}", is
        out of date before it was sent. Correct all messages that still wait in the queue to "{new}"; I
        also need the number of notifications of that ticket, [whatever became of them|in whatever
        state].""",
        """Some notifications about {number} [wait to be sent|have not been sent], and before they go, let
        them all say "{new}", for what they say now would only cause more calls. [And how many|How many]
        notifications about the ticket exist in total?""",
        """[I signed off the wrong text|The wrong text was released] for "{title}", {number}. While it is
        queued, it can be put right: the message should be "{new}" in each of them, and nobody is written
        to twice. Report [the total number|the full number] of the ticket's notifications, old ones
        counted.""",
        """For {number} a message went into the queue [too early|an hour too early]. Those that have left
        are gone, but each one still queued [is to say|gets the message] "{new}" from now on, and finally I
        want the figure of all notifications that the ticket has had or will have.""",
        number=row["number"], title=row["short_description"], new=new,
    )  # fmt: skip
    more.say()
    s.covers("all queued notifications about a ticket")
    find_caller(s)
    incident = s.do("find_incident_by_number", "what they are about", number=row["number"])
    s.require_ok(incident, f"there is no ticket {row['number']}", names=(row["number"], MISSING))
    queued = s.do("find_notifications", "what has not gone out yet", incident_id=incident["incident_id"],
                  status="queued")["notifications"]  # fmt: skip
    s.require(
        count(queued),
        ">",
        0,
        f"no notification about {row['number']} is queued any more",
        names=("notification|message|mail", in_state("delivered", "queued") + "|no notification|none|sent"),
    )
    counts = s.do("count_notifications_by_incident", "how many there are in all",
                  incident_id=[incident["incident_id"]])["metrics"]  # fmt: skip
    more.look(ticket=incident)
    s.do_each(queued, "update_notification", "the right words", message=new,
              notification_id=ROW["notification_id"])  # fmt: skip
    s.answer("how many notifications the ticket has", mapped(incident["incident_id"], counts))
    more.write()


@family("itsm", ood=True, perturbations=("missing_entity", "no_right"))
def note_messages(s: Scene) -> None:
    """How often people were written to is put into the work notes of two tickets, and reported on average."""
    s.pick_caller(MANAGERS)
    rows = pick_several(
        s,
        f"""SELECT * FROM incident i WHERE org_id = 'ORG_001' AND status IN {OPEN} AND caller_id NOT IN
        (SELECT user_id FROM users WHERE email = :me)""",
        2,
    )
    for row in rows:
        s.arrange("UPDATE incident SET worknotes = NULL WHERE incident_id = :id", id=row["incident_id"])
    _notice(s, rows[0], caller_email(s), 1, "delivered", s.rng.choice(_TEXTS))
    _notice(s, rows[1], caller_email(s), 2, "sent", s.rng.choice(_TEXTS))
    start = s.rng.choice(("Messages so far:", "People written to until now:", "Notifications sent:"))
    kind, plural = s.rng.choice((("alert", "alerts"), ("update", "updates"), ("reminder", "reminders")))
    s.perturb("missing_entity", "UPDATE incident SET number = 'INC-9' || substr(number, 6) WHERE number = "
              ":number", number=rows[1]["number"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """In the two open tickets {one} and {two} we are accused of [saying too little|silence]. Put
        into the work notes of each how many notifications there are about it, in the form "{start} 4",
        and tell me [the average of the two|what that is on average] as well as how many {kind} our
        system holds in all.""",
        """[How many times|How often] have we written to people about {one} and about {two}? The figure
        goes into the work notes of the respective ticket, beginning with "{start}" and then the number.
        I need the average over both, and [the count of all {kind}|how many {kind} there are at all].""",
        """For the review of {one} and {two} their work notes [should say|have to say] "{start}" followed
        by the number of notifications about that ticket. The average of both and the total of {kind}
        that were ever made [go into my slides|are what I need for my slides], so answer with them.""",
        """[Count the notifications|Notifications have to be counted] about {one}, then those about
        {two}; each result belongs into the notes of its own ticket, written as "{start}" and the number.
        With it I would like [two figures|two numbers for the board]: the average per ticket of these
        two, and all {kind} of the system.""",
        """The work notes of {one} and of {two} are empty, [which looks bad|and that looks odd] for
        matters that people ask about. A first entry could be "{start}" and how many there are about the
        ticket in question. Name the average of both tickets to me, [and also|together with] the number
        of all {kind}.""",
        """Communication is [the sore point|what we are judged by] in {one} and {two}. So note on each,
        as "{start}" plus the number, how many notifications belong to it; answer with the mean of the
        two and with how many {kind} there have been [over all tickets|on all tickets together].""",
        one=rows[0]["number"], two=rows[1]["number"], start=start, kind=plural,
    )  # fmt: skip
    s.indirect("how many notifications each ticket has", hidden=[])
    find_caller(s)
    incidents = []
    for row in rows:
        incident = s.do("find_incident_by_number", "the ticket", number=row["number"])
        s.require_ok(incident, f"there is no ticket {row['number']}", names=(row["number"], MISSING))
        incidents.append(incident)
    both = [incident["incident_id"] for incident in incidents]
    counts = s.do("count_notifications_by_incident", "how many there are of each", incident_id=both)
    mean = s.do("average_notifications_by_incident", "and on average", incident_id=both)
    kinds = s.do("count_notifications_by_type", f"how many {plural} there are", type=[kind])["metrics"]
    for number in both:
        s.do("update_incident", "write it down", incident_id=number,
             worknotes=joined([start, mapped(number, counts["metrics"])], " "))  # fmt: skip
    s.answer("the average of both tickets", mean["average"])
    s.answer(f"the number of all {plural}", kinds[kind])
