"""The mail that the company starts with: five months of it, in the mailboxes of all who wrote or got some.

The first mailbox, the chief executive's, holds most. Things that make look-ups hard are there on purpose:
subjects that differ in a number, labels with nearly one name, namesakes, a delegate who has left, aliases
that await an answer.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from eops_traj.gym.company.company import Company, Person, company
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.email import seed_settings, seed_topics
from eops_traj.gym.servers.email.seed_mail import SeedMailboxes, SeedMessage
from eops_traj.gym.servers.email.seed_topics import Topic

_CONVERSATIONS, _NOTICES, _DRAFTS = 190, 150, 14
_BEGAN = datetime(2025, 8, 4, 8, 0, tzinfo=UTC)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def seed(rng: Random) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield tables by name with their rows, parents first. Pure: the same ``rng``, the same rows."""
    corvane = company(rng)
    labels = seed_settings.labels(rng, corvane)
    filed: dict[str, list[tuple[str, str]]] = {}
    for label in labels:
        if label["filed"]:
            filed.setdefault(label["user_id"], []).append((label["filed"], label["id"]))
    mailboxes = SeedMailboxes(rng, corvane, filed)
    mailboxes.copy_all(_messages(rng, corvane))
    yield "users", _users(corvane, mailboxes)
    yield "labels", [{k: v for k, v in label.items() if k != "filed"} for label in labels]
    yield from mailboxes.tables()
    yield from _settings(corvane)
    yield "filters", seed_settings.filters(labels)


def _settings(corvane: Company) -> Iterator[tuple[str, Iterable[Row]]]:
    addresses, forwarding = seed_settings.forwarding(corvane)
    pairs, identities = seed_settings.keypairs(corvane)
    yield "forwarding_addresses", addresses
    yield "auto_forwarding", forwarding
    yield "delegates", seed_settings.delegates(corvane)
    yield "vacation_settings", seed_settings.vacations(corvane)
    yield "send_as_aliases", seed_settings.aliases(corvane)
    yield "smime_info", seed_settings.certificates(corvane)
    yield "cse_keypairs", pairs
    yield "cse_identities", identities
    tongues = {"Tokyo": "ja", "London": "en-GB", "Mumbai": "en-IN", "Sydney": "en-AU"}
    yield (
        "language_settings",
        [
            {"user_id": seed_settings.user_id(p), "display_language": tongues.get(p.site.city, "en")}
            for p in corvane.people
        ],
    )


def _users(corvane: Company, mailboxes: SeedMailboxes) -> Iterator[Row]:
    last = {row["user_id"]: row["id"] for row in mailboxes.rows["history"]}
    for person in corvane.people:
        id = seed_settings.user_id(person)
        yield {
            "id": id,
            "email": person.email,
            "name": person.name,
            "role": person.role,
            "department": person.department,
            "active": person.active,
            "static_token": f"token-{person.user_name}",
            "history_id": last.get(id, 1),
            "created_at": f"{person.hired} 08:00:00",
            "updated_at": f"{person.left or person.hired} 08:00:00",
        }


# messages


def _messages(rng: Random, corvane: Company) -> Iterator[SeedMessage]:
    conversation = 0
    for conversation in range(1, _CONVERSATIONS + 1):
        yield from _conversation(
            rng, corvane, conversation, seed_topics.TOPICS[conversation % len(seed_topics.TOPICS)]
        )
    for notice in range(_NOTICES):
        yield _notice(rng, corvane, conversation + notice + 1)
    yield from _broadcasts(rng, corvane, conversation + _NOTICES + 1)
    yield from _drafts(rng, corvane, conversation + _NOTICES + 100)


def _working_hour(rng: Random) -> datetime:
    """Draw a working hour of a weekday between August and today."""
    days = (clock.START - _BEGAN).days
    when = _BEGAN + timedelta(days=rng.randrange(days), hours=rng.randrange(9), minutes=rng.randrange(60))
    return when - timedelta(days=2) if when.weekday() > 4 else when


def _fillings(rng: Random, corvane: Company, when: datetime) -> dict[str, str]:
    """Return words for the places of a text; one draw each, so that a whole conversation agrees."""
    customer, vendor = rng.choice(seed_topics.CUSTOMERS), rng.choice(seed_topics.VENDORS)
    number = rng.randrange(1200, 9800)
    return {
        "customer": customer, "vendor": vendor, "month": when.strftime("%B"), "number": str(number),
        "product": rng.choice(seed_topics.PRODUCTS), "small": str(rng.randrange(5, 60)),
        "amount": f"{rng.randrange(4, 480) * 25:,}",
        "year": "2026", "department": rng.choice(("Marketing", "Product", "Field Services", "Sales")),
        "slug": customer.split()[0].lower(), "version": f"{rng.randrange(3, 7)}.{rng.randrange(10)}",
        "role": rng.choice(("a data engineer", "a support engineer", "a quality engineer")),
        "site": rng.choice(corvane.sites).name, "day": rng.choice(_DAYS), "code": f"K{number}",
    }  # fmt: skip


