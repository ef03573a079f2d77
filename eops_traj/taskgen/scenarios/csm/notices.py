"""Scenarios about messages to customers: due reminders, a wrong type, and those that never arrived."""

import json

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import ADMINS, DESK, MANAGERS, STAFF, demote, find_caller
from eops_traj.taskgen.scenarios.csm.side_jobs import elsewhere
from eops_traj.taskgen.scenarios.desk_reasons import MISSING
from eops_traj.taskgen.scene import Scene

_STALE = "2025-12-31 09:00:00"  # five days before it is asked, by the hour; by the calendar the day is
_TYPES = {
    "report": "a report", "update": "an update", "alert": "an alert", "reminder": "a reminder",
    "next_steps": "next steps", "other": "one of the other kind",
}  # fmt: skip


@family("csm", perturbations=("no_right",), ood=True)
def chase_pending(s: Scene) -> None:
    """Contacts of cases that have been pending too long are reminded, once each."""
    s.pick_caller(DESK)
    fit = s.pick(
        """SELECT c.priority, COUNT(*) AS many FROM customer_case c WHERE c.state = 'pending'
        AND c.sys_updated_on < :stale AND NOT EXISTS (SELECT 1 FROM customer_case x WHERE x.state = 'pending'
            AND x.priority = c.priority AND x.sys_updated_on >= '2025-12-31' AND x.sys_updated_on < :stale)
        GROUP BY c.priority HAVING COUNT(*) BETWEEN 1 AND 9
        AND COUNT(*) = COUNT(DISTINCT c.contact_id) AND MAX(NOT EXISTS (SELECT 1 FROM notification n
            WHERE n.case_id = c.case_id AND n.type = 'reminder'))""", stale=_STALE,
    )  # fmt: skip
    more = besides(s, *elsewhere("messages"))
    demote(s, "customer")
    s.covers("all cases of a priority that have been pending for more than five days")
    s.duty("who is reminded, after how many days, and that it happens once")
    s.ask(
        """[Cases of {priority} priority|Our {priority} cases] that wait for somebody else [tend to|easily]
        fall asleep. [For each|In each case] that has been pending so long that our rules [want|call for] a
        reminder, send one, [unless that happened before|except where there was one already].""",
        """[Look through|Go over] what is pending at {priority} priority. [Counted from its last change|Going
        by when a case last changed], some of it is [beyond|past] the number of days after which contacts are
        reminded. [Do so where it has not been done|Do that], one message a case, [none for those reminded
        already|never a second].""",
        """[The rule about reminders|Our rule about reminding contacts] has not been [kept|followed] over the
        holidays. Catch up on it for [all pending cases|everything pending] of {priority} priority [that are
        old enough|to which it applies], counted from their last change; [whoever had a reminder|a contact who
        had one] is left in peace.""",
        """[Who keeps us waiting?|Somebody keeps us waiting.] Among the {priority} cases on hold, [find|I want
        you to find] those without a change for more days than the rules [allow|grant], and remind their
        contacts [in the usual way|by the usual notification], [save for|not counting] the ones [reminded
        earlier|who got one earlier].""",
        """On Monday mornings we [remind|chase] contacts. Today it is the {priority} cases: pending, unchanged
        for longer than the rules have it, and without a reminder [so far|up to now]. Each of [these|those]
        gets [its reminder|one], [no other case does|nothing else goes out].""",
        """[A reminder is due|Reminders are due] on pending cases of {priority} priority as soon as they are
        old enough by our rules, the last change being what counts. [See to it|Take care of that] for all of
        them, but [let nobody get a second one|not where the case shows one already].""",
        priority=fit["priority"],
    )  # fmt: skip
    more.say()
    extra = ask_more(s, "messages", account=False)
    find_caller(s, *STAFF)
    pending = s.do("search_cases", "what waits", state="pending", priority=fit["priority"])
    stale = pending.every(("sys_updated_on", "<", _STALE))
    sent = s.do_each(stale, "find_notifications", "whether they were reminded", case_id=ROW["case_id"],
                     type="reminder")  # fmt: skip
    due = holds(count(sent.every().every(case_id=ROW["case_id"])), "==", 0)
    contacts = s.do_each(stale, "find_contacts", "who raised it", contact_id=ROW["contact_id"], when=due)
    reader = contacts.every().where(contact_id=ROW["contact_id"])["portal_user_id"]
    readers = s.do_each(stale, "list_users", "their address", user_id=reader, when=due)
    more.look()
    answer_more(s, extra)
    s.do_each(stale, "send_notification", "remind its contact", case_id=ROW["case_id"], type="reminder",
              email=readers.every().where(user_id=reader)["email"], when=due)  # fmt: skip
    more.write()
    s.rule(
        "Every such case has a reminder",
        """SELECT COUNT(*) FROM customer_case c WHERE c.state = 'pending' AND c.priority = :priority
        AND c.sys_updated_on < :stale AND NOT EXISTS (SELECT 1 FROM notification n
            WHERE n.case_id = c.case_id AND n.type = 'reminder')""",
        expected=0, priority=fit["priority"], stale=_STALE,
    )  # fmt: skip


