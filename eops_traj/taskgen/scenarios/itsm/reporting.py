"""A scenario in which something new is reported for a colleague."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, RETIRED
from eops_traj.taskgen.scenarios.itsm.change_extras import about_service
from eops_traj.taskgen.scenarios.itsm.clocks import add_sla_rule, add_slas
from eops_traj.taskgen.scenarios.itsm.group_extras import about_person
from eops_traj.taskgen.scenarios.itsm.lookups import (
    ARTICLE_OF,
    BY_TABLE,
    COLLEAGUES,
    MANAGERS,
    NO_RIGHT,
    OPEN,
    OPEN_STATES,
    USUAL,
    caller_email,
    find_caller,
    find_person,
    full_name,
    pick_channel,
    pick_scale,
)
from eops_traj.taskgen.scenarios.itsm.ticket_extras import about, name_problem
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.wording import vary

_COMPLAINTS = (  # title, service, offering, category
    ("Signature is stripped from outgoing mail", "Corporate Email", "Mailbox", "software"),
    ("Team inbox sorts replies into junk", "Corporate Email", "Shared Inbox", "software"),
    ("Mail on the phone stopped syncing", "Corporate Email", "Mobile Mail", "software"),
    ("VPN client asks for the token twice", "Remote Access", "VPN Client", "software"),
    ("VPN has no route to the London servers", "Remote Access", "VPN Client", "network"),
    ("Contractor profile expires after an hour", "Remote Access", "Contractor VPN", "software"),
    ("Calls break up on the staff wireless", "Office Network", "Wireless Staff", "network"),
    ("Visitors get no address on the guest network", "Office Network", "Wireless Guest", "network"),
    ("Desk port delivers ten megabits only", "Office Network", "Wired Desk Port", "network"),
    ("Sign-on page stays blank", "Identity and Sign-on", "Single Sign-on", "software"),
    ("Reset link never arrives", "Identity and Sign-on", "Password Self-service", "password reset"),
    ("Department folder opens empty", "File Storage", "Department Share", "software"),
    ("Restored files come back unreadable", "File Storage", "Restore from Backup", "software"),
    ("Payslip portal times out at sign-in", "Payroll Suite", "Payslip Portal", "software"),
    ("Payroll run reports duplicate keys", "Payroll Suite", "Payroll Run", "database"),
    ("Receipts sent from the phone vanish", "Expense Tracker", "Expense Mobile App", "software"),
    ("Approvals pile up without a reminder", "Expense Tracker", "Expense Approval", "software"),
    ("Customers see contracts of last year", "Customer Portal", "Portal Login", "software"),
    ("Monthly report counts every case twice", "Customer Portal", "Portal Reporting", "database"),
    ("Soft phone rings without a caller", "Telephony", "Soft Phone", "software"),
    ("Hotline plays the old announcement", "Telephony", "Support Hotline", "software"),
    ("Artifact uploads above a gigabyte fail", "Build Farm", "Artifact Store", "software"),
    ("Sales queries never finish", "Data Warehouse", "Query Access", "database"),
    ("Nightly load skips the last region", "Data Warehouse", "Nightly Load", "database"),
    ("Bookings vanish after a refresh", "Meeting Rooms", "Room Booking", "software"),
    ("Staff directory lists people twice", "Intranet", "Staff Directory", "inquiry or help"),
)
_ARTICLE_WORDS = """ [The article "{article}" should hang on it as a suggestion.|Suggest the article
    "{article}" on it.|What may help is the article "{article}", to be linked as suggested.]"""
_CATEGORIES = {"password reset": "password-reset", "inquiry or help": "inquiry-help"}


def check_no_repetition(s: Scene, user: ResultRef, who: Row, title: str | ResultRef) -> None:
    """Require that a person has no open incident about this."""
    incidents = s.do("list_incidents", "what they have reported already", called_id=user["user_id"])[
        "incidents"
    ]
    again = incidents.every(("status", "in", OPEN_STATES), short_description=title)
    s.require(count(again), "==", 0, f"{full_name(who)} has an open incident about this already")


@family(
    "itsm", produces="incident",
    perturbations=("no_right", "inactive_person", "missing_entity", "policy_forbids", "two_namesakes"),
)  # fmt: skip
def report_incident(s: Scene) -> None:
    """An incident is reported for a colleague, with its service, its SLAs and perhaps an article."""
    s.pick_caller(MANAGERS)
    who = s.pick(COLLEAGUES, me=caller_email(s))
    title, service_name, offering, category = s.rng.choice(_COMPLAINTS)
    impact, urgency, priority, scale_words = pick_scale(s, *USUAL)
    way, channel_words = pick_channel(s)
    article = ARTICLE_OF.get(service_name, "") if s.chance(0.6) else ""
    more = besides(
        s,
        *about("that ticket", who, name_problem),
        *about_service(service_name, "tickets"),
        *about_person(full_name(who), "tickets"),
    )
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=who["user_id"])
    s.perturb("missing_entity",
              "UPDATE service SET name = 'Bundle ' || substr(service_id, -3) WHERE name = :name",
              name=service_name)  # fmt: skip
    s.perturb("policy_forbids", "UPDATE service SET status = 'retired' WHERE name = :name", name=service_name)
    s.perturb("two_namesakes", f"""UPDATE users SET first_name = :first, last_name = :last WHERE user_id =
        (SELECT user_id FROM users u WHERE org_id = 'ORG_001' AND active AND {ALIKE})""",
        first=who["first_name"], last=who["last_name"], user=who["user_id"], me=caller_email(s))  # fmt: skip
    s.ask(
        """{name} has trouble with {service} and [cannot file it alone|is in no position to file it], so
        it falls to you to do it; {told}. Make "{title}" the headline, put it under {offering}, the
        category is {category}, and for the grading go by this: {said}.{article}""",
        """[There has to be a ticket for {name}|A ticket is needed for {name}], with the headline
        "{title}" and the category {category}, about {service} and more exactly the {offering} part of
        it. [What decides its priority is|For the priority you need to know] that {said}; {told}, and the
        SLAs start as usual.{article}""",
        """Something in {service} should be on record [before the shift changes|before the desk closes]:
        {told}, the caller is {name}, and {said}. The line to use is "{title}", it is about {offering}
        and counts as {category}, and [the clocks for it start as well|its clocks have to start as
        well].{article}""",
        """"{title}" is what {name} says, and {told}; they use {offering}, so the service is {service},
        and [the category would be {category}|it belongs under {category}]. As to how bad it is, {said},
        and I want it written up as a new incident [before it gets lost|so that the clocks
        start].{article}""",
        """[{service} worries me|I am worried about {service}], because {name} tells me that something is
        off with {offering}, and {said}; {told}. Log it for them as "{title}", category {category}, if it
        is not logged already, and [start whatever SLAs apply|whatever SLAs apply are to start].{article}""",
        """Until {offering} works again for {name}, [the month-end figures are stuck|their team depends
        on a workaround], and still nobody has logged it, although {told}. The incident belongs to
        {service}, category {category}, with the headline "{title}" and a grading that follows from this:
        {said}. [SLAs are tracked from the start|Track its SLAs from the start].{article}""",
        """[{name} gave few details|Details from {name} are scarce], but this much is clear: "{title}" is
        the matter, {offering} is the part of {service} concerned, the category is {category}, and
        {said}. {Told}; make it an incident of theirs, [with SLAs from the start|and have its SLAs
        run].{article}""",
        """Neither {name} nor anyone nearby can [open tickets|fill in the form] while {service} behaves
        like this, hence my request: a new incident for them, "{title}", {category}, under {offering}.
        For its priority you should know that {said}, and {told}; [the SLAs belong to it|do not leave out
        the SLAs].{article}""",
        """[According to {name}|From what {name} says], the {offering} part of {service} is the culprit,
        and "{title}" is how they put it; {told}. It goes on record under {category} with those words as
        its headline, where {said}, and what we promise for such a case [is tracked|has to be
        tracked].{article}""",
        name=full_name(who), title=title, service=service_name, offering=offering, category=category,
        said=scale_words,
        told=channel_words, Told=channel_words[0].upper() + channel_words[1:],
        article=vary(s.rng, _ARTICLE_WORDS).format(article=article) if article else "",
    )  # fmt: skip
    more.say()
    find_caller(s)
    user = find_person(s, who, "who has the trouble")
    service = s.do("find_service_by_name", "the service it is about", name=service_name)
    s.require_ok(service, f"there is no service called {service_name}", names=(service_name, MISSING))
    s.require(service["status"], "!=", "retired", f"{service_name} is retired",
              names=(f"{service_name}|service", RETIRED))  # fmt: skip
    parts = s.do("find_service_offerings", "what is offered of it", parent=service["service_id"])
    check_no_repetition(s, user, who, title)
    more.look(person=user, service=service)
    incident = s.do(
        "create_incident", f"report it for {full_name(who)}", caller_id=user["user_id"],
        short_description=title,
        service=service["service_id"], category=_CATEGORIES.get(category, category), channel=way,
        service_offering=parts["service_offerings"].where(name=offering)["service_offering_id"],
        impact=impact, urgency=urgency, priority=priority,
    )  # fmt: skip
    add_slas(s, incident, user["org_id"], priority, incident["created_at"])
    if article:
        fits = s.do("retrieve_knowledge_articles", "the article that was named", title=article)["knowledges"]
        s.do("link_knowledge_to_incident", "suggest it", incident_id=incident["incident_id"],
             knowledge_id=fits.where(title=article, state="published")["knowledge_id"],
             used_as="suggested")  # fmt: skip
    more.write(ticket=incident)
    s.rule(
        "The caller has one open incident of this kind, and its priority is that of the table",
        f"""SELECT COUNT(*) FROM incident WHERE short_description = :title AND status IN {OPEN}
        AND {BY_TABLE} AND caller_id = (SELECT user_id FROM users WHERE email = :email)""",
        title=title, email=who["email"],
    )  # fmt: skip
    add_sla_rule(s, title)
    words = "[the new ticket|the ticket you open for them|the ticket that you open|the ticket about it]"
    s.produce("incident", incident, vary(s.rng, words))


ALIKE = """email <> :me AND user_id <> :user AND role = 'reporter' ORDER BY user_id DESC LIMIT 1"""
