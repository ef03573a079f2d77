"""A scenario about a town hall by invitation."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scenarios.teams.webinars import helpers, moment
from eops_traj.taskgen.scene import Scene

HALLS = ("Numbers and Plans", "Where We Stand", "Ask the Board", "Half-Time Talk", "The Road to Summer",
         "Open Books", "What Comes Next", "Looking Back, Looking Ahead")  # fmt: skip


@family("teams", perturbations=("conflicting_demands", "policy_forbids", "inactive_person"), ood=True)
def town_hall(s: Scene) -> None:
    """An administrator plans a town hall by invitation and announces it to the team concerned."""
    me = s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role IN ('admin', 'teams_admin') ORDER BY r.role")
    name, about = s.rng.choice(HALLS), "Plans, figures and time for questions."
    rows = look.several(s, look.PEOPLE, s.rng.randint(3, 5))
    people = [look.named(s, row, plain=place == 0) for place, row in enumerate(rows)]
    team = look.at(s.pick(f"{look.TEAMS} ORDER BY t.team_id"))
    day, hour = s.day(12, 60), s.rng.randint(8, 14)
    look.gone(s, people[0])
    until = s.phrase("policy_forbids", f"{hour + 2}:00", f"{hour + 5}:00")
    who_else = s.phrase(
        "conflicting_demands", "Nobody else can come.", "Everyone from outside may come as well."
    )
    s.ask(
        """we need a town hall by invitation only, '{name}', {day} from {hour}:00 to {until} UTC. {first}
        runs it with me. Invited: {rest}. {else_} Description: '{about}' Then announce it in General of
        {team}. I ask as {hat}, and without {first} it makes no sense.""",
        """as {hat} I am planning '{name}', a town hall. {else_} {rest} are invited, and {first} is
        co-organizer (or the thing is off). It is by invitation only, {day}, {hour}:00 until {until} UTC,
        with '{about}' as description. Tell {team} in General.""",
        """could you put a town hall into Teams? Title '{name}', description '{about}', {day}, {hour}:00 to
        {until} UTC. On the list of invitations: {rest}, and by invitation only. {else_} {first}
        co-organizes; if that fails, stop. A line in General of {team} as well. Signed, the {hat}.""",
        """town hall, by invitation. Name: '{name}'. When: {day}, {hour}:00 to {until} UTC. Co-organizer:
        {first}, indispensable. Invited: {rest}. {else_} Text: '{about}' Announce in: General of {team}.
        Role of the one who asks: {hat}.""",
        """{rest} have questions, {first} and I have answers: let there be a town hall '{name}', by
        invitation only, {day} between {hour}:00 and {until} UTC. {else_} {first} helps to run it, otherwise
        no town hall. It says '{about}' and {team} gets to know of it in General. ({hat})""",
        """I have cleared the date: {day}, {hour}:00 to {until} UTC. Please make the town hall '{name}' for
        that time, by invitation only, with {first} as co-organizer and invitations for {rest}. {else_}
        '{about}' is the description. Post it in General of {team}. If {first} is not available, leave it.
        My role is {hat}.""",
        name=name,
        about=about,
        day=day,
        hour=hour,
        until=until,
        first=people[0],
        rest=look.listed(people[1:]),
        else_=who_else,
        team=team,
        hat=look.HATS[me["role"]],
    )
    s.refuse("policy_forbids", "a town hall lasts three hours at most")
    s.refuse("conflicting_demands", "a town hall by invitation is for the organization only")
    halls = s.do("list_virtual_event_townhalls", "no town hall of that name yet")["value"]
    s.require(count(halls.every(displayName=name)), "==", 0, f"there is already a town hall {name}")
    found = [
        look.person(s, who, "who is invited" if n else "who helps to run it") for n, who in enumerate(people)
    ]
    place = look.find_team(s, team, "the team that hears of it")
    s.do(
        "create_virtual_event_townhall", f"the town hall {name}", displayName=name, audience="organization",
        description={"contentType": "text", "content": about}, startDateTime=moment(day.iso, hour, "UTC"),
        endDateTime=moment(day.iso, hour + 2, "UTC"), isInviteOnly=True, coOrganizers=helpers(found[:1]),
        invitedAttendees=helpers(found[1:]),
    )  # fmt: skip
    look.notice(
        s,
        place,
        f"Town hall {name} on {day.date:%-d %B %Y}, {hour}:00 UTC, by invitation, held by {me['name']}.",
        "announce it",
    )
    s.rule(
        "The town hall is by invitation, for the organization, three hours at most, all invited active",
        """SELECT COUNT(*) FROM virtual_event_townhalls h JOIN virtual_event_townhall_invited_attendees i ON
        i.townhall_id = h.id JOIN teams_users u ON u.user_id = i.identity_id AND u.org_id = h.org_id WHERE
        h.display_name = :name AND h.is_invite_only AND h.audience = 'organization' AND u.account_enabled
        AND julianday(h.end_date_time) - julianday(h.start_date_time) <= 0.1251""",
        expected=len(people) - 1,
        name=name,
    )
    look.told(s, team.row["name"], "The town hall is announced in General of the team")