@family("csm", perturbations=("no_right", "missing_entity"))
def correct_message(s: Scene) -> None:
    """The last message on a case went out under the wrong type, which a manager corrects."""
    s.pick_caller(MANAGERS)
    record = s.pick(
        """SELECT c.*, n.type FROM customer_case c JOIN notification n USING (case_id)
        WHERE n.type <> 'solution_proposal' AND (SELECT COUNT(*) FROM notification o
            WHERE o.case_id = c.case_id) >= 2
        AND n.sys_created_on > (SELECT MAX(o.sys_created_on) FROM notification o
            WHERE o.case_id = c.case_id AND o.notification_id <> n.notification_id)"""
    )
    right = s.rng.choice([kind for kind in _TYPES if kind != record["type"]])
    arrived = s.chance(0.3)
    more = besides(s, *elsewhere("messages", named=json.dumps([record["number"]])))
    demote(s, "agent")
    s.perturb("missing_entity", "UPDATE customer_case SET number = 'CS-0009' || number WHERE case_id = :id",
              id=record["case_id"])  # fmt: skip
    s.indirect("the last message on a case")
    s.ask(
        """[The last message|The most recent message] on {number} went out as {wrong}, [but what it meant
        was|and should have been] {right}. [Correct the entry|The entry needs correcting], [without sending
        anything again|nothing is sent again]. {arrived} [How many messages has that case had in all?|Tell me,
        too, how many messages that case has had in all.]""",
        """On {number} we told the contact [something else than we meant|the wrong thing] [the last time|when
        we wrote last]: the system [has|shows] {wrong} where {right} [would be right|is right]. [Change|Put
        right] that one entry. {arrived} I would also like to know [how many messages there are|the number of
        messages] on the case.""",
        """[A complaint|The complaint] about {number} shows that our latest message [there|on it] bears the
        wrong type, {wrong}. [Make it|It should be] {right}. {arrived} [Count all messages of the case|Then
        count the messages on it] for me, [so that I can answer them|as I have to answer the complaint].""",
        """[Of the messages|Among the messages] on {number}, the newest is [filed|recorded] as {wrong};
        {right} it was. {arrived} [As a manager|In my role] I want that corrected rather than sent
        [anew|twice], and [the total of messages|how many messages there were] on the case [reported|told to
        me].""",
        """[Whoever wrote last|The colleague who wrote last] on {number} picked the wrong type. [Instead
        of|Where it says] {wrong} the entry [should be|ought to be] {right}. {arrived} [And what is the
        count|And how large is the number] of all messages on that case? [Please report it|I need it for the
        file].""",
        """[I found|There is] a wrong type on {number}: its latest message counts as {wrong}. [What we
        meant|What had been meant] was {right}, so [let it say that|that is what the record should have].
        {arrived} [Besides|In addition] I [need|would like] the number of messages that this case has.""",
        number=record["number"], wrong=_TYPES[record["type"]], right=_TYPES[right],
        arrived="It did arrive, whatever its status says, so the status is success." if arrived else "",
    )  # fmt: skip
    more.say()
    find_caller(s, "manager", "admin")
    case = s.do("search_cases", "find the case", number=record["number"])
    s.require(count(case), "==", 1, f"there is no case {record['number']}", names=(record["number"], MISSING))
    sent = s.do("find_notifications", "what was sent", case_id=case[0]["case_id"])
    last = sent.largest("sys_created_on")
    s.require(last["type"], "==", record["type"], f"the last message is not {_TYPES[record['type']]}")
    total = s.do("count_notifications_by_case", "how many there are", case_id=case[0]["case_id"])
    more.look()
    s.do("update_notification", "it was of another type", notification_id=last["notification_id"],
         type=right, **({"status": "success"} if arrived else {}))  # fmt: skip
    s.answer("how many messages the case has had", total["count"])
    more.write()
    s.rule(
        "The message has the type that was meant, and went out",
        "SELECT type || ' ' || (status = 'success' OR :before) FROM notification WHERE notification_id = :id",
        expected=f"{right} 1", id=last["notification_id"].value, before=int(not arrived),
    )  # fmt: skip


