"""The mailbox settings of people in the seed: labels, filters, forwarding, delegates, aliases, keys."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final

from eops_traj.gym.company.company import Company, Person
from eops_traj.gym.engine.templates import Row

_CHIEF: Final = (  # labels of the first mailbox: name, words of subjects that were filed there
    ("Board", "Board pack"), ("Customers", "Contract renewal"), ("Customers/Escalations", "Escalation"),
    ("Finance/Budget", "Budget"), ("Finance/Budget 2025", ""), ("Travel", "Travel to"), ("To read", "Digest"),
    ("To read later", ""), ("Follow up", ""),
)  # fmt: skip
_OTHERS: Final = (
    ("Invoices", "Invoice"), ("Contracts", "Contract"), ("Releases", "Release"), ("Hiring", "Interview"),
    ("Reports", "figures"), ("Parts", "Spare parts"), ("Waiting", ""), ("Archive 2024", ""),
    ("Newsletters", "Weekly"),
)  # fmt: skip
_COLOURS: Final = (("#ffffff", "#16a766"), ("#000000", "#fad165"), ("#ffffff", "#cc3a21"), (None, None))
_PEM: Final = "-----BEGIN {kind}-----\nMIIB{body}\n-----END {kind}-----\n"


def user_id(person: Person) -> str:
    """Return the id of the person's mailbox."""
    return f"user_{person.number:03d}"


def labels(rng: Random, corvane: Company) -> list[dict[str, Any]]:
    """Return labels of people, with the words of the subjects that they file there as ``filed``."""
    rows: list[dict[str, Any]] = []
    for person in corvane.people:
        owned: Sequence[tuple[str, str]] = (
            _CHIEF if person.number == 1 else rng.sample(_OTHERS, rng.randrange(4))
        )
        for name, filed in owned:
            text, background = rng.choice(_COLOURS)
            columns = {
                "user_id": user_id(person),
                "id": f"Label_{len(rows) + 1}",
                "name": name,
                "filed": filed,
            }
            rows.append(columns | {"text_color": text, "background_color": background})
    return rows


def filters(labels: Iterable[dict[str, Any]]) -> Iterator[Row]:
    """Yield a filter for each label that something is filed under; reading matter skips the inbox."""
    for number, label in enumerate(row for row in labels if row["filed"]):
        action = {"addLabelIds": [label["id"]]}
        if label["name"] in ("To read", "Newsletters"):
            action["removeLabelIds"] = ["INBOX"]
        yield {
            "id": f"ANe1Bm{number:032x}",
            "user_id": label["user_id"],
            "criteria_json": json.dumps({"subject": label["filed"]}),
            "action_json": json.dumps(action),
            "created_at": "2025-08-01 08:00:00",
        }


def delegates(corvane: Company) -> Iterator[Row]:
    """Yield delegates: the chief's assistant, leads of heads, and one who has left."""
    chief, aide = corvane.person(1), corvane.person(3)
    yield _delegate(chief, aide, "accepted")
    for department in ("Sales", "Finance", "Customer Support"):
        head, lead = corvane.of(department)[:2]
        yield _delegate(head, lead, "pending" if department == "Finance" else "accepted")
    left = next(p for p in corvane.people if not p.active and p != aide)
    yield _delegate(corvane.of(left.department)[0], left, "accepted")


def _delegate(owner: Person, delegate: Person, status: str) -> Row:
    return {"user_id": user_id(owner), "delegate_email": delegate.email, "verification_status": status}


def forwarding(corvane: Company) -> tuple[list[Row], list[Row]]:
    """Return forwarding addresses, and the mailboxes that forward everything; most addresses lie unused."""
    working = [p for p in corvane.people if p.active][5::6]
    addresses: list[Row] = []
    for owner, other in pairwise(working):
        private = f"{owner.user_name}@homemail.example"
        addresses.append(_address(owner, other.email, "accepted"))
        addresses.append(_address(owner, private, "pending" if owner.number % 2 else "accepted"))
    chief, aide = corvane.person(1), corvane.person(3)
    addresses.append(_address(chief, aide.email, "accepted"))
    addresses.append(_address(chief, f"{chief.user_name}@homemail.example", "pending"))
    on = {"enabled": True, "email_address": working[1].email, "disposition": "markRead"}
    return addresses, [{"user_id": user_id(working[0])} | on]


