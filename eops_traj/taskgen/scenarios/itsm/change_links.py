"""Scenarios about what a change is for and what it caused: awaited, mapped to the wrong one, gone wrong."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, in_state
from eops_traj.taskgen.scenarios.itsm.change_extras import about_change, about_service
from eops_traj.taskgen.scenarios.itsm.changes import THIS_CHANGE
from eops_traj.taskgen.scenarios.itsm.clocks import pause_slas
from eops_traj.taskgen.scenarios.itsm.lookups import (
    EARLY,
    FOREIGN_CHANGE,
    MANAGERS,
    NO_RIGHT,
    OPEN,
    OURS,
    UNMAPPED,
    caller_email,
    find_caller,
    find_incident,
    find_ticket,
    organization_of,
    pick_several,
    pick_ticket,
)
from eops_traj.taskgen.scenarios.itsm.ticket_extras import ASKED, NOTED, about
from eops_traj.taskgen.scene import Scene


@family("itsm", consumes="incident", perturbations=("policy_forbids", "missing_entity"))
def wait_for_change(s: Scene) -> None:
    """Two tickets go on hold until a change is through, and the change is mapped to them."""
    s.pick_caller(MANAGERS)
    early = (
        EARLY
        + """ AND change_request IS NULL
        AND incident_id NOT IN (SELECT ifnull(incident_id, '') FROM change_request_mapping)"""
    )
    first = pick_ticket(s, early, "incident")
    second = pick_ticket(s, early + f" AND incident_id <> '{first.row['incident_id']}'")
    change = s.pick("""SELECT * FROM change c WHERE org_id = 'ORG_001'
        AND status IN ('authorize', 'scheduled', 'implement', 'review')""")  # fmt: skip
    more = besides(s, *about(second.words, second.row, *NOTED[:2], *ASKED), *about_change(change["number"]))
    s.perturb("policy_forbids",
              "UPDATE change SET status = 'closed', close_code = 'successful' WHERE number = :number",
              number=change["number"])  # fmt: skip
    s.perturb("missing_entity",
              "UPDATE change SET number = 'CHG0007' || substr(number, 8) WHERE number = :number",
              number=change["number"])  # fmt: skip
    s.ask(
        """There is nothing more we can do about {first} and {second} until {change} is through. Put both
        on hold for it, with the right reason, and map the change to each of them, [so that nobody
        forgets|or it will be forgotten].""",
        """{change} ("{title}") will settle two tickets in one go, {first} and {second}, which [until
        then|up to that day] should wait for it. Hold them, say what for, stop the clocks where the rules
        allow, and [note on the change|let the change say] that it is made for them.""",
        """The team keeps asking me why {first} does not move. It cannot, and neither can {second},
        because both depend on {change}; [park them accordingly|so they go on hold for it] and record
        that the change is for these two, [their SLAs as the rules have it|with the usual consequences
        for their clocks].""",
        """We should [stop pretending|no longer pretend] that {second} and {first} are being worked on.
        What they need is {change}, "{title}", so put them on hold awaiting it and tie all three
        together; [their clocks stop if they may|a clock that may stop is stopped].""",
        """If {change} is still on its way, {first} and {second} are to wait for it: on hold, with the
        change named on them, and mapped in the change's own list too. [Should it be closed
        already|Should it turn out to be over], leave everything alone.""",
        """[The callers of {first} and {second} were told|We told the callers of {first} and {second}]
        that a change is under way, namely {change}. The records should say the same: both on hold for
        that reason, the change entered and mapped, [and SLAs paused where they pause|and whatever SLA
        pauses is paused].""",
        """{first} and {second} [cannot be solved before|will not be solved before] {change}, as three
        engineers have told me independently. That makes them tickets on hold, awaiting that change,
        which is entered on either and mapped to either; [some clocks stop with that|with that some
        clocks stop].""",
        """Once "{title}" ({change}) is in place, [{first} will be gone, and so will {second}|both
        {first} and {second} will be gone]. For the time being the two should rest, with the reason that
        is true and the change that is meant, and [in the change they should appear|they should appear in
        the change] as what it is for.""",
        """[Do not let anybody touch|Nobody should touch] {first} or {second} for now: they hang on
        {change}. Enter this as their reason to wait, name the change on both, map it to both, and [treat
        their SLAs as on every hold|do with their SLAs what every hold asks for].""",
        first=first.words, second=second.words, change=change["number"], title=change["short_description"],
    )  # fmt: skip
    more.say()
    request = s.do("find_change_by_number", "the change they wait for", number=change["number"])
    s.require_ok(request, f"there is no change {change['number']}", names=(change["number"], MISSING))
    s.require(request["status"], "not in", ["closed", "canceled"],
              f"{change['number']} is closed or canceled, and nothing waits for it",
              names=(f"{change['number']}|{THIS_CHANGE}", in_state("closed", "open")))  # fmt: skip
    tickets = [find_ticket(s, which, "new", "in_progress") for which in (first, second)]
    more.look(ticket=tickets[1], change=request)
    for incident in tickets:
        s.do("update_incident", "wait for the change", incident_id=incident["incident_id"], status="on_hold",
             on_hold_reason="Awaiting Change", change_request=request["change_id"])  # fmt: skip
        s.do("map_change_request", "the change is made for it", change_id=request["change_id"],
             incident_id=incident["incident_id"])  # fmt: skip
        pause_slas(s, incident)
    more.write()
    s.rule(
        "Both tickets wait for the change, and the change is mapped to both",
        """SELECT COUNT(*) FROM incident i JOIN change_request_mapping m USING (incident_id)
        JOIN change c ON c.change_id = m.change_id AND c.change_id = i.change_request
        WHERE c.number = :change AND i.number IN (:one, :two) AND i.status = 'on_hold'
        AND i.on_hold_reason = 'Awaiting Change'""",
        expected=2, change=change["number"], one=first.row["number"], two=second.row["number"],
    )  # fmt: skip


@family("itsm", perturbations=("policy_forbids", "missing_entity", "no_right"))
def correct_mapping(s: Scene) -> None:
    """A ticket is mapped to the wrong change: that ends, and the right change is mapped and awaited."""
    s.pick_caller(MANAGERS)
    row = s.pick(UNMAPPED, me=caller_email(s))
    wrong, right = s.pick_some("SELECT * FROM change WHERE org_id = 'ORG_001' AND status IN ('assess', "
                               "'authorize', 'scheduled', 'implement')", 2)  # fmt: skip
    s.arrange("""UPDATE incident SET status = 'on_hold', on_hold_reason = 'Awaiting Change', problem = NULL,
        change_request = :change WHERE incident_id = :incident""", change=wrong["change_id"],
        incident=row["incident_id"])  # fmt: skip
    s.arrange("""INSERT INTO change_request_mapping (change_request_mapping_id, change_id, incident_id,
        org_id, created_at, updated_at) VALUES ('CRM_901', :change, :incident, 'ORG_001',
        '2025-12-30 10:00:00', '2025-12-30 10:00:00')""", change=wrong["change_id"],
        incident=row["incident_id"])  # fmt: skip
    more = besides(s, *about(row["number"], row, *NOTED[:3], *ASKED), *about_change(right["number"]))
    s.perturb("policy_forbids", "UPDATE change SET status = 'canceled' WHERE number = :number",
              number=right["number"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE change SET number = 'CHG0008' || substr(number, 8) WHERE number = "
              ":number", number=right["number"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{number} waits for the wrong change, because [somebody must have mistaken one title for
        another|two titles were mistaken for one another], and what it needs is {change}, "{title}".
        Unmap the one, map the other, and let the ticket [wait for the right one|be on hold for the right
        one].""",
        """The change that {number} is mapped to has nothing to do with it, [whichever that is|and I do
        not even know which it is]. Take that mapping away and make one to {change}, which also has to be
        the change that the ticket [names as awaited|says it is waiting for].""",
        """{change} ("{title}") is [what will help|the cure for] the caller of {number}, but the records
        tie that ticket to a different change, in the mapping and on the ticket itself. [Correct
        both|Both have to be put right], without touching the state in which it is.""",
        """[When {change} was mapped|As {change} was being mapped], the ticket {number} ended up with
        another change by mistake, which nobody noticed until its caller asked. Remove what is there, add
        what should be, and enter {change} on the ticket too, which [goes on waiting|stays on hold].""",
        """Should {change} be finished one day, nobody would think of {number}, [as it is mapped
        elsewhere|for its mapping leads elsewhere]. Replace that mapping by one to {change}, and replace
        the change on the ticket as well, so that what it waits for is "{title}".""",
        """[Its caller asked|I was asked] what {number} is on hold for, and it turned out not to be the
        change we had agreed on, which is {change}. Both the mapping and the ticket have to say so, and
        the [present mapping|mapping of today], wherever it leads, has to go.""",
        number=row["number"], change=right["number"], title=right["short_description"],
    )  # fmt: skip
    more.say()
    s.indirect("the change that it is mapped to", hidden=[wrong["number"], wrong["change_id"]])
    find_caller(s)
    incident = find_incident(s, row["number"])
    request = s.do("find_change_by_number", "the right change", number=right["number"])
    s.require_ok(request, f"there is no change {right['number']}", names=(right["number"], MISSING))
    s.require(request["status"], "not in", ["closed", "canceled"],
              f"{right['number']} is canceled, and nothing waits for it",
              names=(f"{right['number']}|change", in_state("canceled", "open")))  # fmt: skip
    maps = s.do("find_change_request_mappings_for_incident", "what it is mapped to",
                incident_id=incident["incident_id"])["change_request_mappings"]  # fmt: skip
    s.require(count(maps), "==", 1, f"{row['number']} is not mapped to one change")
    more.look(ticket=incident, change=request)
    s.do("delete_change_request_mappings", "not for that one",
         change_request_mapping_id=maps[0]["change_request_mapping_id"])  # fmt: skip
    s.do("map_change_request", "but for this one", change_id=request["change_id"],
         incident_id=incident["incident_id"])  # fmt: skip
    s.do("update_incident", "which it waits for", incident_id=incident["incident_id"],
         change_request=request["change_id"])  # fmt: skip
    more.write()


