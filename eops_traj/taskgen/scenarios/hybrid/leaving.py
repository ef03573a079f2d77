"""Scenarios about people who leave: for good, or for a time."""

import json
from datetime import timedelta

from eops_traj.taskgen.dates import TODAY, Day, day
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive.lookups import find_drive
from eops_traj.taskgen.scenarios.hr.leaving import hand_on_reports
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEMOTE_CALLER,
    MANAGERS,
    PEOPLE,
    UNIQUE_NAME,
    find_person,
    find_profile,
    find_service,
    full_name,
    id_text,
    notify,
    require_manager,
    require_no_open_case,
)
from eops_traj.taskgen.scenarios.hybrid import extras
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.hybrid.lookups import FREE, add_case_rule, open_case
from eops_traj.taskgen.scenarios.reasons import known_as
from eops_traj.taskgen.scene import Row, Scene


@family("hybrid", servers=("hr", "drive"), perturbations=("no_right", "policy_forbids", "two_namesakes"))
def leave_for_good(s: Scene) -> None:
    """Somebody leaves: the employment and the account end, and so does their place in a shared drive."""
    leavers = {row["email"]: row for row in s.rows(_LEAVERS, me="")}
    alike = _places_alike(s, leavers)
    s.pick_caller(f"{MANAGERS} AND {look.ALSO}", also=json.dumps([place["email"] for place, _ in alike]))
    drive, other = s.rng.choice([pair for pair in alike if pair[0]["email"] == look.caller_email(s)])
    who = leavers[drive["seat"]]
    groups = s.rows(
        "SELECT g.* FROM user_group g JOIN user_group_member m USING (group_id) WHERE m.user_id = :user"
        " ORDER BY g.name",
        user=who["user_id"],
    )
    more = besides(s, *extras.of("hr", "drive"))
    s.perturb("no_right", DEMOTE_CALLER, me=look.caller_email(s))
    s.perturb(
        "policy_forbids",
        "UPDATE hr_profile SET employment_end_date = '2025-12-31 00:00:00' WHERE user_id = :user",
        user=who["user_id"],
    )
    s.perturb("two_namesakes", "UPDATE user SET first_name = :first, last_name = :last WHERE email = :other",
              first=who["first_name"], last=who["last_name"], other=other["seat"])  # fmt: skip
    s.ask(
        """{who} [hands in the badge|has the last working day] this Monday, 5 January, so the
        employment ends, the account in HR [is switched off|becomes inactive] and the seat in our shared
        drive {drive} [goes|is given up]. {groups} [As far as I know|To my knowledge] nobody reports to
        {who} and no case is open, which you should [verify|check].""",
        """[Contracts being what they are|By mutual agreement], {who} [leaves|is leaving] us with the end
        of this day. [That means|It comes to] an offboarded profile, an inactive user, and no more access
        to the drive {drive}. {groups} [Make sure|Convince yourself] that no work and no reports are
        [left behind|still theirs].""",
        """[Nobody thought of|So far nobody has thought of] the drive {drive} when {who} [gave
        notice|resigned], and {who} is still in it. [End that|Take that place away] together with the
        employment, as of today, and with the [user account|login in HR]. {groups} [No cases and no
        direct reports|Neither cases nor people], I am told, but [look before you act|do look].""",
        """[The exit talk with|Our last talk with] {who} [was this morning|is over]. [What remains|Left
        to do]: profile to its end as of today, person set to inactive, membership of {drive}, which is a
        shared drive, deleted. {groups} Whether somebody [reports to|is led by] {who} or a case is
        [left|unfinished] has to be looked up [first|before that].""",
        """{who} [will not be with us|is no longer one of us] from tomorrow on. [For the audit|For a
        clean record] everything [ends|has to end] on the same day: the employment, the account, the
        place in the {drive} drive. {groups} I [believe|think] there are no reports and no open work,
        [please confirm it|though a check is needed].""",
        """[Offboarding of|The matter is the offboarding of] {who}, effective as of today: [in HR|with HR] the
        profile ends and the user [is deactivated|becomes inactive], and [in Drive|elsewhere] nothing of
        {drive} stays [open to them|within their reach]. {groups} [Check that|See whether] cases or
        people still depend on {who}, for [I was not sure|nobody could tell me].""",
        who=full_name(who), drive=drive["drive"],
        groups=f"Their only group is {groups[0]['name']}, which ends too." if len(groups) == 1
        else f"The groups {groups[0]['name']} and {groups[1]['name']}, their only ones, end too." if groups
        else "There are no groups to think of.",
    )  # fmt: skip
    more.say()
    s.as_one()
    require_manager(s)
    user = find_person(s, who, "who leaves")
    record = find_profile(s, user, "whether the employment still runs")
    known = known_as(full_name(who))
    s.require(
        record["employment_end_date"], "==", None, f"the employment of {full_name(who)} has ended already",
        names=(known, "ended|end date|already|left|offboard|terminated|2025-12-31|31 December|December 31"),
    )  # fmt: skip
    below = s.do("fetch_hr_profiles", "who reports to them", manager=id_text(record["hr_profile_id"]))
    s.do("get_cases_assigned_to", "the cases they leave, to be listed", assigned_to=full_name(who))
    place = find_drive(s, drive["drive"])
    seat = s.do("list_permission", "who is in it", fileId=place["id"])["permissions"].where(
        emailAddress=user["email"]
    )
    left = [s.do("find_group_by_name", "a group to leave", name=group["name"]) for group in groups]
    more.look()
    hand_on_reports(s, below, record)
    for group in left:
        s.do("remove_group_membership", "out of the group", group_id=id_text(group["group_id"]),
             user_id=id_text(user["user_id"]))  # fmt: skip
    s.do("offboard_hr_profile", "the employment ends today", hr_profile_id=id_text(record["hr_profile_id"]))
    s.do("update_user_details", "the account ends", user_id=id_text(user["user_id"]), active=False)
    s.do("delete_permission", "the place in the drive ends", fileId=place["id"], permissionId=seat["id"])
    more.write()
    s.rule(
        "The employment ended today and not before, and the person stays on record, inactive, in no group",
        """SELECT COUNT(*) FROM user u JOIN hr_profile p USING (user_id) WHERE u.email = :email AND u.active
        = 0 AND p.employment_end_date >= '2026-01-05' AND NOT EXISTS (SELECT 1 FROM user_group_member m
        WHERE m.user_id = u.user_id)""",
        email=who["email"],
    )
    s.rule(
        "The drive still has two organizers, and the person is not in it",
        """SELECT (SELECT COUNT(*) FROM drive_memberships m JOIN users u ON u.id = m.user_id WHERE
        m.drive_id = d.id AND u.email = :email) || ' ' || ((SELECT COUNT(*) FROM drive_memberships m WHERE
        m.drive_id = d.id AND m.role = 'organizer') >= :organizers) FROM drives d WHERE d.name = :drive""",
        expected="0 1", server="drive", email=who["email"], drive=drive["drive"],
        organizers=drive["organizers"],
    )  # fmt: skip


