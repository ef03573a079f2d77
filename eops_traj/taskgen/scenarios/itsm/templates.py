"""Scenarios with incident templates: made, and revised."""

from eops_traj.gym.servers.itsm.seed_assets import PRIORITIES
from eops_traj.taskgen.expressions import ROW, joined, mapped
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, RETIRED, TAKEN
from eops_traj.taskgen.scenarios.itsm.change_extras import about_service
from eops_traj.taskgen.scenarios.itsm.lookups import (
    BY_TABLE,
    MANAGERS,
    NO_RIGHT,
    NOTCH_UP,
    TABLE,
    caller_email,
    find_caller,
    pick_scale,
)
from eops_traj.taskgen.scenarios.itsm.record_extras import about_desk, about_template
from eops_traj.taskgen.scene import Scene

_FORMS = (  # name, headline, channel, category, offering
    ("Docking Trouble", "Dock does not wake its devices", "phone", "hardware", "Standard Laptop"),
    ("Blocked Payslip", "Payslip is held back", "email", "database", "Payslip Portal"),
    (
        "Lost Second Factor",
        "Second factor has to be registered again",
        "phone",
        "password-reset",
        "Single Sign-on",
    ),
    ("Quiet Hotline", "Hotline announces but does not connect", "phone", "hardware", "Support Hotline"),
    (
        "Restore Request",
        "Files have to come back from the backup",
        "self-service",
        "software",
        "Restore from Backup",
    ),
    ("Room Screen", "Screen of a meeting room stays dark", "walk-in", "hardware", "Video Bar"),
    ("Slow Query", "Query on the warehouse does not end", "email", "database", "Query Access"),
    ("Label Alignment", "Labels are cut off at the edge", "chat", "hardware", "Label Printer"),
)


