"""Scenarios about groups: set up from the people of another, and dissolved."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, MISSING, TAKEN, named
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group, about_person
from eops_traj.taskgen.scenarios.itsm.lookups import (
    ALONE,
    COLLEAGUES,
    MANAGERS,
    NO_RIGHT,
    OPEN,
    OPEN_STATES,
    caller_email,
    find_caller,
    find_group,
    find_person,
    full_name,
)
from eops_traj.taskgen.scene import Scene

_NEW = (  # name, address, type, what for
    ("Night Desk", "night-desk", "Service Desk", "Answers between ten at night and six"),
    ("Rollout Crew", "rollout-crew", "Field Support Technicians", "Swaps machines, floor by floor"),
    ("Audit Response", "audit-response", "IT Support", "Answers what auditors ask about systems"),
    ("Patch Watch", "patch-watch", "Infrastructure Problem Team", "Looks after servers on patch days"),
    ("Move Team", "move-team", "Field Support Technicians", "Moves desks and what stands on them"),
    ("Warranty Desk", "warranty-desk", "Service Desk", "Deals with vendors about broken devices"),
)


@family(
    "itsm", produces="group",
    perturbations=("policy_forbids", "inactive_person", "missing_entity", "no_right"),
)  # fmt: skip
def form_group(s: Scene) -> None:
    """A group is set up with a lead, and all active agents of another group become its members."""
    s.pick_caller(MANAGERS)
    name, address, kind, purpose = s.rng.choice(_NEW)
    lead = s.pick(COLLEAGUES + " AND role = 'manager'", me=caller_email(s))
    source = s.pick("""SELECT g.* FROM user_group g WHERE org_id = 'ORG_001' AND active AND (SELECT COUNT(*)
        FROM user_group_member m JOIN users u USING (user_id) WHERE m.group_id = g.group_id AND u.active AND
        u.role = 'agent') BETWEEN 1 AND 5""")  # fmt: skip
    more = besides(s, *about_group(source["name"], "members"), *about_person(full_name(lead)))
    s.perturb("policy_forbids", "UPDATE users SET role = 'agent' WHERE user_id = :user", user=lead["user_id"])
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=lead["user_id"])
    s.perturb("missing_entity", "UPDATE user_group SET name = name || ' (old)' WHERE group_id = :group",
              group=source["group_id"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """We start a group called {name} [this week|with the new year], of the type {kind}, with the
        address {email} and the description "{purpose}", led by {lead} ({mail}). Whoever is an active
        agent in {source} becomes a member of it, [while the old group stays as it is|without leaving the
        old group].""",
        """{lead}, whose address is {mail}, [is to build up|will build up] {name} for us: a group of the
        type {kind} that writes from {email} and has "{purpose}" as its description. For a start it
        borrows people, namely all agents of {source} [who are active|who still work here], and they stay
        where they are as well.""",
        """[The works council has agreed to|The board has agreed to] {name}, which in the system is a
        group ({kind}; {email}; "{purpose}") under {lead}, reachable at {mail}. Its first members are the
        active agents whom {source} has, [every one of them|each and all], but neither managers nor
        anybody else.""",
        """The job "{purpose}" [is nobody's so far|has been nobody's so far], so there will be {name},
        type {kind}, mailbox {email}, with {lead} ({mail}) in charge. Take in [all active agents of|each
        active agent from] {source}, who know this kind of work, and leave out managers and people who
        have left.""",
        """{source} [cannot do everything|has too much on its plate], hence a second group named {name},
        of the type {kind}, which writes from {email} and is led by {lead}, {mail}. The description reads
        "{purpose}", and from {source} it [gets|receives] those who are agents and active.""",
        """Tickets should be sent to {name} [from tomorrow on|as soon as tomorrow], so the group has to
        exist by tonight: type {kind}, address {email}, lead {lead} ({mail}), description "{purpose}".
        Its members are the agents of {source}, [as far as they are active|leaving out those who have
        left], and I will tell them myself.""",
        name=name, kind=kind, email=f"{address}@corvane.example", purpose=purpose, lead=full_name(lead),
        mail=lead["email"], source=source["name"],
    )  # fmt: skip
    more.say()
    s.covers("all active agents of a group")
    find_caller(s)
    leader = s.do("get_user_using_name", "who leads it", first_name=lead["first_name"],
                  last_name=lead["last_name"])  # fmt: skip
    s.require(leader["email"], "==", lead["email"], f"{full_name(lead)} has another address")
    s.require(leader["active"], "==", True, f"{full_name(lead)} is no longer active here",
              names=(named(lead), INACTIVE))  # fmt: skip
    s.require(leader["role"], "==", "manager", f"{full_name(lead)} does not have the role manager",
              names=(named(lead), "role|manager|agent"))  # fmt: skip
    taken = s.do("list_user_groups", "whether there is one of that name", name=name)["user_groups"]
    s.require(count(taken.every(name=name)), "==", 0, f"there is a group called {name} already",
              names=(name, TAKEN))  # fmt: skip
    old = s.do("find_group_by_name", "whose people join", name=source["name"])
    s.require_ok(old, f"there is no group called {source['name']}", names=(source["name"], MISSING))
    seats = s.do("list_group_members", "who is in it", group_id=old["group_id"])["group_members"]
    agents = s.do("list_users", "who is an active agent at all", role="agent", active="true")["users"]
    more.look(group=old, person=leader)
    group = s.do("add_new_user_group", "the new group", name=name, type=kind, active=True,
                 email=f"{address}@corvane.example", description=purpose,
                 manager_id=leader["user_id"])  # fmt: skip
    s.do_each(agents.every(("user_id", "in", seats.every()["user_id"])), "add_new_group_member", "they join",
              group_id=group["group_id"], user_id=ROW["user_id"])  # fmt: skip
    s.rule(
        "Only active agents are in it, and a manager leads it",
        """SELECT COUNT(*) FROM user_group g JOIN users l ON l.user_id = g.manager_id WHERE g.name = :name AND
        l.role = 'manager' AND l.active AND NOT EXISTS (SELECT 1 FROM user_group_member m JOIN users u USING
        (user_id) WHERE m.group_id = g.group_id AND (u.role <> 'agent' OR NOT u.active))""",
        name=name,
    )  # fmt: skip
    s.produce("group", group, s.rng.choice(("the new group", "the group you set up", name)))


@family(
    "itsm", consumes="user", perturbations=("inactive_person", "two_namesakes", "no_right")
)  # fmt: skip
def same_groups(s: Scene) -> None:
    """Somebody joins all active groups that a colleague is in."""
    s.pick_caller(MANAGERS)
    produced = s.consume("user")
    like = s.pick(f"""SELECT u.* FROM users u WHERE org_id = 'ORG_001' AND active AND {ALONE} AND email <> :me
        AND role IN ('agent', 'manager') AND (SELECT COUNT(*) FROM user_group_member m WHERE m.user_id =
        u.user_id) BETWEEN 1 AND 4""", me=caller_email(s))  # fmt: skip
    who = dict(produced.record.value) if produced else s.pick(
        COLLEAGUES + """ AND user_id <> :like AND NOT EXISTS (SELECT 1 FROM user_group_member m WHERE
        m.user_id = u.user_id AND m.group_id IN (SELECT group_id FROM user_group_member WHERE user_id =
        :like))""",
        me=caller_email(s), like=like["user_id"])  # fmt: skip
    more = besides(s, *about_person(full_name(like), "groups"))
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=who["user_id"])
    s.perturb("two_namesakes", """UPDATE users SET first_name = :first, last_name = :last WHERE user_id =
        (SELECT user_id FROM users WHERE org_id = 'ORG_001' AND active AND role = 'reporter' AND user_id NOT
        IN (:user, :who) ORDER BY user_id DESC LIMIT 1)""", first=like["first_name"], last=like["last_name"],
        user=like["user_id"], who=who["user_id"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{who} [works side by side with|shares a desk with] {like} and needs the same view of things,
        so make {who} a member of every group that takes work and that {like} belongs to, [without one
        that is there already|unless they are in it already].""",
        """In each active group where {like} is a member, {who} should be one too, [beginning with this
        shift|from now on]. I do not know which groups these are, they may be one or several, and
        [memberships that exist are left alone|what exists already stays].""",
        """[As a substitute for {like}|As {like}'s substitute] {who} has to be in the same groups, as far
        as those are active. Look up where {like} is and add {who} wherever that is missing; [nobody is
        taken out of anything|no membership ends].""",
        """{like} has [asked for support|asked to be relieved], and the support is called {who}. For
        tickets to reach both, {who} joins all groups of {like} that still take work, [each of them
        once|none of them twice].""",
        """Where does {like} belong? Wherever that is, {who} [goes along|goes there too]: the groups have
        to be active, and where {who} is a member by now, [nothing needs to be done|there is nothing to
        do].""",
        """The rota [assumes|takes it for granted] that {who} and {like} can stand in for one another. So
        give {who} the memberships that {like} has, inactive groups aside, and keep [all existing
        ones|whatever memberships there are].""",
        who=produced.words if produced else full_name(who), like=full_name(like),
    )  # fmt: skip
    more.say()
    s.indirect("the groups that a colleague is in", hidden=[])
    s.covers("all active groups of a colleague")
    find_caller(s)
    other = find_person(s, like, "whose groups these are")
    user = produced.record if produced else find_person(s, who, "who joins them")
    theirs = s.do("list_group_members", "where they are", user_id=other["user_id"])["group_members"]
    own = s.do("list_group_members", "where the other one is", user_id=user["user_id"])["group_members"]
    groups = s.do("list_user_groups", "which of them take work", active=True)["user_groups"]
    more.look(person=other)
    s.do_each(theirs.every(("group_id", "in", groups.every()["group_id"])), "add_new_group_member",
              "into that group, too", group_id=ROW["group_id"], user_id=user["user_id"],
              when=holds(count(own.every(group_id=ROW["group_id"])), "==", 0))  # fmt: skip


