"""Scenarios about incidents within incidents: links that are wrong, and a parent's grading."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, OTHER_ORGANIZATION, in_state
from eops_traj.taskgen.scenarios.itsm.clocks import exchange_slas
from eops_traj.taskgen.scenarios.itsm.lookups import (
    BY_TABLE,
    MANAGERS,
    NO_RIGHT,
    OURS,
    caller_email,
    find_caller,
    find_incident,
    pick_several,
)
from eops_traj.taskgen.scenarios.itsm.ticket_extras import ASKED, NOTED, about
from eops_traj.taskgen.scene import Row, Scene

_FREE = (
    OURS
    + """ AND NOT EXISTS (SELECT 1 FROM child_incident c WHERE i.incident_id IN (c.parent_incident,
    c.child_incident))"""
)
"""Open incidents without a parent or children."""


def _link(s: Scene, parent: Row, child: Row, key: str = "CINC_901") -> None:
    """Arrange that one incident is below another."""
    s.arrange("""INSERT INTO child_incident (child_incident_mapping_id, parent_incident, child_incident,
        created_at, updated_at) VALUES (:key, :parent, :child, '2026-01-04 12:00:00',
        '2026-01-04 12:00:00')""", key=key, parent=parent["incident_id"],
        child=child["incident_id"])  # fmt: skip


def _close(s: Scene, row: Row) -> None:
    s.perturb("policy_forbids", "UPDATE incident SET status = 'closed' WHERE number = :number",
              number=row["number"])  # fmt: skip


def _rename(s: Scene, row: Row) -> None:
    s.perturb("missing_entity", "UPDATE incident SET number = 'INC-9' || substr(number, 6) WHERE number = "
              ":number", number=row["number"])  # fmt: skip


def _require_open(s: Scene, incident: ResultRef, number: str) -> None:
    s.require(incident["status"], "in", ["new", "in_progress", "on_hold"], f"{number} is closed already",
              names=(number, in_state("closed", "open")))  # fmt: skip


@family("itsm", perturbations=("policy_forbids", "missing_entity", "out_of_scope", "no_right"))
def rehang_ticket(s: Scene) -> None:
    """A ticket that hangs below the wrong one is put below the right one."""
    s.pick_caller(MANAGERS)
    child, wrong, right = pick_several(s, _FREE, 3)
    _link(s, wrong, child)
    more = besides(s, *about(child["number"], child, *NOTED, *ASKED))
    _close(s, right)
    _rename(s, right)
    s.perturb("out_of_scope", """UPDATE incident SET org_id = 'ORG_002', caller_id = (SELECT user_id FROM
        users WHERE org_id = 'ORG_002' AND active ORDER BY user_id LIMIT 1) WHERE number = :number""",
        number=right["number"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{child} [hangs below the wrong ticket|was put under the wrong ticket], with which it shares
        nothing but the day on which it came in. Where it belongs is below {right}, "{title}", [so take
        the old link away and make the new one|so the old link goes and a new one is made].""",
        """When the tickets were grouped on Sunday, [a slip was made|somebody slipped], and {child} ended
        up under a parent that it has nothing to do with. Loosen it from whatever is above it and [tie it
        to|put it below] {right} instead, which has the same cause.""",
        """The parent of {child} [is not the right one|is a mistake], and although I do not know by heart
        which ticket that is, it should be {right} ("{title}"), [because both have the same cause|since
        the same fault is behind both]. Correct it by removing one link and adding another.""",
        """Progress on {right} [is of no use to|does not reach] the caller of {child}, as the two are not
        linked and a different ticket is noted as the parent. [End that relation|That relation has to
        end], so that {child} becomes a child of {right} and of nothing else.""",
        """[Two cases were mixed up|We mixed up two cases], and what {child} is a part of is the matter
        in {right}, "{title}", not the one whose child it is at present. Under the wrong parent it would
        be [resolved too early|closed too early], so set that right before noon.""",
        """{right} [is missing a child|has one child too few], and another ticket has one too many,
        because {child} was linked to that other one by mistake. [It has to change parents|Let it change
        parents], which means that the old link is deleted and a new link made.""",
        child=child["number"], right=right["number"], title=right["short_description"],
    )  # fmt: skip
    more.say()
    s.indirect("the ticket that it hangs under", hidden=[wrong["number"], wrong["incident_id"]])
    boss = find_caller(s)
    below = find_incident(s, child["number"])
    above = s.do("find_incident_by_number", "where it belongs", number=right["number"])
    s.require_ok(above, f"there is no ticket {right['number']}", names=(right["number"], MISSING))
    _require_open(s, above, right["number"])
    whose = s.do("get_user", "whose matter that is", user_id=above["caller_id"])
    s.require(whose["org_id"], "==", boss["org_id"], f"{right['number']} belongs to another organization",
              names=(right["number"], OTHER_ORGANIZATION))  # fmt: skip
    link = s.do("find_parent_incident", "what it hangs under", child_incident=below["incident_id"])
    more.look(ticket=below)
    s.do("remove_child_incident", "not there",
         child_incident_mapping_id=link["child_incident_mapping_id"])  # fmt: skip
    s.do("add_child_incident", "but here", parent_incident=above["incident_id"],
         child_incident=below["incident_id"])  # fmt: skip
    more.write()
    s.rule(
        "The ticket has one parent",
        """SELECT COUNT(*) FROM child_incident JOIN incident i ON incident_id = child_incident WHERE
        i.number = :number""",
        category="integrity", number=child["number"],
    )  # fmt: skip


