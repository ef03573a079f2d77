"""Scenarios in which HR knows whom something concerns: who reports to somebody, and who has just begun."""

import json
from typing import Any

from eops_traj.taskgen.expressions import ITEM, ROW, each, length
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE
from eops_traj.taskgen.scenarios.hr import lookups as hr
from eops_traj.taskgen.scenarios.hybrid import boards, extras, meetings
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.hybrid.people import OWNERS
from eops_traj.taskgen.scenarios.reasons import MISSING, NO_RIGHT, TAKEN
from eops_traj.taskgen.scene import Row, Scene

_BELOW = """SELECT x.email FROM hr_profile r JOIN user x USING (user_id) JOIN hr_profile p
    ON p.hr_profile_id = r.manager JOIN user b ON b.user_id = p.user_id WHERE b.email = :me
    AND r.employment_end_date IS NULL AND x.active"""
_LEADERS = f"""SELECT u.*, p.hr_profile_id FROM user u JOIN hr_profile p USING (user_id) WHERE u.active
    AND {look.STAFF} AND (SELECT COUNT(*) FROM hr_profile r JOIN user x USING (user_id)
        WHERE r.manager = p.hr_profile_id AND r.employment_end_date IS NULL AND x.active) BETWEEN 2 AND 5
    AND {look.STILL_CLEAR} AND {look.ALSO}"""


_PLANNERS = "SELECT email FROM users WHERE is_active"


def _find_reports(s: Scene) -> ResultRef:
    """Find everybody who reports to the caller and works here still."""
    user = s.do("get_user_using_email", "who asks", email=look.caller_email(s))
    mine = hr.find_profile(s, user, "the profile that others name as manager")
    below = s.do("fetch_hr_profiles", "who reports to it", manager=hr.id_text(mine["hr_profile_id"]))
    people = s.do_each(below.every(employment_end_date=None), "get_user", "their addresses",
                       user_id=text("{}", ROW["user_id"]))  # fmt: skip
    return people.every(active=True)


def _hidden(s: Scene) -> list[str]:
    return [row["email"] for row in s.rows(_BELOW, me=look.caller_email(s))]


