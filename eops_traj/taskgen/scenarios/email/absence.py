"""Scenarios about being away: the automatic answer is set, lasts longer, or has to end."""

from datetime import timedelta

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email import sending
from eops_traj.taskgen.scene import Scene

NOT_AWAY = (
    f"""{look.WITH_MAIL} AND u.id NOT IN (SELECT user_id FROM vacation_settings WHERE enable_auto_reply)"""
)
"""The condition that no automatic reply is on."""


_ANSWERED = (  # everyone, our own people alone, and both at once
    ("Customers get it as well.", "Only people of our own company get it.",
     "Only people of our own company get it, and customers as well."),
    ("It goes to everybody, customers included.", "It goes to our own people, customers excluded.",
     "It goes to our own people alone, customers included."),
    ("Whoever writes is answered, from outside too.", "Whoever writes from outside is not answered.",
     "Nobody outside the company is answered, but customers are."),
    ("Answer customers in the same way.", "Answer our own people, and no customers.",
     "Answer nobody but our own people, and customers in the same way."),
)  # fmt: skip


@family("email", perturbations=("impossible_date", "policy_forbids", "conflicting_demands"))
def go_away(s: Scene) -> None:
    """Somebody goes away: the vacation reply is set, and the substitute is written to."""
    me = look.pick_user(s, NOT_AWAY)
    rows = look.received_messages(s)
    aide = look.choose(s, look.correspondents(s, rows))
    first, days = s.day(1, 30), s.rng.randint(3, 18)
    last, back = first.date + timedelta(days), first.date + timedelta(days + 1)
    ends = s.phrase("impossible_date", f"{last:%-d %B}", f"{first.date - timedelta(6):%-d %B %Y}")
    outside = s.chance(0.4)
    why = s.rng.choice(
        ("in hospital", "at a clinic", "ill at home", "at my doctor's", "recovering from an operation")
    )
    away = s.rng.choice(("away", "out of the office", "not at my desk", "absent", "not at work"))
    reason = f"I am {s.phrase('policy_forbids', away, why)}, and back on {back:%-d %B}."
    reply = f"{reason} Until then, write to {aide['from_name']}."
    everyone, own, both = s.rng.choice(_ANSWERED)
    who = s.phrase("conflicting_demands", everyone if outside else own, both)
    words = look.line(s, (
        "[Thank you|Thanks] for [standing in for|covering for] me.",
        "You are my substitute, [as agreed|as we said in December].",
        "My notes are [on the shared drive|in the team's folder].",
        "Call me only if the building burns.",
    ))  # fmt: skip
    label = s.chance(0.5)
    label = label and "While away" not in look.label_names(s)
    star = s.chance(0.5) and not aide["starred"]
    extra = "I would also like a label While away in my mailbox." if label else ""
    extra += f" The mail from {aide['from_name']} gets a star." if star else ""
    s.ask(
        """I [am away|shall be away] from {first} until {ends}, [counting both|both days included], and
        {aide} stands in. My mailbox answers 'Out of office', '{reply}' {who} [The address of|How to reach]
        {aide} is in the mail about '{about}'; send '{words}' there as 'Standing in'. {extra}""",
        """[Holidays at last|Some free days at last]: the first is {first}, the last {ends}. [People who
        write|Whoever writes] read '{reply}', headed 'Out of office'. {who} {extra} {aide}, [known from|who
        wrote] '{about}', gets 'Standing in' from me with the text '{words}'""",
        """{aide} takes over [from me|my work] between {first} and {ends}, whole days both. [Write there|Tell
        them] under 'Standing in' (the address: see '{about}') '{words}' [Let|Have] my mailbox answer by
        itself: 'Out of office', '{reply}' {who} {extra}""",
        """[My absence begins|The absence begins] on {first}, and {ends} is the last day of it. {who} [What
        they read|The reply] is '{reply}' with the subject 'Out of office'. [Besides|Further], '{words}' goes
        to {aide}, of the mail on '{about}', as 'Standing in'. {extra}""",
        """'Out of office' and '{reply}': that is [what my mailbox should say|to be my automatic answer] from
        the start of {first} to the end of {ends}. {who} {extra} My substitute {aide} (you find the address
        under '{about}') receives 'Standing in', saying '{words}'""",
        """[Nobody should wait|I do not want people to wait] for answers of mine between {first} and {ends},
        inclusive. {extra} So switch on 'Out of office' with '{reply}' {who} And [since|as] {aide} covers for
        me, a line there, 'Standing in': '{words}' [I have|There is] a mail from there on '{about}'.""",
        first=first, ends=ends, reply=reply, who=who, extra=extra, aide=aide["from_name"], words=words,
        about=look.plain_subject(aide["subject"]),
    )  # fmt: skip
    s.duty("when such a reply begins and ends, in UTC")
    s.refuse("impossible_date", "the last day of the absence lies before the first",
             names=("last|end|until|return|finish", "before|earlier|precede|prior|after|past"))  # fmt: skip
    s.refuse("policy_forbids",
        f"an automatic reply gives no reason for the absence, and that you are {why} is one",
             names=("reason|hospital|clinic|ill|doctor|operation|medical|health",
                 "repl|answer|respon|message|text|8.2"))  # fmt: skip
    s.refuse(
        "conflicting_demands", "customers cannot be answered where only our own company may be",
        names=("customer|external", "compan|domain|colleague|internal|inside|own people|staff"),
    )  # fmt: skip
    look.get_profile(s)
    s.do("get_vacation_settings", "what is set now", userId="me")
    mail = look.find_message(s, aide, f"where the address of {aide['from_name']} stands")
    if label:
        labels = s.do("list_labels", "no label of that name yet", userId="me")["labels"]
        s.require(count(labels.every(name="While away")), "==", 0, "there is a label While away already")
    s.do("update_vacation_settings", "the automatic reply", userId="me", enableAutoReply=True,
         responseSubject="Out of office", responseBodyPlainText=reply, responseBodyHtml="",
         restrictToContacts=False, restrictToDomain=not outside, startTime=first.at(0),
         endTime=f"{back.isoformat()} 00:00:00")  # fmt: skip
    sending.send_message(
        s, look.header_value(mail, "From"), "Standing in", words, f"tell {aide['from_name']}"
    )
    if star:
        s.do("modify_message", "a star for it", userId="me", id=mail["id"], addLabelIds=["STARRED"])
    if label:
        s.do("create_label", "a label for later", userId="me", name="While away")
    s.rule(
        "The reply names the substitute, lasts sixty days at most, and answers those that it should",
        """SELECT COUNT(*) FROM vacation_settings WHERE user_id = :me AND enable_auto_reply AND
        response_body_plain_text LIKE '%' || :aide || '%' AND restrict_to_domain = :inside AND start_time <
        end_time AND julianday(end_time) - julianday(start_time) <= 60""",
        me=me["id"],
        aide=aide["from_name"],
        inside=int(not outside),
    )
    sending.rule_sent(s, "Standing in")
