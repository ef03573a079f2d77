"""Scenarios about the stock: a delivery, what is worth too little, what comes back."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.indirection import digits, spell
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, NAMESAKES, TAKEN, named
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group, about_person
from eops_traj.taskgen.scenarios.itsm.lookups import (
    ALONE,
    MANAGERS,
    NO_RIGHT,
    OPEN,
    OPEN_STATES,
    caller_email,
    find_caller,
    find_group,
    find_leader,
    full_name,
)
from eops_traj.taskgen.scenarios.itsm.record_extras import about_site
from eops_traj.taskgen.scene import Row, Scene

_SITES = "SELECT * FROM location WHERE org_id = 'ORG_001' AND active"
_LED = """SELECT g.*, u.email AS lead_email, u.first_name, u.last_name FROM user_group g JOIN users u ON
    u.user_id = g.manager_id WHERE g.org_id = 'ORG_001' AND g.active AND u.active AND g.name IN
    ('Field Dispatch', 'Service Desk', 'Platform Engineering', 'Network Operations')"""
"""Groups that may look after the stock, with an active lead."""
_KINDS = (("Laptop", "LT", (1150, 2400)), ("Monitor", "MN", (190, 620)), ("Phone", "PH", (260, 880)),
          ("Desktop", "DT", (720, 1480)), ("Access Point", "AP", (230, 740)))  # fmt: skip


def _find_site(s: Scene, site: Row, why: str) -> ResultRef:
    place = s.do("find_location_by_given_name", why, name=site["name"])
    s.require_ok(place, f"there is no location called {site['name']}", names=(site["name"], MISSING))
    return place


@family("itsm", perturbations=("policy_forbids", "missing_entity", "inactive_person", "no_right"))
def take_delivery(s: Scene) -> None:
    """Two devices have been delivered: they are registered in stock, owned by whoever leads a group."""
    s.pick_caller(MANAGERS)
    group, site = s.pick(_LED), s.pick(_SITES)
    kind, letters, (least, most) = s.rng.choice(_KINDS)
    cost, first = s.rng.randrange(least, most), s.rng.randrange(20000, 60000)
    devices = [(f"{kind} {n}", f"CV-{letters}-{first + 41 * n}") for n in s.rng.sample(range(210, 880), 2)]
    more = besides(
        s,
        *about_site(site["name"]),
        *about_group(group["name"]),
        *about_person(f"whoever leads {group['name']}", "devices"),
    )
    s.perturb("policy_forbids", """UPDATE configuration_item SET serial_number = :serial WHERE
        configuration_item_id = (SELECT configuration_item_id FROM configuration_item WHERE status =
        'disposed' ORDER BY 1 LIMIT 1)""", serial=devices[1][1])  # fmt: skip
    s.perturb("missing_entity", "UPDATE location SET name = name || ' (moved)' WHERE name = :name",
              name=site["name"])  # fmt: skip
    s.perturb(
        "inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=group["manager_id"]
    )
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """A delivery [has arrived|came in this morning] at {site}, and it is not in the system yet:
        "{a}" with the serial number {sa} and "{b}" with {sb}, {cost} each. Both [go into stock|lie in
        stock] there, and their owner is whoever leads {group}.""",
        """[The parcel service left two boxes|Two boxes were left] at {site}. According to the note they
        hold {sa}, to be called "{a}", and {sb}, to be called "{b}", at a price of {cost} apiece.
        Register both as stocked at that site in the name of the manager of {group}, [who signs for
        it|who will answer for them].""",
        """Register what we bought [at the end of last year|in December], two devices for {cost} each:
        "{a}", serial {sa}, and "{b}", serial {sb}. They stand at {site}, nobody uses them yet, and the
        person at the head of {group} [answers for them|has them in their care].""",
        """[Accounting cannot book the invoice|The invoice cannot be booked] before the two devices on it
        are on record. Serial numbers are {sa} (name "{a}") and {sb} (name "{b}"), the price was {cost}
        for each of them. Put them in stock at {site}; the head of {group} [is the owner|owns them].""",
        """{group} [asked for spare machines|wanted spares], and here they are, at {site}: "{a}" ({sa}) and
        "{b}" ({sb}). Each cost {cost}, and they belong to the lead of that group and remain in stock [for
        the time being|until they are needed].""",
        """Stock at {site} grows by two, [if nobody has entered them before|unless they have been entered
        before]. The names are "{a}" and "{b}", the serials {sa} and {sb} in this order, the cost {cost}
        a piece, and as owner [enter|I want] the manager of {group}, whoever that is now.""",
        site=site["name"], group=group["name"], cost=cost, a=devices[0][0], sa=devices[0][1],
        b=devices[1][0], sb=devices[1][1],
    )  # fmt: skip
    more.say()
    s.indirect("whoever leads the group", hidden=[group["lead_email"], group["manager_id"]])
    find_caller(s)
    place = _find_site(s, site, "where they are")
    s.require(place["active"], "==", True, f"{site['name']} is closed")
    takes = find_group(s, group["name"], "whose lead answers for them")
    keeper = find_leader(s, takes)
    for _, serial in devices:
        known = s.do("find_configuration_items", "whether it is on record", serial_number=serial)
        s.require(known["total_count"], "==", 0, f"{serial} is on record already", names=(serial, TAKEN))
    more.look(site=place, group=takes, person=keeper)
    for name, serial in devices:
        s.do("register_configuration_item", "it is new", name=name, serial_number=serial, cost=cost,
             owner_id=keeper["user_id"], location_id=place["location_id"], status="in_stock")  # fmt: skip


@family("itsm", perturbations=("missing_entity", "no_right"))
def retire_cheap_stock(s: Scene) -> None:
    """What lies in stock at a site and cost little is retired, but for what an open ticket needs."""
    s.pick_caller(MANAGERS)
    site = s.pick(_SITES)
    limit = s.rng.choice((400, 500, 600, 700))
    some = s.pick_some(
        """SELECT * FROM configuration_item c WHERE org_id = 'ORG_001' AND status = 'in_use' AND
        configuration_item_id NOT IN (SELECT configuration_item FROM incident_affected_cis)""",
        4,
    )
    ticket = s.pick(f"""SELECT * FROM incident i WHERE org_id = 'ORG_001' AND status IN {OPEN} AND
        configuration_item IS NULL""")  # fmt: skip
    for device, cost in zip(some, (limit - 180, limit - 75.5, limit - 20, limit + 150), strict=True):
        s.arrange("""UPDATE configuration_item SET status = 'in_stock', location_id = :site, cost = :cost
            WHERE configuration_item_id = :device""", site=site["location_id"], cost=cost,
            device=device["configuration_item_id"])  # fmt: skip
    kept = some[1]
    s.arrange("UPDATE incident SET configuration_item = :device WHERE incident_id = :incident",
              device=kept["configuration_item_id"], incident=ticket["incident_id"])  # fmt: skip
    s.arrange("""INSERT INTO incident_affected_cis (incident_affected_cis_id, configuration_item, incident_id,
        org_id, created_on, updated_on) VALUES ('TASKCI_901', :device, :incident, 'ORG_001',
        '2026-01-04 10:00:00', '2026-01-04 10:00:00')""", device=kept["configuration_item_id"],
        incident=ticket["incident_id"])  # fmt: skip
    more = besides(s, *about_site(site["name"]))
    s.perturb("missing_entity", "UPDATE location SET name = name || ' (moved)' WHERE name = :name",
              name=site["name"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """The shelves at {site} are full of things [that nobody will ever ask for|nobody wants]. What
        lies in stock there and cost less than {limit} can be retired, all of it; [if something must
        stay, tell me its serial number|should our rules protect a piece, I want its serial number].""",
        """[Before the stocktaking|Ahead of stocktaking on Thursday] I would like to get rid of cheap
        devices at {site}. Everything in stock at that place whose price was below {limit} becomes
        retired, and I need the serial number of [whatever could not be|any that had to be left alone].""",
        """It costs more to keep small devices [at {site}|in the store room of {site}] than to buy them
        anew. So retire what is in stock there for which we paid less than {limit}, and [report|let me
        know] by serial number if there is one that the rules do not let you touch.""",
        """How much [dead stock|old stock] is there at {site}? Whatever it is, if it is in stock and its
        cost lies under {limit}, mark it as retired; I expect that not each piece can go, and [want to
        hear|would like to be told] the serial of the exception.""",
        """[Insurance counts every device|We pay insurance for every device] at {site}, used or not.
        Those in stock that cost below {limit} should go to retired; a piece that has to remain by our
        rules remains, and its serial number [comes back to me|is what I need to know].""",
        """The recycling truck [stops at {site} tomorrow|will be at {site} tomorrow]. Until then all
        devices in stock there with a cost under {limit} have to be down as retired, save what may not
        be, [the serial number of which I have to tell the driver|whose serial number I will pass on].""",
        site=site["name"], limit=spell(limit),
    )  # fmt: skip
    more.say()
    s.covers("all cheap devices in stock at a site")
    s.duty("a device on an open ticket is not retired")
    s.partly("a device that an open ticket names stays, and is reported")
    find_caller(s)
    place = _find_site(s, site, "where it lies")
    items = s.do("find_configuration_items", "what is in stock there", location_id=place["location_id"],
                 status="in_stock")["configuration_items"]  # fmt: skip
    tickets = s.do("list_incidents", "which tickets are open")["incidents"]
    still = tickets.every(("status", "in", OPEN_STATES))["incident_id"]
    links = s.do("list_incident_affected_cis", "which devices they need")["incident_affected_cis"]
    needed = links.every(("incident_id", "in", still))["configuration_item"]
    more.look(site=place)
    cheap = ("cost", "<", limit)
    s.do_each(items.every(cheap, ("configuration_item_id", "not in", needed)), "update_configuration_item",
              "nobody needs it", configuration_item_id=ROW["configuration_item_id"], status="retired"
              )  # fmt: skip
    s.answer("the serial number of what stays",
             items.every(cheap, ("configuration_item_id", "in", needed))[0]["serial_number"])  # fmt: skip


def _add_namesake(s: Scene, device: Row, tail: str) -> None:
    """Give another person the name of the device's owner, and a device whose serial number ends so too."""
    other = s.pick("""SELECT c.* FROM configuration_item c JOIN users u ON u.user_id = c.owner_id WHERE
        c.org_id = 'ORG_001' AND c.status IN ('in_use', 'maintenance') AND u.active AND u.role = 'reporter'
        AND u.user_id <> :owner AND u.email <> :me AND substr(c.serial_number, 1, 6) <>
        substr(:serial, 1, 6)""",
        owner=device["owner_id"], me=caller_email(s), serial=device["serial_number"])  # fmt: skip
    s.perturb("two_namesakes", "UPDATE users SET first_name = :first, last_name = :last WHERE user_id = :id",
              first=device["first_name"], last=device["last_name"], id=other["owner_id"])  # fmt: skip
    s.perturb("two_namesakes", "UPDATE configuration_item SET serial_number = :serial WHERE "
              "configuration_item_id = :id", serial=other["serial_number"][:-4] + tail,
              id=other["configuration_item_id"])  # fmt: skip


