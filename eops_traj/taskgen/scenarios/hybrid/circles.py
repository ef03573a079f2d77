"""Scenarios about everybody of a kind: a group gets seats in a team, reports a calendar, managers a mail."""

import json

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ITEM, ROW, each, holds, length
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.hr import lookups as hr
from eops_traj.taskgen.scenarios.hybrid import boards, extras
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.hybrid.people import OWNERS
from eops_traj.taskgen.scenarios.itsm.lookups import find_group
from eops_traj.taskgen.scenarios.reasons import MISSING, NO_RIGHT
from eops_traj.taskgen.scene import Scene

_GROUP_PEOPLE = """SELECT u.email, u.active FROM user_group_member m JOIN users u USING (user_id)
    WHERE m.group_id = :group"""
_SEATED = """SELECT u.user_principal_name AS email FROM teams t, json_each(t.members) m JOIN teams_users u
    ON u.user_id = m.value ->> 'userId' WHERE t.team_id = :team"""
_LINK = "https://graph.microsoft.com/v1.0/users('{}')"


@family("hybrid", servers=("itsm", "teams"), perturbations=("no_right", "missing_entity", "inactive_person"))
def seat_the_group(s: Scene) -> None:
    """Everybody of a group of the service desk who is not in a team yet gets a seat there at once."""
    s.pick_caller(f"{OWNERS} AND email LIKE '%@corvane.example'", "teams")
    me = look.caller_email(s)
    place = s.pick(f"{OWNERS} AND email = :me", "teams", me=me)
    group = s.pick("SELECT * FROM user_group WHERE org_id = 'ORG_001' AND active AND name <> :team"
                   " ORDER BY group_id", team=place["team"])  # fmt: skip
    seated = {row["email"] for row in s.rows(_SEATED, "teams", team=place["team_id"])}
    rows = s.rows(_GROUP_PEOPLE, group=group["group_id"])
    people = {row["email"] for row in rows}
    if len(people) < 2 or people & seated or not all(row["active"] for row in rows):
        raise NoMatch("some of the group are in the team, or have left")
    words = s.rng.choice((
        f"Everybody of {group['name']} is a member here as of today, at my request.",
        f"From today on the people of {group['name']} are members of this team; I asked for it.",
        f"New members as of today, on my request: all of {group['name']}.",
    ))  # fmt: skip
    more = besides(s, *extras.of("itsm", "teams", but=(extras.count_members,)))
    s.perturb("no_right", boards.DEMOTE_OWNER, "teams", me=me, id=place["team_id"])
    s.perturb("missing_entity", "UPDATE teams SET display_name = display_name || ' 2025' WHERE team_id = :id",
              "teams", id=place["team_id"])  # fmt: skip
    s.perturb("inactive_person", "UPDATE user_group SET active = 0 WHERE group_id = :id",
              id=group["group_id"])  # fmt: skip
    s.covers("everybody of the group who is not in the team yet")
    s.ask(
        """[We share the rota|The rota is shared] with {group} from this week on, so all of [them|that
        service desk group] who [are not members|have no seat] of my team {team} yet [should get one|get
        one now], as plain members. General then [says|reads]: "{words}\"""",
        """[In ITSM|On the service desk] there is a group called {group}. Whoever is in it and [missing
        from|not in] {team}, a team of mine in Teams, [is to join|joins], without rights of an owner;
        "{words}" [goes|is posted] into General.""",
        """{team} [has grown too small|is too small a circle] for the matters we discuss, and {group}
        [has a part in|is concerned by] nearly all of them. [Compare|Match] the members of that support
        group with those of the team, [add|take in] the ones who are lacking, and post "{words}" in its
        General.""",
        """[Without a seat|Being outside] in {team} the people of {group} [miss half of|do not see] what
        we decide. [Make members|Turn into members] of all who work in that group [and are still
        outside|but are still outside], in one go, and let General say "{words}\"""",
        """"{words}" [That|This] is to stand in General of {team}, the team I own, [once|when] it is
        true: [each|every] person in the ticket group {group} is a member, those who were in before
        [keep|keeping] the role they have.""",
        """[My team|The team I look after], {team}, takes in the colleagues of {group}, [as the desk
        calls it|which is a group of our desk]. Only those who [are lacking|are not there yet] have to be
        added, all as members; [the notice for|what goes into] General is "{words}\"""",
        group=group["name"], team=place["team"], words=words,
    )  # fmt: skip
    more.say()
    look.only_if_active(s, group["name"])
    target = find_group(s, group["name"], "whose people are meant")
    seats = s.do("list_group_members", "who is in that group", group_id=target["group_id"])["group_members"]
    found = s.do_each(seats, "get_user", "their addresses", user_id=ROW["user_id"])
    teams = s.do("list_teams", "the team", _filter=f"displayName eq '{place['team']}'")["value"]
    s.require(count(teams), "==", 1, f"there is no team named {place['team']}",
              names=(place["team"], MISSING))  # fmt: skip
    members = s.do("list_team_members", "who has a seat", teamId=teams[0]["id"])["value"]
    s.require(members.where(email=me)["roles"], "==", ["owner"], f"you do not own {place['team']}",
              names=(place["team"], f"own|{NO_RIGHT}"))  # fmt: skip
    lacking = found.every(("active", "==", True), ("email", "not in", members.every()["email"]))
    s.indirect("who of the group is not in the team", hidden=sorted(people))
    general = s.do("get_primary_channel", "where notices stand", teamId=teams[0]["id"])
    more.look()
    s.do("add_team_members_in_bulk", "a seat for each of them", teamId=teams[0]["id"],
         values=each(lacking, {"_odata_type": "#microsoft.graph.aadUserConversationMember",
                               "roles": ["member"],
                               "user_odata_bind": text(_LINK, ITEM["email"])}))  # fmt: skip
    boards.post_message(s, teams[0], general, words, "tell the team")
    more.write()
    boards.add_post_rule(s, boards.Channel(place["team"], "General"), words)