@family("hybrid", servers=("hr", "calendar"), perturbations=("policy_forbids",))
def gather_reports(s: Scene) -> None:
    """Everybody who reports to somebody is invited to one meeting, if all of them are free."""
    s.pick_caller(_LEADERS, also=look.known_addresses(s, _PLANNERS, "calendar"))
    me, reports = look.caller_email(s), _hidden(s)
    when = meetings.pick_slot(s, *reports)
    title = s.rng.choice(("Round of the team", "Plans for spring", "Who does what in January",
                          "Goals of the team", "Open questions", "Holidays and deputies"))  # fmt: skip
    words = s.rng.choice(("We divide the work of the next weeks.", "Everybody says what they need to go on.",
                          "We agree on goals and on who stands in for whom."))  # fmt: skip
    call = f"VC-{s.rng.randrange(1000, 9999)}"
    more = besides(s, *extras.of("calendar"))
    meetings.make_busy(s, s.rng.choice([*sorted(reports), me]), when)
    s.covers("everybody who reports to the caller")
    s.indirect("my direct reports", hidden=reports)
    s.ask(
        """{when_up}, all who [report to me|have me as their manager] [come together|are to meet] for
        "{title}", [provided that|if] every one of them and I are free then. HR [knows|can tell you] who
        they are; the description is "{words}", and a video call [is needed|goes with it], number
        {call}.""",
        """[Invite|Please invite] the people who work directly under me, [as HR has it|according to their HR
        profiles] and still employed, to "{title}" {when}. [Write|Put] "{words}" into the description and
        add the video call {call}; should anybody be taken, [plan nothing|leave it].""",
        """"{title}": a meeting {when} with each of my direct reports [on record|in the HR system], no one
        left out, [about which it says|described as] "{words}", with a video call that has the number
        {call}. It [takes place|can be] only when nobody has something else.""",
        """[My team has grown|The team is not the old one any more], so go by the HR profiles and not by old
        lists: [everyone|everybody] whose manager I am and who has not left joins "{title}" {when}. Its
        description: "{words}". Its video call: {call}.""",
        """[To begin the year|As a start] I want a time that suits all of my people: {when}, "{title}",
        video call {call}, [explained by|with the description] "{words}". [My people are|I mean] those who
        report to me in HR, [former ones excepted|not those who left].""",
        """[As their manager|As manager] I call those who report to me in HR to "{title}", {when}, [with|and
        there is] a video call numbered {call}; [the text below the title|the description] reads "{words}".
        One busy calendar, [mine included|mine too], and there is no meeting.""",
        when=when.words, when_up=look.capital(when.words), title=title, words=words, call=call,
    )  # fmt: skip
    more.say()
    people = _find_reports(s)
    calendar = s.do("get_calendar", "the zone that the time is meant in", calendarId="primary")
    accounts = s.do_each(people, "get_user_by_email", "whether they can be invited", email=ROW["email"])
    s.require(count(accounts.every(is_active=False)), "==", 0, "somebody has left and cannot be invited")
    for who, items in (("everybody", each(people, {"id": ITEM["email"]})), ("you", [{"id": me}])):
        query: dict[str, Any] = {**meetings.freebusy_query([], when, calendar["timeZone"]), "items": items}
        busy = s.do("query_freebusy", f"whether {who} can come", **query)
        s.require(count(busy["calendars"].every()["busy"].every()), "==", 0,
                  "somebody who has to come is taken at that time", names=(TAKEN,))  # fmt: skip
    more.look()
    s.do("create_event", f"the meeting {title}", calendarId=calendar["id"], summary=title, description=words,
         start={"dateTime": f"{when.start:%Y-%m-%dT%H:%M:%S}", "timeZone": calendar["timeZone"]},
         end={"dateTime": f"{when.end:%Y-%m-%dT%H:%M:%S}", "timeZone": calendar["timeZone"]},
         attendees=each(people, {"email": ITEM["email"]}), sendUpdates="all", conferenceDataVersion=1,
         conferenceData={"createRequest": {"requestId": call,
                                           "conferenceSolutionKey": {"type": "hangoutsMeet"}}})  # fmt: skip
    more.write()
    meetings.add_meeting_rule(s, title, when, *reports)


_BY_PLACE = f"""SELECT p.position, p.location_type, COUNT(*) AS people FROM hr_profile p JOIN user u
    USING (user_id) WHERE u.active AND p.employment_end_date IS NULL AND u.{look.STAFF} AND u.email <> :me
    AND NOT EXISTS (SELECT 1 FROM hr_profile c JOIN user v USING (user_id) WHERE c.position = p.position
        AND c.location_type = p.location_type AND c.employment_end_date IS NOT NULL AND v.active)
    GROUP BY 1, 2 HAVING people BETWEEN 2 AND 5"""
_MATTERS = (
    ("Desks and chairs", "Tell me by Friday what is missing where you work."),
    ("How you work", "Does the way you work still suit you? A line to me is enough."),
    ("Question about your place of work", "What would make your place of work better? I collect wishes."),
    ("Your equipment", "Please send me a list of what you use, the insurer asks for it."),
    ("A change in spring", "The rules on places of work change in spring. I will call you before that."),
)