@family("itsm", perturbations=("missing_entity", "two_namesakes", "inactive_person"))
def return_device(s: Scene) -> None:
    """Somebody gives a device back, named by the end of its serial: it belongs to a group's lead then."""
    s.pick_caller(MANAGERS)
    group = s.pick(_LED)
    device = s.pick(f"""SELECT c.*, u.first_name, u.last_name FROM configuration_item c JOIN users u ON
        u.user_id = c.owner_id WHERE c.org_id = 'ORG_001' AND c.status IN ('in_use', 'maintenance') AND
        u.active AND {ALONE} AND u.user_id <> :lead AND NOT EXISTS (SELECT 1 FROM configuration_item o WHERE
        o.owner_id = c.owner_id AND o.serial_number <> c.serial_number AND substr(o.serial_number, -4) =
        substr(c.serial_number, -4))""", lead=group["manager_id"])  # fmt: skip
    tail = device["serial_number"][-4:]
    more = besides(s, *about_group(group["name"]), *about_person(full_name(device), "devices"))
    s.perturb("missing_entity", "UPDATE configuration_item SET serial_number = serial_number || 'B' WHERE "
              "serial_number = :serial", serial=device["serial_number"])  # fmt: skip
    _add_namesake(s, device, tail)
    s.perturb(
        "inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=group["manager_id"]
    )
    s.ask(
        """{who} has given a device back, [of whose label only the end can be read|whose label is torn
        off but for its end], and that end is {tail}. If it is in use in our records, it goes into stock,
        and if it was in maintenance, it stays there; in either case [its owner from now on is|it now
        belongs to] whoever leads {group}.""",
        """[The device that came back|What came back yesterday] from {who}, with a serial number that
        ends in {tail}, becomes the property of the head of {group}. As for its state, a device in use
        turns into one in stock, [whereas one in maintenance is left as it is|and maintenance stays
        maintenance].""",
        """On my desk lies something that {who} [does not need any more|no longer wants], with a serial
        number ending in {tail}. Book it out of that name and into the name of the manager of {group}; it
        is in stock then, unless [the workshop still has work to do on it|it is down for maintenance],
        which must stay visible.""",
        """[Over the phone|On the phone] {who} read me the last digits of the device that they sent back,
        which are {tail}. Hand it over to the lead of {group} in the system and put it in stock, [but
        only if|provided that] it counts as in use so far, since maintenance is not to be cut short.""",
        """{group} [collects|is collecting] what people return, under the name of the person who leads
        it, and the latest return is from {who}, with a serial that ends with {tail}. In use becomes in
        stock, a device under maintenance [keeps that status|stays so], and the owner changes in both
        cases.""",
        """Two machines stood at {who}'s desk and [one has gone back|only one remains]; the number of the
        one that left ends in {tail}. Whoever is in charge of {group} takes it over, as stock if it was
        in use, and [unchanged in its status|with the status it has] if it was in maintenance.""",
        who=f"{device['first_name']} {device['last_name']}", tail=digits(tail), group=group["name"],
    )  # fmt: skip
    more.say()
    s.indirect("the device whose serial number ends so",
               hidden=[device["serial_number"], device["configuration_item_id"]])  # fmt: skip
    s.indirect("whoever leads the group", hidden=[group["lead_email"], group["manager_id"]])
    s.branches("whether the device is in use or in maintenance")
    find_caller(s)
    people = s.do("list_users", "who gave it back", first_name=device["first_name"],
                  last_name=device["last_name"])["users"]  # fmt: skip
    who = f"{device['first_name']} {device['last_name']}"
    s.require(count(people), "==", 1, f"more than one person here is called {who}",
              names=(named(device), NAMESAKES))  # fmt: skip
    theirs = s.do("find_configuration_items", "what they have",
                  owner_id=people[0]["user_id"])["configuration_items"]  # fmt: skip
    fits = theirs.every(("serial_number", "ends", tail))
    s.require(count(fits), "==", 1, f"{who} has no device whose serial number ends in {tail}",
              names=(f"{tail}|{digits(tail)}|serial", f"{MISSING}|has no|have no|none"))  # fmt: skip
    takes = find_group(s, group["name"], "whose lead gets it")
    keeper = find_leader(s, takes)
    more.look(group=takes, person=people[0])
    s.do_when(holds(fits[0]["status"], "==", "in_use"), "update_configuration_item", "back in stock",
              configuration_item_id=fits[0]["configuration_item_id"], owner_id=keeper["user_id"],
              status="in_stock")  # fmt: skip
    s.do_when(holds(fits[0]["status"], "!=", "in_use"), "update_configuration_item", "still in maintenance",
              configuration_item_id=fits[0]["configuration_item_id"], owner_id=keeper["user_id"]
              )  # fmt: skip
    s.rule(
        "It belongs to whoever leads the group",
        """SELECT COUNT(*) FROM configuration_item c JOIN user_group g ON g.manager_id = c.owner_id WHERE
        c.serial_number = :serial AND g.name = :name""",
        serial=device["serial_number"], name=group["name"],
    )  # fmt: skip
