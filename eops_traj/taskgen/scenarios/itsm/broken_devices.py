"""A scenario in which a device breaks and is reported."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import OTHER_ORGANIZATION, RETIRED
from eops_traj.taskgen.scenarios.itsm.clocks import add_sla_rule, add_slas
from eops_traj.taskgen.scenarios.itsm.group_extras import about_person
from eops_traj.taskgen.scenarios.itsm.lookups import (
    COLLEAGUES,
    FOREIGN_DEVICE,
    MANAGERS,
    caller_email,
    find_caller,
    find_person,
    full_name,
    organization_of,
    pick_channel,
    pick_scale,
)
from eops_traj.taskgen.scenarios.itsm.reporting import check_no_repetition
from eops_traj.taskgen.scenarios.itsm.ticket_extras import about, name_problem
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.wording import vary

_FAULTS = (
    "Does not start after the weekend", "Screen goes dark under load", "Makes a grinding noise",
    "Shuts down without a warning", "Smells burnt when switched on", "Loses its settings every night",
    "Freezes as soon as it gets warm", "Keeps restarting in a loop", "Battery lasts ten minutes",
    "Hinge is broken on the left", "Speaker crackles in calls", "Camera shows a black picture",
    "Plug has to be held by hand", "Fan never stops", "Stripes run across the display",
    "Reads no cards any more", "Half of the keys are dead", "Cannot be charged from either side",
)  # fmt: skip
_BENCH_WORDS = """ [While it is looked at, mark the device as being in maintenance.|The device itself is in
    maintenance as of now.|For as long as it is looked at, the device counts as in maintenance.]"""


@family("itsm", produces="incident", perturbations=("policy_forbids", "out_of_scope", "inactive_person"))
def report_broken_device(s: Scene) -> None:
    """A device breaks: the incident is reported with it, and it may go into maintenance."""
    s.pick_caller(MANAGERS)
    who = s.pick(COLLEAGUES, me=caller_email(s))
    device = s.pick("""SELECT * FROM configuration_item WHERE org_id = 'ORG_001' AND status = 'in_use' AND
        configuration_item_id NOT IN (SELECT configuration_item FROM incident_affected_cis)""")  # fmt: skip
    fault = s.rng.choice(_FAULTS)
    impact, urgency, priority, scale_words = pick_scale(
        s, ("low", "high"), ("low", "medium"), ("medium", "medium")
    )
    way, channel_words = pick_channel(s)
    bench = s.chance(0.6)
    more = besides(s, *about("that ticket", who, name_problem), *about_person(full_name(who), "tickets"))
    s.perturb("policy_forbids",
              "UPDATE configuration_item SET status = 'retired' WHERE serial_number = :serial",
              serial=device["serial_number"])  # fmt: skip
    s.perturb("out_of_scope", FOREIGN_DEVICE, serial=device["serial_number"])
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=who["user_id"])
    s.ask(
        """[The device with serial number {serial}|What is numbered {serial}|{serial}, a device of ours,]
        has given up on {name}, so [report it as hardware|it goes down as hardware] under the headline
        "{fault}", where {said} and {told}. Put the device on the ticket, [as the workshop needs its
        number|or field support will look for the wrong one].{bench}""",
        """[A hardware fault has to be|Another hardware fault is to be] taken down for {name}, who uses
        the machine {serial} and says "{fault}"; {told}, and as to the grading, {said}. [The ticket has
        to name the machine|The machine has to be on the ticket], so that field support finds it.{bench}""",
        """{name} [is in despair over|has lost all patience with] one of our machines, whose label says
        {serial}, and in their words, which the ticket should use as its headline, it is "{fault}".
        {Told}, the category is hardware, {said}, and the device [belongs on it|has to stand on
        it].{bench}""",
        """[Before it is forgotten|Before the day gets busy], here is what {name} told me about {serial}:
        "{fault}", and {told}. A hardware incident in their name is needed, [with the machine
        attached|the machine attached to it], headline as quoted, graded on the basis that {said}.{bench}""",
        """I promised {name} to get this going before noon, since they sit with the machine numbered
        {serial} and all it does is this: "{fault}". Use that as the headline of a hardware incident for
        them ({told}; {said}) and [link the device to it|note the device on it], with SLAs as
        usual.{bench}""",
        """Field support [takes no job without a ticket|will only come with a ticket], so {name} needs
        one for {serial}, of the category hardware and with the headline "{fault}", given that {said}.
        {Told}, the device [has to stand on it|is attached to it], and its SLAs run from the
        start.{bench}""",
        """[Nothing helps any more|No restart helps any more|All usual tricks have failed]: the machine
        {serial} "{fault}", to say it in the words of {name}, and those words are the headline. It is a
        matter of hardware, {said}, {told}, and the incident [carries the device|has the device on
        it].{bench}""",
        """Spare parts for {serial} can only be ordered [against a ticket|on the basis of a ticket], and
        {name} has none. "{fault}" is its headline, hardware its category; [as to how grave it is|as to
        its weight], {said}, and {told}. The device is noted on it, SLAs are tracked.{bench}""",
        """[Third device this month|Again a device|Yet another machine is out]: this time it is {serial},
        and {name}, who depends on it, describes it as "{fault}". {Told}. Take it down under hardware
        with that description as the headline, considering that {said}, [and with the device on the
        ticket|the device being on the ticket].{bench}""",
        name=full_name(who), serial=device["serial_number"], fault=fault, said=scale_words,
        told=channel_words,
        Told=channel_words[0].upper() + channel_words[1:],
        bench=vary(s.rng, _BENCH_WORDS) if bench else "",
    )  # fmt: skip
    more.say()
    find_caller(s)
    user = find_person(s, who, "who reports it")
    item = s.do("find_configuration_item_by_serial_number", "the device",
                serial_number=device["serial_number"])  # fmt: skip
    named = f"{device['serial_number']}|device|machine"
    s.require(item["status"], "in", ["in_use", "maintenance"], "that device is not in use any more",
              names=(named, RETIRED))  # fmt: skip
    whose = organization_of(s, item["owner_id"], "whose it is")
    s.require(whose, "==", user["org_id"], "that device belongs to another organization",
              names=(named, OTHER_ORGANIZATION))  # fmt: skip
    check_no_repetition(s, user, who, fault)
    more.look(person=user)
    incident = s.do(
        "create_incident", "report the fault", caller_id=user["user_id"], short_description=fault,
        category="hardware", channel=way, configuration_item=item["configuration_item_id"],
        impact=impact, urgency=urgency, priority=priority,
    )  # fmt: skip
    s.do("link_affected_ci_to_incident", "note the device on it",
         incident_id=incident["incident_id"], configuration_item=item["configuration_item_id"])  # fmt: skip
    add_slas(s, incident, user["org_id"], priority, incident["created_at"])
    if bench:
        s.do("update_configuration_item", "it is being looked at",
             configuration_item_id=item["configuration_item_id"], status="maintenance")  # fmt: skip
    more.write(ticket=incident)
    s.rule(
        "The incident and its list of affected devices name the same device of the caller's organization",
        """SELECT COUNT(*) FROM incident i JOIN incident_affected_cis a USING (incident_id) JOIN
        configuration_item c ON c.configuration_item_id = a.configuration_item JOIN users u ON u.user_id =
        i.caller_id WHERE i.short_description = :fault AND u.email = :email AND i.configuration_item =
        a.configuration_item AND c.serial_number = :serial AND c.org_id = u.org_id""",
        category="integrity", fault=fault, email=who["email"], serial=device["serial_number"],
    )  # fmt: skip
    add_sla_rule(s, fault)
    words = (
        "[the ticket about it|the hardware ticket|the ticket with the device|the ticket that comes of this]"
    )
    s.produce("incident", incident, vary(s.rng, words))
