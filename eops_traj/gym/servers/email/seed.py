"""The mail that the company starts with: five months of it, in the mailboxes of all who wrote or got some.

The first mailbox, the chief executive's, holds most. What makes look-ups hard is there on purpose: subjects
that differ in a number, labels with nearly one name, namesakes, a delegate who has left, aliases that await
an answer.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from eops_traj.gym.company.company import Company, Person, company
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.email import seed_settings, seed_topics
from eops_traj.gym.servers.email.seed_mail import Letter, Post
from eops_traj.gym.servers.email.seed_topics import Topic

_TALKS, _NOTICES, _DRAFTS = 190, 150, 14
_BEGAN = datetime(2025, 8, 4, 8, 0, tzinfo=UTC)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def seed(rng: Random) -> Iterator[tuple[str, Iterable[Row]]]:
    """Tables by name with their rows, parents first. Pure: the same ``rng``, the same rows."""
    corvane = company(rng)
    made = seed_settings.labels(rng, corvane)
    filed: dict[str, list[tuple[str, str]]] = {}
    for label in made:
        if label["filed"]:
            filed.setdefault(label["user_id"], []).append((label["filed"], label["id"]))
    post = Post(rng, corvane, filed)
    post.copy_all(_letters(rng, corvane))
    yield "users", _users(corvane, post)
    yield "labels", [{k: v for k, v in label.items() if k != "filed"} for label in made]
    yield from post.tables()
    yield from _settings(corvane)
    yield "filters", seed_settings.filters(made)


def _settings(corvane: Company) -> Iterator[tuple[str, Iterable[Row]]]:
    addresses, forwarding = seed_settings.forwarding(corvane)
    pairs, identities = seed_settings.keypairs(corvane)
    yield from (("forwarding_addresses", addresses), ("auto_forwarding", forwarding))
    yield from (
        ("delegates", seed_settings.delegates(corvane)),
        ("vacation_settings", seed_settings.vacations(corvane)),
    )
    yield from (
        ("send_as", seed_settings.aliases(corvane)),
        ("smime_info", seed_settings.certificates(corvane)),
    )
    yield from (("cse_keypairs", pairs), ("cse_identities", identities))
    tongues = {"Tokyo": "ja", "London": "en-GB", "Mumbai": "en-IN", "Sydney": "en-AU"}
    yield (
        "language_settings",
        [
            {"user_id": seed_settings.user_id(p), "display_language": tongues.get(p.site.city, "en")}
            for p in corvane.people
        ],
    )


def _users(corvane: Company, post: Post) -> Iterator[Row]:
    last = {row["user_id"]: row["id"] for row in post.rows["history"]}
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


# letters


def _letters(rng: Random, corvane: Company) -> Iterator[Letter]:
    talk = 0
    for talk in range(1, _TALKS + 1):
        yield from _conversation(rng, corvane, talk, seed_topics.TOPICS[talk % len(seed_topics.TOPICS)])
    for notice in range(_NOTICES):
        yield _notice(rng, corvane, talk + notice + 1)
    yield from _broadcasts(rng, corvane, talk + _NOTICES + 1)
    yield from _drafts(rng, corvane, talk + _NOTICES + 100)


def _moment(rng: Random) -> datetime:
    """Some working hour of a weekday between August and today."""
    days = (clock.START - _BEGAN).days
    when = _BEGAN + timedelta(days=rng.randrange(days), hours=rng.randrange(9), minutes=rng.randrange(60))
    return when - timedelta(days=2) if when.weekday() > 4 else when


def _fillings(rng: Random, corvane: Company, when: datetime) -> dict[str, str]:
    """Words for the places of a text; one draw each, so that all letters of a conversation agree."""
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


def _conversation(rng: Random, corvane: Company, talk: int, topic: Topic) -> Iterator[Letter]:
    when = _moment(rng)
    words = _fillings(rng, corvane, when)
    asking, asked = (_someone(rng, corvane, name, when) for name in (topic.asks, topic.answers))
    chief = corvane.person(1)
    watching = (chief,) if topic.to_chief and rng.random() < 0.7 else ()
    others = tuple(p.email for p in watching if p not in (asking, asked))
    for turn, text in enumerate(topic.said[: rng.randint(1, len(topic.said))]):
        writer, reader = (asking, asked) if turn % 2 == 0 else (asked, asking)
        if when > clock.START or writer == reader:
            return
        subject = ("Re: " if turn else "") + topic.subject.format(**words)
        body = f"{reader.first_name},\n\n{text.format(**words)}\n\n{writer.first_name}\n{writer.title}"
        file = topic.file.format(**words) if topic.file and turn == 0 else ""
        yield Letter(talk, (writer.name, writer.email), (reader.email,), subject, body, when, others, file)
        when += timedelta(minutes=rng.randrange(20, 2400))


def _someone(rng: Random, corvane: Company, department: str, when: datetime) -> Person:
    """A person of the department who worked here at the time; more often one of the first."""
    there = [
        p for p in corvane.of(department) if p.hired <= when.date() and (not p.left or p.left > when.date())
    ]
    return there[min(rng.randrange(len(there)), rng.randrange(len(there)))]


def _notice(rng: Random, corvane: Company, talk: int) -> Letter:
    """Mail from outside: newsletters, bookings, invoices, and what nobody wants."""
    when = _moment(rng)
    words = _fillings(rng, corvane, when)
    reader = corvane.person(1) if rng.random() < 0.3 else rng.choice([p for p in corvane.people if p.active])
    if rng.random() < 0.08:
        name, address, subject, text = rng.choice(seed_topics.SPAM)
        return Letter(talk, (name, address), (reader.email,), subject, text, when, labels=frozenset({"SPAM"}))
    name, address, subject, text, category = rng.choice(seed_topics.NOTICES)
    labels = frozenset({"TRASH"} if rng.random() < 0.1 else {"INBOX", f"CATEGORY_{category}"})
    file = f"invoice-{words['number']}.pdf" if category == "PERSONAL" else ""
    subject, text = subject.format(**words), text.format(**words)
    return Letter(talk, (name, address), (reader.email,), subject, text, when, file=file, labels=labels)


def _broadcasts(rng: Random, corvane: Company, talk: int) -> Iterator[Letter]:
    """From the chief to every manager, admin and executive."""
    chief = corvane.person(1)
    readers = tuple(
        p.email for p in corvane.people if p.active and p.role in ("manager", "admin") and p != chief
    )
    for place, (subject, text, file) in enumerate(seed_topics.ALL_HANDS):
        when = datetime(2025, 10 + place, 9 + place, 9, 15, tzinfo=UTC)
        words = _fillings(rng, corvane, when)
        body = f"Dear all,\n\n{text.format(**words)}\n\n{chief.name}"
        yield Letter(
            talk + place, (chief.name, chief.email), readers, subject.format(**words), body, when, file=file
        )


def _drafts(rng: Random, corvane: Company, talk: int) -> Iterator[Letter]:
    """What was begun and not sent; three of them are the chief's."""
    working: Sequence[Person] = [p for p in corvane.people if p.active]
    for place in range(_DRAFTS):
        writer = corvane.person(1) if place < 3 else rng.choice(working)
        when = clock.START - timedelta(days=rng.randrange(20), hours=rng.randrange(1, 9))
        words = _fillings(rng, corvane, when)
        topic = rng.choice(seed_topics.TOPICS)
        reader = rng.choice([p for p in working if p != writer])
        body = f"{reader.first_name},\n\n{topic.said[0].format(**words)}"
        sender = (writer.name, writer.email)
        yield Letter(
            talk + place, sender, (reader.email,), topic.subject.format(**words), body, when, draft=True
        )