def _address(owner: Person, address: str, status: str) -> Row:
    return {"user_id": user_id(owner), "forwarding_email": address, "verification_status": status}


def vacations(corvane: Company) -> Iterator[Row]:
    """Yield vacations of one who is away now, one who forgot to switch it off, and one who goes soon."""
    away = [p for p in corvane.people if p.active][11::17]
    times = (("2026-01-02", "2026-01-12"), ("2025-12-20", "2025-12-31"), ("2026-01-19", "2026-01-30"))
    for person, (start, end) in zip(away, times, strict=False):
        yield {
            "user_id": user_id(person),
            "enable_auto_reply": True,
            "response_subject": "Out of office.",
            "response_body_plain_text": f"I am away until {end} and read no mail.\n{person.name}",
            "restrict_to_domain": person.number % 2 == 0,
            "start_time": f"{start} 00:00:00",
            "end_time": f"{end} 00:00:00",
        }


def aliases(corvane: Company) -> Iterator[Row]:
    """Yield everyone's own address, and the address of every group for those in it."""
    for person in corvane.people:
        signature = f"<p>{person.name}<br>{person.title}, {corvane.name}</p>"
        own = {"display_name": person.name, "signature": signature, "is_primary": True, "is_default": True}
        yield {"user_id": user_id(person), "send_as_email": person.email} | own
    for group in corvane.groups:
        shared = {"display_name": group.name, "treat_as_alias": True, "verification_status": "accepted"}
        for number in group.members:
            yield {"user_id": user_id(corvane.person(number)), "send_as_email": group.email} | shared
    chief = corvane.person(1)
    outside = {"display_name": chief.name, "verification_status": "pending"}
    yield {"user_id": user_id(chief), "send_as_email": "office@founders-circle.example"} | outside


def certificates(corvane: Company) -> Iterator[Row]:
    """Yield S/MIME certificates for Legal and Security; the older of two has run out."""
    people = [*corvane.of("Legal"), *corvane.of("Security")]
    for number, person in enumerate(people):
        for year, expires in (("2023", "1735689600000"), ("2025", "1798761600000"))[number % 2 :]:
            yield {
                "id": f"{number:02d}{year}{'0' * 26}",
                "user_id": user_id(person),
                "send_as_email": person.email,
                "issuer_cn": f"Corvane Mail CA {year}",
                "is_default": year == "2025",
                "expiration": expires,
                "pem": _PEM.format(kind="CERTIFICATE", body=f"{number:08d}{year}"),
            }


def keypairs(corvane: Company) -> tuple[list[Row], list[Row]]:
    """Return key pairs of Legal and the executives, some turned off, and the identities that use them."""
    owners = [p for p in (*corvane.of("Executive"), *corvane.of("Legal")) if p.active]
    off = {0: "2025-11-14 10:00:00", 1: "2025-12-28 10:00:00"}
    pairs: list[Row] = []
    for number, person in enumerate(owners):
        pairs += [_pair(person, f"ANe{number:030x}{n}", off.get(number) if n else None) for n in (0, 1)]
    identities: list[Row] = [
        {"user_id": pair["user_id"], "email_address": owner.email, "primary_key_pair_id": pair["key_pair_id"]}
        for owner, pair in zip(owners[:-1], pairs[::2], strict=False)
    ]
    return pairs, identities


def _pair(person: Person, id: str, disabled: str | None) -> dict[str, Any]:
    return {
        "key_pair_id": id,
        "user_id": user_id(person),
        "pkcs7": _PEM.format(kind="PKCS7", body=id),
        "subject_email_addresses": json.dumps([person.email]),
        "enablement_state": "disabled" if disabled else "enabled",
        "disable_time": disabled,
        "private_key_metadata": json.dumps(
            [{"kaclsKeyMetadata": {"kaclsUri": "https://keys.corvane.example/v1", "kaclsData": id}}]
        ),
    }