@family("itsm", perturbations=("policy_forbids", "missing_entity", "no_right"))
def new_template(s: Scene) -> None:
    """A template is made for a kind of ticket that keeps coming, and an old one goes out of use."""
    s.pick_caller(MANAGERS)
    name, headline, channel, category, offering = s.rng.choice(_FORMS)
    impact, urgency, priority, scale_words = pick_scale(s, *PRIORITIES)
    old = s.pick("SELECT name FROM incident_template WHERE active AND org_id = 'ORG_001'")
    more = besides(s, *about_template(old["name"]), *about_desk())
    s.perturb("policy_forbids", "UPDATE service_offering SET status = 'retired' WHERE name = :name",
              name=offering)  # fmt: skip
    s.perturb("missing_entity", "UPDATE incident_template SET name = 'Form ' || rowid WHERE name = :name",
              name=old["name"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """Every week somebody types the same ticket about {offering}, so [we want a template for it|it
        deserves a template], "{name}": headline "{headline}", channel {channel}, category {category},
        and as for the grading, {said}. I am the caller that it starts with. "{old}" [is hardly used any
        more and goes out of use|has had its time and is switched off].""",
        """"{headline}" [will be the headline|is what the headline says] of a new incident template called
        "{name}", for the offering {offering} and the service behind it. Its channel is {channel}, its
        category {category}; {said}; and my name stands in it as the caller. In return "{old}" should [no
        longer be active|be deactivated].""",
        """[The desk asked for|What the desk has been asking for is] a template "{name}": it belongs to
        {offering}, comes in by {channel}, falls under {category}, opens with "{headline}", and the grading
        to enter is that {said}, with me as the caller. The template "{old}" [may not be offered any
        longer|is taken out of the list].""",
        """One template comes and one goes: new is "{name}" (offering {offering}, channel {channel},
        category {category}, headline "{headline}", me as the caller; {said}), [with the priority that this
        leads to|and its priority follows from that]. [What goes is|Inactive from now on is] "{old}".""",
        """Since {offering} was rolled out [to all floors|to everyone], new hands on the desk need a
        template: "{name}", with "{headline}" as its short description, {channel} as the channel and
        {category} as the category. How bad such a case is: {said}. It runs in my name; "{old}" is to be
        made inactive [in the same go|along with that].""",
        """[Tidying up our templates|In the course of tidying up the templates], I found "{old}", which
        should become inactive, and a gap where {offering} is concerned. Fill it with "{name}", active at
        once, whose values are: headline "{headline}", channel {channel}, category {category}, caller me,
        and [the grading is that|it is graded like this:] {said}.""",
        name=name, headline=headline, channel=channel, category=category, offering=offering,
        said=scale_words, old=old["name"],
    )  # fmt: skip
    more.say()
    s.duty("the priority of a template follows from impact and urgency")
    boss = find_caller(s)
    found = s.do("get_incident_templates", "whether there is one of that name, and the old one")
    s.require(count(found["incident_templates"].every(name=name)), "==", 0, f"a template {name} exists",
              names=(name, TAKEN))  # fmt: skip
    gone = found["incident_templates"].every(name=old["name"])
    s.require(count(gone), "==", 1, f"there is no template called {old['name']}",
              names=(old["name"], MISSING))  # fmt: skip
    part = s.do("find_service_offering_by_name", "what it is about", name=offering)
    s.require(
        part["status"], "!=", "retired", f"{offering} is retired", names=(f"{offering}|offering", RETIRED)
    )
    more.look(template=gone[0])
    s.do(
        "create_new_incident_template", "the new template", name=name, active=True,
        change_request_values={
            "caller_id": boss["user_id"], "short_description": headline, "channel": channel,
            "category": category, "impact": impact, "urgency": urgency, "priority": priority,
            "service": part["business_service"], "service_offering": part["service_offering_id"],
        },
    )  # fmt: skip
    s.do("update_incident_template", "and the old one goes",
         incident_template_id=gone[0]["incident_template_id"], active=False)  # fmt: skip
    s.rule(
        "The template's offering belongs to its service",
        """SELECT COUNT(*) FROM incident_template t JOIN service_offering o ON o.service_offering_id =
        t.service_offering AND o.business_service = t.service WHERE t.name = :name AND t.active""",
        category="integrity", name=name,
    )  # fmt: skip


@family("itsm", ood=True, perturbations=("missing_entity", "no_right"))
def more_urgent_templates(s: Scene) -> None:
    """All templates of a service become one notch more urgent, and their priority follows."""
    s.pick_caller(MANAGERS)
    service = s.pick("""SELECT s.service_id, s.name FROM service s WHERE s.org_id = 'ORG_001' AND s.status <>
        'retired' AND EXISTS (SELECT 1 FROM incident_template t WHERE t.service = s.service_id AND t.active
        AND t.urgency <> 'high')""")  # fmt: skip
    more = besides(s, *about_service(service["name"]))
    s.perturb("missing_entity", "UPDATE service SET name = 'Bundle ' || substr(service_id, -3) WHERE name = "
              ":name", name=service["name"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """Tickets about {service} [were graded too low all autumn|have been graded too low for months],
        and the reason is our templates. Every active one for that service goes one notch up in urgency,
        unless it stands at the top already, [and its priority goes with it by the table|with the
        priority that the table gives then].""",
        """After the outage in December [we agreed with the business|the business made us promise] to
        take {service} more seriously. For the templates this means: urgency one step higher in all that
        are active and about it, priority accordingly, [impact as it is|the impact left alone].""",
        """Whoever opens a ticket about {service} from a template [should get help sooner|waits too
        long]. Raise the urgency of each such template that is in use by one level, low to medium and
        medium to high, and [do not forget what follows for the priority|correct the priority of each
        with it].""",
        """[Which templates are there for {service}?|I do not know how many templates there are for
        {service}.] Whatever you find, as long as it is active: its urgency rises by one level, those
        already at high stay, [and each gets the priority that belongs to the new pair|and the priorities
        are set to fit].""",
        """{service} is now [part of the promises to our tenants|in the contract with our tenants], so
        the templates about it have to show more urgency than before. One notch more for every active
        template of the service; [inactive ones stay as they are|leave inactive ones alone], and
        priorities follow the table.""",
        """The yearly check of templates [ended with a decision|brought one decision]: those of {service}
        are not urgent enough. Go through the active ones, move low to medium and medium to high, and
        [set the priority of each anew|let the table say what priority each has then].""",
        service=service["name"],
    )  # fmt: skip
    more.say()
    s.covers("all active templates of the service")
    s.indirect("one notch above what each has", hidden=[])
    find_caller(s)
    about = s.do("find_service_by_name", "the service they are about", name=service["name"])
    s.require_ok(about, f"there is no service called {service['name']}", names=(service["name"], MISSING))
    found = s.do("get_incident_templates", "those in use", active=True)["incident_templates"]
    below = found.every(
        ("change_request_values.urgency", "!=", "high"), ("change_request_values.service", "==",
                                                          about["service_id"])
    )  # fmt: skip
    values = ROW["change_request_values"]
    higher = mapped(values["urgency"], NOTCH_UP)
    more.look(service=about)
    s.do_each(below, "update_incident_template", "one notch up, and the priority with it",
              incident_template_id=ROW["incident_template_id"],
              change_request_values={"urgency": higher,
                                     "priority": mapped(joined([values["impact"], higher], " "), TABLE)}
              )  # fmt: skip
    s.rule(
        "No active template of the service has another priority than that of the table",
        f"SELECT COUNT(*) FROM incident_template WHERE service = :service AND active AND NOT ({BY_TABLE})",
        expected=0, service=service["service_id"],
    )  # fmt: skip