_LEADERS = f"""SELECT u.*, p.hr_profile_id FROM user u JOIN hr_profile p USING (user_id) WHERE u.active
    AND {look.STAFF} AND (SELECT COUNT(*) FROM hr_profile r JOIN user x USING (user_id)
        WHERE r.manager = p.hr_profile_id AND r.employment_end_date IS NULL AND x.active) BETWEEN 2 AND 5
    AND {look.STILL_CLEAR} AND {look.ALSO}"""
_CALENDARS = """SELECT email FROM users WHERE is_active"""


@family("hybrid", servers=("hr", "calendar"))
def open_calendar_to_reports(s: Scene) -> None:
    """Everybody who reports to somebody may follow that person's main calendar."""
    s.pick_caller(_LEADERS, also=look.known_addresses(s, _CALENDARS, "calendar"))
    me = look.caller_email(s)
    reports = s.rows("SELECT x.email FROM hr_profile r JOIN user x USING (user_id) WHERE r.manager = :boss"
                     " AND r.employment_end_date IS NULL AND x.active",
                     boss=s.rows(_LEADERS + " AND u.email = :me", me=me,
                                 also=json.dumps([me]))[0]["hr_profile_id"])  # fmt: skip
    s.covers("everybody who reports to the caller")
    s.indirect("my direct reports", hidden=[row["email"] for row in reports])
    s.branches("who has a rule on the calendar already")
    more = besides(s, *extras.of("calendar", but=(extras.count_readers,)))
    s.ask(
        """[Nobody knows|My people never know] when I am at my desk. [According to|Going by] HR, [whoever
        has me as manager|those who report to me] should therefore [follow|be readers of] my main
        calendar; who can only see my busy times [so far|up to now] is raised to that.""",
        """[My direct reports|The people who report to me], as the HR profiles [have|list] them, [may
        read|should be able to read] my own calendar from now on. [Where|If] somebody [has|holds] the
        free-busy right already, turn that into reading instead of [adding a second rule|giving a second
        right].""",
        """[After the reorganisation|Since the reorganisation] I answer for other people than before, and
        my main calendar is [still closed|not open] to most of them. Reader for [each|every one] of my
        reports still employed, [new|newly made] where there is no rule and [changed|lifted] where it
        only shows busy times.""",
        """Reading rights on my primary calendar: [for all those|for everyone] whose profile names me as
        the manager [and who still work here|and whose employment goes on]. [Take care|Watch out] that
        nobody ends up with two rules, since [a few|some] may see my free times [as it is|already].""",
        """[At|During] the last team meeting I was asked [why|for what reason] people have to guess where
        I am. So let everybody [directly below me|directly under me] in the HR system read along in my main
        calendar; a free-busy rule that exists [becomes|is turned into] that.""",
        """[HR knows|It stands in HR] who my people are, the calendar does not. [Go through|Take] those
        who have me as their manager and are [still with us|not gone], and give [each|every one] the role
        of reader on my primary calendar, [upgrading|raising] what is only free-busy.""",
    )  # fmt: skip
    more.say()
    user = s.do("get_user_using_email", "who asks", email=me)
    mine = hr.find_profile(s, user, "the profile that others name as manager")
    below = s.do("fetch_hr_profiles", "who reports to it", manager=hr.id_text(mine["hr_profile_id"]))
    people = s.do_each(below.every(employment_end_date=None), "get_user", "their addresses",
                       user_id=text("{}", ROW["user_id"]))  # fmt: skip
    rules = s.do("list_acl_rules", "who is in already", calendarId="primary")["items"]
    there = rules.every(scope__type="user")
    known = there.every()["scope"]["value"]
    addresses = people.every(active=True)
    more.look()
    s.do_each(
        rules.every(("scope.value", "in", addresses["email"]), role="freeBusyReader"), "patch_acl_rule",
        "they saw busy times alone", calendarId="primary", ruleId=ROW["id"], role="reader",
    )  # fmt: skip
    s.do_each(people.every(("email", "not in", known), active=True), "insert_acl_rule", "they may follow it",
              calendarId="primary", role="reader", scope={"type": "user", "value": ROW["email"]})  # fmt: skip
    more.write()
    s.rule(
        "Nobody has two rules on the calendar",
        """SELECT COUNT(*) FROM (SELECT s.value FROM acls a JOIN scopes s ON s.id = a.scope_id JOIN users
        u USING (user_id) WHERE u.email = :me AND a.calendar_id = u.user_id || '-primary' AND s.type =
        'user' GROUP BY s.value HAVING COUNT(*) > 1)""",
        expected=0, server="calendar", me=me,
    )  # fmt: skip


