"""Personal data in a text, by its shape: addresses, telephone numbers, accounts, cards, national numbers.

Each shape is confirmed before it counts: an address ends in a domain that can exist, a number passes its
checksum or numbering plan. Names of people have no shape, and are not looked for.
"""

import functools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

EMAIL = re.compile(r"(?<![\w.%+'-])[\w.%+'-]+@(?P<domain>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")
INTERNATIONAL_PHONE = re.compile(r"\+\d(?:[\s()./-]{0,2}\d){6,14}(?!\d)")
US_PHONE = re.compile(r"\(?\b[2-9]\d\d\)?[ .-]\d{3}[ .-]\d{4}\b")
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
CARD = re.compile(r"(?<![\w.-])(?:\d[ -]?){14,15}\d(?![\w-])")
CARD_ISSUERS = re.compile(r"4|5[1-5]|2[2-7]|3[47]|6011|65")
SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
RESERVED = ("example", "test", "invalid", "localhost", "local", "example.com", "example.org", "example.net")
"""Domains that no one can own: RFC 2606, RFC 6761 and RFC 6762."""


class Datum(NamedTuple):
    """A piece of personal data; the value is for comparing, and is never shown."""

    kind: str
    value: str


def personal_data(text: str) -> Iterator[Datum]:
    """Yield everything in a text that has the shape of personal data, in normal form."""
    for kind, find in DETECTORS.items():
        yield from (Datum(kind, value) for value in find(text))


def _emails(text: str) -> Iterator[str]:
    if "@" not in text:
        return
    for match in EMAIL.finditer(text):
        domain = match["domain"].lower()
        if _exists(domain) and not any(f".{domain}".endswith(f".{reserved}") for reserved in RESERVED):
            yield match[0].lower()


@functools.lru_cache(maxsize=4096)
def _exists(domain: str) -> bool:
    """Check whether a domain lies under a public suffix (publicsuffix.org), and so can have an owner."""
    return _suffixes().privatesuffix(domain) is not None


@functools.cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False)


def _phones(text: str) -> Iterator[str]:
    """Yield numbers in international form, and those that North America writes with separators."""
    for region, shape in ((None, INTERNATIONAL_PHONE), ("US", US_PHONE)):
        yield from filter(None, (_phone(written, region) for written in shape.findall(text)))


def _phone(written: str, region: str | None) -> str | None:
    """Return a number in E.164 form; None where no numbering plan has it."""
    import phonenumbers

    try:
        number = phonenumbers.parse(written, region)
    except phonenumbers.NumberParseException:
        return None
    valid = phonenumbers.is_valid_number(number)
    return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)) if valid else None


def _ibans(text: str) -> Iterator[str]:
    from stdnum import iban

    yield from (iban.compact(number) for number in IBAN.findall(text) if iban.is_valid(number))


def _cards(text: str) -> Iterator[str]:
    from stdnum import luhn

    for written in CARD.findall(text):
        number = re.sub(r"\D", "", written)
        if CARD_ISSUERS.match(number) and luhn.is_valid(number):
            yield number


def _ssns(text: str) -> Iterator[str]:
    from stdnum.us import ssn

    yield from (number for number in SSN.findall(text) if ssn.is_valid(number))


DETECTORS: dict[str, Callable[[str], Iterator[str]]] = {
    "e-mail address": _emails,
    "telephone number": _phones,
    "bank account (IBAN)": _ibans,
    "payment card": _cards,
    "US social security number": _ssns,
}
"""The detectors, by the name that a message gives to what they find."""
