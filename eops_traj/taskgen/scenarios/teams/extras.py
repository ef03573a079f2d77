"""What a request about Teams may ask for besides: a number, a job title, a status message.

What a family changes it does not count: it names those extras in ``but``.
"""

from collections.abc import Generator, Sequence

from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import Course, Extra, Records, Sentence
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.wording import vary

_MINE = f"""{look.TEAMS} AND EXISTS (SELECT 1 FROM json_each(t.members) m WHERE m.value ->> 'userId' = :me)
    ORDER BY t.team_id"""
_MEMBERS = (
    """What I [cannot see|do not see] from here is how many members {team} has; [give me the figure|count
    them] [when you report|with your answer].""",
    """[On a different note|Apart from that], [somebody bet|two of us bet] on the size of {team}. [Settle it
    with|The bet is decided by] the number of members [in the list|that are listed].""",
    """[Catering asks|The caterer asks] how many portions {team} takes, [by which they mean|that is to say]
    how many people are members there, owners [included|too].""",
    """[Let me hear|Let me have] the size of {team} [in the same message|with it], counted in members of [any
    role|whatever role].""",
    """[A licence costs|Each licence costs] forty euros, so [work out|find out] how many members {team} has;
    [the sum I do myself|I can multiply].""",
    """By the way, {team}: [its member count|the count of its members] [would interest me|is a thing I need],
    [guests and owners|everybody] included.""",
)
_CHANNELS = (
    """How many channels does {team} keep, [private ones too|of whatever kind]? [I fear too many|I suspect a
    dozen].""",
    """[A newcomer is lost in|Newcomers get lost in] {team}, and I [claim|say] it is the number of channels,
    which [you can tell me|I want to know].""",
    """[Write down|Note] for me how many channels {team} [has opened|consists of], [none left out|all of
    them].""",
    """[We limit|There is a limit on] the channels of a team to twenty. [Where is|How far is] {team}, [I
    mean in number of channels|counting its channels]?""",
    """Count the channels of {team} [along the way|at some point] and [let me know|pass the figure on], [it is
    for an overview|since a chart lacks it].""",
    """{team}: [number of channels|channel count], please, [one figure is enough|nothing but the figure].""",
)
_TAGS = (
    """How many tags has {team} [got|set up] so far? [Nobody keeps a list|There is no list of them].""",
    """[People mention|Some mention] tags of {team} that I never heard of, so [how many are there|tell me how
    many there are].""",
    """[Give me|I am missing] the number of tags in {team} as well, [used or not|even unused ones].""",
    """The tags of {team} [will be reviewed|are up for review] [in February|soon]; [it helps to know|I should
    know] their number.""",
    """[Have a look at|Look at] the tags that {team} keeps and [state|report] how many there are, [no names
    needed|names are not needed].""",
    """[Is it five or six|Three, four, more]? I mean the tags in {team}, [whose number I forgot|which I never
    counted].""",
)
_TITLE = (
    """[For a letter|For an envelope] I [also need|need] the job title of {who}, [as the directory has it|word
    for word from the directory].""",
    """What is {who} [called by title|by profession], [according to|as given in] the directory? [I have to
    introduce them|It goes on a badge].""",
    """[I am to introduce|Soon I introduce] {who} to visitors, and [the job title escapes me|I do not know the
    job title]; [look it up|the directory has it].""",
    """[Tell me with it|Add to your report] which job title {who} [bears|has] in our directory.""",
    """{who} has [changed posts|moved up], I think. [Which job title|What job title] [does the directory
    show|is entered] for them?""",
    """[The invitation|An invitation] to {who} [must have|needs] the [exact|right] job title, so [quote|copy]
    it from the directory for me.""",
)
_APPS = (
    """How many apps of our catalog come from the [public store|store]? [An audit question|It was asked in an
    audit], [nothing urgent|that is all].""",
    """[Security wants|Our security people want] the number of apps in the catalog that the store
    [distributes|supplies]; [count those|find that out].""",
    """[As to apps|Regarding apps], [tell me|I must know] how many in the catalog are distributed by the
    store, [ours do not count|not those of our own].""",
    """[Somebody doubts|I doubt] that we [allow|have] many store apps; [check with|see] the catalog and
    [report|give] the number.""",
    """[The catalog of apps|Our app catalog] [mixes|has] store apps and our own. [How many are of the first
    kind?|The count of the former is what I want to hear.]""",
    """[Include|Mention] how many apps in the catalog have the store as their distribution, [for the
    minutes|as a figure for the board].""",
)
_STATUS_TEXTS = (
    "[Tidying|Sorting] [channels|teams], [replies later|answers tomorrow]",
    "[Reach me|Call me] [by phone|at the desk]",
    "[Deep in|Busy with] [reorganizing|cleaning up]", "[Half a day|A day] [of admin work|with the admins]",
    "[Questions|News] [after lunch|at four], please", "[No meetings|No calls] [before ten|after three]",
    "[Ask in|Write to] the [help|support] channel", "[Quick replies|Short answers] only this [week|month]",
)  # fmt: skip
_STATUS = (
    """[While that goes on|Until further notice], my own status message [reads|is] "{status}", [which ends
    when I end it|without an end].""",
    """Set a status message for me, [too|as well]: "{status}", [no expiry|open end].""",
    """["{status}" is what|Just "{status}" is what] my status message [says|should tell people] from now
    on.""",
    """[For my part|As far as I am concerned], let "{status}" [stand as|be] my status message.""",
    """My [old status message|present status message] [is out of date|has to go]; "{status}" [takes its
    place|replaces it].""",
    """[Colleagues should see|Show everybody] "{status}" as my status message [in the meantime|for now].""",
)


