"""Scenarios in which a relation that HR or a label knows decides what is entered elsewhere."""

from eops_traj.taskgen.expressions import shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive.lookups import REVIEW_DUE, find_drive, find_file
from eops_traj.taskgen.scenarios.email.lookups import ADMINS_ONLY
from eops_traj.taskgen.scenarios.hr import lookups as hr
from eops_traj.taskgen.scenarios.hybrid import extras
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.reasons import LEFT, known_as
from eops_traj.taskgen.scene import Scene

_LED = f"""SELECT u.*, b.email AS boss, p.hr_profile_id FROM user u JOIN hr_profile p USING (user_id)
    JOIN hr_profile q ON q.hr_profile_id = p.manager JOIN user b ON b.user_id = q.user_id
    WHERE u.active AND b.active AND {hr.UNIQUE_NAME} AND u.email <> :me AND b.email <> :me
    AND u.email IN (SELECT value FROM json_each(:open)) AND b.email IN (SELECT value FROM json_each(:open))"""
_OPEN = """SELECT u.email FROM users u WHERE u.active AND NOT EXISTS (SELECT 1 FROM delegates d
    WHERE d.user_id = u.id)"""


@family("hybrid", servers=("hr", "email"), perturbations=("inactive_person", "no_right"))
def manager_as_delegate(s: Scene) -> None:
    """The manager whom HR has for somebody becomes a delegate of their mailbox, and is written to."""
    admins = look.known_addresses(s, "SELECT email FROM users WHERE active AND role = 'admin'", "email")
    s.pick_caller(f"SELECT * FROM user WHERE active AND {look.ALSO}", also=admins)
    me = look.caller_email(s)
    who = s.pick(_LED, me=me, open=look.known_addresses(s, _OPEN, "email"))
    name = hr.full_name(who)
    words = s.rng.choice((f"You can read and answer the mail of {name} for the time being.",
                          f"The mailbox of {name} is open to you as a delegate.",
                          f"You now stand in for {name} where mail is concerned."))  # fmt: skip
    subject = s.rng.choice(("A mailbox to look after", "Delegate", "Mail in your care"))
    more = besides(s, *extras.of("email"))
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE email = :boss", "email", boss=who["boss"])
    s.perturb("no_right", "UPDATE users SET role = 'employee' WHERE email = :me", "email", me=me)
    s.indirect("the manager of that person", hidden=[who["boss"]])
    s.ask(
        """{who} [asked me|came to me] for a delegate in the mailbox while [parental leave|a long
        absence] lasts, and wants it to be the manager whom HR [has on file|names]. [Add|Enter] that
        person, and send them "{words}" with the subject "{subject}".""",
        """[At the wish of|As wished by] {who}, their own manager [looks after|takes care of] their mail
        from now on. [Who that is stands|You find who that is] in the HR profile; make it a proper
        delegation, then write "{words}" to the new delegate, [titled|under] "{subject}".""",
        """"{subject}", "{words}": that mail [is for|goes to] the manager of {who}, as soon as the same
        manager is a delegate of the mailbox. [It is {who} who|The owner {who}] [wants|asked for] it, [HR
        tells|the profile in HR tells] whom it means.""",
        """[We have|There is] a request by {who} to let the line manager into {who}'s mailbox as a
        delegate. Go by the HR profile, not by [what people say|hearsay], and tell the manager in a mail
        of mine, "{subject}": "{words}\"""",
        """[The mail of|What comes in for] {who} must not lie for weeks, and {who} would like the person
        they report to in HR to be delegate. After [setting it up|it is set up], "{words}" goes to that
        person, from me, as "{subject}".""",
        """{who} wants [help with|an eye kept on] the inbox, by no one but the manager in the profile
        that HR keeps. [Give|Grant] that delegation, and [inform|notify] the manager by mail: subject
        "{subject}", text "{words}\"""",
        who=name, words=words, subject=subject,
    )  # fmt: skip
    more.say()
    user = hr.find_person(s, who, "whose mailbox it is")
    profile = hr.find_profile(s, user, "who leads them")
    above = s.do("get_hr_profile_by_id", "the profile of the manager",
                 hr_profile_id=hr.id_text(profile["manager"]))  # fmt: skip
    boss = s.do("get_user", "the address of the manager", user_id=hr.id_text(above["user_id"]))
    box = s.do("get_user_profile", "the mailbox is open to you", userId=user["email"])
    s.require_ok(box, f"only an administrator may do this in the mailbox of {name}",
                 names=ADMINS_ONLY)  # fmt: skip
    other = s.do("get_user_profile", "the mailbox of the delegate is open", userId=boss["email"])
    s.require_ok(other, "the manager has left, and the mailbox is closed",
                 names=(f"manager|{known_as(str(boss['first_name'].value))}", LEFT))  # fmt: skip
    there = s.do("email_list_delegates", "who is one already", userId=user["email"])["delegates"]
    s.require(count(there), "<", 3, "the mailbox has three delegates already")
    more.look()
    s.do("email_create_delegate", "let the manager in", userId=user["email"], delegateEmail=boss["email"])
    look.send_mail(s, boss["email"], subject, words, "tell the manager")
    more.write()


