"""Scenarios in which figures and dates of customers are carried elsewhere: a calendar, a file, letters."""

from datetime import date, timedelta

from eops_traj.taskgen.dates import TODAY
from eops_traj.taskgen.expressions import ROW, length, shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.csm.lookups import DESK, STAFF, demote, find_caller
from eops_traj.taskgen.scenarios.drive.lookups import find_drive, find_file
from eops_traj.taskgen.scenarios.hybrid import extras
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.reasons import MISSING
from eops_traj.taskgen.scene import Scene

_OWN_NAME = """(SELECT COUNT(*) FROM account o WHERE instr(o.name, a.name) OR instr(a.name, o.name)) = 1"""
_SEVERAL_CONTRACTS = f"""SELECT a.name, (SELECT MIN(k.end_date) FROM contract k WHERE k.account_id =
    a.account_id AND k.status = 'active' AND k.end_date >= '2026-01-05') AS ending
    FROM account a WHERE a.active AND {_OWN_NAME}
    AND (SELECT COUNT(DISTINCT k.end_date) FROM contract k WHERE k.account_id = a.account_id AND k.status =
        'active' AND k.end_date >= '2026-01-05') > 1 AND strftime('%w', ending) BETWEEN '1' AND '5'"""
"""Customers of several contracts, the first ending on a working day, for nothing is planned on others."""
_LEADS_OF_TIME = {4: "four weeks", 6: "six weeks", 8: "eight weeks", 3: "three weeks"}


@family("hybrid", servers=("csm", "calendar"), perturbations=("missing_entity",))
def remind_of_renewal(s: Scene) -> None:
    """The contract of a customer that ends first gets a reminder weeks ahead, and its last day a mark."""
    s.pick_caller(DESK)
    weeks = s.rng.choice(list(_LEADS_OF_TIME))
    account = s.pick(f"SELECT * FROM ({_SEVERAL_CONTRACTS}) WHERE ending > :soon",
                     soon=str(TODAY + timedelta(weeks=weeks, days=2)))  # fmt: skip
    last = date.fromisoformat(account["ending"])
    head, foot = s.rng.choice((
        (f"Talk to {account['name']} about renewal", f"Contract of {account['name']} ends"),
        (f"Renewal: call {account['name']}", f"Last day: {account['name']}"),
        (f"{account['name']}: offer due", f"{account['name']}: contract runs out"),
    ))  # fmt: skip
    more = besides(s, *extras.of("csm", "calendar", but=(extras.count_entries,)))
    s.perturb("missing_entity", "UPDATE account SET name = name || ' Holding' WHERE name = :name",
              name=account["name"])  # fmt: skip
    s.indirect("the contract that ends first", hidden=[account["ending"], str(last - timedelta(weeks=weeks))])
    s.ask(
        """[Of the contracts|Among the contracts] that {account} has running, the [first to end|one that
        ends soonest] must not [slip by|pass unnoticed]. [Enter|Put] its last day into my calendar as
        "{foot}", a whole day, and {weeks} [earlier|before that], also for the whole day, "{head}".""",
        """{account} [renewed too late|was lost for a month] last time because nobody had the date. [Look
        up|Find out] which of their active contracts runs out next; [that|its last] day is "{foot}" in my
        own calendar, and {weeks} ahead of it [there is|I see] "{head}", both without hours.""",
        """My calendar needs two [whole-day entries|entries without hours] about {account}: "{head}",
        {weeks} before the [earliest|next] end of a contract that is active and [still runs|has not run
        out], and "{foot}" on the day [itself|of the end].""",
        """[For the renewal|To be in time for the renewal] with {account}, take the end of whichever
        active contract of theirs [comes to it first|is the first to end], [leaving out|not counting] any
        whose last day is over. "{foot}" [marks|stands on] that day on my calendar, "{head}" the one
        {weeks} before, all day.""",
        """[Sales asks|I get asked] when {account} is up for renewal, [and I have to guess|and nobody can
        say]. So "{foot}" [goes|belongs] on the day when the next of their running contracts ends and
        "{head}" {weeks} [sooner|ahead], whole days in my main calendar, nobody invited.""",
        """"{head}" should come up in my calendar {weeks} [before|ahead of the day on which] {account}
        [loses|sees the end of] the contract with the least time left, [expired ones aside|among those in
        force], and "{foot}" on that last day; [no hours|each for the whole day].""",
        account=account["name"], head=head, foot=foot, weeks=_LEADS_OF_TIME[weeks],
    )  # fmt: skip
    more.say()
    find_caller(s, *STAFF)
    found = s.do("get_accounts", "the customer", name=account["name"])
    same = found.every(name=account["name"])
    s.require(count(same), "==", 1, f"there is no account {account['name']}",
              names=(account["name"], MISSING))  # fmt: skip
    contracts = s.do("find_contracts", "which contracts run", account_id=same[0]["account_id"],
                     status="active")  # fmt: skip
    end = contracts.every(("end_date", ">=", str(TODAY))).smallest("end_date")["end_date"]
    calendar = s.do("get_calendar", "where the days go", calendarId="primary")
    more.look()
    for title, day, after, why in (
        (head, shift(end, f"-{weeks} weeks"), shift(end, f"-{weeks * 7 - 1} days"), "the reminder"),
        (foot, end, shift(end, "1 day"), "the last day"),
    ):
        s.do("create_event", why, calendarId=calendar["id"], summary=title, start={"date": day},
             end={"date": after}, sendUpdates="none")  # fmt: skip
    more.write()
    s.rule(
        "The reminder lies so many weeks before the last day, both as whole days",
        """SELECT COUNT(*) FROM events a JOIN events b ON a.calendar_id = b.calendar_id JOIN users u ON
        u.user_id = a.user_id WHERE a.summary = :head AND b.summary = :foot AND u.email = :me AND
        date(a.start_datetime, :ahead) = date(b.start_datetime) AND date(b.start_datetime) = :last""",
        server="calendar", head=head, foot=foot, me=look.caller_email(s), ahead=f"+{weeks * 7} days",
        last=account["ending"],
    )  # fmt: skip