_LEAVERS = f"""{PEOPLE} AND {UNIQUE_NAME} AND u.role IN ('employee', 'agent')
    AND p.employment_end_date IS NULL
    AND (SELECT COUNT(*) FROM user_group_member m WHERE m.user_id = u.user_id) <= 2
    AND p.hr_profile_id NOT IN (SELECT manager FROM hr_profile WHERE manager IS NOT NULL)
    AND u.user_id NOT IN (SELECT assigned_to FROM hr_case WHERE assigned_to IS NOT NULL)
    AND u.user_id NOT IN (SELECT assigned_to FROM hr_case_task WHERE assigned_to IS NOT NULL)"""
"""Who could leave today: nobody reports to them, and no work is theirs."""
_SEATS = """SELECT u.email, x.email AS seat, d.name AS drive, (SELECT COUNT(*) FROM drive_memberships c
    WHERE c.drive_id = d.id AND c.role = 'organizer') AS organizers FROM drives d
    JOIN drive_memberships o ON o.drive_id = d.id AND o.role = 'organizer' JOIN users u ON u.id = o.user_id
    JOIN drive_memberships m ON m.drive_id = d.id AND m.role <> 'organizer' JOIN users x ON x.id = m.user_id
    WHERE d.hidden IS NOT 1 AND d.admin_managed_restrictions IS NOT 1 ORDER BY d.name, x.email"""
