"""Scenarios about employees: HR services, and the steps that go with them."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEACTIVATE_USER,
    DEMOTE_CALLER,
    MANAGERS,
    PEOPLE,
    find_person,
    find_profile,
    find_service,
    full_name,
    notify,
    pick_source,
    require_manager,
    require_no_open_case,
)
from eops_traj.taskgen.scenarios.hybrid import boards, extras, meetings
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.hybrid.lookups import FREE, SAME_NAME, add_case_rule, open_case
from eops_traj.taskgen.scenarios.reasons import MISSING, NO_RIGHT, known_as
from eops_traj.taskgen.scene import Scene

_TALKS = {  # service that nobody has to approve: what it is about, and what the talk is called
    "Home Address Change": (
        ("Move to another town in spring", "Flat near the new office"),
        "Moving house and office",
    ),
    "Gym Allowance Claim": (
        ("Climbing hall instead of the gym", "Fees of the whole year at once"),
        "Keeping fit",
    ),
    "Policy Question": (("May leave be taken in hours?", "Is jury duty paid?"), "A question of rules"),
    "Sick Leave Certificate": (("Certificate came too late", "Certificate from abroad"), "Days of illness"),
    "Performance Review Support": (
        ("Review form lost the comments", "Review names the former manager"),
        "Your review",
    ),
    "Annual Leave Correction": (
        ("Two days of leave were booked twice", "Leave of May is not counted"),
        "Days of leave",
    ),
    "Visa Support Letter": (
        ("Letter for a visa to Japan", "Renewal of the residence permit"),
        "Papers for the trip",
    ),
    "Employment Verification Letter": (
        ("Letter for a new landlord", "Letter for the mortgage"),
        "The letter you need",
    ),
}


@family("hybrid", servers=("hr", "calendar"),
        perturbations=("inactive_person", "policy_forbids", "two_namesakes", "no_right"))  # fmt: skip
def case_and_talk(s: Scene) -> None:
    """A colleague's matter becomes a case, and whoever asks for it plans a talk with them."""
    s.pick_caller(MANAGERS)
    service_name = s.rng.choice(list(_TALKS))
    who = s.pick(f"{PEOPLE} AND {FREE}", me=look.caller_email(s), service=service_name)
    matters, title = _TALKS[service_name]
    matter = s.rng.choice(matters)
    way, source_words = pick_source(s)
    priority = s.rng.choice(("high", "moderate", "low"))
    when = meetings.pick_slot(s, who["email"])
    more = besides(s, *extras.of("hr", "calendar"))
    s.perturb("inactive_person", DEACTIVATE_USER, user=who["user_id"])
    s.perturb("two_namesakes", SAME_NAME, first=who["first_name"], last=who["last_name"], user=who["user_id"],
              me=look.caller_email(s))  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=look.caller_email(s))
    meetings.make_busy(s, who["email"], when)
    s.ask(
        """{who} [has a worry|came with a matter], "{matter}", that [belongs under|falls under]
        {service}; {told}. [Open the case|There should be a case] with priority {priority} and the
        message that [goes with it|follows], and because I [would like|prefer] to talk about it,
        [invite|ask] {who} to "{title}" {when}.""",
        """[I promised|My promise to] {who} [to look into|was to look into] "{matter}". [On record|In the
        system] it is {service}, {priority}, and {told}; {who} [is notified|has to be told] that it
        [exists|is open]. [A talk says more|Paper is not enough], so we meet as well: {when}, just {who}
        and me, "{title}".""",
        """{when_up} {who} and I [should sit down|sit together] for "{title}". [What lies behind it|The
        cause] is "{matter}", which HR [keeps|handles] as {service}: a case for {who} of {priority}
        priority is [wanted|to be opened], {told}, and the usual [note|word] to {who} goes out.""",
        """[Some matters|Such things] need a person as well as a form. [Here|In this one] {who} asks
        "{matter}"; {told}. The form: {service}, priority {priority}, and the notification to {who}. The
        person: [me|I myself], {when}, in a meeting [by the name of|called] "{title}".""",
        """[Under|As] {service} please file "{matter}" for {who}, with {priority} as the priority, and
        [let them know|inform them]; {told}. [It would be wrong|I do not want] to leave it at that,
        [so|hence] {who} and I have "{title}", {when}, in our calendars.""",
        """{told_up}, and [what they said|the matter of {who}] was "{matter}". [Turn it into|It becomes]
        a case of {service} for {who}, graded {priority}, including the message they [are owed|get]. [The
        talk about it|Our conversation] is "{title}": {when}, with {who} as my [only|one] guest.""",
        who=full_name(who), matter=matter, service=service_name, told=source_words, priority=priority,
        title=title, when=when.words, when_up=look.capital(when.words), told_up=look.capital(source_words),
    )  # fmt: skip
    more.say()
    s.as_one()
    require_manager(s)
    user = find_person(s, who, "whom it is for")
    offer = find_service(s, service_name)
    require_no_open_case(s, user, service_name)
    private = find_profile(s, user, "where to write to")
    calendar = meetings.check_free(s, user["email"], full_name(who), when)
    more.look()
    case = open_case(s, user, offer, service_name, matter, priority, way)
    notify(s, case, private["personal_email"], "update", "ready", "a case was opened for them")
    meetings.create_meeting(s, calendar, title, [user["email"]], when)
    more.write()
    add_case_rule(s, service_name, matter, who["email"])
    meetings.add_meeting_rule(s, title, when, who["email"])


