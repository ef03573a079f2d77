"""Scenarios about installed pieces: one exchanged, some repaired, some out of warranty and scrapped."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.indirection import digits
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.csm.customers import choose_customer, find_customer, twist_customer
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import ADMINS, OPEN, OPEN_STATES, demote, find_caller
from eops_traj.taskgen.scenarios.csm.side_jobs import elsewhere
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, MISSING, RETIRED, on_no_day
from eops_traj.taskgen.scene import Scene

_LAST_DAYS = (  # of a month; a day that no month has; the first as it is stored
    ("28 February", "30 February", "02-28"), ("30 April", "31 April", "04-30"),
    ("30 June", "31 June", "06-30"), ("30 September", "31 September", "09-30"),
    ("30 November", "31 November", "11-30"),
)  # fmt: skip


@family("csm", perturbations=("policy_forbids", "impossible_date", "missing_entity"))
def replace_piece(s: Scene) -> None:
    """A broken piece of hardware is exchanged for a new one at the same site."""
    s.pick_caller(ADMINS)
    old = s.pick(
        f"""SELECT i.*, a.name AS account, p.name AS product, l.name AS site FROM installed_product i
        JOIN account a USING (account_id) JOIN product p USING (product_id)
        JOIN location l USING (location_id)
        WHERE a.active AND l.active AND p.lifecycle_state = 'active' AND i.status IN ('in_use', 'repair')
        AND (SELECT COUNT(*) FROM installed_product o WHERE o.serial_number = i.serial_number) = 1
        AND (SELECT COUNT(*) FROM customer_case c WHERE c.installed_product_id = i.installed_product_id
            AND c.state IN {OPEN}) <= 2"""
    )
    letters, number = old["serial_number"][:8], s.rng.randrange(910_000, 999_000)
    serial, year = f"{letters}{number}", s.rng.choice([2027, 2028, 2029])
    s.perturb("policy_forbids", "UPDATE product SET lifecycle_state = 'retired' WHERE product_id = :id",
              id=old["product_id"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE installed_product SET serial_number = 'X' || serial_number"
              " WHERE installed_product_id = :id", id=old["installed_product_id"])  # fmt: skip
    usual, never, iso = s.rng.choice(_LAST_DAYS)
    last = s.phrase("impossible_date", f"{usual} {year}", f"{never} {year}")
    s.covers("all open cases about the old piece")
    s.ask(
        """{account} gets a new unit in place of {old}, which is beyond repair. The new one is the same
        product with serial number {new}, at the same site, under warranty until {last}. [Open cases about the
        old one now are about the new one|Whatever is open about the old one is now about the new one].""",
        """[The technician|One of our technicians] took {old} away from {account} and left {new} there
        instead, [an identical model|the very same model]. [Put that on record|That has to go on record]: the
        old one retired, the new one in use with a warranty to {last}, and open cases [moved along|pointing to
        the new one].""",
        """[There was an exchange of hardware|Hardware was exchanged] at {account}: out with {old}, for good;
        in with {new}, same kind, same location, warranty [to|until] {last}. [Cases not yet
        finished|Unfinished cases] about the former are to name the latter.""",
        """{old} is scrap. {account} has {new} standing in its place [since this morning|since the weekend],
        of the same product, with a warranty until {last}. I need [both records|the records of both] right,
        and the open cases about it as well, if there are any.""",
        """[We have replaced|Field Services replaced] {old} by {new}. [The customer is|It belongs to]
        {account}, site and product are unchanged, and the warranty runs up to and including {last}. The old
        piece [will not come back|is not coming back], so [mind|see to] the open cases about it, too.""",
        """[Under the exchange program|As a goodwill exchange] {account} received {new} for {old}: [same
        model, same place|model and place as before], covered by warranty until {last}. Retire what was taken
        out, enter what was put in, and let cases [that are still open|not yet finished] refer to the new
        serial number.""",
        account=old["account"], old=old["serial_number"], new=serial, last=last,
    )  # fmt: skip
    extra = ask_more(s, "pieces")
    s.refuse("impossible_date", f"there is no such day as {last}",
             names=(on_no_day(never, year),))  # fmt: skip
    find_caller(s, "admin")
    account = s.do("find_account", "the customer", name=old["account"])
    piece = s.do("find_installed_product_by_serial", "the old piece", serial_number=old["serial_number"])
    s.require_ok(piece, f"there is no piece with the serial number {old['serial_number']}",
                 names=(old["serial_number"], MISSING))  # fmt: skip
    s.require(piece["account_id"], "==", account["account_id"], "the old piece belongs to somebody else")
    product = s.do("find_product_by_id", "what it is", product_id=piece["product_id"])
    s.require(
        product["lifecycle_state"], "==", "active", "the product is retired and is not installed any more",
        names=(f"product|model|{old['product']}", f"{RETIRED}|{INACTIVE}"),
    )  # fmt: skip
    fresh = s.do("find_installed_product_by_serial", "whether the new number is free", serial_number=serial)
    s.require(fresh, "==", {}, f"the serial number {serial} is taken")
    cases = s.do("search_cases", "what is open about it",
                 installed_product_id=piece["installed_product_id"])  # fmt: skip
    answer_more(s, extra, account)
    new = s.do("register_new_installed_product", "the new piece", account_id=account["account_id"],
               product_id=product["product_id"], location_id=piece["location_id"], serial_number=serial,
               status="in_use", warranty_end=f"{year}-{iso}")  # fmt: skip
    s.do("update_installed_product_details", "the old one is out of use",
         installed_product_id=piece["installed_product_id"], status="retired")  # fmt: skip
    s.do_each(cases.every(OPEN_STATES), "update_case", "it is about the new piece", case_id=ROW["case_id"],
              installed_product_id=new["installed_product_id"])  # fmt: skip
    s.rule(
        "No open case is about the piece that was retired",
        f"""SELECT COUNT(*) FROM installed_product i LEFT JOIN customer_case c ON c.state IN {OPEN}
            AND c.installed_product_id = i.installed_product_id
        WHERE i.serial_number = :old AND (i.status <> 'retired' OR c.case_id IS NOT NULL)""",
        expected=0, old=old["serial_number"], category="integrity",
    )  # fmt: skip
    s.rule(
        "The new piece stands at the same site and is of the same product as the old one",
        """SELECT COUNT(*) FROM installed_product n JOIN installed_product o USING (account_id, product_id,
        location_id) WHERE n.serial_number = :new AND o.serial_number = :old AND n.status = 'in_use'""",
        new=serial, old=old["serial_number"], category="integrity",
    )  # fmt: skip


@family("csm", perturbations=("no_right", "policy_forbids", "missing_entity"))
def back_from_repair(s: Scene) -> None:
    """What a customer had in repair is in use again, and one piece moves to another site of theirs."""
    s.pick_caller(ADMINS)
    moved = s.pick(
        """SELECT i.*, a.name AS account, substr(i.serial_number, -4) AS tail FROM installed_product i
        JOIN account a USING (account_id) WHERE a.active AND i.status = 'repair'
        AND (SELECT COUNT(*) FROM installed_product o WHERE o.account_id = i.account_id
            AND substr(o.serial_number, -4) = substr(i.serial_number, -4)) = 1"""
    )
    site = s.pick(
        """SELECT * FROM location l WHERE active AND name LIKE :account || ' %' AND location_id IS NOT :now
        AND NOT EXISTS (SELECT 1 FROM account b WHERE b.name LIKE :account || ' %'
            AND l.name LIKE b.name || ' %')""",
        account=moved["account"], now=moved["location_id"],
    )  # fmt: skip
    more = besides(s, *elsewhere())
    demote(s, "agent")
    s.perturb("policy_forbids", "UPDATE installed_product SET status = 'retired'"
              " WHERE installed_product_id = :id", id=moved["installed_product_id"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE location SET name = name || ' Annex' WHERE location_id = :id",
              id=site["location_id"])  # fmt: skip
    s.indirect("a piece by the end of its serial number",
               hidden=[moved["serial_number"]])  # fmt: skip
    s.covers("all pieces of an account that are in repair")
    s.ask(
        """[The workshop|Our workshop] has finished everything it had from {account}. [All of their
        pieces|Whatever of theirs is] recorded as in repair [can be|is to be] in use again, and the one whose
        serial number ends in {tail} [stands|is put up] at "{site}" from now on; [the rest go back|the rest
        return] where they were.""",
        """{account} gets back [what we repaired|its repaired pieces], [one and all|without exception]: status
        in use for each that is in repair now. [One of them|One piece], with a serial that ends in {tail},
        [changes places|goes to another site] and is at "{site}" [afterwards|as of today].""",
        """[The van left for|A van is on its way to] {account} with all pieces that were in repair. [Mark
        them|Have them marked] as in use; [the unit|that unit] ending in {tail} (serial number) [will not
        return|does not return] to its old place but is set up at "{site}".""",
        """"{site}" receives a piece that {account} had with us for repair, [serial ending in|its serial ends
        in] {tail}. [It is in use there|There it is in use], and so is, at its former place, [each other
        piece|any other piece] of theirs that is still down as being in repair.""",
        """[Repairs for|The repairs for] {account} are done. [Move|First move] the piece with {tail} as the
        last digits of its serial number to "{site}", and [let it and|have it and] all others of theirs that
        [were in for repair|our records have in repair] be in use.""",
        """[What is still shown|Anything shown] as in repair at {account} works again, [as I learned|so I
        hear] from the technicians, [and our records should know|which our records should reflect]. {tail_up}
        are the last digits of the one that [we send|goes] to "{site}" instead of where it [stood|was].""",
        account=moved["account"], tail=digits(moved["tail"]), tail_up=digits(moved["tail"]).capitalize(),
        site=site["name"],
    )  # fmt: skip
    more.say()
    extra = ask_more(s, "pieces")
    find_caller(s, "admin")
    owner = s.do("find_account", "whose pieces", name=moved["account"])
    place = s.do("find_location", "where one of them goes", name=site["name"])
    s.require_ok(place, f"there is no site {site['name']}", names=(site["name"], MISSING))
    s.require(place["active"], "==", 1, f"{site['name']} is inactive, and nothing moves there")
    pieces = s.do("retrieve_installed_products", "what they have", account_id=owner["account_id"])
    one = pieces.every(("serial_number", "ends", moved["tail"]))
    s.require(count(one), "==", 1, "there is not exactly one piece with that end of the serial number")
    s.require(
        one[0]["status"],
        "==",
        "repair",
        "the piece with that serial number is not in repair",
        names=(f"{RETIRED}|not in repair|isn't in repair|not under repair|no longer in repair",),
    )
    more.look()
    answer_more(s, extra, owner)
    repaired = pieces.every(status="repair")
    s.do_each(repaired, "update_installed_product_details", "it is in use again",
              installed_product_id=ROW["installed_product_id"], status="in_use")  # fmt: skip
    s.do("update_installed_product_details", "this one stands elsewhere",
         installed_product_id=one[0]["installed_product_id"], location_id=place["location_id"])  # fmt: skip
    more.write()
    s.rule(
        "No piece of the account is in repair any more, and the one that was named is at its new site",
        """SELECT (SELECT COUNT(*) FROM installed_product WHERE account_id = :account AND status = 'repair')
        + (SELECT location_id IS NOT :site FROM installed_product WHERE installed_product_id = :piece)""",
        expected=0, account=moved["account_id"], site=site["location_id"],
        piece=moved["installed_product_id"], category="integrity",
    )  # fmt: skip


@family("csm", perturbations=("no_right", "missing_entity"))
def scrap_stock(s: Scene) -> None:
    """Pieces in stock whose warranty is over are retired, and the warranties that ended are counted."""
    s.pick_caller(ADMINS)
    account = s.pick(
        """SELECT a.* FROM account a JOIN installed_product i USING (account_id) WHERE a.active
        AND i.status = 'in_stock' GROUP BY a.account_id HAVING SUM(i.warranty_end < '2026-01-05') >= 1"""
    )
    customer = choose_customer(s, account)
    demote(s, "manager")
    twist_customer(s, customer)
    s.covers("all pieces in stock whose warranty is over")
    s.ask(
        """[What lies in stock|The pieces in stock] at {account} without warranty [is not worth keeping|are
        worth nothing any more]. [Retire|Put down as retired] each such piece whose last day of warranty was
        before today, [spare|but spare] those that still have some of it, and tell me how many warranties of
        theirs [in all|altogether] have ended by today.""",
        """{account} [clears|is clearing] its shelves: [stock|any stocked piece] with a warranty that ran out
        before today is scrap and [counts as|is to be recorded as] retired. [Pieces without a date|Those
        without a date of warranty] stay. [How many of their warranties are over by today, whatever the
        state?|I ask besides how many of their warranties are over by today, in whatever state.]""",
        """[For the stocktaking at|With the stocktaking at] {account} two things are needed. One is that each
        of the pieces in stock [that lost its warranty|whose warranty ended] before today becomes retired; the
        other is the number of their warranties that have ended by now, [stock or not|be they of stock or
        not].""",
        """[An inspector|A technician] went through the spare pieces of {account}. [They keep|Kept are] what
        is under warranty today or has no date for it, while [the rest of the stock|all other stock] is
        retired. [Also count|Then count] their ended warranties [up to and including|including] today, pieces
        in use [too|included].""",
        """[Nothing|No piece] in stock at {account} [may|should] be used once its warranty has passed, [so
        retire|which is why I want you to retire] whatever that is true of as of yesterday. [In your answer|As
        an answer] I [expect|want] the count of all warranties of theirs that ended, today [being the last day
        to count|included].""",
        """[Our insurer asks|The insurer wants us] to write off stock of {account} that is out of warranty:
        last day before today, status in stock, [then it is|that makes it] retired. [They also ask|Another
        question is] how many warranties of that customer [are over|have ended] by today.""",
        account=customer.words,
    )  # fmt: skip
    find_caller(s, "admin")
    owner = find_customer(s, customer)
    stock = s.do("retrieve_installed_products", "what is in stock", account_id=owner["account_id"],
                 status="in_stock")  # fmt: skip
    ended = s.do("installed_product_warranties_ended_count", "how many warranties are over",
                 account_id=owner["account_id"], on_date="2026-01-05")  # fmt: skip
    s.do_each(stock.every(("warranty_end", "<", "2026-01-05")), "update_installed_product_details",
              "out of warranty, so it is retired", installed_product_id=ROW["installed_product_id"],
              status="retired")  # fmt: skip
    s.answer("how many warranties of theirs have ended by today", ended["ended_count"])
    s.rule(
        "No piece of theirs is in stock without its warranty",
        """SELECT COUNT(*) FROM installed_product WHERE account_id = :id AND status = 'in_stock'
        AND warranty_end < '2026-01-05'""",
        expected=0, id=account["account_id"], category="integrity",
    )  # fmt: skip