@family("hybrid", servers=("hr", "email"), perturbations=("inactive_person",))
def letters_by_workplace(s: Scene) -> None:
    """Everybody of one position who works in one kind of place gets a letter."""
    s.pick_caller(f"{hr.MANAGERS} AND {look.STAFF}")
    me = look.caller_email(s)
    row = s.pick(_BY_PLACE, me=me)
    position, place = row["position"], hr.WORKPLACES[row["location_type"]]
    subject, words = s.rng.choice(_MATTERS)
    more = besides(s, *extras.of("hr", "email"))
    s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE email = :me", me=me)
    s.covers(f"everybody in the position {position} who works {place}")
    s.indirect("who works in such a place")
    s.ask(
        """[Whoever|Everybody who] has the position {position} in HR and works {place} [gets|should get] a
        letter from me, one each: "{subject}" as the subject, "{words}" as the text. [Those who have
        left|Former people] and I [do not count|are left out].""",
        """"{words}" [goes|is to go] to all whose HR profile says {position} and who work {place}, [as long
        as|provided that] they are still employed; [I get none|none for myself]. [Separate mails|A mail to
        each], please, with "{subject}" as their subject.""",
        """[Nobody asks|We never ask] those in the position {position} who work {place}. [Mail|Write]
        "{words}" to every one of them who is with us yet, [other than|except] me, under the subject
        "{subject}", [each alone|one at a time].""",
        """[I collect opinions|This is a round of questions], position {position}, and only from people who
        work {place} [according to|by] their profile. They [each|all] find "{subject}" in their mailbox, [a
        mail of their own|sent singly], with the words "{words}", [not those who left|former ones not], and
        not I.""",
        """[Look up|Find] in HR who works {place} as {position}, [active people only|without those who
        left]. To each such person [but me|besides me] a mail of mine goes out, [titled|called] "{subject}":
        "{words}\"""",
        """[From me to each|My letter to each] colleague with the position {position} who works {place}, [is
        employed|has not left] and is not me: subject "{subject}", [body|text] "{words}", [no copies|nobody
        in copy].""",
        position=position, place=place, subject=subject, words=words,
    )  # fmt: skip
    more.say()
    asker = s.do("get_user_using_email", "who asks, and whether they still work here", email=me)
    s.require(asker["active"], "==", True, "you are inactive, and who is inactive may not ask for anything",
              names=(INACTIVE,))  # fmt: skip
    found = s.do(
        "fetch_hr_profiles", "who works like that", position=position, location_type=row["location_type"]
    )
    people = s.do_each(found.every(employment_end_date=None), "get_user", "their addresses",
                       user_id=text("{}", ROW["user_id"]))  # fmt: skip
    more.look()
    s.do_each(people.every(("email", "!=", me), active=True), "send_message", "a letter to each", userId="me",
              payload={"headers": [{"name": "To", "value": ROW["email"]},
                                   {"name": "Subject", "value": subject}],
                       "body": {"data": words, "size": length(words)}})  # fmt: skip
    more.write()


_SEATED = """SELECT u.user_principal_name AS email FROM teams t, json_each(t.members) m JOIN teams_users u
    ON u.user_id = m.value ->> 'userId' WHERE t.team_id = :team"""
_ENABLED = """SELECT user_principal_name AS email FROM teams_users WHERE account_enabled
    AND org_id = 'corvane-001'"""
_ALL_ENABLED = """NOT EXISTS (SELECT 1 FROM hr_profile r JOIN user x USING (user_id) WHERE r.manager =
    p.hr_profile_id AND r.employment_end_date IS NULL AND x.active
    AND x.email NOT IN (SELECT value FROM json_each(:open)))"""
_LINK = "https://graph.microsoft.com/v1.0/users('{}')"


def _lacks_reports(s: Scene, place: Row) -> bool:
    """Check whether a team lacks some of those who report to its owner."""
    seated = {row["email"] for row in s.rows(_SEATED, "teams", team=place["team_id"])}
    return not {row["email"] for row in s.rows(_BELOW, me=place["email"])} <= seated