_PAPERS = """SELECT u.email, d.name AS drive, f.name, f.id FROM users u JOIN drive_memberships m ON
    m.user_id = u.id JOIN drives d ON d.id = m.drive_id JOIN files f ON f.drive_id = d.id
    WHERE m.role <> 'reader' AND f.trashed IS NOT 1 AND f.is_shortcut IS NOT 1
    AND f.mime_type NOT LIKE '%folder' AND d.hidden IS NOT 1
    AND d.name IN ('Customer Support', 'Field Services', 'Sales', 'Product', 'Company Policies')
    AND (SELECT COUNT(*) FROM files g WHERE g.name = f.name AND g.trashed IS NOT 1) = 1
    AND f.name NOT LIKE '%''%'"""
_STATES = {"in_use": "in use", "in_stock": "in stock", "repair": "in repair"}


@family("hybrid", servers=("csm", "drive"), perturbations=("missing_entity", "no_right"))
def figures_into_file(s: Scene) -> None:
    """A figure about a customer's pieces is looked up in the case system and put on a file as a comment."""
    s.pick_caller(f"{DESK} AND {look.ALSO}", also=look.known_addresses(s, _PAPERS, "drive"))
    file = s.pick(f"{_PAPERS} AND u.email = :me ORDER BY f.id", "drive", me=look.caller_email(s))
    state = s.rng.choice(list(_STATES))
    account = s.pick(
        "SELECT a.name FROM account a JOIN installed_product i USING (account_id) WHERE i.status = :state AND"
        f" {_OWN_NAME} GROUP BY a.account_id", state=state,
    )  # fmt: skip
    said = _STATES[state]
    frame = s.rng.choice((
        f"{account['name']} has this many pieces {said} on 5 January: {{}}.",
        f"Pieces {said} at {account['name']}, as of 5 January: {{}}.",
        f"Count of 5 January for {account['name']}, pieces {said}: {{}}.",
    ))  # fmt: skip
    more = besides(s, *extras.of("csm", "drive", but=(extras.count_remarks,)))
    demote(s, "customer")
    s.perturb("missing_entity", "UPDATE files SET name = 'Draft of ' || name WHERE id = :id", "drive",
              id=file["id"])  # fmt: skip
    s.indirect("the number of pieces, which the case system counts")
    s.ask(
        """[Somebody|A reader] of "{file}" ({drive} drive) asked how many pieces {account} has {state}.
        The service desk system [counts|can count] them; [answer on the file|leave the answer on the
        file], as a comment in the form "{frame}", with the figure where N [is|stands].""",
        """"{frame}" [is missing as|should be] a comment on the file "{file}" in the drive {drive}, N
        being the number of pieces of {account} that are {state} [now|at present], [by|according to]
        the case system.""",
        """[Numbers grow old|The number in it is old], so "{file}", which lies in {drive}, needs a
        comment with a new one: how many of the [installed pieces|pieces] at {account} our records
        [show|have] as {state}. [Word it|Write it] like this, N replaced: "{frame}\"""",
        """[Before the visit|Ahead of our visit] to {account} the people who read "{file}" [should|have
        to] know what is {state} there. [Have it counted|Count it] in the customer system and comment on
        the file ({drive} drive) with "{frame}", [putting the count for N|where N is the count].""",
        """[In|From] the list of installed products, find out the number that {account} has {state}. It
        goes [under|on] "{file}" in the shared drive {drive}, not into the text but as a comment:
        "{frame}", where you [fill in|write] the number for N.""",
        """[Two tables|Two lists of mine] disagree about {account}. What the desk's system says on pieces
        {state} [counts|is right], hence the comment "{frame}" on the document "{file}" of {drive}, [with
        its figure|with that figure] instead of the N.""",
        file=file["name"], drive=file["drive"], account=account["name"], state=said, frame=frame.format("N"),
    )  # fmt: skip
    more.say()
    find_caller(s, *STAFF)
    found = s.do("get_accounts", "the customer", name=account["name"]).every(name=account["name"])
    s.require(count(found), "==", 1, f"there is no account {account['name']}")
    numbers = s.do("count_installed_product_by_status", "how many pieces are in which state",
                   account_id=found[0]["account_id"])  # fmt: skip
    drive = find_drive(s, file["drive"])
    paper = find_file(s, drive, file["name"], "the file to comment on")
    s.require(paper["capabilities"]["canComment"], "==", True, f"you may not comment on {file['name']}")
    words = text(frame, numbers.where(status=state)["count"])
    more.look()
    s.do("create_comments", "the figure, where it is asked for", fileId=paper["id"], content=words)
    more.write()