def team_members(s: Scene) -> Course:
    """Tell how many members a team has."""
    team = yield from _asked(s, _MEMBERS)
    people = s.do("list_team_members", "how many are in it", teamId=team["id"])["value"]
    s.answer("how many members that team has", count(people.every()))


def team_channels(s: Scene) -> Course:
    """Tell how many channels a team has."""
    team = yield from _asked(s, _CHANNELS)
    rooms = s.do("list_channels", "how many there are", teamId=team["id"])["value"]
    s.answer("how many channels that team has", count(rooms.every()))


def team_tags(s: Scene) -> Course:
    """Tell how many tags a team has."""
    team = yield from _asked(s, _TAGS)
    tags = s.do("list_teamwork_tags", "how many there are", team_id=team["id"])["value"]
    s.answer("how many tags that team has", count(tags.every()))


def _asked(s: Scene, wordings: Sequence[str]) -> Generator[Sentence | None, Records, ResultRef]:
    """Ask about a team of the caller's, and find it."""
    team: Row = s.pick(_MINE, me=s.caller["user_id"])
    said = look.team_row(team, s.rng)
    yield Sentence(wordings, {"team": said})
    return look.find_team(s, said, "a team to count in")


def title_of(s: Scene) -> Course:
    """Tell the job title of a colleague."""
    row = s.pick(f"{look.PEOPLE}{look.ALONE} AND u.user_id <> :me ORDER BY u.user_id", me=s.caller["user_id"])
    who = look.describe_person(s, row, plain=True)
    yield Sentence(_TITLE, {"who": who})
    s.answer("the job title", look.find_person(s, who, "whose title is asked for")["jobTitle"])


def store_apps(s: Scene) -> Course:
    """Tell how many apps of the catalog are from the store."""
    yield Sentence(_APPS)
    apps = s.do("list_teams_apps", "what the store supplies", _filter="distributionMethod eq 'store'")[
        "value"
    ]
    s.answer("how many apps are from the store", count(apps.every()))


def own_status(s: Scene) -> Course:
    """Change the caller's own status message."""
    status = vary(s.rng, s.rng.choice(_STATUS_TEXTS))
    yield Sentence(_STATUS, {"status": status})
    mine = look.find_caller(s)
    yield None
    s.do("set_user_status_message", "what they are at", user_id=mine["id"],
         statusMessage={"message": {"content": status, "contentType": "text"}})  # fmt: skip


EVERY: tuple[Extra, ...] = (team_members, team_channels, team_tags, title_of, store_apps, own_status)


def some(*but: Extra) -> list[Extra]:
    """Return what may be asked for besides, but for what the work changes."""
    return [extra for extra in EVERY if extra not in but]
