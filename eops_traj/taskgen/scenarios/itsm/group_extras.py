"""What a request may want to be told besides about a group or a person that it names."""

from eops_traj.taskgen.expressions import mapped
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import Extra, Records, question
from eops_traj.taskgen.scenarios.itsm.lookups import OPEN_STATES
from eops_traj.taskgen.scene import Scene

_CLOSED = (
    """The figure [that goes into|I still need for] my [report|slides|weekly mail] is how many tickets of
    {group} [are closed by now|have the status closed], so [look it up|count them] [and tell me|for me].""",
    """[For comparison|As a yardstick], [tell me|add to your answer] how many closed tickets [stand under|are
    assigned to] {group}, [whoever worked on them|no matter how long ago that was].""",
    """[The lead of {group}|Somebody in {group}] [believes|claims] that nobody closes more than they do, so I
    [want|would like] the number of tickets in that group with the status closed.""",
    """[Count|It is also time to count] what {group} has closed [so far|until today], [going by|judged by]
    tickets of theirs whose status is closed, and [report|name] the number.""",
    """[In the same answer|In your reply] I [expect|look for] the number of closed tickets that [carry {group}
    as their group|are with {group}].""",
    """It is also [about appraisals|a matter of fairness]: how many of the tickets assigned to {group} are
    closed, [resolved ones not counted|and I mean closed, not resolved]?""",
)
_ASSIGNED = (
    """[As I will be asked|Because they ask me] [at the board|on Thursday], I [want|need] to know how many
    {things} are assigned to {group}, [finished or not|whatever their state].""",
    """[Workload is not only tickets|Tickets are only half of it], so [count|tell me the number of] the
    {things}, too, that are assigned to {group}, [open and finished|in any state].""",
    """[Besides|On top of that] I [wonder|ask myself] how many {things} [hang on|lie with] {group} [in
    all|altogether], done ones included, and [want|expect] the number from you.""",
    """{group} also [looks after|has] {things}; [say|tell me] how many are assigned there, [regardless of
    their status|old ones included].""",
    """[Let me have|Give me] the number of {things} with {group} as [their|the] assignment group, [every state
    counted|no matter how far they are], [for the planning round|since we plan the quarter].""",
    """[The planning round|The portfolio meeting] [needs|asks for] one more figure from you, [namely|that is]
    how many {things} are assigned to {group} in whatever state.""",
)
_MEMBERS = (
    """[Badges|Chairs|Headsets] have to be ordered [for the members of|for] {group}, which is why I [would
    like|need] [to hear|to know] how many [people it has|members there are] at present.""",
    """[Tell me|Let me know] the number of members of {group}, too, [because the rota depends on it|as I plan
    their rota].""",
    """[For the rota|For the training], I need the [headcount|number of people] in {group}, [going by its
    membership|by the memberships that are on record].""",
    """[Nobody could tell me|I could not find out] how many members {group} has, so [look that up|count them]
    and [put it into your answer|report it].""",
    """{group} [gets|is to get] a new room, for which I [must|have to] know how many people [belong to it|are
    members] [now|as of today].""",
    """[Also count|Count as well] who belongs to {group}, where [the number alone will do|I need no names,
    just the number], [for the plan of the floor|since rooms are being shared out].""",
)
_DEVICES = (
    """[The licence desk|Accounting] [asks me|wants to hear from me] how many devices [there are in the name
    of|stand in the name of|belong to] {who}, so [find that out|look up the number] [while you are at it|in
    passing].""",
    """[For the inventory|For the stocktaking], [count|find out the number of] the devices that {who} owns,
    [in whatever state they are|used or not].""",
    """[I signed a sheet for {who}|There is a signed sheet of {who}] about devices, and [to check it|for the
    check] I need the number that our records [show|have] in that name.""",
    """[Tell me|Report], too, how many configuration items [have {who} as their owner|are owned by {who}], [as
    the insurer asks|which goes to the insurer].""",
    """{who} [believes to own|says there is] just one device; [what does the system say|how many are on
    record], all states counted?""",
    """[With that|Together with this] I want the number of devices registered for {who}[, nothing left out|,
    all of them], [for|to complete] my list of equipment.""",
)
_REPORTED = (
    """[The lead wants to know|I promised to find out] how many tickets that {who} reported are [still
    open|open at the moment], [whoever has them now|in whatever group they are], so [tell me|add the
    number].""",
    """{who} [complains about|is tired of] waiting, so [see|find out] how many tickets reported by {who} are
    open and [give me|tell me] the number.""",
    """[Just so I know|For my own information]: [what is the number of|how many are there,] open tickets with
    {who} as the caller?""",
    """[Add to it|Your answer should have in it] how many open tickets [there are from|were sent in by] {who},
    [as we talk at noon|because we meet at noon].""",
    """[I would like to know|It is good to know] how much {who} is waiting for: [count|look up] the tickets of
    theirs, as caller, that are open, and [name|report] the number.""",
    """[When I see {who} tomorrow|At tomorrow's talk with {who}], I should have the number of tickets that
    were reported in that name and are open, so [find it out|let me have it].""",
)
_GROUPS = (
    """[I have to justify each membership|A licence hangs on the answer], so [tell me|find out] in how many
    groups {who} is [a member|on record as a member] [today|at present].""",
    """[Tell me|Let me know] as well how many groups {who} [belongs to|is in], [active or not|idle ones
    included], [as the review of rights asks for it|for that is reviewed every January].""",
    """[For the review of rights|As rights are reviewed], I [need|want] the number of groups with {who} as a
    member[, no names|].""",
    """{who} [is said to be|seems to be] in too many groups; [how many are there|what is their number], [by
    our records|to go by the system]?""",
    """[Report|Count] the memberships that {who} has, [one for each group|group by group], and [give me|name]
    the number.""",
    """Every group [has its price|costs something], so [look up|find out] in how many {who} is a member, and
    put the figure into your answer.""",
)


