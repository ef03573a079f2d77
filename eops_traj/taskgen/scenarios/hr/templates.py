"""Scenarios about what services start from and who approves them: new templates, new criteria."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, TAKEN
from eops_traj.taskgen.scenarios.hr.group_extras import ABOUT_DESK, about_group
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEMOTE_CALLER,
    MANAGERS,
    id_text,
    my_email,
    require_manager,
)
from eops_traj.taskgen.scene import Scene

_NEW_TEMPLATES = {  # the old one: names for a new one, and what a request made from it starts with
    "Portal Access Change": (("Portal Access", "Portal Rights"), "Rights in the HR portal"),
    "Bank Details Change": (("Account Change", "Salary Account"), "Another account for the salary"),
    "Leave Request": (("Time Away", "Absence Request"), "An absence that is planned"),
    "New Starter": (("Arrival", "First Days"), "Somebody begins with us"),
    "Leaver": (("Departure", "Last Days"), "Somebody goes from us"),
    "Course Booking": (("Training Place", "Seat on a Course"), "A seat in a training"),
}  # fmt: skip


@family("hr", perturbations=("missing_entity", "policy_forbids", "no_right"))
def replace_template(s: Scene) -> None:
    """A new template of the same centre takes the place of an old one in every service that uses it."""
    s.pick_caller(MANAGERS)
    old = s.rng.choice(list(_NEW_TEMPLATES))
    names, line = _NEW_TEMPLATES[old]
    new = f"{s.rng.choice(names)} 2026"
    more = besides(s, *ABOUT_DESK)
    s.perturb("missing_entity",
              "UPDATE service_template SET name = 'Template ' || service_template_id WHERE name = :old",
              old=old)  # fmt: skip
    s.perturb("policy_forbids", "UPDATE service_template SET name = :new WHERE name = 'Leave Request 2023'",
              new=new)  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("all active services that use the template")
    s.indirect("the centre and the category of the old template")
    s.ask(
        """The template {old} [is out of date|has had its day], and "{new}" [replaces it|takes its place].
        [Create the new one|Make the new one] for the same centre and [with the same category|in the same
        category], with no change but the short description, [which is|which becomes] "{line}". [Then
        move|After that, move] every active service that uses the old one to it, and [when none is left|last
        of all], make the old one inactive.""",
        """[Our forms were rewritten|All forms were gone over in December], [and the first to go|and among
        those to go] is {old}. Its successor, "{new}", starts requests with the line "{line}" and [keeps
        centre and category|has centre and category from it]. [Each service on offer that still builds
        on|Whichever service on offer still uses] the old template [gets the new one|moves to the new one]
        before that [goes out of use|is taken out of use].""",
        """"{line}" is how requests [should begin|have to begin] [from now on|from this week] wherever we
        used {old}. [That takes|For that I need] a new template, "{new}", active, [of the same centre and
        category|whose centre and category are those of the old one]; all active services of the old one
        [change over|are moved to it], [and it is retired|and the old one is then made inactive].""",
        """[Please do not edit|I would rather not edit] {old}[ itself|], [since old requests refer to
        it|because old requests still point to it], so [set up|rather set up] "{new}" beside it: same
        centre, same category, short description "{line}". [All active services that use the old one|Every
        active service that uses the old one] [should use|then uses] that instead, and {old} [becomes
        inactive|is given up].""",
        """[Half of our requests|Too many requests] come in with [a headline that says nothing|a headline
        nobody understands], [which is the fault of|because of] {old}. [Give us|I want] "{new}" with "{line}",
        otherwise [a copy as to centre and category|like the old one in centre and category], let all the
        active services concerned [start from it|use it], and [deactivate|then deactivate] the old one.""",
        """[The audit wants|Audit has asked for] "{new}" [in the place of|instead of] {old} [by
        Friday|before the month is out]. [What it starts with is|It starts with] "{line}" under the old
        category, for the old centre; [whatever active service|any active service that] [depends on|hangs on]
        the old template [is changed to it|goes over to it], and [a template without use is not kept
        active|the old one may not stay active].""",
        old=old, new=new, line=line,
    )  # fmt: skip
    more.say()
    require_manager(s)
    found = s.do("get_service_template_by_name", "the old template", name=old)
    s.require_ok(found, f"there is no template called {old}", names=(old, MISSING))
    taken = s.do("get_service_templates", "whether the name is free", name=new)
    s.require(count(taken.every(name=new)), "==", 0, f"there is a template {new} already",
              names=(f"{new}|template|name", TAKEN))  # fmt: skip
    services = s.do("find_hr_services", "what uses the old one", service_template=old, active=True)
    more.look()
    template = s.do(
        "create_new_service_template", "the new template", name=new, active=True, coe_type=found["coe_type"],
        change_request_values={"short_description": line,
                               "category": found["change_request_values"]["category"]},
    )  # fmt: skip
    s.do_each(services.every(service_template__name=old), "update_hr_service", "each service that uses it",
              hr_service_id=id_text(ROW["hr_service_id"]), service_template=template["name"])  # fmt: skip
    s.do("update_service_template", "the old one is out of use", active=False,
         service_template_id=id_text(found["service_template_id"]))  # fmt: skip
    s.rule(
        "No active service is left with the old template, and the new one serves the same centre",
        """SELECT COUNT(*) FROM service_template n, service_template o WHERE n.name = :new AND o.name = :old
        AND n.coe_type = o.coe_type AND NOT o.active AND NOT EXISTS (SELECT 1 FROM hr_service h WHERE
        h.active AND h.service_template = o.service_template_id)""",
        category="integrity", new=new, old=old,
    )  # fmt: skip


_APPROVING = """SELECT * FROM user_group WHERE active AND name IN ('Finance Approvals', 'Talent Team',
    'HR Operations', 'Payroll', 'Benefits Desk', 'Release Board')"""


@family("hr", consumes="group", perturbations=("missing_entity", "policy_forbids", "no_right"))
def tighten_criteria(s: Scene) -> None:
    """New approval criteria with a group take the place of old ones in every service that has them."""
    s.pick_caller(MANAGERS)
    old = s.rng.choice(("Finance Approval", "Talent Approval", "Line Manager Approval"))
    new = s.rng.choice(
        ("Spending Approval", "Second Look Approval", "Head Office Approval", "Board Approval")
    )
    earlier = s.consume("group")
    group = dict(earlier.record.value) if earlier else s.pick(_APPROVING)
    more = besides(s, *(() if earlier else about_group(group["name"])))
    s.perturb(
        "missing_entity", "UPDATE hr_criteria SET name = 'Rule ' || hr_criteria_id WHERE name = :old", old=old
    )
    s.perturb(
        "policy_forbids", "UPDATE hr_criteria SET name = :new WHERE name = 'Director Approval'", new=new
    )
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("all active services under the old criteria")
    s.ask(
        """[From now on|As of today] {group} [approves|has the say over] what {old} [covered so far|has
        covered]. [Register|Add] criteria of the type approval for that group, called "{new}", [put every
        active service that has the old ones under them|and give them to all active services that have the
        old ones], and [make the old ones inactive|switch the old ones off] [when no service needs them|once
        they are without use].""",
        """[Our signature rules changed|The rules on who signs what are new]: "{new}" [takes the place
        of|replaces] {old}, [an approval|with the type approval], by {group}, [in force from now on|active
        from the start]. Each service on offer [that follows the old criteria|under the old criteria] [is to
        follow these|follows these instead], [after which|and then] the old ones [go out of use|are
        inactive].""",
        """{old} [was a mistake|does not work], [as the audit pointed out|says the audit]: the wrong people
        decide. [Create|Set up] "{new}" as approval criteria with {group} as the group, and [then find|after
        that, look up] the active services that still carry the old ones, [move them all|change each of
        them], and deactivate {old}[ itself|].""",
        """[If it were up to me|Had I been asked earlier], {group} would have approved these things [from the
        beginning|for years]. [Now they do|Now it comes true]: approval criteria "{new}", with that group,
        [for every active service|for all active services] where {old} stands [now|so far]; the old
        criteria [are not needed|have no purpose] after that and become inactive.""",
        """"{new}" [has to exist|should be in place] [before the budget round starts|by the start of the
        budget round], active, [type approval|of type approval], group {group}, and [all services in use
        with|all active services with] {old} [get it|are changed to it]. Since criteria [that nobody
        uses|without a service] only [confuse people|get in the way], [retire|deactivate] the old ones at
        the end.""",
        """{group} [and we|and our department] agreed that [approvals now lie with them|they decide from this
        quarter]. [In the system that means|For the system:] new criteria "{new}" (approval, that group,
        active), the active services of {old} [changed to them|moved over] without exception, and {old}
        itself [inactive|no longer active].""",
        old=old, new=new, group=earlier.words if earlier else group["name"],
    )  # fmt: skip
    more.say()
    require_manager(s)
    rules = s.do("list_hr_criteria", "the old criteria", name=old, active=True)
    s.require(count(rules.every(name=old)), "==", 1, f"there are no criteria called {old}",
              names=(old, f"no criteria|no criterion|{MISSING}"))  # fmt: skip
    taken = s.do("list_hr_criteria", "whether the name is free", name=new)
    s.require(count(taken.every(name=new)), "==", 0, f"there are criteria called {new} already",
              names=(f"{new}|criteria|name", TAKEN))  # fmt: skip
    approving = earlier.record if earlier else s.do(
        "find_group_by_name", "who approves from now on", name=group["name"])  # fmt: skip
    services = s.do("find_hr_services", "what follows the old ones", hr_criteria=old, active=True)
    more.look(group=approving)
    criteria = s.do("register_hr_criteria", "the new criteria", name=new, type="approval", active=True,
                    user_group=id_text(approving["group_id"]))  # fmt: skip
    s.do_each(services.every(hr_criteria__name=old), "update_hr_service", "each service that follows them",
              hr_service_id=id_text(ROW["hr_service_id"]), hr_criteria=criteria["name"])  # fmt: skip
    s.do("update_hr_criteria", "the old ones are out of use", active=False,
         hr_criteria_id=id_text(rules.where(name=old)["hr_criteria_id"]))  # fmt: skip
