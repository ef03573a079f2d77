"""The vocabulary of products, cases and articles: what the company sells, and what goes wrong with it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

VARIANTS = {
    "software": ("4.2", "5.0", "5.1", "5.1 Cloud", "6.0", "6.0 Cloud"),
    "hardware": ("100", "100 Rev B", "200", "200 Rev B", "300", "300 XL"),
    "service": ("Basic", "Standard", "Plus", "Night Cover", "Weekend Cover", "Trial"),
}
"""Six of each family, so alike that a part of a name finds several. The first are mostly retired."""

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "software": (
        "Relay Broker", "Ledgerline", "Quayside CRM", "Northlight Analytics", "Passkeep Vault",
        "Tidepool Backup", "Flagstone Identity", "Weft Integration Hub", "Beacon Monitor", "Drift Scheduler",
        "Harrier Database", "Lantern Search", "Marl Document Store", "Onyx Payroll Link",
        "Pallet Warehouse Suite", "Sextant Planner",
    ),
    "hardware": (
        "Bramble Edge Router", "Cairn Firewall", "Dunlin Access Point", "Ember Power Unit",
        "Fathom Storage Array", "Granite Blade Server", "Heron Conference Unit", "Ibex Core Switch",
        "Jackdaw Label Printer", "Knot Handheld Scanner", "Larch Thin Client", "Merle Tape Library",
        "Nettle Sensor Gateway", "Osprey Site Camera",
    ),
    "service": (
        "Managed Network", "Managed Backup", "Security Audit", "Onsite Maintenance", "Data Migration",
        "Cloud Hosting", "User Training", "Patch Service", "Recovery Drill", "Device Recycling",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """A way to fail: what the customer sees, what the article is called, why it happens, what to do."""

    symptom: str
    topic: str
    cause: str
    steps: str


PROBLEMS: Mapping[str, tuple[Problem, ...]] = {
    "software": (
        Problem("users are signed out every few minutes", "sessions end too early",
                "The session store is full, so the oldest sessions are dropped.",
                "Check the size of the session store; raise its limit; restart one node at a time"),
        Problem("nightly import stops half way", "import job stops before the end",
                "One malformed record ends the whole batch.",
                "Find the last line in the import log; move that record aside; start the job from the mark"),
        Problem("reports open blank after the upgrade", "blank reports after an upgrade",
                "Report templates of the older release were not converted.",
                "Run the template converter; clear the report cache; open one report to confirm"),
        Problem("searches take more than a minute", "slow searches",
                "The index was not rebuilt after a large deletion.",
                "Compare index size with row count; rebuild at night; measure three usual searches"),
        Problem("messages are delivered twice", "duplicate deliveries",
                "Acknowledgements arrive after the retry timer.",
                "Lengthen the retry timer; drain the queue; watch one hour for repeats"),
        Problem("license key is rejected", "license key not accepted",
                "The key was issued for another major version.",
                "Read the version on the about page; ask for a key of that version; apply it"),
        Problem("backup finishes with warnings", "warnings in the backup log",
                "Open files were skipped because the snapshot service was off.",
                "Start the snapshot service; run one small backup; compare the file counts"),
        Problem("single sign-on loops back to the login page", "sign-on loop",
                "The clocks of both servers differ by more than the tolerance.",
                "Compare both clocks; point them to one time source; empty the browser's cookies"),
    ),
    "hardware": (
        Problem("does not power on", "unit stays dark",
                "The power supply has tripped, or its cable has worked loose.",
                "Reseat the cable; try another socket; swap the power supply; order a replacement"),
        Problem("restarts several times a day", "unexpected restarts",
                "It gets too warm when the filter is blocked.",
                "Read the temperature log; clean the filter; leave two units of space above it"),
        Problem("loses its network link at peak hours", "link lost under load",
                "Speed and duplex were fixed on one side only.",
                "Set both ends to automatic; replace the patch cable; watch the error counter for an hour"),
        Problem("shows a red health light", "red health light",
                "A component has failed its own test.",
                "Read the code behind the front cover; look it up; replace the part it names"),
        Problem("is not found after a firmware update", "unreachable after firmware",
                "The update put back the factory address.",
                "Connect through the service port; load the saved settings; write them to flash"),
        Problem("makes a loud grinding noise", "noise from the fans",
                "A fan bearing is worn.",
                "Note which fan; swap it while running; keep the old one for the warranty claim"),
        Problem("refuses the replacement part", "part not recognized",
                "The part is of an older revision than the firmware expects.",
                "Compare the revision letters; update the firmware; fit the part again"),
        Problem("arrived with a damaged casing", "damage in transit",
                "The parcel was dropped.",
                "Take photographs; keep the packing; register the serial number; send a new unit"),
    ),
    "service": (
        Problem("agreed visit did not take place", "missed visits",
                "The visit was booked for another site of the same customer.",
                "Confirm the site with the contact; book again; tell the dispatcher why"),
        Problem("monthly report is missing", "report not delivered",
                "The contact who used to get it has left.",
                "Check the contacts of the account; send the report; change the recipient"),
        Problem("change window was overrun", "overrun change windows",
                "The way back was not tested beforehand.",
                "Collect the timeline; agree on a shorter plan; test the way back first"),
        Problem("invoice lists hours that were not worked", "disputed hours",
                "Two visits were logged on the same ticket.",
                "Compare the visit log with the invoice; correct the log; ask finance for a credit"),
        Problem("replies come later than promised", "late replies",
                "Requests reached a group that does not work at night.",
                "Check the coverage hours; route the account to the right group; report the delay"),
        Problem("scope of the work is unclear", "unclear scope",
                "The order names a package that has since changed.",
                "Find the order; list what it includes; have the customer confirm the list"),
    ),
}  # fmt: skip


def product_variants() -> Iterator[tuple[str, str, int]]:
    """Yield name, category and position among its variants of every product: 240 of them."""
    for category, families in FAMILIES.items():
        for family in families:
            for position, variant in enumerate(VARIANTS[category]):
                yield f"{family} {variant}", category, position
