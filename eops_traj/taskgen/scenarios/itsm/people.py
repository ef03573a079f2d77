"""Scenarios about people: starters and leavers."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, OTHER_ORGANIZATION, RETIRED
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group, about_person
from eops_traj.taskgen.scenarios.itsm.lookups import (
    ALONE,
    FOREIGN_DEVICE,
    MANAGERS,
    NO_RIGHT,
    OPEN,
    OPEN_STATES,
    STOCK,
    assign_device,
    caller_email,
    find_caller,
    find_group,
    find_person,
    full_name,
    organization_of,
)
from eops_traj.taskgen.scenarios.itsm.record_extras import about_site
from eops_traj.taskgen.scene import Scene

_LEAVERS = f"""SELECT u.* FROM users u JOIN user_group_member m USING (user_id) JOIN user_group g USING
    (group_id) JOIN users l ON l.user_id = g.manager_id WHERE u.org_id = 'ORG_001' AND u.active AND {ALONE}
    AND u.email <> :me AND l.active AND l.user_id <> u.user_id AND NOT EXISTS (SELECT 1 FROM user_group x
    WHERE x.manager_id = u.user_id) AND (SELECT COUNT(*) FROM user_group_member x WHERE x.user_id =
    u.user_id) = 1 AND (SELECT COUNT(*) FROM configuration_item c WHERE c.owner_id = u.user_id) BETWEEN 1 AND
    3 AND NOT EXISTS (SELECT 1 FROM configuration_item c WHERE c.owner_id = u.user_id AND status NOT IN
    ('in_use', 'maintenance')) AND (SELECT COUNT(*) FROM incident i WHERE i.assigned_to = u.user_id AND
    status IN {OPEN}) <= 3 AND NOT EXISTS (SELECT 1 FROM incident i WHERE i.assigned_to = u.user_id AND
    status IN {OPEN} AND (i.assignment_group <> g.group_id OR priority = 'critical' OR status = 'new'))"""
"""Who can leave by the book: one group, with someone else in its lead; devices in use; work of that group."""


@family("itsm", perturbations=("policy_forbids", "no_right", "two_namesakes"))
def leaver(s: Scene) -> None:
    """Someone leaves: devices back to stock, tickets and membership handed over, then the account."""
    s.pick_caller(MANAGERS)
    who = s.pick(_LEAVERS, me=caller_email(s))
    more = besides(s, *about_person(full_name(who), "devices", "groups"))
    s.perturb("policy_forbids", "UPDATE user_group SET manager_id = :user WHERE name = 'Release Board'",
              user=who["user_id"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.perturb("two_namesakes", """UPDATE users SET first_name = :first, last_name = :last WHERE user_id =
        (SELECT user_id FROM users JOIN user_group_member USING (user_id) WHERE users.org_id = 'ORG_001'
        AND active AND role = 'reporter' AND user_id <> :user ORDER BY user_id LIMIT 1)""",
        first=who["first_name"], last=who["last_name"], user=who["user_id"])  # fmt: skip
    s.ask(
        """{name} had their last day on Friday[, and the handover talk took place|], so do what our rules
        say about leavers, all of it: devices, open tickets, the group, and [the account at the very end|at
        the very end the account]. [The next licence count is on Wednesday, so it should not wait|Internal
        audit will look at leavers next week].""",
        """HR [confirmed this morning|told me on the phone] that {name} is no longer with us, which
        nobody has acted on so far. [Go through the steps|Take all the steps] for somebody who leaves,
        from their equipment to their tickets to their group, and deactivate them once the rest is done,
        [not before|in that order].""",
        """We said goodbye to {name} last week and [I have just noticed|it has just come up] that nobody
        cleaned up after. There must be a device or two, perhaps tickets, a group for certain; see to
        everything that hangs on the person, and close the account [when you are through|as the last
        thing].""",
        """Accounts of people who are gone [were a finding of the last audit|make our auditors nervous],
        so I would like {name} dealt with this week. [Everything that hangs on the person|All that is in
        that name] should find its proper place first, hardware and open work included, then the account
        can go inactive.""",
        """[Leaver of this week|The leaver on this week's list]: {name}, already gone and for good. What
        applies is the full procedure, which means equipment back to stock, open work passed on, out of
        the group, and only when all of that [is done|has happened], the account.""",
        """The badge of {name} [came back to reception|was handed in] on the last day of the year, yet
        the systems still treat them as one of us. [Hardware goes back|Their hardware goes back],
        whatever tickets they still had are handed over the way the rules foresee, the membership ends,
        and the login is switched off last.""",
        name=full_name(who),
    )  # fmt: skip
    more.say()
    s.covers("every device, open ticket and membership of the leaver")
    s.duty("devices and work of a leaver go to the manager of their group")
    find_caller(s)
    user = find_person(s, who, "who has left")
    groups = s.do("list_user_groups", "whether they lead a group, and who leads theirs")["user_groups"]
    s.require(count(groups.every(manager_id=user["user_id"])), "==", 0,
              f"{full_name(who)} leads a group, and needs a successor",
              names=("lead|manage|head|in charge", "group|team|Release Board|successor|replace"))  # fmt: skip
    seats = s.do("list_group_members", "the group they are in", user_id=user["user_id"])["group_members"]
    lead = groups.where(group_id=seats[0]["group_id"])["manager_id"]
    items = s.do("find_configuration_items", "what they have",
                 owner_id=user["user_id"])["configuration_items"]  # fmt: skip
    work = s.do("get_incidents_assigned_to", "what they work on", assigned_to=user["user_id"])["incidents"]
    more.look(person=user)
    s.do_each(items, "update_configuration_item", "back to stock", status="in_stock", owner_id=lead,
              configuration_item_id=ROW["configuration_item_id"])  # fmt: skip
    s.do_each(work.every(("status", "in", OPEN_STATES)), "update_incident",
              "whoever leads its group takes it over", incident_id=ROW["incident_id"],
              assigned_to=groups.where(group_id=ROW["assignment_group"])["manager_id"])  # fmt: skip
    s.do_each(seats, "remove_group_membership", "out of the group", group_id=ROW["group_id"],
              user_id=user["user_id"])  # fmt: skip
    s.do("update_user_details", "the account is closed last", user_id=user["user_id"], active=False)
    s.rule(
        "Nothing is left with a person who is inactive: no device, no open incident, no group",
        f"""SELECT (SELECT COUNT(*) FROM configuration_item WHERE owner_id = u.user_id) + (SELECT COUNT(*)
        FROM user_group_member m WHERE m.user_id = u.user_id) + (SELECT COUNT(*) FROM incident i WHERE
        i.assigned_to = u.user_id AND status IN {OPEN}) + u.active FROM users u WHERE email = :email""",
        expected=0, category="integrity", email=who["email"],
    )  # fmt: skip


_FIRST = ("Alma", "Bruno", "Celeste", "Dario", "Elke", "Farid", "Greta", "Hanno", "Ilse", "Jonas", "Kiran",
          "Lena",
          "Marek", "Nadia", "Oskar", "Petra", "Quentin", "Rosa", "Silvan", "Tilda", "Ugo", "Vera", "Wim",
          "Yara")  # fmt: skip
_LAST = ("Abel", "Brandt", "Carver", "Dorn", "Ekberg", "Falk", "Grieve", "Holm", "Ibsen", "Jansen", "Kerr",
         "Lunde",
         "Marsh", "Nyman", "Oakes", "Pohl", "Quist", "Rowe", "Stahl", "Thorne", "Ullmann", "Voss", "Weir",
         "Zander")  # fmt: skip
_SITES = "SELECT * FROM location WHERE org_id = 'ORG_001' AND active"


@family(
    "itsm", produces="user", perturbations=("policy_forbids", "missing_entity", "out_of_scope", "no_right")
)
def starter(s: Scene) -> None:
    """Someone starts: an account at a site, a device from stock, and a group."""
    s.pick_caller(MANAGERS)
    first, last = s.rng.choice(_FIRST), s.rng.choice(_LAST)
    site = s.pick(_SITES)
    device = s.pick(STOCK, site=site["location_id"])
    group = s.pick("SELECT * FROM user_group WHERE org_id = 'ORG_001' AND active")
    phone = f"+1-646-555-{s.rng.randrange(1000, 9999)}"
    grouped = s.chance(0.7)
    more = besides(s, *about_site(site["name"])[1:],
                   *(about_group(group["name"], "members") if grouped else ()))  # fmt: skip
    s.perturb("policy_forbids",
              "UPDATE configuration_item SET status = 'retired' WHERE serial_number = :serial",
              serial=device["serial_number"])  # fmt: skip
    s.perturb("out_of_scope", FOREIGN_DEVICE, serial=device["serial_number"])
    s.perturb("missing_entity", "UPDATE location SET name = name || ' (moved)' WHERE name = :name",
              name=site["name"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{first} {last} [starts with us|begins] at {site} [next Monday|next week], for which I need the
        account set up ({email}, phone {phone}). Hand over the device {serial} from stock as well, which
        is to stand at the same site and be in use in their name.{group}""",
        """A new colleague, {first} {last}, needs an account with the address {email} and the number
        {phone}, and the place of work is {site}. [There is a machine in stock|We kept a machine in
        stock] with the serial number {serial}, which should be theirs and in use at that site.{group}""",
        """[The contract with {first} {last} has been signed|{first} {last} has signed], and I need
        everything ready by noon: a normal account under {email} with {phone}, based at {site}, [and the
        stocked device {serial}|plus {serial} from stock] put in use there under their name.{group}""",
        """[People ops sent me the form of a starter|From the starter form on my desk]: {first} {last},
        mail {email}, phone {phone}, site {site}. Once the account exists, the device {serial} leaves the
        stock and is theirs, in use and at that site [as of now|from then on].{group}""",
        """{site} gets [another desk filled|reinforcement] by {first} {last}, who can be reached under
        {email} and {phone} and has no account so far. [Create the user|Make an account], and give them
        {serial}, which has been lying in stock, for use over there in their own name.{group}""",
        """Provided that {serial} is still in stock, it is meant for {first} {last}, who joins {site} and
        has no account yet ({email}, {phone}). [The account comes first|Make the account first], then the
        device is theirs and in use at that place, so that work can start [on day one|in the first
        hour].{group}""",
        """[On Monday|Next Monday] {first} {last} will stand at the reception of {site} and ask for a
        machine. Prepare the account under {email} and the number {phone}, at that site, and book
        {serial} out of stock into the new name, in use over there.{group}""",
        """Contract signed, desk ordered, [what is missing for {first} {last}|what {first} {last} lacks]
        is an account ({email}, {phone}) at {site} and a device. For the latter take {serial} from stock;
        it belongs to the new colleague afterwards, [in use and at that site|at that site and in
        use].{group}""",
        first=first, last=last, email=f"{first}.{last}@corvane.example".lower(), phone=phone,
        site=site["name"],
        serial=device["serial_number"], group=f" They also become a member of {group['name']}." if grouped
        else "",
    )  # fmt: skip
    more.say()
    boss = find_caller(s)
    email = f"{first}.{last}@corvane.example".lower()
    existing = s.do("list_users", "whether they are here already", email=email)
    s.require(existing["total_count"], "==", 0, f"{email} has an account already")
    place = s.do("find_location_by_given_name", "where they work", name=site["name"])
    s.require_ok(place, f"there is no location called {site['name']}", names=(site["name"], MISSING))
    s.require(place["active"], "==", True, f"{site['name']} is closed")
    item = s.do("find_configuration_item_by_serial_number", "what they get",
                serial_number=device["serial_number"])  # fmt: skip
    named = f"{device['serial_number']}|device|machine"
    s.require(item["status"], "==", "in_stock", f"{device['serial_number']} is not in stock",
              names=(named, RETIRED))  # fmt: skip
    whose = organization_of(s, item["owner_id"], "whose it is")
    s.require(whose, "==", boss["org_id"], "that device belongs to another organization",
              names=(named, OTHER_ORGANIZATION))  # fmt: skip
    joins = find_group(s, group["name"], "the group they join") if grouped else None
    more.look(site=place, **({"group": joins} if joins else {}))
    user = s.do(
        "add_new_user", "the account", first_name=first, last_name=last, email=email, phone=phone,
        role="reporter", active=True, location_id=place["location_id"],
    )  # fmt: skip
    assign_device(s, item, user, place["location_id"])
    if joins:
        s.do("add_new_group_member", "into the group", group_id=joins["group_id"], user_id=user["user_id"])
    s.rule(
        "The new account is a reporter's of the asker's organization, at an active site of it",
        """SELECT COUNT(*) FROM users u JOIN location l USING (location_id) WHERE u.email = :email AND u.role
        = 'reporter' AND u.active AND l.active AND l.org_id = u.org_id AND u.org_id = (SELECT org_id FROM
        users WHERE email = :me)""",
        email=email, me=caller_email(s),
    )  # fmt: skip
    s.produce("user", user, f"{first} {last}")