@family("hybrid", servers=("hr", "teams"), perturbations=("no_right", "missing_entity"))
def seat_reports(s: Scene) -> None:
    """Those who report to somebody and are not in a team of theirs yet get a seat there."""
    fits = [place for place in s.rows(OWNERS, "teams") if _lacks_reports(s, place)]
    s.pick_caller(f"{_LEADERS} AND {_ALL_ENABLED}", also=json.dumps([place["email"] for place in fits]),
                  open=look.known_addresses(s, _ENABLED, "teams"))  # fmt: skip
    me, reports = look.caller_email(s), _hidden(s)
    place = s.pick(f"{OWNERS} AND email = :me AND team_id IN (SELECT value FROM json_each(:fits))", "teams",
                   me=me, fits=json.dumps([place["team_id"] for place in fits]))  # fmt: skip
    words = s.rng.choice(("My whole staff is in this team as of today, at my request.",
                          "As of today everybody who reports to me is a member here; I asked for it.",
                          "New members as of today, on my request: the rest of my staff."))  # fmt: skip
    more = besides(s, *extras.of("hr", "teams", but=(extras.count_members,)))
    s.perturb("no_right", boards.DEMOTE_OWNER, "teams", me=me, id=place["team_id"])
    s.perturb("missing_entity", "UPDATE teams SET display_name = display_name || ' 2025' WHERE team_id = :id",
              "teams", id=place["team_id"])  # fmt: skip
    s.covers("everybody who reports to the caller and is not in the team")
    s.indirect("my direct reports", hidden=sorted(reports))
    s.branches("who has a seat already")
    s.ask(
        """[Not all|Only some] of those who report to me are in {team}, the team I own. [According to|Going
        by] HR, find out who is missing, make them plain members [in one go|all at once in one step], and
        let General say: "{words}\"""",
        """{team} should hold [everybody|everyone] whose manager I am [in the HR profiles|in HR]. Whoever of
        them works here still and [has no seat|is not inside] gets one, as a member and no more; [then|after
        that] post "{words}" in General.""",
        """[The HR system says|HR says] who my people are. [Add|Take] to my team {team} those of them [who
        are not in it|it lacks], without owner's rights, together, [followed by|and then] "{words}" in its
        General channel.""",
        """General of {team} will read "{words}" [from me|in my name]. [That needs|For this], every one of
        my direct reports [on record|in HR], former ones aside, [has to be|must be] a member: add whoever is
        not, with no special role.""",
        """[My new hires|Some of my staff] cannot see what {team} writes. [So|Hence] all who have me as
        manager in their HR profile, still employed and [not seated there yet|not yet in there], are added
        as members, and "{words}" goes into General.""",
        """[Compare|Match] the list of those who report to me in HR with the members of {team}, my own team,
        and [fill the gaps|add what is missing] with plain members; the roles of [the others|those inside]
        stay. The notice in General [is|reads] "{words}\"""",
        team=place["team"], words=words,
    )  # fmt: skip
    more.say()
    people = _find_reports(s)
    teams = s.do("list_teams", "the team", _filter=f"displayName eq '{place['team']}'")["value"]
    s.require(count(teams), "==", 1, f"there is no team named {place['team']}",
              names=(place["team"], MISSING))  # fmt: skip
    members = s.do("list_team_members", "who has a seat", teamId=teams[0]["id"])["value"]
    s.require(members.where(email=me)["roles"], "==", ["owner"], f"you do not own {place['team']}",
              names=(place["team"], f"own|{NO_RIGHT}"))  # fmt: skip
    general = s.do("get_primary_channel", "where notices stand", teamId=teams[0]["id"])
    more.look()
    s.do("add_team_members_in_bulk", "a seat for each of them", teamId=teams[0]["id"],
         values=each(people.every(("email", "not in", members.every()["email"])),
                     {"_odata_type": "#microsoft.graph.aadUserConversationMember", "roles": ["member"],
                      "user_odata_bind": text(_LINK, ITEM["email"])}))  # fmt: skip
    boards.post_message(s, teams[0], general, words, "tell the team")
    more.write()
    boards.add_post_rule(s, boards.Channel(place["team"], "General"), words)
