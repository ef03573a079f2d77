"""Scenarios about devices that change hands."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, OTHER_ORGANIZATION, RETIRED
from eops_traj.taskgen.scenarios.itsm.lookups import (
    COLLEAGUES,
    FOREIGN_DEVICE,
    MANAGERS,
    NO_RIGHT,
    OPEN,
    STOCK,
    assign_device,
    caller_email,
    find_caller,
    find_person,
    full_name,
    organization_of,
)
from eops_traj.taskgen.scenarios.itsm.ticket_extras import NOTED, about, count_others, tell_site
from eops_traj.taskgen.scene import Scene


@family("itsm", consumes="user", perturbations=("policy_forbids", "missing_entity", "inactive_person"))
def hand_out_device(s: Scene) -> None:
    """A stocked device goes to someone, at their site, and a ticket about their equipment carries it."""
    s.pick_caller(MANAGERS)
    produced = s.consume("user")
    who = (
        dict(produced.record.value)
        if produced
        else s.pick(COLLEAGUES + " AND location_id IS NOT NULL", me=caller_email(s))
    )
    words = produced.words if produced else full_name(who)
    device = s.pick(STOCK, site=who["location_id"])
    title = s.rng.choice(("Equipment is incomplete", "Needs a second machine",
                          "Loan device has to be replaced", "Machine is too slow for the new tools",
                          "Asked for a machine to take home", "Old machine went back last week"))  # fmt: skip
    s.perturb("policy_forbids",
              "UPDATE configuration_item SET status = 'disposed' WHERE serial_number = :serial",
              serial=device["serial_number"])  # fmt: skip
    s.perturb("missing_entity",
              "UPDATE configuration_item SET serial_number = 'X' || serial_number WHERE serial_number = "
              ":serial", serial=device["serial_number"])  # fmt: skip
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=who["user_id"])
    s.ask(
        """{who} gets {serial} from our stock, [in use|put into use] at the place where they work. [Keep
        a record of it|So that it can be found later, record it]: a hardware ticket for them, "{title}",
        a walk-in, [only one person affected and nobody held up|low impact and low urgency], with the
        device on it.""",
        """Stock still lists {serial}, and [it is what {who} needs|that is the machine for {who}], so
        hand it out: in use, in their name, at their own site. [They came by the desk about it as a
        walk-in|It began as a walk-in at our desk], which means that there has to be a ticket "{title}"
        too, hardware, low impact, low urgency, [naming the device|with the device on it].""",
        """[Device {serial} leaves the stock and goes to {who}|For {who}: device {serial} out of our
        stock], in use at whatever site is theirs. The ticket that belongs to it is called "{title}",
        category hardware, channel walk-in, impact low, urgency low, [reported for {who}|with {who} as
        its caller], and the device is attached to it.""",
        """We owe {who} a machine [since their old one went back|since before the holidays]. Take the one
        numbered {serial}, which should still be in stock, book it out to them at their place of work,
        and write a hardware incident with the line "{title}" (walk-in, impact low, urgency low) that the
        device is linked to.""",
        """Two things [are open|are left to do] for {who}: one is a ticket in their name, "{title}",
        hardware, reported as a walk-in, low in both impact and urgency, with {serial} on it. The other
        is to give them that very device [from stock|out of our stock], in use, where they sit.""",
        """{who} stood at the counter this morning, and what they said was "{title}". [That walk-in
        deserves a ticket|Make a ticket of that walk-in], hardware of course, impact low and urgency low.
        The cure is in our stock, serial {serial}: [note it on the ticket and make it theirs|put it on
        the ticket, and into their name], in use at their site.""",
        """In our stock lies {serial}, [reserved for {who}|which {who} is waiting for]. Give it to them
        in use, at the site where they work, and record the request as a hardware ticket from them called
        "{title}", channel walk-in, impact low, urgency low, with the device noted on it.""",
        """[Hand {who} the machine|Let {who} have the machine] with the number {serial}, now in stock; it
        is theirs from then on, in use, at their place of work. A walk-in ticket for hardware has to go
        with it, caller {who}, headline "{title}", impact and urgency low, [device attached|the device on
        it].""",
        who=words, serial=device["serial_number"], title=title,
    )  # fmt: skip
    find_caller(s)
    user = produced.record if produced else find_person(s, who, "who gets it")
    item = s.do("find_configuration_item_by_serial_number", "the device",
                serial_number=device["serial_number"])  # fmt: skip
    s.require_ok(item, f"there is no device {device['serial_number']}",
                 names=(device["serial_number"], MISSING))  # fmt: skip
    s.require(item["status"], "==", "in_stock",
              f"{device['serial_number']} is not in stock, and never comes back into use",
              names=(f"{device['serial_number']}|device|machine", RETIRED))  # fmt: skip
    whose = organization_of(s, item["owner_id"], "whose it is")
    s.require(whose, "==", user["org_id"], "that device belongs to another organization")
    place = s.do("get_location_by_id", "where they work", location_id=user["location_id"])
    s.require(place["active"], "==", True, "their site is closed")
    incidents = s.do("list_incidents", "what they have reported already", called_id=user["user_id"])[
        "incidents"
    ]
    s.require(count(incidents.every(short_description=title)), "==", 0, "they have reported this already")
    assign_device(s, item, user, place["location_id"])
    incident = s.do(
        "create_incident", "keep a record", caller_id=user["user_id"], short_description=title,
        category="hardware", channel="walk-in", impact="low", urgency="low", priority="planning",
        configuration_item=item["configuration_item_id"],
    )  # fmt: skip
    s.do("link_affected_ci_to_incident", "with the device on it", incident_id=incident["incident_id"],
         configuration_item=item["configuration_item_id"])  # fmt: skip
    s.rule(
        "The device is in use with the ticket's caller, at the caller's own site",
        """SELECT COUNT(*) FROM configuration_item c JOIN users u ON u.user_id = c.owner_id JOIN incident i
        ON i.caller_id = u.user_id AND i.configuration_item = c.configuration_item_id WHERE c.serial_number =
        :serial AND c.status = 'in_use' AND c.location_id = u.location_id AND c.org_id = u.org_id AND u.email
        = :email AND i.short_description = :title AND i.priority = 'planning'""",
        category="integrity", serial=device["serial_number"], email=who["email"], title=title,
    )  # fmt: skip


_BROKEN = f"""incident i JOIN incident_affected_cis a USING (incident_id) JOIN configuration_item c ON
    c.configuration_item_id = a.configuration_item JOIN users u ON u.user_id = i.caller_id JOIN location l ON
    l.location_id = u.location_id WHERE i.org_id = 'ORG_001' AND i.status IN {OPEN} AND u.active AND l.active
    AND i.configuration_item = a.configuration_item AND c.org_id = 'ORG_001'"""
_FATES = {"in_use": ("maintenance", "in maintenance"), "maintenance": ("in_stock", "back in stock")}


@family("itsm", perturbations=("policy_forbids", "missing_entity", "out_of_scope", "no_right"))
def swap_device(s: Scene) -> None:
    """A broken device on a ticket is replaced by one from stock, on the ticket and in the caller's hands."""
    s.pick_caller(MANAGERS)
    before = s.pick(f"SELECT DISTINCT c.status FROM {_BROKEN} AND c.status IN ('in_use', 'maintenance')")
    fate, fate_words = _FATES[before["status"]]
    row = s.pick(
        f"""SELECT i.number, i.short_description, c.serial_number AS old, l.location_id AS place FROM
        {_BROKEN} AND c.status = :before""",
        before=before["status"],
    )
    device = s.pick(
        f"""{STOCK} AND (substr(serial_number, 1, 5) = substr(:old, 1, 5) OR NOT EXISTS (SELECT 1 FROM
        configuration_item x WHERE x.org_id = 'ORG_001' AND x.status = 'in_stock' AND x.location_id IS NOT
        :site AND substr(x.serial_number, 1, 5) = substr(:old, 1, 5)))""",
        site=row["place"], old=row["old"],
    )  # fmt: skip
    more = besides(s, *about(row["number"], row, *NOTED[1:], tell_site, count_others))
    s.perturb("policy_forbids",
              "UPDATE configuration_item SET status = 'retired' WHERE serial_number = :serial",
              serial=device["serial_number"])  # fmt: skip
    s.perturb("missing_entity",
              "UPDATE configuration_item SET serial_number = 'X' || serial_number WHERE serial_number = "
              ":serial", serial=device["serial_number"])  # fmt: skip
    s.perturb("out_of_scope", FOREIGN_DEVICE, serial=device["serial_number"])
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """For {number} we [replace|want to replace] {old} by {new} from stock, [since nobody can get
        spare parts for it any more|as the vendor will not repair it]. The old one is {fate} from now on,
        the new one is in use with the caller at the caller's site, and on the ticket the new device
        takes the place of the old one [in both places where it is named|wherever that names it].""",
        """Field support [brought back|collected] {old} this morning, which {number} is about, and it is
        {fate} as of now. Whoever reported the ticket becomes the owner of {new}, [which we have in
        stock|so far in our stock], in use at their own site, and both the ticket and its list of
        affected devices should name the new one only.""",
        """The device swap on {number} has been agreed with its caller: {old} goes and is {fate} now,
        {new} comes out of stock [into their name|to them] and is in use at their site. [Note the new
        device on the ticket and take the old one off|On the ticket the new one is noted, the old one
        taken off], field and list alike.""",
        """[A repair in {number} is not worth the money|Repairing the machine on {number} would cost more
        than it is worth], so the caller gets {new} instead; it is in stock and should be theirs, in use
        where they sit. {old} comes back to us and is {fate} from now on. Correct the ticket as well, in
        both places where it names a device.""",
        """"{title}", that is {number}, and [the device {old} is to blame|it turned out to be {old} that
        causes it]. It is {fate} by now, and {new} leaves the stock for the person who reported it, who
        uses it at their site. [The ticket must no longer point to the old device but to the new|From the
        ticket, too, the old device disappears in favour of the new one].""",
        """An exchange has to be written down before the month is closed: on ticket {number} the caller
        [gave {old} back|returned {old}], which is {fate} now, and took {new} from the stock, in use
        under their name and at their site. [Remove the old device from the ticket|Off the ticket with
        the old device], then note the new one there.""",
        number=row["number"], title=row["short_description"], old=row["old"], new=device["serial_number"],
        fate=fate_words,
    )  # fmt: skip
    more.say()
    boss = find_caller(s)
    incident = s.do("find_incident_by_number", "the ticket", number=row["number"])
    s.require(incident["status"], "in", ["new", "in_progress", "on_hold"],
              f"{row['number']} is closed already")  # fmt: skip
    old = s.do("find_configuration_item_by_serial_number", "the old device", serial_number=row["old"])
    new = s.do("find_configuration_item_by_serial_number", "the new one",
               serial_number=device["serial_number"])  # fmt: skip
    fresh = f"{device['serial_number']}|new|replacement|from stock|the device|that device"
    s.require_ok(new, f"there is no device {device['serial_number']}",
                 names=(device["serial_number"], MISSING))  # fmt: skip
    s.require(new["status"], "==", "in_stock",
              f"{device['serial_number']} is not in stock, and never comes back into use",
              names=(fresh, RETIRED))  # fmt: skip
    whose = organization_of(s, new["owner_id"], "whose the new one is")
    s.require(whose, "==", boss["org_id"], "the new device belongs to another organization",
              names=(fresh, OTHER_ORGANIZATION))  # fmt: skip
    user = s.do("get_user", "who reported it, and where they sit", user_id=incident["caller_id"])
    links = s.do("list_incident_affected_cis", "how the old one is noted",
                 incident_id=incident["incident_id"],
                 configuration_item=old["configuration_item_id"])["incident_affected_cis"]  # fmt: skip
    more.look(ticket=incident)
    s.do("update_configuration_item", "the old one comes back",
         configuration_item_id=old["configuration_item_id"], status=fate)  # fmt: skip
    assign_device(s, new, user, user["location_id"])
    s.do("update_incident", "the ticket names the new one", incident_id=incident["incident_id"],
         configuration_item=new["configuration_item_id"])  # fmt: skip
    s.do("link_affected_ci_to_incident", "note the new one", incident_id=incident["incident_id"],
         configuration_item=new["configuration_item_id"])  # fmt: skip
    s.do("remove_affected_ci_from_incident", "and no longer the old",
         incident_affected_cis_id=links[0]["incident_affected_cis_id"])  # fmt: skip
    more.write()
    s.rule(
        "The ticket names one device in both places, which is in use with its caller at the caller's site",
        """SELECT COUNT(*) FROM incident i JOIN incident_affected_cis a USING (incident_id) JOIN
        configuration_item c ON c.configuration_item_id = a.configuration_item JOIN users u ON u.user_id =
        i.caller_id WHERE i.number = :number AND i.configuration_item = a.configuration_item AND
        c.serial_number = :serial AND c.status = 'in_use' AND c.owner_id = u.user_id AND c.location_id =
        u.location_id""",
        category="integrity", number=row["number"], serial=device["serial_number"],
    )  # fmt: skip