@family("itsm", ood=True, perturbations=("policy_forbids", "missing_entity", "no_right"))
def dissolve_group(s: Scene) -> None:
    """A group ends: its open tickets and its people go to another, and it takes no work any more."""
    s.pick_caller(MANAGERS)
    old = s.pick(f"""SELECT g.* FROM user_group g WHERE org_id = 'ORG_001' AND active AND (SELECT COUNT(*)
        FROM incident WHERE assignment_group = g.group_id AND status IN {OPEN}) BETWEEN 1 AND 7
        """)  # fmt: skip
    new = s.pick("""SELECT g.* FROM user_group g WHERE org_id = 'ORG_001' AND active AND group_id <> :old AND
        EXISTS (SELECT 1 FROM user_group_member m WHERE m.group_id = :old AND NOT EXISTS (SELECT 1 FROM
        user_group_member n WHERE n.group_id = g.group_id AND n.user_id = m.user_id))""",
        old=old["group_id"])  # fmt: skip
    more = besides(s, *about_group(old["name"], "members"))
    s.perturb("policy_forbids", "UPDATE user_group SET active = 0 WHERE group_id = :group",
              group=new["group_id"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE user_group SET name = name || ' (old)' WHERE group_id = :group",
              group=old["group_id"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{old} and {new} become one, [which will be|and the name that remains is] {new}. Members of the
        former who are not in the latter yet join it, open tickets of the former are assigned to it and
        keep the person they have, and {old} [is set inactive|takes no more work] after that.""",
        """[With this week|As of this week] {old} no longer exists. Its people go over to {new} as far as
        they are not there already, and so do all its tickets that are open, [without a change of the
        person|the person unchanged]; then the group is switched off.""",
        """The new organization chart has no {old}, [so wind it up|so it has to be wound up]. {new}
        inherits its open tickets (whoever works on one goes on doing so) and takes in those members that
        it lacks. [Mark the old group as inactive|The old group is inactive] when that is done.""",
        """{new} takes everything over from {old}: people first, [each of them once|nobody twice], then
        the open tickets with whoever is on them. [What is left is a name|An empty shell is left], and
        that name should be marked as inactive so that nothing goes there any more.""",
        """Two teams with the same work [are one too many|make no sense]. Let {old} end: those of its
        members who do not belong to {new} are added there, tickets of it that are open move there by
        group alone, and the group itself [becomes inactive|is deactivated].""",
        """I would like {old} out of every drop-down list, [but nothing may get lost|yet nothing must be
        lost]. Its open tickets should be found under {new}, assigned to the same people as before, who
        therefore have to be members of {new}, all of them; after that {old} is [made inactive|inactive].""",
        old=old["name"], new=new["name"],
    )  # fmt: skip
    more.say()
    s.covers("all members and all open tickets of a group")
    find_caller(s)
    ends = s.do("find_group_by_name", "the group that ends", name=old["name"])
    s.require_ok(ends, f"there is no group called {old['name']}", names=(old["name"], MISSING))
    takes = find_group(s, new["name"], "the group that stays")
    seats = s.do("list_group_members", "its people", group_id=ends["group_id"])["group_members"]
    there = s.do("list_group_members", "who is there already", group_id=takes["group_id"])["group_members"]
    work = s.do("get_incidents_assigned_to", "its tickets", assignment_group=ends["group_id"])["incidents"]
    more.look(group=ends)
    s.do_each(seats, "add_new_group_member", "they go over", group_id=takes["group_id"],
              user_id=ROW["user_id"],
              when=holds(count(there.every(user_id=ROW["user_id"])), "==", 0))  # fmt: skip
    s.do_each(work.every(("status", "in", OPEN_STATES)), "update_incident", "and so does the work",
              incident_id=ROW["incident_id"], assignment_group=takes["group_id"])  # fmt: skip
    s.do("update_user_group", "it takes no work any more", group_id=ends["group_id"], active=False)
    s.rule(
        "The old group has no open ticket",
        f"SELECT COUNT(*) FROM incident WHERE assignment_group = :group AND status IN {OPEN}",
        expected=0, group=old["group_id"],
    )  # fmt: skip
