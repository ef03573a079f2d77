"""Scenarios about changes: requested, approved, scheduled."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, OTHER_ORGANIZATION
from eops_traj.taskgen.scenarios.itsm.change_extras import about_change, about_service
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group
from eops_traj.taskgen.scenarios.itsm.lookups import (
    FOREIGN_CHANGE,
    MANAGERS,
    NO_RIGHT,
    UNMAPPED,
    WORKERS,
    caller_email,
    find_caller,
    find_group,
    find_incident,
    find_member,
    full_name,
    organization_of,
    pick_several,
)
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.wording import vary

_WORKS = (  # what, how, test, category, service
          ("Replace the tape library", "Move the jobs, then swap the unit", "Restore one folder a site",
           "hardware", "File Storage"),
          ("Renew the gateway licences", "Load the new keys at night", "Fifty sessions at once", "network",
           "Remote Access"),
          ("Switch the mail filter", "Redirect one domain at a time", "Send the sample set through",
           "application software", "Corporate Email"),
          ("Split the guest network", "New segment for every floor", "Sign in as a visitor", "network",
           "Office Network"),
          ("Move payslips to the new archive", "Copy first, switch last", "Open ten old slips",
           "system software",
           "Payroll Suite"),
          ("Retire the old sign-on page", "Redirect it for a month", "Try every link of the handbook",
           "service",
           "Identity and Sign-on"),
          ("Port the hotline numbers", "Port them after hours", "Call each number twice", "telecom",
           "Telephony"),
          ("Patch the print servers", "One server an evening", "Print from every site", "system software",
           "Printing"),
          ("Rewrite the restore handbook", "Draft, review, publish", "A colleague follows it",
           "documentation",
           "File Storage"),
      )  # fmt: skip
_REQUESTER = (
    "requester|requestor|requested|who asked|asked for|own change|own request|yourself|themselves|themself"
    "|raised by|you raised|submitted|same person|self-"
)
"""Who asks is the one who asked for the change."""
THIS_CHANGE = "the change|this change|that change"
"""It is about that one."""
_DECISIONS = (("assess", "authorize", "authorized"), ("authorize", "scheduled", "scheduled"))
_GRAVE = (("high", "high"), ("high", "medium"), ("high", "low"), ("medium", "high"), ("low", "high"))


@family("itsm", produces="change", perturbations=("policy_forbids", "missing_entity", "no_right"))
def raise_change(s: Scene) -> None:
    """A risky change is asked for, with its plans, for tickets and perhaps a problem that wait for it."""
    s.pick_caller(MANAGERS)
    what, how, test, category, service_name = s.rng.choice(_WORKS)
    first, second = pick_several(s, UNMAPPED, 2)
    problem = s.pick(
        "SELECT number FROM problem WHERE org_id = 'ORG_001' AND status NOT IN ('resolved', 'closed')"
    )
    both = s.chance(0.5)
    risk, impact = s.rng.choice(_GRAVE)
    priority = s.rng.choice(("critical", "high", "moderate", "low"))
    owner = s.rng.choice(("Network Operations", "Platform Engineering", "Service Desk", "Support Tier 2"))
    more = besides(s, *about_service(service_name, "changes"), *about_group(owner, "changes"))
    s.perturb("missing_entity",
              "UPDATE service SET name = 'Bundle ' || substr(service_id, -3) WHERE name = :name",
              name=service_name)  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """[What we need is|We need] a change called "{what}" for {service}, of the category {category},
        with risk {risk}, impact {impact} and priority {priority}. Implementation reads "{how}" and
        testing "{test}", and {owner} [carries it out|does the work].{board} It is made for {tickets},
        [so map it|which has to be mapped].""",
        """{tickets} keep coming back to the same thing, [so let us do it properly|and another workaround
        will not do]: ask for "{what}" under {service} (a {category} matter), where {owner} would proceed
        by "{how}" and then test by "{test}". I put risk at {risk}, impact at {impact} and priority at
        {priority}.{board} [Map it to what it is for|It is to be mapped to what it is for].""",
        """The vendor [gave us a date|named a date], therefore "{what}" can be requested now: service
        {service}, category {category}, {owner} to implement "{how}", and "{test}" as the test; risk is
        {risk}, impact {impact}, priority {priority}.{board} We do this because of {tickets}, and [that
        has to be visible|the mappings should show it].""",
        """[From the planning meeting|As planned with {owner}]: raise "{what}" as a {category} change to
        {service}, {risk} risk and {impact} impact, priority {priority}, which {owner} would implement
        like this, "{how}", and prove like that, "{test}".{board} [Map it to|What it is for, and has to
        be mapped to, is] {tickets}.""",
        """"{what}" should be [on record as a change request|written up as a change], with {service} as
        the service, {owner} as the group, "{how}" as the plan and "{test}" as the test, in category
        {category} with risk {risk}, impact {impact} and priority {priority}.{board} [Link it to|It
        belongs to] {tickets}, which wait for it.""",
        """{owner} asked me to [request|hand in] what they have prepared for {service}: title "{what}",
        category {category}, implementation plan "{how}" and testing plan "{test}", where [they judge|in
        their view] the risk is {risk} and the impact {impact}, and the priority is {priority}.{board}
        Mappings go to {tickets}.""",
        what=what, how=how, test=test, category=category, service=service_name, risk=risk, impact=impact,
        priority=priority, owner=owner,
        tickets=f"{first['number']} and {second['number']}" if not both else
        f"{first['number']}, {second['number']} and {problem['number']}",
        board=vary(s.rng, s.phrase(
            "policy_forbids",
            " [The advisory board has to hear of it; mark it as required.|The advisory board is required.|"
            "As to the advisory board, it is required.]",
            " [The advisory board need not hear of it; mark it as not required.|The advisory board is not "
            "required.|As to the advisory board, it is not required.]",
        )),
    )  # fmt: skip
    more.say()
    s.refuse("policy_forbids", "a change of high risk or high impact needs the advisory board",
             names=("board|cab", "high|risk|impact"))  # fmt: skip
    find_caller(s)
    service = s.do("find_service_by_name", "the service it changes", name=service_name)
    s.require_ok(service, f"there is no service called {service_name}", names=(service_name, MISSING))
    group = find_group(s, owner, "who carries it out")
    incidents = [find_incident(s, number) for number in (first["number"], second["number"])]
    behind = s.do("find_problem_by_number", "the problem behind it",
                  number=problem["number"]) if both else None  # fmt: skip
    more.look(service=service, group=group)
    request = s.do(
        "create_change", "ask for it", short_description=what, status="new",
        category=category.replace(" ", "_"),
        risk=risk, impact=impact, priority=priority, implementation_plan=how, testing_plan=test,
        cab_required=True, service=service["service_id"], assignment_group=group["group_id"],
    )  # fmt: skip
    for incident in incidents:
        s.do("map_change_request", "it is made for this ticket", change_id=request["change_id"],
             incident_id=incident["incident_id"])  # fmt: skip
    if behind:
        s.do("map_change_request", "and for the problem", change_id=request["change_id"],
             problem_id=behind["problem_id"])  # fmt: skip
    s.rule(
        "The change is new, has both plans, and the advisory board is asked",
        """SELECT COUNT(*) FROM change WHERE short_description = :what AND status = 'new' AND cab_required = 1
        AND implementation_plan = :how AND testing_plan = :test""",
        what=what, how=how, test=test,
    )  # fmt: skip
    s.produce(
        "change", request, s.rng.choice(("the change we request", "the change you raise", "the new change"))
    )


@family(
    "itsm", produces="change",
    perturbations=("policy_forbids", "missing_entity", "no_right", "out_of_scope", "inactive_person"),
)  # fmt: skip
def authorize_change(s: Scene) -> None:
    """A change is authorized or scheduled by someone who did not ask for it, and mapped to tickets."""
    s.pick_caller(MANAGERS)
    before, state, done = s.rng.choice(_DECISIONS)
    change = s.pick("""SELECT * FROM change WHERE org_id = 'ORG_001' AND status = :before
        AND requested_by <> (SELECT user_id FROM users WHERE email = :me)""", before=before,
        me=caller_email(s))  # fmt: skip
    group = s.pick("SELECT * FROM user_group WHERE name IN ('Network Operations', 'Platform Engineering', "
                   "'Service Desk', 'Support Tier 2', 'Release Board')")  # fmt: skip
    who = s.pick(WORKERS + " AND email <> :me", group=group["group_id"], me=caller_email(s))
    first, second = pick_several(s, UNMAPPED, 2)
    which = {"number": change["number"]}
    more = besides(s, *about_change(change["number"]), *about_group(group["name"], "changes"))
    s.perturb("policy_forbids",
              "UPDATE change SET requested_by = (SELECT user_id FROM users WHERE email = :me) "
              "WHERE number = :number", me=caller_email(s), **which)  # fmt: skip
    s.perturb("missing_entity",
              "UPDATE change SET number = 'CHG0005' || substr(number, 8) WHERE number = :number",
              **which)  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.perturb("out_of_scope", FOREIGN_CHANGE, **which)
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=who["user_id"])
    s.ask(
        """{change}, "{title}", has my approval [after the talk with its author|now that I have read it].
        Record it as {done}, assign it to {who} in {group}, and map it to {a} and to {b}, [which nobody
        has done yet|since neither is mapped yet].""",
        """I was asked to decide about "{title}" ({change}), and [my answer is yes|I say yes]: it is
        {done} as of now. {who} will have it as a member of {group}, and the two tickets that wait for
        it, {a} and {b}, [should be linked|are to be linked to it].""",
        """Two tickets, {a} and {b}, depend on {change}, [which has been lying around for my word|and all
        that was missing is my word]. Consider it given and the change {done}; record the mapping to
        both, and then {who} from {group} may [prepare it|take it on].""",
        """[Is {change} still waiting for a word of mine?|In case {change} is still waiting for me:] Here
        it is, the change is {done}. The work goes to {group}, by name to {who}, and it should also say
        that {b} and {a} are [what it is for|the tickets it is made for].""",
        """[The window for {change} is agreed|We have a window for {change}], so it can be noted in my name
        as {done}. {who} of {group} will carry it out, so enter both of them; besides, it is made for {a}
        and {b} as well, [which nobody has recorded yet|so map it to them].""",
        """[Before Thursday's board meets|Ahead of the board on Thursday] I would like {change} to be
        {done}, provided I am the right one to say so. {group} does the work, {who} in person, and the
        change is mapped to {a} and {b}, [whose callers want to see that|as their callers have been
        told].""",
        done=done,
        change=change["number"], title=change["short_description"], who=full_name(who), group=group["name"],
        a=first["number"], b=second["number"],
    )  # fmt: skip
    more.say()
    boss = find_caller(s)
    request = s.do("find_change_by_number", "where it stands", **which)
    s.require_ok(request, f"there is no change {change['number']}", names=(change["number"], MISSING))
    whose = organization_of(s, request["requested_by"], "who asked for it")
    s.require(whose, "==", boss["org_id"], f"{change['number']} belongs to another organization",
              names=(f"{change['number']}|{THIS_CHANGE}", OTHER_ORGANIZATION))  # fmt: skip
    s.require(request["status"], "==", before, f"{change['number']} cannot become {done} now")
    s.require(request["requested_by"], "!=", boss["user_id"],
              "nobody lets a change pass that they asked for themselves", names=(_REQUESTER,))  # fmt: skip
    takes = find_group(s, group["name"], "who carries it out")
    person = find_member(s, takes, who, "who does the work")
    incidents = [find_incident(s, number) for number in (first["number"], second["number"])]
    more.look(change=request, group=takes)
    s.do("update_change", f"it is {done}", change_id=request["change_id"], status=state,
         assignment_group=takes["group_id"], assigned_to=person["user_id"])  # fmt: skip
    for incident in incidents:
        s.do("map_change_request", "it is made for this ticket", change_id=request["change_id"],
             incident_id=incident["incident_id"])  # fmt: skip
    more.write()
    s.rule(
        "Whoever let the change pass is not who asked for it",
        """SELECT COUNT(*) FROM change c JOIN user_group_member m ON m.group_id = c.assignment_group
        AND m.user_id = c.assigned_to WHERE c.number = :number AND c.status = :state
        AND c.requested_by <> (SELECT user_id FROM users WHERE email = :me)""",
        me=caller_email(s), state=state, **which,
    )  # fmt: skip
    s.produce("change", request, change["number"])