"""Who has a place in a shared drive, with each of its organizers."""
_GROUPS = "SELECT email, group_id FROM user_group_member JOIN user USING (user_id) ORDER BY group_id"


def _places_alike(s: Scene, leavers: dict[str, Row]) -> list[tuple[Row, Row]]:
    """Pair the places in one drive of leavers in the same groups: what is said of one holds for the other."""
    rows = s.rows(_GROUPS)
    groups = {email: [row["group_id"] for row in rows if row["email"] == email] for email in leavers}
    seats = [row for row in s.rows(_SEATS, "drive") if row["seat"] in leavers]
    return [
        (one, other) for one in seats for other in seats
        if (one["drive"], one["email"]) == (other["drive"], other["email"]) and one["seat"] != other["seat"]
        and groups[one["seat"]] == groups[other["seat"]]
    ]  # fmt: skip


_SILENT = """SELECT u.email FROM users u JOIN vacation_settings v ON v.user_id = u.id WHERE NOT
    v.enable_auto_reply AND coalesce(v.response_body_html, '') = ''"""
"""Whose mail is not answered at present."""


@family("hybrid", servers=("hr", "calendar", "email"), ood=True,
        perturbations=("impossible_date", "no_right", "policy_forbids"))  # fmt: skip
def own_leave(s: Scene) -> None:
    """Somebody prepares their own leave: the case, the absence in the calendar, the answer to mail."""
    service_name = s.rng.choice(("Policy Question", "Annual Leave Correction"))
    s.pick_caller(
        f"SELECT u.* FROM user u JOIN hr_profile p USING (user_id) WHERE u.role IN ('manager', 'admin')"
        f" AND u.active AND {FREE} AND {look.ALSO}",
        service=service_name,
        also=look.known_addresses(s, _SILENT, "email"),
    )
    first = s.day(7, 25)
    last = Day(first.date + timedelta(s.rng.choice((2, 4, 7, 9, 11, 14))), "")
    ends = (last.date - TODAY).days
    back = day(s.rng, ends + 1, ends + 3)
    until = f"{last.date.day} {last.date:%B}"
    stand_in = s.pick("SELECT u.* FROM user u WHERE active AND role IN ('manager', 'agent') AND email <> :me"
                      f" AND {UNIQUE_NAME}", me=look.caller_email(s))  # fmt: skip
    matter = s.rng.choice(("Time off as agreed with my manager", "Absence that was agreed last year",
                           "Leave in the first quarter", "Days away from work"))  # fmt: skip
    subject = s.rng.choice(("Away from my desk", "Not in the office", "Out for some days"))
    words = s.rng.choice((f"I am away and back on {back.full}. {full_name(stand_in)} stands in for me.",
                          f"{full_name(stand_in)} takes care of my mail until {back.full}.",
                          f"Please turn to {full_name(stand_in)}; I return on {back.full}."))  # fmt: skip
    decline = s.rng.choice(("I am not available on these days.", "Sorry, I cannot take part in this.",
                            "Please find another time, I am away."))  # fmt: skip
    more = besides(s, *extras.of("calendar", "email", but=(extras.count_entries,)))
    s.perturb("no_right", DEMOTE_CALLER, me=look.caller_email(s))
    s.perturb(
        "policy_forbids", "UPDATE hr_service SET active = 0 WHERE service_name = :name", name=service_name
    )
    end = s.phrase(
        "impossible_date",
        until,
        s.rng.choice(("31 December 2025", "30 December 2025", "2 January", "4 January")),
    )
    s.ask(
        """From {first} [to|until] {end} I [will be away|take leave]. HR [wants|needs] a case of
        {service} for it, "{matter}", of moderate priority; my calendar [should show|gets] "{title}" on
        those days as a whole and [refuse|decline] what comes in with "{decline}"; and [colleagues|people
        inside] who write to me [get|receive] "{words}", subject "{subject}".""",
        """[My manager has agreed|It is agreed] that I [am off|stay away] from {first} [up to|to] and
        including {end}. [Three systems|Three places] have to know: HR through a {service} case of
        moderate priority ("{matter}"), the calendar through an absence "{title}" that [turns invitations
        down|declines] with "{decline}", and mail through an automatic reply to our own domain,
        "{subject}": "{words}\"""",
        """[People will write to me|There will be mail] while I am out, and [the answer to|what]
        colleagues is [|meant to be ]"{words}" under "{subject}", from {first} to {end}. [For the same
        days|Over that time] the calendar says "{title}", out of office, [with|and answers] "{decline}"
        for every invitation, and a moderate case, {service}, "{matter}", [goes|is opened] with HR in my
        name.""",
        """{first} is my first day [off|of absence], {end} the last. [With HR|For the file] that is
        {service}, text "{matter}", moderate, for myself. [In the calendar|On the calendar]: whole days,
        "{title}", conflicting invitations [declined|turned down] with "{decline}". [To mail|In the
        mailbox]: a reply for people of the company, "{subject}", [that reads|saying] "{words}\"""",
        """[To prepare my absence|Ahead of my absence] ({first} to {end}, [both included|including both])
        I need my own case of {service}, moderate and [named|worded] "{matter}", days marked "{title}"
        that decline with "{decline}", and a vacation responder that tells [staff|our own staff]
        "{words}", headed "{subject}".""",
        """[Nobody should wait for me|I cannot be reached] between {first} and {end}. [Block|Take] those
        days as "{title}" and let the calendar [refuse|decline] whatever [clashes|overlaps], "{decline}";
        [answer|have] internal mail [answered |]with "{words}" ("{subject}"); and [file|open] "{matter}"
        with HR, for me, under {service}, at moderate priority.""",
        first=first.full, end=end, service=service_name, matter=matter, title=subject, decline=decline,
        subject=subject, words=words,
    )  # fmt: skip
    more.say()
    s.as_one()
    s.refuse("impossible_date", "the last day lies before the first",
             names=("last|end|until|return|finish", "before|earlier|precede|prior|after|past"))  # fmt: skip
    user = require_manager(s)
    offer = find_service(s, service_name)
    require_no_open_case(s, user, service_name)
    private = find_profile(s, user, "where to write to")
    before = s.do("get_vacation_settings", "what the reply is set to now", userId="me")
    more.look()
    case = open_case(s, user, offer, service_name, matter, "moderate", "self-service")
    notify(s, case, private["personal_email"], "update", "ready", "the case was opened")
    after = (last.date + timedelta(1)).isoformat()
    s.do("create_event", "the days are taken", calendarId="primary", summary=subject, eventType="outOfOffice",
         start={"date": first.iso}, end={"date": after}, sendUpdates="none",
         outOfOfficeProperties={"autoDeclineMode": "declineAllConflictingInvitations",
                                "declineMessage": decline})  # fmt: skip
    s.do(
        "update_vacation_settings", "mail is answered", userId="me", enableAutoReply=True,
        responseSubject=subject, responseBodyPlainText=words, responseBodyHtml="",
        restrictToContacts=before["restrictToContacts"], restrictToDomain=True,
        startTime=f"{first.iso}T00:00:00Z", endTime=f"{after}T00:00:00Z",
    )  # fmt: skip
    more.write()
    add_case_rule(s, service_name, matter, look.caller_email(s))
    s.rule(
        "Mail is answered from the first day to the end of the last, within the company alone",
        """SELECT COUNT(*) FROM vacation_settings v JOIN users u ON u.id = v.user_id WHERE u.email = :me AND
        v.enable_auto_reply = 1 AND v.restrict_to_domain = 1 AND v.start_time = :start AND v.end_time =
        :end""",
        server="email", me=look.caller_email(s), start=f"{first.iso} 00:00:00", end=f"{after} 00:00:00",
    )  # fmt: skip
    s.rule(
        "The absence covers the same days as a whole and declines what it meets",
        """SELECT COUNT(*) FROM events e JOIN users u USING (user_id) WHERE u.email = :me AND e."eventType"
        = 'outOfOffice' AND date(e.start_datetime) = :first AND date(e.end_datetime) = :after AND
        e."outOfOfficeProperties" ->> '$.autoDeclineMode' = 'declineAllConflictingInvitations'""",
        server="calendar", me=look.caller_email(s), first=first.iso, after=after,
    )  # fmt: skip
