"""Scenarios about webinars: planning and announcing one, calling one off, publishing the next one."""

from eops_traj.taskgen.expressions import ITEM, ROW, each
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scene import Scene

SUBJECTS = (  # name, description
    ("Reading Our Own Logs", "How to find the one line that matters among a million."),
    ("Better Handovers", "What the next shift has to know, and what it does not."),
    ("Talking to Angry Customers", "Ten sentences that help, and five that make it worse."),
    ("The New Travel Rules", "What may be booked, by whom, and who signs for it."),
    ("Backups Nobody Tested", "A story about a restore that took three days."),
    ("Charts That Do Not Lie", "Axes, colours and other ways to be fair with numbers."),
    ("First Aid at the Desk", "What everyone can do until the ambulance comes."),
    ("Writing Short Mails", "Three lines are enough, and here is how."),
    ("Hiring Without Luck", "How we choose people, explained for those who help with it."),
    ("Parts, Vans and Patience", "How a spare part finds its way to a customer."),
    ("Passwords Are Over", "What replaces them this year, and what you have to do."),
    ("Budgets for Beginners", "Where the figures come from, and how to ask for more."),
    ("Meetings Worth Having", "When to meet, when to write, and when to do neither."),
    ("From Ticket to Fix", "The way of a fault through four departments."),
    ("Contracts in Plain Words", "What the small print says that customers ask about."),
    ("Quiet Launches", "Changing a running service so that nobody notices."),
)
ZONES = {
    "UTC": "UTC", "London time": "GMT Standard Time", "Tokyo time": "Tokyo Standard Time",
    "Mumbai time": "India Standard Time", "New York time": "Eastern Standard Time",
}  # fmt: skip
COMING = """SELECT w.id, w.display_name AS name, w.start_time_zone AS zone, u.user_principal_name AS email
FROM virtual_event_webinars w JOIN teams_users u ON u.user_id = w.created_by_user_id AND u.org_id = w.org_id
WHERE w.status <> 'canceled' AND w.start_date_time > '2026-01-12' AND u.account_enabled
AND 1 = (SELECT COUNT(*) FROM virtual_event_webinars x WHERE x.display_name = w.display_name)
AND NOT EXISTS (SELECT 1 FROM virtual_event_webinar_coorganizers c WHERE c.webinar_id = w.id
    AND c.user_id = w.created_by_user_id)"""
NOT_ORGANIZER = (
    "not the organi|not its organi|not organi|isn't the organi|isn't its organi|aren't the organi"
    "|don't organi|doesn't organi|only the organi|only its organi|another organi|a different organi"
    "|organized by|organised by|organizer alone|organiser alone|somebody else|someone else|another person"
    "|created by|not yours|belongs to|is the organi|organizes it|organises it|organizer is|organiser is"
)
BEGUN = (
    "begun|began|has started|already started|started already|started on|started yesterday|have started"
    "|taken place|took place|in the past|yesterday|4 January|4th January|January 4|January 4th"
    "|4th of January|2026-01-04|under way|underway|has passed|is over|started before"
)


IN_TEAMS = f"""{look.PEOPLE}{look.ALONE} AND EXISTS (SELECT 1 FROM teams t, json_each(t.members) m
WHERE m.value ->> 'userId' = u.user_id AND t.org_id = u.org_id AND NOT t.soft_delete AND NOT t.is_archived)
ORDER BY u.user_id"""


def own_team(s: Scene) -> look.Team:
    """Pick a team that the caller belongs to."""
    return look.team_row(s.pick(
        f"{look.TEAMS} AND EXISTS (SELECT 1 FROM json_each(t.members) m WHERE m.value ->> 'userId' = :me)"
        " ORDER BY t.team_id", me=s.caller["user_id"],
    ), s.rng)  # fmt: skip


def event_time(day: str, hour: int, zone: object) -> dict[str, object]:
    """Render a time as arguments of an event."""
    return {"dateTime": f"{day}T{hour:02d}:00:00", "timeZone": zone}


def user_ids(people: list[ResultRef]) -> list[dict[str, ResultRef]]:
    """Render people as a list of their ids."""
    return [{"id": who["id"]} for who in people]


def tell_helpers(s: Scene, event: ResultRef, words: str) -> None:
    """Write to each co-organizer of an event, in the chat that the organizer has with them."""
    mine = look.find_caller(s)
    chats = s.do_each(
        event["coOrganizers"], "create_chat", "a chat with each co-organizer", chatType="oneOnOne",
        members=[{"_odata_type": look.MEMBER, "roles": ["owner"], "user_odata_bind": look.user_link(who)}
                 for who in (mine, ROW)],
    )  # fmt: skip
    s.do_each(chats, "send_chat_message", "tell them", chatId=ROW["id"],
              body={"contentType": "text", "content": words})  # fmt: skip