_DUE = f"""SELECT u.email, d.name AS drive, f.name, f.id, {REVIEW_DUE} AS due FROM users u JOIN
    drive_memberships m ON m.user_id = u.id JOIN drives d ON d.id = m.drive_id JOIN files f ON
    f.drive_id = d.id WHERE m.role <> 'reader' AND f.trashed IS NOT 1 AND f.is_shortcut IS NOT 1
    AND d.hidden IS NOT 1 AND {REVIEW_DUE} > '2026-01-16' AND f.name NOT LIKE '%''%' AND
    (SELECT COUNT(*) FROM files g WHERE g.name = f.name AND g.drive_id = f.drive_id
        AND g.trashed IS NOT 1) = 1"""
_AHEAD = {1: "the day before", 2: "two days before", 7: "a week before"}


@family("hybrid", servers=("calendar", "drive"), ood=True, perturbations=("missing_entity",))
def review_day(s: Scene) -> None:
    """The day on which a file has to be reviewed is read from its label and put into a calendar."""
    s.pick_caller(f"SELECT * FROM users WHERE is_active AND {look.ALSO}",
                  also=look.known_addresses(s, _DUE, "drive"))  # fmt: skip
    file = s.pick(f"{_DUE} AND u.email = :me ORDER BY f.id", "drive", me=look.caller_email(s))
    days = s.rng.choice(list(_AHEAD))
    title = s.rng.choice((f"Read {file['name']}", f"Review: {file['name']}", f"{file['name']} once more"))
    remark = s.rng.choice(("The review is in my calendar.", "I look at this in time for the review.",
                           "I have set a day aside for the review."))  # fmt: skip
    more = besides(
        s,
        *extras.of(
            "calendar",
            "drive",
            but=(
                extras.count_entries,
                extras.count_remarks,
            ),
        ),
    )
    s.perturb("missing_entity", "UPDATE files SET name = 'Draft of ' || name WHERE id = :id", "drive",
              id=file["id"])  # fmt: skip
    s.indirect("the day on which the review is due", hidden=[file["due"]])
    s.ask(
        """"{file}" in the drive {drive} [carries|has] a label that says when its review is due.
        [Block|Put] {ahead} that date into my calendar as a whole day, "{title}", and [leave|write]
        "{remark}" on the file as a comment.""",
        """[I tend to miss|I have missed] the reviews of our papers. [For|In the case of] "{file}", drive
        {drive}, the day itself stands among its labels; I want "{title}" in my own calendar {ahead}, all
        day, and "{remark}" as a comment there.""",
        """[Find out|Look up] from the labels of "{file}" ({drive} drive) when it must be reviewed.
        {ahead_up} my calendar [shows|reads] "{title}", without hours or guests, [and on|while on] the
        file a comment says "{remark}\"""",
        """"{title}" is a whole-day entry that I need in my main calendar {ahead} the review of "{file}"
        falls due; [ask|go by] the file's own label in {drive}. [Whoever reads|Those who read] it should
        see my comment "{remark}\"""",
        """[The owner of|The people behind] {drive} want to be sure that I read "{file}" before its
        review date. [Comment|Answer] "{remark}" on it, and [make that true|keep the promise] with
        "{title}" in my calendar, all day, {ahead} the date on the label.""",
        """[Review dates|The dates of reviews] are kept as labels. Take that of "{file}" in {drive}, go
        to {ahead}, and enter "{title}" [there|on that day] in my calendar, the whole of it; [the
        comment|a comment] "{remark}" on the file tells the rest.""",
        file=file["name"], drive=file["drive"], ahead=_AHEAD[days], ahead_up=look.capital(_AHEAD[days]),
        title=title, remark=remark,
    )  # fmt: skip
    more.say()
    drive = find_drive(s, file["drive"])
    paper = find_file(s, drive, file["name"], "the file")
    labels = s.do("list_files_labels", "when its review is due", fileId=paper["id"])["labels"]
    due = labels.where(fields__review_due__id="review_due")["fields"]["review_due"]["dateString"][0]
    calendar = s.do("get_calendar", "where the day goes", calendarId="primary")
    more.look()
    s.do("create_event", "a day for it", calendarId=calendar["id"], summary=title,
         start={"date": shift(due, f"-{days} days")}, end={"date": shift(due, f"-{days - 1} days")},
         sendUpdates="none")  # fmt: skip
    s.do("create_comments", "the remark", fileId=paper["id"], content=remark)
    more.write()
