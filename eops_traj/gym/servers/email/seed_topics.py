"""The topics that people of the company write about: subjects and texts, with places to fill."""

from dataclasses import dataclass
from typing import Final

CUSTOMERS: Final = (
    "Harwick Foods",
    "Northgate Rail",
    "Belmont Clinics",
    "Osaka Freight",
    "Delta Mutual",
    "Pine & Sons",
)
VENDORS: Final = (
    "Lumen Print",
    "Kestrel Cloud",
    "Bramley Catering",
    "Atlas Travel",
    "Quarry Office Supplies",
)
MONTHS: Final = ("August", "September", "October", "November", "December", "January")
PRODUCTS: Final = ("Gateway 4", "Gateway 4 Lite", "Ledger", "Pulse Monitor", "Relay Box", "Relay Box Pro")


@dataclass(frozen=True)
class Topic:
    """A kind of conversation: the department that starts it, the one that answers, and their texts."""

    subject: str
    asks: str
    answers: str
    texts: tuple[str, ...]
    file: str = ""
    to_chief: bool = False


TOPICS: Final = (
    Topic("Invoice {number} from {vendor}", "Finance", "Finance", (
        "Invoice {number} of {vendor} came in over {amount} USD. I find no order for it. Who asked?",
        "It belongs to the frame order of {month}. Please book it on cost centre 4410, due in thirty days.",
        "Booked. It goes out with the next payment run.",
    ), "invoice-{number}.pdf"),
    Topic("Budget {year}: {department} draft", "Finance", "Product", (
        "Attached is the draft for {department}. We are {amount} USD over the frame. Where can you give way?",
        "Travel can go down by a third. I would rather not touch the hardware line.",
        "That leaves half of the gap. Let us talk on {day}.",
    ), "budget-{year}-{slug}.xlsx", True),
    Topic("Contract renewal {customer}", "Sales", "Legal", (
        "The support contract of {customer} ends in {month}. They want two years, with a capped increase.",
        "A cap is fine at four percent. Clause 9 has to stay as it is. I have marked the passages.",
        "Thanks. They sign this week if the cap is in.",
        "Then send it. Please keep the signed copy in the folder of the customer.",
    ), "contract-{slug}.docx", True),
    Topic("Escalation: {customer}, {product} down", "Customer Support", "Engineering", (
        "{customer} lost its {product} at six this morning. Three sites are affected. Who can take a look?",
        "The log shows the certificate ran out. A new one is on its way; the patch follows tonight.",
        "Customer confirms that all three sites are back. I keep the case open until the patch is in.",
    ), "", True),
    Topic("Release {product} {version}", "Engineering", "Product", (
        "Release {version} of {product} is frozen. Two known problems are in the notes; neither blocks.",
        "Fine by me. Can the notes say that the old import goes away in spring?",
        "Added. We ship on {day} unless somebody objects by noon.",
    ), "release-notes-{version}.pdf"),
    Topic("Interview plan: {role}", "Human Resources", "Engineering", (
        "We have four candidates for {role}. Can your team take the technical talks on {day}?",
        "Two of us can. Please put thirty minutes between the talks.",
        "Done, the invitations are out.",
    )),
    Topic("Travel to {site} in {month}", "Executive", "Sales", (
        "I plan to be at {site} in the second week of {month}. Which customers should I see there?",
        "{customer} first. They have not seen anybody from us this year.",
        "Agreed. Please set up a dinner as well.",
    ), "", True),
    Topic("Access request: {product} console", "Engineering", "IT Operations", (
        "Please give me read access to the console of {product}. I need it for a measurement in {month}.",
        "Your manager has to agree first. Once I have that in writing it takes a day.",
        "Here is the agreement, see below.",
    )),
    Topic("Phishing report: {vendor}", "Security", "IT Operations", (
        "Colleagues got a message that claims to be from {vendor} and asks for passwords. Please block it.",
        "Blocked at the gateway. Two people had opened the link; their passwords are reset.",
    ), "", True),
    Topic("Campaign {month}: figures", "Marketing", "Sales", (
        "The figures of the {month} campaign are in: {number} visits, {small} of them asked for an offer.",
        "Better than I feared. Which of the two texts did it?",
        "The short one, by far.",
    ), "campaign-{slug}.csv"),
    Topic("Spare parts for {site}", "Field Services", "Finance", (
        "{site} is out of power supplies for the {product}. I want to order {small}, {amount} USD in all.",
        "Approved up to that amount. Please use the frame order.",
        "Ordered, delivery next {day}.",
    )),
    Topic("Payroll question, {month}", "Human Resources", "Finance", (
        "Two overtime entries of {month} arrived after the cut-off. Can they still go into this run?",
        "Too late for this one. They are paid with the next, please tell the two.",
    )),
    Topic("Board pack {month}", "Executive", "Finance", (
        "For the board on the last {day} of {month} I need the cash forecast and the list of risks.",
        "Forecast attached. The list of risks still lacks Legal; you have it tomorrow.",
        "Thank you. Please leave the two acquisitions out, they are for the closed part.",
        "Understood, I have taken them out.",
    ), "board-pack-{slug}.pdf", True),
    Topic("Non-disclosure agreement {vendor}", "Legal", "Product", (
        "{vendor} wants to sign an agreement before the workshop. I have two remarks, see the margin.",
        "Both fine with me. Who signs on our side?",
        "You do, up to the amount in the rules of signature.",
    ), "nda-{slug}.docx"),
)  # fmt: skip

ALL_HANDS: Final = (
    ("All hands in {month}", "We meet on {day} at four in the large hall, and online. Bring questions.", ""),
    ("Office closed between the years", "We close on 24 December. On-call list attached.", "on-call.pdf"),
    ("New rule for expenses", "From January on, expenses above 200 USD need an agreement beforehand.", ""),
)  # fmt: skip

NOTICES: Final = (  # sender's name and address, subject, text, category
    ("Kestrel Cloud Status", "status@kestrelcloud.example", "Maintenance window {month}",
     "We will work on the storage layer on the first {day} of {month}, 02:00 to 04:00 UTC.", "UPDATES"),
    ("Atlas Travel", "bookings@atlastravel.example", "Your itinerary {code}",
     "Booking {code} is confirmed. Flight and hotel are in the attached plan.", "UPDATES"),
    ("Ops Digest", "digest@opsdigest.example", "Ops Digest no. {small}: {product} in practice",
     "This week: how one team cut its alerts by half, and why dashboards lie.", "PROMOTIONS"),
    ("Ledger Weekly", "news@ledgerweekly.example", "Ledger Weekly {small}: closing the books faster",
     "Five habits of fast closers, and an interview. You get this because you subscribed.", "PROMOTIONS"),
    ("Quarry Office Supplies", "sales@quarryoffice.example", "Paper and toner: {small} percent off",
     "Until the end of {month} on everything in stock.", "PROMOTIONS"),
    ("Pine Forum", "noreply@pineforum.example", "New answer in: {product} tuning",
     "Somebody answered the question that you follow.", "FORUMS"),
    ("Lumen Print", "billing@lumenprint.example", "Invoice {number}",
     "Please find our invoice {number} over {amount} USD attached. Payable within thirty days.", "PERSONAL"),
)  # fmt: skip

SPAM: Final = (
    ("Prize Centre", "win@prize-centre.example", "You were chosen", "Claim your reward within 24 hours."),
    (
        "Corvane Helpdesk",
        "it@corvane-support.example",
        "Password expires today",
        "Sign in here to keep your mailbox.",
    ),
)