@family(
    "teams",
    perturbations=("impossible_date", "inactive_person", "policy_forbids", "two_namesakes"),
    consumes="team",
)
def plan_webinar(s: Scene) -> None:
    """Somebody plans a webinar with helpers, has it published, and announced in a team's General."""
    me = s.pick_caller(IN_TEAMS)
    produced = s.consume("team")
    if produced:
        row = s.pick(f"{look.TEAMS} AND t.team_id = :key", key=produced.record["id"].value)
        team = look.Team(row, produced.words, produced.record)
    else:
        team = own_team(s)
    name, about = s.rng.choice(SUBJECTS)
    rows = look.pick_several(s, look.PEOPLE, s.rng.randint(1, 2))
    people = [look.describe_person(s, row, plain=place == 0) for place, row in enumerate(rows)]
    day, hour, long = s.day(9, 45), s.rng.randint(9, 16), s.rng.choice((1, 2))
    spoken = s.rng.choice(sorted(ZONES))
    public, mail = s.chance(0.4), s.chance(0.5)
    old = s.pick("SELECT id FROM virtual_event_webinars ORDER BY display_name")
    beside = besides(s, *extras.some())
    look.disable_account(s, people[0])
    look.add_namesake(s, *people)
    s.perturb(
        "policy_forbids",
        "UPDATE virtual_event_webinars SET display_name = :name, status = 'draft', start_date_time ="
        " :day || 'T08:00:00', created_by_user_id = :me WHERE id = :id",
        name=name, day=day.iso, me=me["user_id"], id=old["id"],
    )  # fmt: skip
    until = s.phrase("impossible_date", f"{hour + long}:00", f"{hour - 2}:00")
    audience = look.say(s, "[anyone, also from outside|everybody, customers included]" if public
                        else "[our own people|the people of Corvane]")  # fmt: skip
    mails = look.say(s, "[Those who attend get|Attendees get] mail about it." if mail else "")
    s.ask(
        """[After the last round many|Since the autumn a good many people have] [asked for|wanted to hear]
        '{name}', so [let us do it as a webinar|I make a webinar of it] {on}, from {hour}:00 to {until}
        {zone}, for {audience}. '{about}' goes into the description. {who} {help} with it, and {first} [has to
        be among us|has to be there] or it is off. {mail} Please publish it and write about it in General of
        {team}.""",
        """{who} and I have [worked on|prepared] something that {audience} [should hear|ought to know]:
        '{name}'. As description [take|use] '{about}' It runs {on} between {hour}:00 and {until} {zone}.
        {mail} Make it, with {who} co-organizing, publish it and announce it in General of {team}; should
        {first} be [missing|unable], forget it.""",
        """[Training|The training budget] pays for a webinar of mine, '{name}', which takes place {on},
        {hour}:00 till {until}, {zone}. Its description [reads|is] '{about}' I share the work with {who}.
        Invite {audience}, so it has to be published, and tell {team} in General. {mail} It [depends on|stands
        and falls with] {first}.""",
        """{on_} from {hour}:00 until {until} {zone} I [hold|give] the webinar '{name}' for {audience}, with
        {who} (not without {first}) as [co-organizing|helping] hands. '{about}' describes it. {mail} [Set it
        up|Plan it] and publish it, [and post|then post] the announcement in General of {team}.""",
        """What people [keep getting|get] wrong is the subject of '{name}', a webinar that I want to hold
        {on}, {hour}:00 to {until} {zone}. [For whom|Its audience]: {audience}. Description: '{about}' {who}
        {help} me run it; without {first} there will be no webinar. {mail} Publish it, and announce it in
        General of {team}.""",
        """{team} [will read|is to read] in General that '{name}' is coming: a webinar of mine, {on},
        {hour}:00 to {until} {zone}, meant for {audience}, with {who} co-organizing and with '{about}' as its
        description. {mail} [Plan|Make] and publish it before you announce it; if {first} cannot do it, leave
        it all.""",
        """[Slides, speaker and date are settled|The speaker is booked and the slides are written]: '{name}'
        [goes on air|begins] {on} at {hour}:00 {zone} and [ends|is over] at {until}. {audience_} may
        [attend|join], '{about}' tells them [why|what for], and {who} {help} me [through it|on the day].
        {mail} Once it [is set up|exists] it gets published, then announced where {team} has its General, but
        [without {first} nothing of this happens|all of this depends on {first}].""",
        """[A webinar|One more webinar] from me, please, [under the title|entitled] '{name}' [and with the
        text|and explained by] '{about}', [for|open to] {audience}: {on}, {hour}:00 to {until} {zone}. {who}
        {help} me co-organize it ([and if {first} cannot, skip it|no {first}, no webinar]). {mail} [It should
        be public knowledge|People should be able to sign up] at once, so publish [it|the thing], and
        [announce|post the news] in General of {team}.""",
        name=name, about=about, on=day.on, on_=day.on[0].upper() + day.on[1:], hour=hour, until=until,
        zone=spoken, team=team, first=people[0], who=look.join_words(people), mail=mails,
        help="helps" if len(people) == 1 else "help", audience=audience,
        audience_=audience[0].upper() + audience[1:],
    )  # fmt: skip
    beside.say()
    s.refuse("impossible_date", "the webinar would end before it begins",
             names=(f"{reasons.BACKWARDS}|before {hour}:00",))  # fmt: skip
    events = s.do("list_virtual_event_webinars", "no webinar of that name")["value"]
    s.require(count(events.every(("status", "!=", "canceled"), displayName=name)), "==", 0,
              f"there is already a webinar {name}", names=(name, reasons.TAKEN))  # fmt: skip
    users = [look.find_person(s, who, "who helps to run it") for who in people]
    place = look.find_team(s, team, "the team that hears of it")
    if me["role"] == "member":
        members = s.do("list_team_members", "whether I belong to it", teamId=place["id"])["value"]
        s.require(count(members.every(email=me["email"])), "==", 1, f"{me['name']} does not belong to {team}")
    zone = ZONES[spoken]
    beside.look()
    webinar = s.do(
        "create_virtual_event_webinar", f"the webinar {name}", displayName=name,
        description={"contentType": "text", "content": about}, startDateTime=event_time(day.iso, hour, zone),
        endDateTime=event_time(day.iso, hour + long, zone), audience="everyone" if public else "organization",
        coOrganizers=user_ids(users),
        **({"settings": {"isAttendeeEmailNotificationEnabled": True}} if mail else {}),
    )  # fmt: skip
    s.do("publish_virtual_event_webinar", "so that people can see it", webinar_id=webinar["id"])
    look.post_notice(
        s, place,
        f"Webinar {name} on {day.date:%-d %B %Y}, {hour}:00 {spoken}, held by {me['name']}, for"
        f" {'everyone' if public else 'all of Corvane'}.", "announce it",
    )  # fmt: skip
    s.rule(
        "The webinar is published, by the one who asked, with helpers who are active and not its organizer",
        """SELECT COUNT(*) FROM virtual_event_webinars w JOIN virtual_event_webinar_coorganizers c ON
        c.webinar_id = w.id JOIN teams_users u ON u.user_id = c.user_id AND u.org_id = c.org_id WHERE
        w.display_name = :name AND w.status = 'published' AND w.created_by_user_id = :me AND
        u.account_enabled AND u.user_id <> :me""",
        expected=len(people), name=name, me=me["user_id"],
    )  # fmt: skip
    look.add_post_rule(s, team.row["name"], "The webinar is announced in General of the team")
    beside.write()