_BACKLOGS = """SELECT g.* FROM user_group g WHERE g.active AND (SELECT COUNT(*) FROM user_group_member m
    JOIN user u USING (user_id) WHERE m.group_id = g.group_id AND u.active AND u.role = 'manager'
    AND u.email <> :me) >= 2"""


@family("hybrid", servers=("hr", "email"), perturbations=("inactive_person",))
def tell_the_managers(s: Scene) -> None:
    """Every manager in a group learns by mail how many of its cases are open."""
    s.pick_caller(f"{hr.MANAGERS} AND {look.STAFF}")
    me = look.caller_email(s)
    group = s.pick(_BACKLOGS, me=me)
    name = group["name"]
    subject = s.rng.choice((f"Open cases of {name}", f"{name}: what is open", f"The backlog of {name}"))
    frame = s.rng.choice((
        f"Open cases of {name} this morning: {{}}.",
        f"As of 5 January, {name} has this number of open cases: {{}}.",
        f"The number of cases open in {name} on 5 January is {{}}.",
    ))  # fmt: skip
    more = besides(s, *extras.of("hr", "email"))
    s.perturb("inactive_person", "UPDATE user_group SET active = 0 WHERE group_id = :id",
              id=group["group_id"])  # fmt: skip
    bosses = s.rows(
        "SELECT u.email FROM user u JOIN user_group_member m USING (user_id) WHERE m.group_id = :id"
        " AND u.active AND u.role = 'manager' AND u.email <> :me", id=group["group_id"], me=me,
    )  # fmt: skip
    s.covers("every manager in the group")
    s.indirect("the managers in the group", hidden=[row["email"] for row in bosses])
    s.ask(
        """[How much is open|What is still open] in the HR group {group} [is not known|is hardly known]
        to those who [run it|lead it]. [Count|Have counted] its open cases and [mail|write to] every
        manager among its members but me, one message each: subject "{subject}", text "{sample}", where N
        is the number.""",
        """[Each|Every single] manager in {group}, me [left out|aside], [gets|is sent] a mail of its own
        from my mailbox, "{subject}", that says "{sample}" with the [true|actual] count of open HR cases
        in the place of N.""",
        """[Before the planning round|Ahead of the planning round] the managers of {group} need a figure,
        namely how many of the group's HR cases are [open|not finished]. [Put|Set] it where N stands in
        "{sample}" and send that to each of them (not to me), [headed|under] "{subject}".""",
        """"{sample}" is the [wording|sentence], N being the number of cases that {group} has open in HR
        at present, and "{subject}" the subject. [Recipients|Those who get it] are the group's active
        members with the role of manager, [one by one|separately], [myself excepted|though not I].""",
        """[Somebody quoted|In a meeting somebody gave] three different numbers for {group}. To [settle
        it|end that], look up how many HR cases are open there, whatever their state, and tell all
        managers in the group except me by single mails: "{subject}", "{sample}", with the figure for N.""",
        """[The director wants|Our director wants] the managers inside {group} to know their backlog in
        HR. One mail for each, none for me, [called|titled] "{subject}"; [the body|its body] is
        "{sample}" and N [becomes|is replaced by] the number of [cases that are open|open cases].""",
        group=name, subject=subject, sample=frame.format("N"),
    )  # fmt: skip
    more.say()
    look.only_if_active(s, name)
    target = s.do("find_group_by_name", "the group", name=name)
    s.require(target["active"], "==", True, f"the group {name} is no longer in use",
              names=(name, "inactive|no longer|not active|not in use|closed"))  # fmt: skip
    backlog = s.do("count_case_for_assignment_group", "what is open there", statuses=hr.OPEN,
                   assignment_group_id=hr.id_text(target["group_id"]))  # fmt: skip
    rows = s.do("list_group_members", "who is in it", group_id=hr.id_text(target["group_id"]))
    people = s.do_each(rows, "get_user", "who of them is a manager", user_id=text("{}", ROW["user_id"]))
    words = text(frame, backlog["count"])
    more.look()
    s.do_each(
        people.every(active=True, role="manager"), "send_message", "tell them", userId="me",
        when=holds(ROW["email"], "!=", me),
        payload={"headers": [{"name": "To", "value": ROW["email"]}, {"name": "Subject", "value": subject}],
                 "body": {"data": words, "size": length(words)}},
    )  # fmt: skip
    more.write()
    s.rule(
        "Nobody got it twice, or together with somebody else",
        """SELECT COUNT(*) FROM (SELECT m.to_emails FROM messages m JOIN users u ON u.id = m.user_id JOIN
        message_labels l ON l.message_id = m.id AND l.label_id = 'SENT' WHERE u.email = :me AND m.subject
        = :subject GROUP BY m.to_emails HAVING COUNT(*) > 1 OR m.to_emails LIKE '%,%')""",
        expected=0, server="email", me=me, subject=subject,
    )  # fmt: skip
