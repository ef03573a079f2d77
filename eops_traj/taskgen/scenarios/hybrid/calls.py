"""Scenarios in which a customer case needs a meeting."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.csm.clocks import list_clocks, list_definitions, start_owed
from eops_traj.taskgen.scenarios.csm.lookups import (
    CASES,
    DESK,
    OPEN,
    STAFF,
    WORKS,
    case_condition,
    find_caller,
    find_picked_case,
    find_worker,
    full_name,
    group_type_sql,
    pick_case,
)
from eops_traj.taskgen.scenarios.hybrid import extras, meetings
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.reasons import LEFT, known_as
from eops_traj.taskgen.scene import Scene

_WAYS = {"phone": "on the phone", "email": "by e-mail", "chat": "in the chat"}
_ALIVE = ("new", "in_progress", "pending")
_OURS = f"(SELECT u.user_id FROM user u WHERE {WORKS} AND u.{look.STAFF})"


@family("hybrid", servers=("csm", "calendar"), consumes="case", produces="case",
        perturbations=("inactive_person", "policy_forbids", "two_namesakes"))  # fmt: skip
def hand_over_in_person(s: Scene) -> None:
    """A new case goes to a group and a person in it, who is invited to talk it through."""
    s.pick_caller(DESK)
    produced, record = pick_case(s, f"{CASES} AND c.state = 'new' AND c.assignment_group_id IS NULL", "new")
    (product,) = s.rows("SELECT * FROM product WHERE product_id = :id", id=record["product_id"])
    person = s.pick(
        f"""SELECT u.*, g.group_id, g.name AS team FROM user u JOIN user_group_member m USING (user_id)
        JOIN user_group g USING (group_id) WHERE g.active AND g.type = :kind AND {WORKS} AND u.{look.STAFF}
        AND u.email <> :me""",
        kind=group_type_sql(product), me=look.caller_email(s),
    )  # fmt: skip
    when = meetings.pick_slot(s, person["email"])
    title = s.rng.choice(
        (
            f"Handover: {product['name']}",
            f"Case talk about {product['name']}",
            f"{product['name']}: who does what",
            f"First look at {product['name']}",
            f"Passing on {product['name']}",
            f"{product['name']}, what is known",
            f"Getting into {product['name']}",
            f"Questions on {product['name']}",
        )
    )
    more = besides(s, *extras.of("csm", "calendar"))
    s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE user_id = :id", id=person["user_id"])
    s.perturb(
        "two_namesakes",
        """UPDATE user SET first_name = :first, last_name = :last WHERE user_id = (SELECT m.user_id FROM
        user_group_member m JOIN user o USING (user_id) WHERE m.group_id = :group AND o.active AND m.user_id
        <> :id AND o.email <> :me ORDER BY m.user_id LIMIT 1)""",
        first=person["first_name"], last=person["last_name"], group=person["group_id"], id=person["user_id"],
        me=look.caller_email(s),
    )  # fmt: skip
    meetings.make_busy(s, person["email"], when)
    s.ask(
        """[The customer behind|Whoever sent us] {what} [expects|is counting on] somebody who knows the
        product, and {who} in {team} [does|is that person]. [Let it go over to them|Have it moved there]
        so that work starts, and [book|arrange] "{title}" for the two of us {when}, because [parts of the
        history are nowhere written down|there are things I can only show].""",
        """{when_up} [there should be a talk|I would like a talk] between {who} and me, titled "{title}",
        [because|since] {what} [is about to land on their desk|is going to be theirs]. [Record that as
        well|Set that down, too]: the group is {team}, {who} is the one who [works on it|takes it up],
        and it is [in progress|under way] from then on.""",
        """[Nobody has picked up|Up to this morning nobody has taken] {what}, although {team} [has room
        for it|is not full this week]. [I agreed with|I have the word of] {who} that it [goes|belongs]
        there, in progress, and an invitation of mine to "{title}", {when}, [would help both of us|saves
        us a long mail].""",
        """{who} [has handled that product before|knew the predecessor of that product], so {what} is
        best placed with {team} and, within the group, with {who}, who [begins|starts work] this morning.
        [To pass on|For passing on] the rest I [need|want] a meeting, {when}, [named|under the title]
        "{title}".""",
        """[For the handover of|To hand over] {what} two entries are needed: [in the desk's system|where
        cases are kept] it gets {team} as its group and {who} as the person, and work begins; [in our
        calendars|on the calendar] there is "{title}", {when}, [with nobody but us two|just {who} and
        me].""",
        """[I keep being asked|The lead asked me] who owns {what}, and the answer [will be|is] {who} of
        {team}. [Put that into|Make that true in] the record, with work [going on|starting], and [since a
        call is not enough|because it takes some explaining] [set up|plan] "{title}" with {who} {when}.""",
        what=produced.words if produced else f"case {record['number']}", who=full_name(person),
        team=person["team"], when=when.words, when_up=look.capital(when.words), title=title,
    )  # fmt: skip
    more.say()
    s.as_one()
    s.duty("a case that is taken up is timed")
    find_caller(s, *STAFF)
    case = find_picked_case(s, produced, record["number"], "new")
    group = s.do("find_user_group", "the group to answer for it", name=person["team"])
    s.require(group["active"], "==", 1, f"{person['team']} takes no work any more",
              names=(person["team"], LEFT))  # fmt: skip
    who = find_worker(s, person, group, "who is to work on it")
    clocks = list_clocks(s, case)
    definitions = list_definitions(s)
    calendar = meetings.check_free(s, who["email"], full_name(person), when)
    more.look()
    done = s.do("update_case", f"{full_name(person)} starts on it", case_id=case["case_id"],
                state="in_progress",
                assignment_group_id=group["group_id"], assigned_to=who["user_id"])  # fmt: skip
    start_owed(s, case, clocks, definitions, case["priority"])
    meetings.create_meeting(s, calendar, title, [who["email"]], when)
    more.write()
    s.rule(
        "Whoever works on the case is an active member of the group that answers for it",
        f"""SELECT COUNT(*) FROM customer_case c JOIN user_group_member m ON m.group_id =
        c.assignment_group_id AND m.user_id = c.assigned_to JOIN user u ON u.user_id = c.assigned_to AND
        u.active = 1 WHERE {case_condition(record)} AND u.email = :email""",
        email=person["email"],
    )  # fmt: skip
    meetings.add_meeting_rule(s, title, when, person["email"])
    s.produce("case", done, "that same case")


@family("hybrid", servers=("csm", "email", "calendar"), consumes="case",
        perturbations=("policy_forbids", "missing_entity", "inactive_person"))  # fmt: skip
def agree_on_call(s: Scene) -> None:
    """A customer wants a call: the talk is noted, a colleague invited, and the time confirmed by mail."""
    s.pick_caller(DESK)
    produced, record = pick_case(s, f"{CASES} AND c.state IN {OPEN} AND c.assigned_to IN {_OURS}"
                                 " AND c.assigned_to <> (SELECT user_id FROM user WHERE email = '"
                                 f"{look.caller_email(s)}')", *_ALIVE)  # fmt: skip
    if not record["assigned_to"]:
        raise NoMatch("nobody works on the case that was handed on")
    (hands,) = s.rows("SELECT * FROM user WHERE user_id = :id", id=record["assigned_to"])
    (contact,) = s.rows("SELECT u.* FROM user u JOIN contact k ON k.portal_user_id = u.user_id"
                        " WHERE k.contact_id = :id", id=record["contact_id"])  # fmt: skip
    if not hands["email"].endswith("@corvane.example"):
        raise NoMatch("who works on the case is not one of our own people")
    when = meetings.pick_slot(s, hands["email"])
    title = s.rng.choice(
        ("Call with the customer", "Customer call", "Call on an open case", "Questions of a customer")
    )
    title = f"{title}: {full_name(contact)}"
    words = s.rng.choice((
        f"We would like to call you on {when.day.full} about your case. Please keep an hour free.",
        f"Our specialist will ring you on {when.day.full}. Have the device at hand if you can.",
        f"Expect our call on {when.day.full}, and note down your questions until then.",
    ))  # fmt: skip
    subject = s.rng.choice(("Our call about your case", "A call on your case", "When we will call you"))
    channel = s.rng.choice(("phone", "chat", "email"))
    more = besides(s, *extras.of("csm", "email", "calendar"))
    if not produced:
        s.perturb("missing_entity",
                  "UPDATE customer_case SET number = 'CS-0009' || number WHERE case_id = :id",
                id=record["case_id"])  # fmt: skip
        s.perturb("inactive_person", "UPDATE contact SET active = 0 WHERE contact_id = :id",
                  id=record["contact_id"])  # fmt: skip
    meetings.make_busy(s, hands["email"], when)
    s.ask(
        """{contact} [got hold of me|came to me] {way} about {what} and [would rather talk than
        write|wants to go through it in person]. [That contact|Our exchange] belongs in the record and is
        still open; [whoever works on the case|the colleague who has the case] joins me for "{title}"
        {when}, and {contact} [hears from me|gets a mail of mine] under "{subject}": "{words}\"""",
        """[My diary for|My plan for] {what}: a meeting [called|named] "{title}" with [the person it is
        assigned to|the one who has it], {when}. The cause is {contact}, with whom I spoke {way}, so
        [note an interaction|enter the interaction] that is not finished, and [confirm|announce] the call
        to them by mail as "{subject}", [with the words|saying] "{words}\"""",
        """[Before the month is over|Soon] we will call {contact} about {what}, as they [asked|wished]
        {way}. [Reserve|Hold] {when} for the colleague in charge of it and me, as "{title}";
        [log|register] that we were in touch, status open; then [write to the customer|send them a mail],
        "{subject}", which [reads|says] "{words}\"""",
        """[The sentence|What] {contact} should [find in a mail of mine|receive from my mailbox] is
        "{words}", subject "{subject}". It [rests on|goes with] two other things: an open interaction for
        what we [discussed|said] {way} on {what}, and "{title}" {when} with [whoever is assigned
        there|the assignee].""",
        """[Questions keep coming|There are more questions] from {contact} on {what}, this time {way}. I
        [took that down|noted it] only on paper, so the contact has to be [entered|recorded] as open. [A
        date is found as well|We have a date, too]: {when}, "{title}", the colleague on the case and I;
        and the [confirmation|mail] to {contact}, titled "{subject}", is "{words}\"""",
        """{way_up} {contact} told me that mails about {what} [lead nowhere|go in circles]. [Hence a
        call|So we call them]: get the one who works on it to "{title}", {when}, keep our
        [conversation|contact] on record as open, and let {contact} know [in a mail|by mail] with the
        subject "{subject}" and the text "{words}\"""",
        contact=full_name(contact), what=produced.words if produced else f"case {record['number']}",
        title=title,
        way=_WAYS[channel], way_up=look.capital(_WAYS[channel]), when=when.words, subject=subject,
        words=words,
    )  # fmt: skip
    more.say()
    look.only_if_contact(s, full_name(contact))
    s.as_one()
    me = find_caller(s, *STAFF)
    case = find_picked_case(s, produced, record["number"], *_ALIVE)
    seat = s.do("find_contacts", "who raised it", contact_id=case["contact_id"])[0]
    s.require(seat["active"], "==", 1, f"{full_name(contact)} is no longer a contact of that customer",
              names=(known_as(full_name(contact)), LEFT))  # fmt: skip
    person = s.do("list_users", "the address to write to", user_id=seat["portal_user_id"])[0]
    who = s.do("list_users", "who works on it", user_id=case["assigned_to"])[0]
    calendar = meetings.check_free(s, who["email"], full_name(hands), when)
    more.look()
    s.do("register_new_interaction", "note the talk", channel=channel, account_id=case["account_id"],
         contact_id=case["contact_id"], case_id=case["case_id"], interacted_user=me["user_id"],
         status="open")  # fmt: skip
    meetings.create_meeting(s, calendar, title, [who["email"]], when)
    look.send_mail(s, person["email"], subject, words, "confirm it to the customer")
    more.write()
    meetings.add_meeting_rule(s, title, when, hands["email"])
    look.add_mail_rule(s, subject, contact["email"])
