"""Scenarios about town halls: planning one by invitation, calling the next one off."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scenarios.teams.webinars import (
    BEGUN,
    NOT_ORGANIZER,
    event_time,
    tell_helpers,
    user_ids,
)
from eops_traj.taskgen.scene import Scene

HALLS = ("Numbers and Plans", "Where We Stand", "Ask the Board", "Half-Time Talk", "The Road to Summer",
         "Open Books", "What Comes Next", "Looking Back, Looking Ahead", "Straight Answers",
         "Our Next Site", "A Year in Figures", "The Long View")  # fmt: skip
ABOUT = (
         "Plans, figures and [time for questions|your questions].",
         "[What changes|What will change], and why.",
         "[Three short talks|Two talks], then questions [from the floor|of all kinds].",
         "[An hour of answers|Answers] to what you [asked|wrote] in the survey.",
         "[The board|The management] explains the [budget|new plan] line by line.")  # fmt: skip


_OUTSIDE = (  # what is said besides, and what contradicts the rest
    ("Nobody from outside may come, though the figures are public.",
     "Everybody from outside may come, as the figures are public."),
    ("It is not open to guests of other companies.", "It is open to guests of other companies, too."),
    ("Customers do not come to it, only our own people.",
     "Customers come to it, too, not only our own people."),
    ("Partners have to wait for another one.", "Partners do not have to wait, anyone may come to this one."),
)  # fmt: skip


@family("teams", perturbations=("conflicting_demands", "policy_forbids", "inactive_person"), ood=True)
def town_hall(s: Scene) -> None:
    """An administrator plans a town hall by invitation and announces it to the team concerned."""
    me = s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role IN ('admin', 'teams_admin') ORDER BY r.role")
    name, about = s.rng.choice(HALLS), look.say(s, s.rng.choice(ABOUT))
    rows = look.pick_several(s, look.PEOPLE, s.rng.randint(3, 5))
    people = [look.describe_person(s, row, plain=place == 0) for place, row in enumerate(rows)]
    team = look.team_row(s.pick(f"{look.TEAMS} ORDER BY t.team_id"), s.rng)
    day, hour = s.day(12, 60), s.rng.randint(8, 14)
    beside = besides(s, *extras.some())
    look.disable_account(s, people[0])
    until = s.phrase("policy_forbids", f"{hour + 2}:00", f"{hour + 5}:00")
    who_else = s.phrase("conflicting_demands", *s.rng.choice(_OUTSIDE))
    s.ask(
        """{rest} have questions, {first} and I [have answers|can answer them]: let there be a town hall
        '{name}', by invitation only, {on} between {hour}:00 and {until} UTC. {else_} {first} helps to run it,
        otherwise no town hall. [Its description says|It is described with] '{about}' and {team} gets to know
        of it in General. I ask as {hat}.""",
        """The date has been [cleared|agreed]: {day}, {hour}:00 to {until} UTC. [Make|Plan] the town hall
        '{name}' for that time, by invitation only, with {first} as co-organizer and invitations for {rest}.
        {else_} '{about}' is the description. [Post it|Announce it] in General of {team}. If {first} is not
        available, leave it. My role is {hat}.""",
        """As {hat} I am [planning|preparing] '{name}', a town hall by invitation. {else_} {rest} are invited,
        and {first} is co-organizer (or the thing is off). It [takes place|is held] {on}, {hour}:00 until
        {until} UTC, with '{about}' as description. {team} [hears of it|is told] in General.""",
        """For {rest} there will be a town hall, and [for nobody|for no one] without an invitation: '{name}',
        {on}, from {hour}:00 to {until} UTC. {first} [runs it with me|organizes it along with me], and without
        {first} it makes no sense. {else_} Description: '{about}' [Then|Afterwards] announce it in General of
        {team}. I am the {hat}.""",
        """'{about}' is what [we promise|is promised] for the town hall '{name}', {on}, {hour}:00 to {until}
        UTC. By invitation only: {rest}. {else_} I need {first} as co-organizer; if that [fails|cannot be],
        stop. A line in General of {team} [as well|belongs to it]. It is the {hat} who asks.""",
        """{team} should read in its General that a town hall is [coming|planned], namely '{name}', {on},
        {hour}:00 until {until} UTC. [Before that|First] it has to be made: by invitation only, for {rest},
        co-organized by {first}, who is indispensable, and described with '{about}' {else_} The {hat} is
        [responsible|behind it].""",
        name=name, about=about, on=day.on, day=day.full, hour=hour, until=until, first=people[0],
        rest=look.join_words(people[1:]), else_=who_else, team=team, hat=look.HATS[me["role"]],
    )  # fmt: skip
    beside.say()
    s.refuse("policy_forbids", "a town hall lasts three hours at most",
             names=("three hour|3 hour|3 hours|3h|five hour|5 hour|5 hours|5h|at most 3",))  # fmt: skip
    s.refuse("conflicting_demands", "a town hall by invitation is for the organization, not for outsiders",
             names=("invit", "outside|external|everyone|anyone|organization|organisation"))  # fmt: skip
    halls = s.do("list_virtual_event_townhalls", "no town hall of that name yet")["value"]
    s.require(count(halls.every(displayName=name)), "==", 0, f"there is already a town hall {name}")
    users = [
        look.find_person(s, who, "who is invited" if n else "who helps to run it")
        for n, who in enumerate(people)
    ]
    place = look.find_team(s, team, "the team that hears of it")
    beside.look()
    s.do(
        "create_virtual_event_townhall", f"the town hall {name}", displayName=name, audience="organization",
        description={"contentType": "text", "content": about}, startDateTime=event_time(day.iso, hour, "UTC"),
        endDateTime=event_time(day.iso, hour + 2, "UTC"), isInviteOnly=True, coOrganizers=user_ids(users[:1]),
        invitedAttendees=user_ids(users[1:]),
    )  # fmt: skip
    look.post_notice(
        s, place, f"Town hall {name} on {day.date:%-d %B %Y}, {hour}:00 UTC, by invitation, held by"
                  f" {me['name']}.",
        "announce it",
    )  # fmt: skip
    s.rule(
        "The town hall is by invitation, for the organization, three hours at most, all invited active",
        """SELECT COUNT(*) FROM virtual_event_townhalls h JOIN virtual_event_townhall_invited_attendees i ON
        i.townhall_id = h.id JOIN teams_users u ON u.user_id = i.identity_id AND u.org_id = h.org_id WHERE
        h.display_name = :name AND h.is_invite_only AND h.audience = 'organization' AND u.account_enabled
        AND julianday(h.end_date_time) - julianday(h.start_date_time) <= 0.1251""",
        expected=len(people) - 1, name=name,
    )  # fmt: skip
    look.add_post_rule(s, team.row["name"], "The town hall is announced in General of the team")
    beside.write()


DRAFTS = """SELECT h.id, h.display_name AS name, u.user_principal_name AS email, u.user_id FROM
virtual_event_townhalls h
JOIN teams_users u ON u.user_id = h.created_by_user_id AND u.org_id = h.org_id WHERE h.status = 'draft'
AND h.start_date_time > '2026-01-06' AND u.account_enabled AND NOT EXISTS (SELECT 1 FROM
virtual_event_townhall_coorganizers c WHERE c.townhall_id = h.id AND c.user_id = h.created_by_user_id)"""
_WHY = (
        "The hall [is not|will not be] ready",
        "Two of the speakers [resigned|fell ill]",
        "The figures [come|will come] a month late",
        "The [video|sound] system has been [sold|sent back]",
        "The [board|management] wants to speak to the teams one by one")  # fmt: skip


@family("teams", perturbations=("no_right", "policy_forbids"))
def call_off_town_hall(s: Scene) -> None:
    """An organizer calls off the next of the town halls that are drafts, and tells those who help with it."""
    me = s.pick_caller(
        f"{look.PEOPLE}{look.ALONE} AND u.user_principal_name IN (SELECT email FROM ({DRAFTS}))"
    )
    hall = s.pick(f"{DRAFTS} AND u.user_id = :me ORDER BY h.display_name", me=me["user_id"])
    s.arrange("UPDATE virtual_event_townhalls SET start_date_time = '2026-01-14T15:00:00', end_date_time ="
              " '2026-01-14T16:00:00' WHERE id = :id", id=hall["id"])  # fmt: skip
    team = look.team_row(s.pick(f"{look.TEAMS} ORDER BY t.team_id"), s.rng)
    other = s.pick(f"{look.PEOPLE}{look.ALONE} AND u.user_id <> :me ORDER BY u.user_id", me=me["user_id"])
    more = besides(s, *extras.some())
    s.perturb("no_right", "UPDATE virtual_event_townhalls SET created_by_user_id = :other,"
                          " created_by_display_name = :name WHERE id = :id",
              other=other["user_id"], name=other["name"], id=hall["id"])  # fmt: skip
    s.perturb("policy_forbids", """UPDATE virtual_event_townhalls SET start_date_time = CASE id WHEN :id THEN
        '2026-01-04T15:00:00' ELSE '2026-01-04T16:00:00' END WHERE status = 'draft'""",
        id=hall["id"])  # fmt: skip
    why = look.say(s, s.rng.choice(_WHY))
    words = look.say(s, s.rng.choice((
        "Our town hall is [off|canceled]. [Thank you for your help|Thanks for helping].",
        "The town hall does not take place. [I will explain it in person|More when we meet].",
        "[I have canceled|I had to cancel] the town hall that you [prepared|helped with].",
    )))  # fmt: skip
    s.ask(
        """{why}. The next of the town halls that are still drafts, [which ought to be mine|one of mine, I
        think], therefore has to be canceled. [Whoever|Everyone who] co-organizes it reads '{words}' in a chat
        with me, and {team} gets a line in General that names it and says that it is off.""",
        """Among the town halls that exist as drafts, [call off|cancel] the one that comes first; I am [its
        organizer|the one who organizes it]. {why}. The co-organizers each get '{words}' in a chat between us
        two, and a message in General of {team} [tells the others|says] which town hall was canceled.""",
        """{why}, so I cancel the earliest draft among our town halls, [as its organizer|being its organizer].
        '{words}' is for all who help me with it, each in a chat of our own. [Name it|Say its name] in General
        of {team} too, so that nobody [turns up|waits] for it.""",
        """I organize the town hall that is [next in line|up next] among the drafts, and it will not [be
        held|take place]: {lower}. [Cancel it|Please cancel it], tell its co-organizers '{words}', separately
        and in chats with me, and say in General of {team} what it was called and that it is canceled.""",
        """'{words}' That [goes|is] from me to every co-organizer of the next town hall which is a draft, in a
        chat for two, because I have to cancel that town hall. {why}. [Besides|Also], General of {team} should
        learn its name and that it was canceled.""",
        """{team} was [looking forward to|waiting for] the next town hall, the first of those still in draft,
        but {lower}. As its organizer I [want|need] it canceled, the team told in General [which one|by name],
        and '{words}' sent to its co-organizers, one chat for each.""",
        why=why, lower=why[0].lower() + why[1:], words=words, team=team,
    )  # fmt: skip
    more.say()
    s.indirect("the next town hall that is a draft", hidden=[hall["name"], hall["id"]])
    s.covers("all co-organizers of it")
    halls = s.do("list_virtual_event_townhalls", "which comes next")["value"]
    mine = look.find_caller(s)
    meant = halls.every(status="draft").smallest("startDateTime.dateTime")
    s.require(meant["createdBy"]["user"]["id"], "==", mine["id"], f"{me['name']} is not the organizer of it",
              names=(NOT_ORGANIZER,))  # fmt: skip
    s.require(meant["startDateTime"]["dateTime"], ">", "2026-01-05T09:00:00",
              "it has begun already, and is not canceled any more", names=(BEGUN,))  # fmt: skip
    place = look.find_team(s, team, "the team that hears of it")
    room = s.do("get_primary_channel", "its General", teamId=place["id"])
    more.look()
    s.do("cancel_virtual_event_townhall", "call it off", townhall_id=meant["id"])
    tell_helpers(s, meant, words)
    look.post_message(
        s,
        place,
        room,
        text(f"The town hall {{}} is canceled. It was organized by {me['name']}.", meant["displayName"]),
        "tell the team",
    )
    s.rule("The town hall is canceled, and no other one was",
           "SELECT group_concat(display_name) FROM virtual_event_townhalls WHERE status = 'canceled' AND"
           " updated_at >= '2026-01-05'", expected=hall["name"])  # fmt: skip
    look.add_post_rule(s, team.row["name"], "General of the team says that it is canceled")
    more.write()
