"""Scenarios about the sites of customers: a new one, and one that is given up."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import ADMINS, demote, find_caller
from eops_traj.taskgen.scenarios.csm.side_jobs import elsewhere
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, MISSING
from eops_traj.taskgen.scene import Scene

_PLACES = {  # a city, as people speak of it without its name
    "new_york": ("in the Big Apple", "in the city on the Hudson"),
    "london": ("in the capital of the UK", "in Britain's capital"),
    "mumbai": ("in our Indian city", "in the only Indian city on our list"),
    "tokyo": ("in the capital of Japan", "in Japan's capital"),
    "sydney": ("in Australia", "down under"),
}
_COUNTRIES = {"new_york": "usa", "london": "uk", "mumbai": "india", "tokyo": "japan", "sydney": "australia"}
_NAMES = {
    "New York": "new_york",
    "London": "london",
    "Mumbai": "mumbai",
    "Tokyo": "tokyo",
    "Sydney": "sydney",
}
_STREETS = ("Harbour Street", "Mill Lane", "Station Road", "Foundry Row", "Orchard Way", "Quay Street")


@family("csm", perturbations=("no_right", "missing_entity", "policy_forbids"))
def close_site(s: Scene) -> None:
    """A customer gives up a site: what stands there and who works there moves, and the site ends."""
    s.pick_caller(ADMINS)
    old = s.pick(  # materialized, so that a site's kind is worked out once, and not for each other site
        """WITH site AS MATERIALIZED (
            SELECT l.*, a.name AS account, rtrim(substr(l.name, length(a.name) + 2,
                instr(l.name, ' - ') - length(a.name) - 2), ' 23456789') AS kind
            FROM location l JOIN account a ON l.name LIKE a.name || ' %' AND a.active WHERE l.active)
        SELECT l.* FROM site l
        WHERE (SELECT COUNT(*) FROM installed_product i WHERE i.location_id = l.location_id) BETWEEN 1 AND 4
        AND (SELECT COUNT(*) FROM user u WHERE u.location_id = l.location_id) <= 5
        AND instr(kind, ' ') = 0 AND (SELECT COUNT(*) FROM location o WHERE o.city = l.city AND o.active
            AND instr(o.name, l.account || ' ' || l.kind)) = 1
        AND NOT EXISTS (SELECT 1 FROM installed_product i JOIN account b USING (account_id)
            WHERE i.location_id = l.location_id AND b.name <> l.account)"""
    )
    new = s.pick(
        """SELECT * FROM location WHERE active AND name LIKE :account || ' %' AND location_id <> :id""",
        account=f"{old['account']} {old['kind']}", id=old["location_id"],
    )  # fmt: skip
    more = besides(s, *elsewhere())
    demote(s, "manager")
    s.perturb("policy_forbids", "UPDATE location SET active = 0 WHERE location_id = :id",
              id=new["location_id"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE location SET name = name || ' Annex' WHERE location_id = :id",
              id=new["location_id"])  # fmt: skip
    s.indirect("the one site of a kind in a city", hidden=[old["name"]])
    s.covers("all pieces and all people of a site")
    s.duty("a site that is given up is made inactive")
    s.ask(
        """{account} gives up the {kind} it has {place}; there is only the one. [Whatever of theirs stands
        there|Every piece that stands there] moves to "{new}", and the people who are down as working there
        [move along|go with it], [before|after which] the site itself [is written off|goes out of use].""",
        """[The lease on|The rent contract for] {account}'s {kind} {place} [has ended|is over]. Our records
        should [show that|follow]: pieces and people go to "{new}", [all of them|none left behind], and the
        old place is [treated as a site that was given up|no longer a site of theirs in use].""",
        """"{new}" takes in everything from the {kind} that {account} has {place}. [I mean|That is] each
        installed piece, [in whatever state|be it in use or not], and everyone who works there; [then|once
        they are moved] the empty site is [closed|shut] in our system as well.""",
        """[Over the holidays|In the last days of December] {account} cleared out its {kind} {place}. [What
        stood there|The equipment] and who worked there are at "{new}" now, [which|a fact that] our system
        [does not know yet|has still to learn], and the place they left is [given up|not theirs any
        longer].""",
        """{account} merges two sites. Of the two, the {kind} {place} ends, and "{new}" goes on with [the
        equipment and the staff of both|all that both had]. [Adjust|Change] the pieces, the users and the site
        that ends [accordingly|so that they say that], nothing else.""",
        """[Nobody should be sent|No technician should drive] to the {kind} of {account} {place} any more,
        since [they have left it|it is given up]. [Locations of pieces and people|Pieces as well as people]
        there change to "{new}", [in one go|all together], and the site is taken out of use.""",
        account=old["account"], kind=old["kind"].lower(), place=s.rng.choice(_PLACES[old["city"]]),
        new=new["name"],
    )  # fmt: skip
    more.say()
    extra = ask_more(s, "pieces", account=False)
    find_caller(s, "admin")
    sites = s.do("find_locations", "the site that ends", name=f"{old['account']} {old['kind']}",
                 city=old["city"], active=1)  # fmt: skip
    s.require(count(sites), "==", 1, "there is not exactly one such site")
    target = s.do("find_location", "where all of it goes", name=new["name"])
    s.require_ok(target, f"there is no site {new['name']}", names=(new["name"], MISSING))
    s.require(target["active"], "==", 1, f"{new['name']} is inactive, and nothing moves there",
              names=(new["name"], INACTIVE))  # fmt: skip
    pieces = s.do("retrieve_installed_products", "what stands there", location_id=sites[0]["location_id"])
    more.look()
    answer_more(s, extra)
    people = s.do("list_users", "who works there", location_id=sites[0]["location_id"])
    s.do_each(
        pieces,
        "update_installed_product_details",
        "it stands at the other site",
        installed_product_id=ROW["installed_product_id"],
        location_id=target["location_id"],
    )
    s.do_each(people, "update_user_details", "they work at the other site", user_id=ROW["user_id"],
              location_id=target["location_id"])  # fmt: skip
    s.do("update_location", "the site is given up", location_id=sites[0]["location_id"], active=0)
    more.write()
    s.rule(
        "Nothing and nobody is left at the site that was given up",
        """SELECT (SELECT COUNT(*) FROM installed_product WHERE location_id = :id)
        + (SELECT COUNT(*) FROM user WHERE location_id = :id)""",
        expected=0, id=old["location_id"], category="integrity",
    )  # fmt: skip


@family("csm", perturbations=("no_right", "out_of_scope", "missing_entity"))
def open_site(s: Scene) -> None:
    """A customer moves into a new site, and what they had in stock is put to use there."""
    s.pick_caller(ADMINS)
    account = s.pick(
        """SELECT a.* FROM account a WHERE a.active AND (SELECT COUNT(*) FROM installed_product i
        WHERE i.account_id = a.account_id AND i.status = 'in_stock') BETWEEN 1 AND 3"""
    )
    kind = s.rng.choice(
        ["Showroom", "Repair Shop", "Training Centre", "Data Centre", "Call Centre", "Test Centre"]
    )
    city = s.rng.choice(list(_NAMES))
    name = f"{account['name']} {kind} - {city}"
    plot, street = f"Plot {s.rng.randrange(3, 940)}", s.rng.choice(_STREETS)
    demote(s, "agent")
    s.perturb("missing_entity", "UPDATE account SET name = name || ' (old)' WHERE account_id = :id",
              id=account["account_id"])  # fmt: skip
    foreign = s.rng.choice(("Berlin", "Toronto", "Madrid", "Singapore", "Paris", "Chicago"))
    where = s.phrase("out_of_scope", city, foreign)
    s.covers("everything that an account has in stock")
    s.duty("which country follows from the city of a site")
    s.ask(
        """{account} moves into a new {kind} in {city}, {plot}, {street}. [Add it to their sites|It has to be
        among their sites] [under the name|as] "{name}", and [put whatever they still have in stock to use
        there|whatever they have in stock is in use there from now on].""",
        """[From today|As of today] {account} has a {kind} in {city}, [called|by the name of] "{name}"; [the
        address is|you find it at] {plot}, {street}. [What lies in their stock|All of their stock] [goes
        there|goes to that place] and [counts|is to count] as in use.""",
        """[Everything that|What] {account} has in stock [has found its place|is being unpacked]: "{name}", a
        {kind} in {city} ({plot}, {street}), which we do not have [on record|in our system] yet. [Create the
        site|Set the site up], move the stock there, and mark it as in use.""",
        """[We do not know of|What is missing in our data is] the {kind} that {account} opened in {city} [on
        Friday|over the holidays]. Street and number are {street}, {plot}, and [we call it|its name here is]
        "{name}". Their stock [went|has gone] there and is in use, piece by piece.""",
        """{plot}, {street}, {city}: that is where {account} now [runs|has] a {kind}. [Enter it|I need it
        entered] as an active site, "{name}", and then let every piece of theirs that is recorded as stock be
        in use at that address.""",
        """[Whatever|All that] {account} kept in stock is needed in {city}, where they [opened|have opened] a
        {kind}, "{name}". The site, at {street}, {plot}, is new to us and [should be active|becomes an active
        one]; the stock is in use there[ from this week|].""",
        account=account["name"], kind=kind.lower(), city=where, plot=plot, street=street,
        name=f"{account['name']} {kind} - {where}",
    )  # fmt: skip
    extra = ask_more(s, "pieces", "cases", "talks", "contracts", "messages")
    s.refuse("out_of_scope", f"{foreign} is none of the cities in which a site can be",
             names=(foreign, "city|cities|list|not one of|not a|only|not support|cannot"))  # fmt: skip
    find_caller(s, "admin")
    owner = s.do("find_account", "the customer", name=account["name"])
    s.require_ok(owner, f"there is no account {account['name']}", names=(account["name"], MISSING))
    same = s.do("find_location", "whether the name is free", name=name)
    s.require(same, "==", {}, f"there is a site {name} already")
    stock = s.do("retrieve_installed_products", "what they have in stock", account_id=owner["account_id"],
                 status="in_stock")  # fmt: skip
    answer_more(s, extra, owner)
    token = _NAMES[city]
    site = s.do("add_location", "the new site", name=name, active=1, plot_no=plot, street=street, city=token,
                country=_COUNTRIES[token])  # fmt: skip
    s.do_each(stock, "update_installed_product_details", "it is in use at the new site",
              installed_product_id=ROW["installed_product_id"], location_id=site["location_id"],
              status="in_use")  # fmt: skip
    s.rule(
        "The account has nothing in stock any more, and the site is named by the rules",
        """SELECT (SELECT COUNT(*) FROM location WHERE name = :name AND active = 1) - (SELECT COUNT(*)
        FROM installed_product WHERE account_id = :id AND status = 'in_stock')""",
        name=name, id=account["account_id"],
    )  # fmt: skip
    s.produce("account", owner, "the same customer")