@family("itsm", ood=True, perturbations=("policy_forbids", "missing_entity", "no_right"))
def exchange_child(s: Scene) -> None:
    """A link names the wrong child: it is changed to the right one, which goes to the parent's group."""
    s.pick_caller(MANAGERS)
    parent = s.pick(_FREE + " AND assignment_group IS NOT NULL", me=caller_email(s))
    wrong, right = s.pick_some(
        _FREE + " AND incident_id <> :parent AND assignment_group IS NOT :group AND assigned_to IS NULL", 2,
        me=caller_email(s), parent=parent["incident_id"], group=parent["assignment_group"],
    )  # fmt: skip
    _link(s, parent, wrong)
    more = besides(s, *about(right["number"], right, *NOTED, *ASKED))
    _close(s, right)
    _rename(s, right)
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """Below {parent} there is {wrong}, [which is a typing error|and that is a slip]: it should read
        {right}. Let the link name the right child, and as everything under one parent is handled by one
        team, {right} goes to [the same group as|whatever group has] {parent}.""",
        """[The numbers {wrong} and {right} were swapped|Someone took {wrong} for {right}] when the
        children of {parent} were entered. The link as such is fine, only its child is not; once it is
        right, the newly linked ticket gets [the group of its parent|the group that its parent has].""",
        """{right}, "{title}", [is what should hang|was meant to hang] under {parent}, yet it is {wrong}
        that does. Change the child of that link accordingly and move {right} to the group which [works
        on|looks after] the parent.""",
        """[Whoever linked|The person who linked] {wrong} to {parent} had {right} in mind. Put that right
        in the existing link; then the group of {parent} should find {right} [in its queue as well|in its
        own queue].""",
        """Our review of major incidents found a mistake in {parent}: its child [should be|ought to be]
        {right}, not {wrong}. With the link corrected, the group that {parent} is assigned to takes
        {right} too, [so that one team has both|as one team is to have both].""",
        """There is one link too few for {right} and one too many for {wrong}, [and it is the same
        link|which comes down to the same link]: that of {parent}. Exchange the child in it, and assign
        {right} to whichever group {parent} is with, [without a person|nobody by name yet].""",
        parent=parent["number"], wrong=wrong["number"], right=right["number"],
        title=right["short_description"],
    )  # fmt: skip
    more.say()
    s.indirect("the group that the parent is with", hidden=[parent["assignment_group"]])
    find_caller(s)
    above, out, below = (find_incident(s, row["number"]) for row in (parent, wrong, right))
    links = s.do("list_child_incidents", "the link that is wrong",
                 parent_incident=above["incident_id"])["child_incidents"]  # fmt: skip
    link = links.every(child_incident=out["incident_id"])
    s.require(count(link), "==", 1, f"{wrong['number']} is not below {parent['number']}")
    more.look(ticket=below)
    s.do("update_child_incident", "the right child", parent_incident=above["incident_id"],
         child_incident=below["incident_id"],
         child_incident_mapping_id=link[0]["child_incident_mapping_id"])  # fmt: skip
    s.do("update_incident", "and the parent's group", incident_id=below["incident_id"],
         assignment_group=above["assignment_group"])  # fmt: skip
    more.write()
    s.rule(
        "The parent is the same, and has this child only",
        """SELECT group_concat(c.number) FROM child_incident l JOIN incident p ON p.incident_id =
        l.parent_incident JOIN incident c ON c.incident_id = l.child_incident WHERE p.number = :parent""",
        expected=right["number"], category="integrity", parent=parent["number"],
    )  # fmt: skip