_PUBLISHED = (  # what is said besides, and what contradicts the rest
    ("It need not stay published, nobody has booked it.", "It has to stay published, people have booked it."),
    ("People may see that it is no longer on.",
     "People may not see that it is no longer on: keep it published."),
    ("Nothing of it remains visible as published.", "All of it remains visible as published."),
    ("As published it was seen by next to no one.", "As published it goes on being seen by everyone."),
)  # fmt: skip


@family("teams", perturbations=("no_right", "policy_forbids", "conflicting_demands"))
def call_off_webinar(s: Scene) -> None:
    """An organizer calls a webinar off, writes to all who helped, and perhaps plans it anew."""
    me = s.pick_caller(
        f"{look.PEOPLE}{look.ALONE} AND u.user_principal_name IN (SELECT email FROM ({COMING}))"
    )
    event = s.pick(f"{COMING} AND u.user_id = :me ORDER BY w.id", me=me["user_id"])
    anew, day, hour = s.chance(0.7), s.day(12, 50), s.rng.randint(9, 17)
    other = s.pick(f"{look.PEOPLE}{look.ALONE} AND u.user_id <> :me ORDER BY u.user_id", me=me["user_id"])
    more = besides(s, *extras.some())
    s.perturb(
        "no_right",
        "UPDATE virtual_event_webinars SET created_by_user_id = :other, created_by_display_name = :name"
        " WHERE id = :id",
        other=other["user_id"], name=other["name"], id=event["id"],
    )  # fmt: skip
    s.perturb(
        "policy_forbids",
        "UPDATE virtual_event_webinars SET start_date_time = '2026-01-04T15:00:00' WHERE id = :id",
        id=event["id"],
    )
    again = look.say(
        s, "[In its place|Instead], make it [once more|again] as a draft {on}, from {hour}:00 to {end}:00 in"
           " the time zone"
        " of the old one, with [all else|everything else] as it was: name, description, audience,"
        " co-organizers.",
        on=day.on, hour=hour, end=hour + 1,
    ) if anew else look.say(s, "[There will be no second try|It will not be made up for] this"
                               " year.")  # fmt: skip
    words = look.say(s, s.rng.choice((
        "{name} will not take place. [Thank you for your help so far|Thanks for all the work].",
        "[I have canceled|I had to cancel] {name}. [Nothing to do for you|You need not do anything].",
        "{name} is off, [I am sorry|sorry about that]. [Please tell your guests|Let your guests know].",
    )), name=event["name"])  # fmt: skip
    keep = s.phrase("conflicting_demands", *s.rng.choice(_PUBLISHED))
    s.ask(
        """The speaker is [ill|not to be had], so '{name}', a webinar that I organize, [cannot be held|falls
        through]. Call it off and write '{words}' to each of those who run it with me, in a chat between the
        two of us. {again} {keep}""",
        """I have thought it over: '{name}' will not be held as planned. It is my own webinar, so cancel it.
        {again} I owe the co-organizers a word, [each of them separately|one by one], in a chat with me:
        '{words}' {keep}""",
        """{keep} What it is about: '{name}', a webinar of which I am the organizer, is to be [canceled|called
        off], and the people who help me with it [should each get|each get] '{words}' in a chat with me.
        {again}""",
        """[Only four people|Next to nobody] signed up for '{name}', which I organize, and that is not enough.
        Cancel the webinar. [Whoever|Everybody who] co-organizes it reads '{words}' from me, in the chat that
        the two of us have. {again} {keep}""",
        """With the room [gone|taken], my webinar '{name}' has to be canceled, [I am afraid|unfortunately].
        {again} All of its co-organizers get the line '{words}', [not in a group|no group chat] but each in a
        chat with me. {keep}""",
        """'{words}' is what all co-organizers of '{name}' should read from me, in chats for two,
        [since|because] that webinar of mine is to be canceled [today|this morning]. {keep} {again}""",
        name=event["name"], words=words, again=again, keep=keep,
    )  # fmt: skip
    more.say()
    s.covers("all co-organizers of the webinar")
    s.refuse("conflicting_demands", "a canceled webinar cannot stay published",
             names=("cancel|call", "publish|visible"))  # fmt: skip
    events = s.do("list_virtual_event_webinars", "the webinar and those who help")["value"]
    old = events.where(displayName=event["name"])
    s.require(count(events.every(displayName=event["name"])), "==", 1,
              f"there is not exactly one webinar {event['name']}")  # fmt: skip
    mine = look.find_caller(s)
    s.require(old["createdBy"]["user"]["id"], "==", mine["id"],
              f"{me['name']} is not the organizer of {event['name']}",
              names=(NOT_ORGANIZER,))  # fmt: skip
    s.require(old["status"], "in", ["draft", "published"], f"{event['name']} is canceled already")
    s.require(old["startDateTime"]["dateTime"], ">", "2026-01-05T09:00:00",
              f"{event['name']} has begun already, and is not canceled any more",
              names=(BEGUN,))  # fmt: skip
    more.look()
    s.do("cancel_virtual_event_webinar", "call it off", webinar_id=old["id"])
    tell_helpers(s, old, words)
    if anew:
        s.do(
            "create_virtual_event_webinar", "the same at another time", displayName=event["name"],
            description=old["description"], audience=old["audience"],
            startDateTime=event_time(day.iso, hour, old["startDateTime"]["timeZone"]),
            endDateTime=event_time(day.iso, hour + 1, old["startDateTime"]["timeZone"]),
            coOrganizers=each(old["coOrganizers"], {"id": ITEM["id"]}),
        )  # fmt: skip
    s.rule(
        "The webinar is canceled, and no other one was",
        "SELECT group_concat(display_name) FROM virtual_event_webinars"
        " WHERE status = 'canceled' AND updated_at >= '2026-01-05'",
        expected=event["name"],
    )
    more.write()