_PENDING = """SELECT g.name, COUNT(*) AS cases FROM customer_case c JOIN user_group g ON g.group_id =
    c.assignment_group_id JOIN contact k USING (contact_id) JOIN user u ON u.user_id = k.portal_user_id
    WHERE c.state = 'pending' AND g.active GROUP BY g.group_id HAVING COUNT(*) = COUNT(DISTINCT u.user_id)
    AND COUNT(*) = SUM(k.active AND u.active) AND COUNT(*) BETWEEN 2 AND 4"""


@family("hybrid", servers=("csm", "email"), perturbations=("no_right",))
def tell_waiting_customers(s: Scene) -> None:
    """Whoever waits with a pending case of a group gets a letter, each their own."""
    s.pick_caller(DESK)
    group = s.pick(_PENDING)
    until = s.day(3, 12)
    subject = s.rng.choice(("Your case is waiting", "News on your pending case", "Why your case rests",
                            "A word on your open case"))  # fmt: skip
    words = s.rng.choice((
        f"Your case is on hold with us. We will write again by {until.full}.",
        f"Nothing is forgotten: your case rests for now, and you hear from us by {until.full}.",
        f"Your case is pending at the moment. Expect our next message by {until.full}.",
    ))  # fmt: skip
    people = s.rows(
        """SELECT u.email FROM customer_case c JOIN user_group g ON g.group_id = c.assignment_group_id JOIN
        contact k USING (contact_id) JOIN user u ON u.user_id = k.portal_user_id WHERE c.state = 'pending'
        AND g.name = :group""", group=group["name"],
    )  # fmt: skip
    more = besides(s, *extras.of("csm", "email"))
    demote(s, "customer")
    s.covers("the contacts of all pending cases of the group")
    s.indirect("who waits", hidden=[row["email"] for row in people])
    s.ask(
        """[Nobody has written|We have not written] to the customers whose cases are pending in {group}.
        [Each contact|The contact of each] gets a mail from me alone, [titled|under] "{subject}":
        "{words}\"""",
        """[The holidays|December] left {group} with cases that rest, and [the people behind them|their
        contacts] hear nothing. Write to every one of them, [separately|one mail each], "{words}" with
        the subject "{subject}", from my own mailbox.""",
        """"{words}" [should reach|is for] the contacts of whatever {group} has in the state pending, one
        message [a person|for each], never several addresses in one; the subject [line is|reads]
        "{subject}".""",
        """[Go by|Take] the list of pending cases that {group} answers for. [Behind each|For each] there
        is a contact of the customer, and [that contact|this person] should find "{subject}" in the
        inbox, saying "{words}\"""",
        """[Complaints came in|There were complaints] about silence from {group}. [All whose|Everybody
        whose] case is pending there [receives|gets] a letter of mine ("{subject}"), addressed to them
        only: "{words}\"""",
        """[If a case rests|As long as a case rests], its customer wants to know. For the cases of
        {group} that are pending now this means a mail [per contact|to each contact] by the title
        "{subject}", text "{words}\"""",
        group=group["name"], subject=subject, words=words,
    )  # fmt: skip
    more.say()
    find_caller(s, *STAFF)
    team = s.do("find_user_group", "the group", name=group["name"])
    cases = s.do("get_cases_assigned_to", "what it has in hand", assignment_group_id=team["group_id"])
    seats = s.do_each(cases.every(state="pending"), "find_contacts", "who raised it",
                      contact_id=ROW["contact_id"])  # fmt: skip
    people_found = s.do_each(seats.every().every(active=1), "list_users", "the address to write to",
                             user_id=ROW["portal_user_id"])  # fmt: skip
    more.look()
    s.do_each(
        people_found.every().every(active=1), "send_message", "tell them", userId="me",
        payload={"headers": [{"name": "To", "value": ROW["email"]}, {"name": "Subject", "value": subject}],
                 "body": {"data": words, "size": length(words)}},
    )  # fmt: skip
    more.write()