@family("itsm", ood=True, perturbations=("policy_forbids", "missing_entity", "no_right"))
def change_gone_wrong(s: Scene) -> None:
    """A service's change under review failed: it is closed so, and the tickets that it caused name it."""
    s.pick_caller(MANAGERS)
    change = s.pick(f"""SELECT c.*, s.name AS service_name FROM change c JOIN service s ON s.service_id =
        c.service WHERE c.org_id = 'ORG_001' AND c.status IN ('implement', 'review') AND NOT EXISTS (SELECT 1
        FROM change o WHERE o.service = c.service AND o.change_id <> c.change_id AND o.status = 'review') AND
        (SELECT COUNT(*) FROM incident WHERE org_id = 'ORG_001' AND status IN {OPEN}) > 4""")  # fmt: skip
    hit = pick_several(s, OURS + " AND created_at >= '2025-12-29'", 2)
    why = s.rng.choice(
        (
            "Rolled back on Sunday night",
            "Two of three nodes did not come up",
            "Sessions were lost during the switch",
            "The load was higher than tested",
        )
    )
    s.arrange("UPDATE change SET status = 'review' WHERE change_id = :change", change=change["change_id"])
    for row in hit:
        s.arrange("UPDATE incident SET service = :service, service_offering = NULL, category = 'software' "
                  "WHERE incident_id = :incident", service=change["service"],
                  incident=row["incident_id"])  # fmt: skip
    more = besides(s, *about_service(change["service_name"]), *about_change("the change")[:1])
    s.perturb("missing_entity", "UPDATE change SET status = 'implement' WHERE number = :number",
              number=change["number"])  # fmt: skip
    s.perturb("policy_forbids", FOREIGN_CHANGE, number=change["number"])
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """The change to {service} that is under review [did not work|went wrong]. Close it accordingly,
        with the notes "{why}", and as for what was reported about that service since 29 December, all of it
        [comes from it|was caused by it] and has to say so.""",
        """"{why}" [is what the engineers report|was the report of the engineers] about the change to
        {service} which we have in review: unsuccessful, in one word. It is closed like that, and all
        tickets about the service from 29 December 2025 on were caused by it, [so put it on each|which
        each of them has to name].""",
        """[Since 29 December|From 29 December on] the tickets about {service} have one cause, namely the
        change to it that is waiting in review. Mark them all as caused by that change, and close the
        change as unsuccessful; its close notes are "{why}".""",
        """We [cannot call|can hardly call] the latest work on {service} a success. The change concerned,
        the one under review, ends as unsuccessful with "{why}" in its notes, and what people have
        reported about {service} since 29 December is to be traced back to it, [ticket by ticket|one
        ticket after the other].""",
        """{service} has [caused more calls|kept us busier] since 29 December than in the whole autumn,
        thanks to the change that is now in review. So that the figures show it: enter that change as the
        cause on every ticket about the service since that day, and close it, unsuccessful, "{why}".""",
        """[Which change to {service} is under review?|One change to {service} is under review.] I have
        to report it as unsuccessful, notes "{why}", which closes it. The tickets that it brought us,
        that is all about that service created on or after 29 December, should carry it [as their
        cause|as what caused them].""",
        service=change["service_name"], why=why,
    )  # fmt: skip
    more.say()
    s.indirect("the change of a service under review", hidden=[change["number"], change["change_id"]])
    s.covers("all tickets about the service since a day")
    boss = find_caller(s)
    service = s.do("find_service_by_name", "what it was made to", name=change["service_name"])
    found = s.do("list_changes", "the change", service=service["service_id"], status="review")["changes"]
    s.require(count(found), "==", 1, f"no change to {change['service_name']} is under review",
              names=("change", f"{MISSING}|review|none|no change"))  # fmt: skip
    whose = organization_of(s, found[0]["requested_by"], "who asked for it")
    s.require(whose, "==", boss["org_id"], "that change belongs to another organization",
              names=("change", "organi|tenant|ORG_"))  # fmt: skip
    tickets = s.do("list_incidents", "what it caused", service=service["service_id"],
                   created_after="2025-12-29 00:00:00")["incidents"]  # fmt: skip
    more.look(service=service, change=found[0])
    s.do("update_change", "it failed", change_id=found[0]["change_id"], status="closed",
         close_code="unsuccessful", close_notes=why)  # fmt: skip
    s.do_each(tickets.every(("status", "not in", ["closed", "canceled"])), "update_incident",
              "it was caused by that", incident_id=ROW["incident_id"],
              caused_by_change=found[0]["change_id"])  # fmt: skip