@family("itsm", perturbations=("policy_forbids", "missing_entity", "no_right"))
def graded_like_parent(s: Scene) -> None:
    """A ticket is graded like the one above it, with priority and SLAs."""
    s.pick_caller(MANAGERS)
    graded = f"{_FREE} AND priority IN ('high', 'moderate', 'low') AND {BY_TABLE}"
    parent = s.pick(graded, me=caller_email(s))
    child = s.pick(
        _FREE + """ AND status IN ('new', 'in_progress') AND priority <> :priority AND incident_id <> :parent
        AND created_at > :since""",
        me=caller_email(s), priority=parent["priority"], parent=parent["incident_id"],
        since=parent["created_at"],
    )  # fmt: skip
    _link(s, parent, child)
    more = besides(s, *about(child["number"], child, *NOTED, *ASKED))
    _close(s, child)
    _rename(s, child)
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{child} is part of a larger matter, [but was graded as if it stood alone|yet it has a grading
        of its own]. Give it the impact and the urgency of the ticket above it, so that its priority and
        its SLAs [change with that|follow], and leave the parent as it is.""",
        """"{title}" ({child}) [should not be treated otherwise|ought not to be treated in another way]
        than its parent, because both wait for one and the same fix. So what the parent has as impact,
        urgency and priority goes on {child} as well, [old SLAs out, fitting ones in|and the SLAs are
        exchanged].""",
        """[A parent and a child|Two linked tickets] with different priorities make no sense to the
        people who wait for both of them. Look up what {child} hangs under, grade {child} in the same
        way, and [exchange its SLAs to match|adjust its SLAs], starting from the moment of the change.""",
        """The caller of {child} complains about [the pace|how slow we are], and rightly so, as the
        ticket that it belongs under is graded quite differently. Take its grading over for {child}, all
        three fields of it, and [start the SLAs that go with it|let the SLAs be those that go with it].""",
        """[I have just linked {child}|{child} was linked] to the ticket that covers the whole matter,
        which leaves the grading to be done. It has to be that of its parent, whatever it is, [together
        with what we then promise|SLAs included], and nothing else about the ticket changes.""",
        """For {child}, "{title}", [somebody guessed|the form guessed] impact and urgency, and we know
        better now, since they are the same as in the ticket one level up. Enter them with the priority
        that this ticket has, and [replace the clocks|have the clocks replaced] by those that fit.""",
        child=child["number"], title=child["short_description"],
    )  # fmt: skip
    more.say()
    s.indirect("the ticket above it, and its grading", hidden=[parent["number"], parent["incident_id"]])
    s.duty("the SLAs follow the priority")
    boss = find_caller(s)
    incident = find_incident(s, child["number"])
    link = s.do("find_parent_incident", "what it hangs under", child_incident=incident["incident_id"])
    above = s.do("find_incident_by_id", "how that is graded", incident_id=link["parent_incident"])
    more.look(ticket=incident)
    now = s.do("update_incident", "graded alike", incident_id=incident["incident_id"], impact=above["impact"],
               urgency=above["urgency"], priority=above["priority"])  # fmt: skip
    exchange_slas(s, incident, boss["org_id"], above["priority"], now["updated_at"])
    more.write()
    s.rule(
        "Both are graded alike",
        """SELECT COUNT(*) FROM child_incident l JOIN incident p ON p.incident_id = l.parent_incident JOIN
        incident c ON c.incident_id = l.child_incident WHERE c.number = :number AND c.impact = p.impact AND
        c.urgency = p.urgency AND c.priority = p.priority""",
        number=child["number"],
    )  # fmt: skip