@family("csm", perturbations=("no_right", "policy_forbids"))
def drop_failed(s: Scene) -> None:
    """Messages on a case that never went out are taken off the record, one by one."""
    s.pick_caller(ADMINS)
    record = s.pick(
        """SELECT c.*, n.email, n.type FROM customer_case c JOIN notification n USING (case_id)
        WHERE n.status = 'success' GROUP BY c.case_id HAVING COUNT(*) BETWEEN 1 AND 3"""
    )
    for minute in s.rng.sample(range(10, 50), s.rng.choice([1, 2, 2, 3])):
        s.arrange(
            """INSERT INTO notification (case_id, email, type, status, sys_created_on)
            VALUES (:case, :email, 'other', 'failed', :sent)""",
            case=record["case_id"], email=record["email"], sent=f"2026-01-04 11:{minute}:00",
        )  # fmt: skip
    demote(s, "manager")
    s.perturb("policy_forbids", "UPDATE notification SET status = 'success' WHERE case_id = :id",
              id=record["case_id"])  # fmt: skip
    s.covers("all failed messages on a case")
    s.duty("what was sent is not deleted, and rows are deleted one by one by their id")
    s.ask(
        """[A mail server of ours|Our mail server] stalled on Sunday, and [what|all that] it could not deliver
        is still on record. On {number} [I want those gone|such entries are to be deleted]: messages that
        failed, [each one|one by one], [while those that went out are evidence and stay|but none that went
        out].""",
        """{number} [lists|has on it] messages that never reached anybody. [They only confuse|They serve only
        to confuse] the people who read it, so remove [whatever failed|the failed ones] and keep [what was
        really sent|those that were sent].""",
        """[For|As regards] {number}: [the failed messages|those messages that failed] [are clutter|are of no
        use] and should be deleted, [however many there are|be it one or several]. [What arrived|Whatever
        arrived] must not be touched, [the auditors look at it|since auditors look at it].""",
        """[The test of the mail gateway|A test of our mail gateway] left marks on {number}, namely messages
        with the status failed. [Delete|Remove] these, and [do not delete|leave alone] any that the contact
        [did get|received]; [we cannot make those unsent|they are part of the story].""",
        """[In the file of|On] {number} only messages that [somebody received|were delivered] should be left.
        [So the ones that did not go out|Those that did not go out], which the system marks as failed, [are to
        be removed|get removed], single entry by single entry.""",
        """[Clean|Please clean] the messages of {number}: failed ones off the record, delivered ones [as they
        are|untouched]. [The contact|Their contact] asked for a list of [what we sent|our messages], and the
        failures would [look like|pass for] things they [ignored|overlooked].""",
        number=record["number"],
    )  # fmt: skip
    extra = ask_more(s, "messages")
    find_caller(s, "admin")
    case = s.do("search_cases", "find the case", number=record["number"])
    s.require(count(case), "==", 1, f"there is no case {record['number']}")
    failed = s.do("find_notifications", "which of its messages failed", case_id=case[0]["case_id"],
                  status="failed")  # fmt: skip
    s.require(
        count(failed),
        ">=",
        1,
        "no message on the case failed; those that were sent are not deleted",
        names=("sent|success|deliver|went out|arrived|none failed|no failed|no message|not fail",),
    )
    answer_more(s, extra, case[0])
    s.do_each(failed, "delete_notifications", "it never went out", notification_id=ROW["notification_id"])
    s.rule(
        "What was sent about the case is still on record",
        """SELECT COUNT(*) FROM notification WHERE case_id = :id AND status = 'success'""",
        expected=len(s.rows("SELECT 1 FROM notification WHERE case_id = :id AND status = 'success'",
                            id=record["case_id"])), id=record["case_id"], category="integrity",
    )  # fmt: skip