def about_group(group: str, *but: str) -> tuple[Extra, ...]:
    """Return questions about the group of this name, its record being ``group``.

    The work must not change what they count: it may be about all ``but`` changes, problems or members.
    """
    asked = {
        "closed": question(f"how many tickets {group} has closed", _CLOSED, _closed, group=group),
        "changes": question(
            f"how many changes {group} has", _ASSIGNED, _changes, group=group, things="changes"
        ),
        "problems": question(
            f"how many problems {group} has", _ASSIGNED, _problems, group=group, things="problems"
        ),
        "members": question(f"how many members {group} has", _MEMBERS, _members, group=group),
    }  # fmt: skip
    return tuple(extra for kind, extra in asked.items() if kind not in but)


def about_person(who: str, *but: str) -> tuple[Extra, ...]:
    """Return questions about a person, all ``but`` tickets, devices or groups; the record is ``person``."""
    asked = {
        "tickets": question(f"how many open tickets {who} reported", _REPORTED, _reported, who=who),
        "devices": question(f"how many devices {who} has", _DEVICES, _devices, who=who),
        "groups": question(f"how many groups {who} is in", _GROUPS, _groups, who=who),
    }
    return tuple(extra for kind, extra in asked.items() if kind not in but)


def _closed(s: Scene, records: Records) -> object:
    group = records["group"]["group_id"]
    found = s.do("count_incident_for_assignment_group", "how many they have closed",
                 assignment_group_id=group, status="closed")  # fmt: skip
    return mapped(group, found, 0)


def _changes(s: Scene, records: Records) -> object:
    group = records["group"]["group_id"]
    return count(s.do("get_changes_assigned_to", "their changes", assignment_group=group)["changes"])


def _problems(s: Scene, records: Records) -> object:
    group = records["group"]["group_id"]
    return count(s.do("get_problems_assigned_to", "their problems", assignment_group=group)["problems"])


def _members(s: Scene, records: Records) -> object:
    group = records["group"]["group_id"]
    return count(s.do("list_group_members", "who is in it", group_id=group)["group_members"])


def _devices(s: Scene, records: Records) -> object:
    found = s.do("find_configuration_items", "what they have", owner_id=records["person"]["user_id"])
    return count(found["configuration_items"])


def _reported(s: Scene, records: Records) -> object:
    found = s.do("list_incidents", "what they reported", called_id=records["person"]["user_id"])
    return count(found["incidents"].every(("status", "in", OPEN_STATES)))


def _groups(s: Scene, records: Records) -> object:
    found = s.do("list_group_members", "where they are a member", user_id=records["person"]["user_id"])
    return count(found["group_members"])