def _conversation(rng: Random, corvane: Company, conversation: int, topic: Topic) -> Iterator[SeedMessage]:
    when = _working_hour(rng)
    words = _fillings(rng, corvane, when)
    asker, answerer = (_someone(rng, corvane, name, when) for name in (topic.asks, topic.answers))
    chief = corvane.person(1)
    watching = (chief,) if topic.to_chief and rng.random() < 0.7 else ()
    others = tuple(p.email for p in watching if p not in (asker, answerer))
    for turn, text in enumerate(topic.texts[: rng.randint(1, len(topic.texts))]):
        writer, reader = (asker, answerer) if turn % 2 == 0 else (answerer, asker)
        if when > clock.START or writer == reader:
            return
        subject = ("Re: " if turn else "") + topic.subject.format(**words)
        body = f"{reader.first_name},\n\n{text.format(**words)}\n\n{writer.first_name}\n{writer.title}"
        file = topic.file.format(**words) if topic.file and turn == 0 else ""
        yield SeedMessage(
            conversation, (writer.name, writer.email), (reader.email,), subject, body, when, others, file
        )
        when += timedelta(minutes=rng.randrange(20, 2400))


def _someone(rng: Random, corvane: Company, department: str, when: datetime) -> Person:
    """Draw a person of the department who worked here at the time; more often one of the first."""
    there = [
        p for p in corvane.of(department) if p.hired <= when.date() and (not p.left or p.left > when.date())
    ]
    return there[min(rng.randrange(len(there)), rng.randrange(len(there)))]


def _notice(rng: Random, corvane: Company, conversation: int) -> SeedMessage:
    """Return mail from outside: newsletters, bookings, invoices, and spam."""
    when = _working_hour(rng)
    words = _fillings(rng, corvane, when)
    reader = corvane.person(1) if rng.random() < 0.3 else rng.choice([p for p in corvane.people if p.active])
    if rng.random() < 0.08:
        name, address, subject, text = rng.choice(seed_topics.SPAM)
        return SeedMessage(
            conversation, (name, address), (reader.email,), subject, text, when, labels=frozenset({"SPAM"})
        )
    name, address, subject, text, category = rng.choice(seed_topics.NOTICES)
    labels = frozenset({"TRASH"} if rng.random() < 0.1 else {"INBOX", f"CATEGORY_{category}"})
    file = f"invoice-{words['number']}.pdf" if category == "PERSONAL" else ""
    subject, text = subject.format(**words), text.format(**words)
    return SeedMessage(
        conversation, (name, address), (reader.email,), subject, text, when, file=file, labels=labels
    )


def _broadcasts(rng: Random, corvane: Company, conversation: int) -> Iterator[SeedMessage]:
    """Yield messages of the chief to every manager, admin and executive."""
    chief = corvane.person(1)
    readers = tuple(
        p.email for p in corvane.people if p.active and p.role in ("manager", "admin") and p != chief
    )
    for number, (subject, text, file) in enumerate(seed_topics.ALL_HANDS):
        when = datetime(2025, 10 + number, 9 + number, 9, 15, tzinfo=UTC)
        words = _fillings(rng, corvane, when)
        body = f"Dear all,\n\n{text.format(**words)}\n\n{chief.name}"
        yield SeedMessage(
            conversation + number,
            (chief.name, chief.email),
            readers,
            subject.format(**words),
            body,
            when,
            file=file,
        )


def _drafts(rng: Random, corvane: Company, conversation: int) -> Iterator[SeedMessage]:
    """Yield messages that were begun and not sent; three of them are the chief's."""
    working: Sequence[Person] = [p for p in corvane.people if p.active]
    for number in range(_DRAFTS):
        writer = corvane.person(1) if number < 3 else rng.choice(working)
        when = clock.START - timedelta(days=rng.randrange(20), hours=rng.randrange(1, 9))
        words = _fillings(rng, corvane, when)
        topic = rng.choice(seed_topics.TOPICS)
        reader = rng.choice([p for p in working if p != writer])
        body = f"{reader.first_name},\n\n{topic.texts[0].format(**words)}"
        sender = (writer.name, writer.email)
        yield SeedMessage(
            conversation + number,
            sender,
            (reader.email,),
            topic.subject.format(**words),
            body,
            when,
            draft=True,
        )
