"""Scenarios about support groups: new members, and members who leave."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import (
    ADMINS,
    ALONE,
    MANAGERS,
    OPEN,
    OPEN_STATES,
    WORKS,
    demote,
    find_caller,
    find_colleague,
    full_name,
)
from eops_traj.taskgen.scenarios.csm.side_jobs import elsewhere
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, MISSING, named
from eops_traj.taskgen.scene import Scene

_IDLE = f"""NOT EXISTS (SELECT 1 FROM customer_case c WHERE c.assigned_to = u.user_id
    AND c.assignment_group_id = g.group_id AND c.state IN {OPEN})"""


@family("csm", perturbations=("inactive_person", "missing_entity", "no_right", "two_namesakes"))
def join_group(s: Scene) -> None:
    """A manager takes a colleague or two into a group, and perhaps another out of it."""
    s.pick_caller(MANAGERS)
    group = s.pick("SELECT * FROM user_group WHERE active AND type IN ('support', 'field')")
    two = s.pick_some(
        f"""SELECT u.* FROM user u WHERE {WORKS} AND u.email <> :me AND u.user_id NOT IN
        (SELECT user_id FROM user_group_member WHERE group_id = :group)""", 2,
        group=group["group_id"], me=s.caller["email"],
    )  # fmt: skip
    goes = s.pick(
        f"""SELECT u.* FROM user u JOIN user_group_member m USING (user_id) JOIN user_group g USING (group_id)
        WHERE g.group_id = :group AND {ALONE} AND u.role = 'agent' AND u.email <> :me AND {_IDLE}""",
        group=group["group_id"], me=s.caller["email"],
    )  # fmt: skip
    swap = s.chance(0.6)
    more = besides(s, *elsewhere("groups"))
    demote(s, "agent")
    s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE user_id = :id", id=two[1]["user_id"])
    s.perturb("missing_entity", "UPDATE user_group SET name = name || ' (old)' WHERE group_id = :group",
              group=group["group_id"])  # fmt: skip
    s.perturb(
        "two_namesakes",
        """UPDATE user SET first_name = :first, last_name = :last WHERE user_id = (SELECT user_id FROM user
        WHERE active AND role = 'agent' AND user_id <> :id AND email <> :me AND user_id NOT IN
        (SELECT user_id FROM user_group_member WHERE group_id = :group) ORDER BY user_id LIMIT 1)""",
        first=two[0]["first_name"], last=two[0]["last_name"], id=two[0]["user_id"], me=s.caller["email"],
        group=group["group_id"],
    )  # fmt: skip
    s.ask(
        """{group} is short of hands [this quarter|until spring|for the time being], so I want {one} and {two}
        in it [from today on|as of today]. [Check that the accounts are still alive first|See first that both
        still work here]; [without a membership nobody can hand them a case there|cases can only be handed to
        members]. {goes}""",
        """[The team leads|The leads of both teams] agreed that {one} and {two} [will help out|are going to
        help out] in {group}, [which takes a membership for each of them|so both need a membership]. {goes}
        [Nobody is to be entered twice|No double entries], so look before you add anyone.""",
        """{one} and {two} have been doing the work of {group} for a month [anyway|as it is], only the system
        [knows nothing of it|was never told]. [Make|Have] both of them members, [provided they may get cases
        at all|if both may be given work]. {goes}""",
        """[There are changes in|Something changes in] {group}: {one} and {two} [come|join], both [to work on
        cases|for the case work], and [it starts today|they start today]. {goes} [Both have to be
        with the company still|Both must still work here], of course.""",
        """From now on {two} works in {group}, together with {one}. [Both need to be members|Both have to be
        entered there], or nobody can assign them anything[ in that queue|]. {goes} [I have cleared it with
        those concerned|Those concerned know about it].""",
        """[The new rota|The rota for January] has {one} and {two} in {group}, [and neither is in it yet|where
        neither of them is entered so far]. [Add them|Take both in], [after a look at|having checked] whether
        they are active and can be given work. {goes}""",
        group=group["name"], one=full_name(two[0]), two=full_name(two[1]),
        goes=f"{full_name(goes)} leaves the group." if swap else "",
    )  # fmt: skip
    more.say()
    extra = ask_more(s, account=False)
    find_caller(s, "manager", "admin")
    found_group = s.do("find_user_group", "the group to join", name=group["name"])
    s.require_ok(found_group, f"there is no group named {group['name']}",
                 names=(group["name"], MISSING))  # fmt: skip
    people = [find_colleague(s, person, "who is to join") for person in two]
    for person, row in zip(people, two, strict=True):
        s.require(person["role"], "in", ["agent", "manager"], f"{full_name(row)} cannot be given work")
        inside = s.do("check_user_membership", "whether they are in it already",
                      user_id=person["user_id"], group_id=found_group["group_id"])  # fmt: skip
        s.require(inside["exists"], "==", False, f"{full_name(row)} is in the group already")
    out = s.do("find_user", "who leaves", name=full_name(goes)) if swap else None
    more.look()
    answer_more(s, extra)
    for person, row in zip(people, two, strict=True):
        s.do("add_new_group_member", f"{full_name(row)} joins", group_id=found_group["group_id"],
             user_id=person["user_id"])  # fmt: skip
    if out:
        s.do("remove_group_membership", f"{full_name(goes)} leaves", group_id=found_group["group_id"],
             user_id=out["user_id"])  # fmt: skip
    more.write()
    s.rule(
        "Those who joined are in the group once, can log in, and may be given cases",
        """SELECT COUNT(*) FROM user_group_member m JOIN user u USING (user_id)
        JOIN user_group g USING (group_id) WHERE g.name = :group AND u.email IN (:one, :two) AND u.active = 1
        AND u.role IN ('agent', 'manager')""",
        expected=2, group=group["name"], one=two[0]["email"], two=two[1]["email"],
    )  # fmt: skip


@family("csm", perturbations=("no_right", "inactive_person", "two_namesakes"))
def leave_company(s: Scene) -> None:
    """Somebody leaves: the open cases go to a colleague, the memberships and the account end."""
    s.pick_caller(ADMINS)
    leaver = s.pick(
        f"""SELECT u.*, g.group_id, g.name AS team FROM user u JOIN user_group_member m USING (user_id)
        JOIN user_group g USING (group_id) WHERE u.active AND u.role = 'agent' AND {ALONE} AND g.active
        AND (SELECT COUNT(*) FROM user_group_member x WHERE x.user_id = u.user_id) BETWEEN 1 AND 4
        AND (SELECT COUNT(*) FROM customer_case c WHERE c.assigned_to = u.user_id AND c.state IN {OPEN})
            BETWEEN 1 AND 3
        AND NOT EXISTS (SELECT 1 FROM customer_case c WHERE c.assigned_to = u.user_id AND c.state IN {OPEN}
            AND c.assignment_group_id IS NOT g.group_id)"""
    )
    heir = s.pick(
        f"""SELECT u.* FROM user u JOIN user_group_member m USING (user_id) WHERE {WORKS}
        AND m.group_id = :group AND u.user_id <> :leaver""",
        group=leaver["group_id"], leaver=leaver["user_id"],
    )  # fmt: skip
    more = besides(s, *elsewhere("groups"))
    demote(s, "agent")
    s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE user_id = :id", id=heir["user_id"])
    s.perturb(
        "two_namesakes",
        """UPDATE user SET first_name = :first, last_name = :last WHERE user_id = (SELECT user_id FROM user
        JOIN user_group_member USING (user_id) WHERE active AND role = 'agent' AND group_id = :group
        AND user_id NOT IN (:id, :heir) ORDER BY user_id LIMIT 1)""",
        first=leaver["first_name"], last=leaver["last_name"], id=leaver["user_id"], heir=heir["user_id"],
        group=leaver["group_id"],
    )  # fmt: skip
    s.covers("all open cases and all memberships of who leaves")
    s.ask(
        """[Today was|Yesterday was] the last day of {leaver}. What is still open [there|under that name] goes
        to {heir} in {team}; after that the account [has to end|is switched off], and so [does every
        membership|do all memberships], [however many there are|wherever they are].""",
        """{leaver} has left us, [and I do not want a case stranded|and no case may be stranded]. [Please hand
        the unfinished cases|The unfinished cases go] to {heir}, who is in {team} as well; [take
        {leaver}|{leaver} is taken] out of all groups, and the account [is closed|becomes inactive], [not
        deleted|while the person stays on record].""",
        """We have a leaver to process, {leaver}. [The open cases|Cases not yet finished] pass to {heir},
        [from the same group|a member of the same group], {team}. [Memberships end|Every membership ends], all
        of them, and the log-in [ends last|is the last thing to go].""",
        """[As of now|Since this morning] {leaver} does not work here any more. {heir} from {team} inherits
        what is not finished; the rest is [routine|as with anyone who goes]: [no groups|out of every group],
        no log-in, and nobody should be able to assign anything to {leaver} afterwards.""",
        """{heir} has been briefed on [the open cases of {leaver}|what {leaver} leaves open] in {team} and
        takes them [over|on]. [With that done|Once they are moved], {leaver}, who [has gone to another
        company|is no longer with us], leaves each group [that there is|in our records] and loses the
        account.""",
        """[HR tells me|I hear from HR] that {leaver} is gone. {heir} will look after everything [unfinished
        that {leaver} leaves behind|that {leaver} has not finished] in {team}; put that into the system, and
        then see that {leaver} [is in no group|belongs to no group] and cannot log in any longer.""",
        leaver=full_name(leaver), heir=full_name(heir), team=leaver["team"],
    )  # fmt: skip
    more.say()
    extra = ask_more(s, account=False)
    find_caller(s, "admin")
    gone = find_colleague(s, leaver, "who leaves")
    group = s.do("find_user_group", "the group they share", name=leaver["team"])
    new = s.do("find_user", "who takes over", name=full_name(heir))
    s.require(new["active"], "==", 1, f"{full_name(heir)} is no longer active",
              names=(named(heir), INACTIVE))  # fmt: skip
    inside = s.do("check_user_membership", "work goes to members only", user_id=new["user_id"],
                  group_id=group["group_id"])  # fmt: skip
    s.require(inside["exists"], "==", True, f"{full_name(heir)} is not a member of {leaver['team']}")
    cases = s.do("get_cases_assigned_to", "what is left open", assigned_to=gone["user_id"])
    seats = s.do("list_group_members", "the memberships to end", user_id=gone["user_id"])
    more.look()
    answer_more(s, extra)
    s.do_each(cases.every(OPEN_STATES), "assign_case_to_user", f"it goes to {full_name(heir)}",
              case_id=ROW["case_id"], assigned_to_user_id=new["user_id"])  # fmt: skip
    s.do_each(seats, "remove_group_membership", "out of the group", member_id=ROW["member_id"])
    s.do("update_user_details", "the account ends", user_id=gone["user_id"], active=0)
    more.write()
    s.rule(
        "Who left is inactive, still on record, in no group, and without open cases",
        f"""SELECT COUNT(*) FROM user u WHERE u.email = :email AND u.active = 0
        AND NOT EXISTS (SELECT 1 FROM user_group_member m WHERE m.user_id = u.user_id)
        AND NOT EXISTS (SELECT 1 FROM customer_case c WHERE c.assigned_to = u.user_id
            AND c.state IN {OPEN})""",
        email=leaver["email"],
    )  # fmt: skip