@family(
    "hybrid",
    servers=("hr", "teams"),
    perturbations=("inactive_person", "no_right", "missing_entity", "policy_forbids"),
)
def transfer(s: Scene) -> None:
    """Somebody changes teams: a case for the chart, a seat in the new team, and a word to those in it."""
    s.pick_caller(f"{MANAGERS} AND {look.ALSO}", also=look.known_addresses(s, OWNERS, "teams"))
    place = s.pick(f"{OWNERS} AND email = :me", "teams", me=look.caller_email(s))
    who = s.pick(
        f"{PEOPLE} AND {FREE} AND u.email NOT IN (SELECT value FROM json_each(:inside))",
        me=look.caller_email(s),
        service="Org Chart Correction",
        inside=look.known_addresses(s, _INSIDE, "teams", team=place["team_id"]),
    )  # fmt: skip
    matter = s.rng.choice(
        (
            f"Joins {place['team']} for good",
            f"Moves over to {place['team']}",
            f"New in {place['team']} from January",
            f"Half of the time in {place['team']}",
        )
    )
    words = s.rng.choice((
        f"{full_name(who)} joins us as a member as of today. Please say hello.",
        f"As of today {full_name(who)} is a member of this team, at my request.",
        f"New in this team from today on: {full_name(who)}. Ask, explain, include.",
    ))  # fmt: skip
    priority = s.rng.choice(("moderate", "low"))
    more = besides(s, *extras.of("hr", "teams", but=(extras.count_members,)))
    s.perturb("inactive_person", DEACTIVATE_USER, user=who["user_id"])
    s.perturb("no_right", DEMOTE_CALLER, me=look.caller_email(s))
    s.perturb(
        "missing_entity", "UPDATE teams SET display_name = display_name || ' 2025' WHERE team_id = :id",
        "teams", id=place["team_id"],
    )  # fmt: skip
    s.perturb(
        "policy_forbids", "UPDATE hr_service SET active = 0 WHERE service_name = 'Org Chart Correction'"
    )
    s.ask(
        """{who} [comes over|moves] to {team}. [HR wants|With HR goes] a case of Org Chart Correction,
        "{matter}", priority {priority}, of which {who} is [told|notified]. [In Teams|On our side] {who}
        becomes a plain member of {team}, and General [reads|gets] "{words}\"""",
        """[We have agreed|It is settled] that {who} works with {team} from now on. [That takes|It needs]
        an Org Chart Correction case of {priority} priority with the text "{matter}" and the [message|note]
        about it, a [seat|place] as member of the team, and [a line|one post] in its General: "{words}\"""",
        """General of {team} [is going to say|should say] "{words}", [and|but] two things come
        [before|first]: {who} is [made|to be] a member there, without further rights, and HR [opens|has]
        a case for {who}, Org Chart Correction, "{matter}", {priority}, [with the notification|and sends the
        notification].""",
        """[Where people belong|Who belongs where] should be the same in HR and in Teams. [For|In the
        case of] {who} this means: Org Chart Correction, worded "{matter}", {priority} priority, {who}
        informed; and [ordinary|plain] membership of {team}, whose General channel [announces|tells
        everybody] "{words}\"""",
        """[The head count of|Our plan for] {team} has had an open [place|seat] since autumn, and {who}
        [takes|fills] it. [File|Open] the Org Chart Correction as "{matter}", priority {priority}, and
        [send|give] {who} the word on it; [add|then add] {who} to the team, and write in General:
        "{words}\"""",
        """[As from today|From today on] {who} is [counted|one of us] in {team}. Set up [the HR side|what
        HR needs], an Org Chart Correction of {priority} priority called "{matter}" plus the notification
        for {who}, and the [Teams side|rest], which is the membership and "{words}" as [a post|a word] in
        General.""",
        who=full_name(who), matter=matter, priority=priority, team=place["team"], words=words,
    )  # fmt: skip
    more.say()
    s.as_one()
    require_manager(s)
    user = find_person(s, who, "who is transferred")
    offer = find_service(s, "Org Chart Correction")
    require_no_open_case(s, user, "Org Chart Correction")
    private = find_profile(s, user, "where to write to")
    teams = s.do("list_teams", "the new team", _filter=f"displayName eq '{place['team']}'")["value"]
    s.require(count(teams), "==", 1, f"there is no team named {place['team']}",
              names=(place["team"], MISSING))  # fmt: skip
    members = s.do("list_team_members", "who is in it", teamId=teams[0]["id"])["value"]
    s.require(members.where(email=look.caller_email(s))["roles"], "==", ["owner"],
              f"you do not own {place['team']}", names=(place["team"], f"own|{NO_RIGHT}"))  # fmt: skip
    s.require(count(members.every(email=user["email"])), "==", 0, f"{full_name(who)} is in that team already",
              names=(known_as(full_name(who)), "already"))  # fmt: skip
    general = s.do("get_primary_channel", "where notices stand", teamId=teams[0]["id"])
    more.look()
    case = open_case(s, user, offer, "Org Chart Correction", matter, priority, "self-service")
    notify(s, case, private["personal_email"], "update", "ready", "a case was opened for them")
    s.do("add_team_member", f"{full_name(who)} joins", teamId=teams[0]["id"], roles=["member"],
         _odata_type="#microsoft.graph.aadUserConversationMember",
         user_odata_bind=text("https://graph.microsoft.com/v1.0/users('{}')", user["email"]))  # fmt: skip
    boards.post_message(s, teams[0], general, words, "tell the team")
    more.write()
    add_case_rule(s, "Org Chart Correction", matter, who["email"])
    s.rule(
        "The person is a plain member of the team, once",
        """SELECT COUNT(*) FROM teams t, json_each(t.members) m WHERE t.display_name = :team AND m.value ->>
        'userId' = (SELECT user_id FROM teams_users WHERE user_principal_name = :email) AND m.value ->>
        '$.roles[0]' = 'member'""",
        server="teams", team=place["team"], email=who["email"],
    )  # fmt: skip
    boards.add_post_rule(s, boards.Channel(place["team"], "General"), words)


OWNERS = """SELECT * FROM (SELECT u.user_principal_name AS email, t.team_id, t.display_name AS team FROM
    teams t, json_each(t.members) m JOIN teams_users u ON u.user_id = m.value ->> 'userId' WHERE t.org_id =
    'corvane-001' AND NOT t.is_archived AND NOT t.soft_delete AND m.value ->> '$.roles[0]' = 'owner' AND
    t.display_name NOT IN ('Leadership Circle', 'Quarter Close', 'Finance Approvals')) WHERE 1"""
_INSIDE = """SELECT u.user_principal_name AS email FROM teams t, json_each(t.members) m JOIN teams_users u
    ON u.user_id = m.value ->> 'userId' WHERE t.team_id = :team UNION SELECT user_principal_name FROM
    teams_users WHERE NOT account_enabled OR employee_type <> 'Employee'"""
