"""Personal data in a text, by its shape: addresses, telephone and national numbers, accounts, cards, births.

Each shape is confirmed before it counts: an address ends in a domain that can exist, a number passes its
checksum or numbering plan. What many numbers would pass counts only behind a word that says what it is. Names
of people have no shape, and are not looked for.
"""

import functools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from eops_traj.privacy.disguises import forms_of
from eops_traj.privacy.linear import Anywhere, matches, utf8
from eops_traj.privacy.national_numbers import PATTERNS as NATIONAL_NUMBERS
from eops_traj.privacy.national_numbers import national_numbers

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

EMAIL = re.compile(
    r"(?<![\w.%+'-])[\w.%+'-]{1,200}@(?P<domain>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8})"
)
WIDE_EMAIL = re.compile(r"(?<![\w.%+'-])[\w.%+'-]{1,200}@(?P<domain>[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})")
"""An address whose domain may have letters of any alphabet; the other ends before them, as sentences need."""
AT = r"(?:[^\S\r\n]{1,2}@\s{0,2}|[^\S\r\n]{0,2}@\s{1,2}|\s?[(\[{<]\s?(?:at|@)\s?[)\]}>]\s?|\s(?:at|AT)\s)"
"""What stands for the `@` of an address; one that begins a line decorates code, or mentions somebody."""
DOT = r"(?:\s{1,2}\.\s{1,2}|\s?[(\[{<]\s?(?:dot|\.)\s?[)\]}>]\s?|\s(?:dot|DOT)\s)"
SPELLED_EMAIL = re.compile(
    rf"(?<![\w.+-])(?P<name>[\w+-]{{1,64}}(?:(?:\.|{DOT})[\w+-]{{1,64}}){{0,3}})(?P<at>{AT}|@)"
    rf"(?P<domain>[A-Za-z0-9-]{{1,63}}(?:(?:\.|{DOT})[A-Za-z0-9-]{{1,63}}){{1,4}})"
)
WITHIN = ("corp", "home", "internal", "intranet", "lan", "local", "private")
"""Endings of hosts that nobody outside can reach, and so no files' and no sentences'."""
REPOSITORY = re.compile(r"[:/][\w~/.-]")
"""What stands behind the name of a host in the address of a repository: `git@github.com:org/repo.git`."""
WRITTEN_OUT = re.compile(r"\s@|@\s|[(\[{<]\s?(?:at|dot|@|\.)\s?[)\]}>]|\sDOT\s")
INTERNATIONAL_PHONE = re.compile(r"(?:\+|\b00)\d(?:[\s()./-]{0,3}\d){6,14}(?!\d)")
PADDED = re.compile(r"00\d{7,10}(?!\d)")
"""A number filled up with zeros, as those of customers are; a telephone number without spaces is longer."""
US_PHONE = re.compile(r"(?:\(?\b[2-9]\d\d\)?[ .-]|\([2-9]\d\d\))\d{3}[ .-]\d{4}\b")
LOCAL_PHONE = re.compile(
    r"(?i:(?<![^\W_])(?:(?:tele)?phone|fax|whatsapp|rufnummer|telefon|mobil|t[ée]l[ée]phone|contact[ _]number"
    r"|(?:tel|mob|sms|handy(?:nummer|nr)?|contact[ _]no)(?![^\W_]))"
    r"|\bcell(?!_)|\bcall(?!_|[- ]?id\b)|\bring\b|\btext me|\breach (?:me|him|her|them))[^\d\n]{0,30}?"
    r"((?<![\w-])\(?0\d(?:[\s()./-]{0,2}\d){6,11}|\b[2-9]\d{9}|\b\d{5}[ -]\d{5,6}"
    r"|\b[689]\d(?:[ .]?\d\d){3,4})(?![\d-])"
)
DATED = re.compile(r"20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d\d")
"""The number of a case that begins with its day, as `2024051201`."""
REGIONS = (
    "GB",
    "DE",
    "FR",
    "US",
    "IN",
    "IT",
    "ES",
    "NL",
    "BE",
    "CH",
    "AT",
    "AU",
    "JP",
    "BR",
    "IE",
    "SE",
    "ZA",
)
"""Whose numbers are known without a country code, behind a word that says what they are."""
IBAN = re.compile(r"(?i)\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b")
CARD = re.compile(r"(?<![\w.-])(?:(?:\d[ -]?){12,18}\d|\d{4}(?:\.\d{4}){3})(?![\w-])")
CARD_ISSUERS = re.compile(
    r"(?:4\d{12}(?:\d{3})?|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14}"
    r"|(?:6011|65\d\d|35\d\d|5018|5020|5038|6304|6759|676[123])\d{12})$"
)
MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zéû]{0,6}"
DATE = (
    rf"(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\.?\s(?:of\s)?{MONTH}\.?,?\s\d{{4}}"
    rf"|{MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}})"
)
BIRTH = re.compile(
    r"(?i)(?:\bborn\b|birth[ _-]?da(?:te|y)s?|date[ _-]?of[ _-]?birth|date de naissance"
    r"|fecha de nacimiento|data di nascita|\bdob\b|\bd\.o\.b\b|geboren"
    r"|geburtsdatum|\bgeb\.|n[ée]e? le)"
    rf"[\s:=\"'\\,(]{{0,8}}(?:(?:is|was|on|am|the|in [A-Z]\w+,?)\s){{0,2}}({DATE})(?:\b|T\d)"
)
SHAPES = (INTERNATIONAL_PHONE, US_PHONE, LOCAL_PHONE, IBAN, CARD, BIRTH)
"""What is written in digits, beside national numbers."""
RESERVED = ("example", "test", "invalid", "localhost", "local", "example.com", "example.org", "example.net")
"""Domains that no one can own: RFC 2606, RFC 6761 and RFC 6762."""
ADDRESS = "e-mail address"
"""The name that a message gives to what is not written in digits."""


class Datum(NamedTuple):
    """A piece of personal data; the value is for comparing, and is never shown."""

    kind: str
    value: str


def personal_data(text: str) -> Iterator[Datum]:
    """Yield everything in a text that has the shape of personal data, in normal form."""
    yield from (Datum(ADDRESS, address) for address in _emails(text))
    if _may_hold_number().stands_in(utf8(text)):
        for kind, find in NUMBERS.items():
            yield from (Datum(kind, value) for value in find(text))


@functools.cache
def _may_hold_number() -> Anywhere:
    """Return an expression that matches a text with one of those below: one pass instead of thirty."""
    return Anywhere.of(*SHAPES, *NATIONAL_NUMBERS.values())


def disguised_data(text: str) -> list[Datum]:
    """Return the personal data of a text, as it is and decoded; an address broken by a line counts once."""
    data = dict.fromkeys(personal_data(text))
    for form in forms_of(text):
        for datum in personal_data(form):
            if not any(datum.kind == known.kind and _is_same(datum.value, known.value) for known in data):
                data[datum] = None
    return list(data)


def _is_same(decoded: str, known: str) -> bool:
    """Check whether a decoded value is a known one with what a line break parts from it, or cut there."""
    return decoded.endswith(known) or known.startswith(decoded)


def _emails(text: str) -> Iterator[str]:
    if "@" in text:
        for match in EMAIL.finditer(text):
            if not (match[0].startswith("git@") and REPOSITORY.match(text, match.end())):
                yield from _address(match[0], match["domain"])
    if "@" in text and not text.isascii():
        for match in WIDE_EMAIL.finditer(text):
            if not match["domain"].isascii():
                yield from _address(match[0], match["domain"])
    if " dot " in text.lower() or WRITTEN_OUT.search(text):
        for match in SPELLED_EMAIL.finditer(text):
            yield from _spelled_address(match)


def _address(address: str, domain: str) -> Iterator[str]:
    known = next(filter(_exists, _begun_domains(domain.lower())), None)
    if known and not any(f".{known}".endswith(f".{reserved}") for reserved in RESERVED):
        yield address.lower().removesuffix(domain.lower()) + known


def _begun_domains(domain: str) -> Iterator[str]:
    """Yield a domain, and those that it begins with: an ending of a file or a sentence may follow."""
    yield domain
    labels = domain.split(".")
    if labels[-1] in WITHIN:
        return
    for end in range(len(labels), 1, -1):
        yield ".".join(labels[:end])
        if last := labels[end - 1].partition("-")[0]:
            yield ".".join([*labels[: end - 1], last])


def _spelled_address(match: re.Match[str]) -> Iterator[str]:
    """Yield an address with `at` or `dot` in words; words alone around an `at` are no address."""
    name, domain = (re.sub(DOT, ".", match[part]) for part in ("name", "domain"))
    if match["domain"] != domain or match["at"] not in ("@", " at ", " AT "):
        yield from _address(f"{name}@{domain}", domain)


@functools.lru_cache(maxsize=4096)
def _exists(domain: str) -> bool:
    """Check whether a domain lies under a public suffix (publicsuffix.org), and so can have an owner."""
    return _suffixes().privatesuffix(domain) is not None


@functools.cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False)


def _phones(text: str) -> Iterator[str]:
    """Yield numbers in international form, North America's with separators, and announced local ones."""
    for match in matches(INTERNATIONAL_PHONE, text):
        if not PADDED.match(match[0]):
            written = re.sub(r"^00", "+", match[0])
            yield from _first(_phone(run, None) for run in _runs(written))
    yield from filter(None, (_phone(match[0], "US") for match in matches(US_PHONE, text)))
    for match in matches(LOCAL_PHONE, text):
        if not DATED.fullmatch(match[1]):
            yield from _first(_phone(match[1], region) for region in REGIONS)


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

    for match in matches(IBAN, text):
        yield from _first(iban.compact(run) if iban.is_valid(run) else None for run in _runs(match[0]))


def _cards(text: str) -> Iterator[str]:
    from stdnum import luhn

    for match in matches(CARD, text):
        for run in _runs(match[0]):
            number = re.sub(r"\D", "", run)
            if CARD_ISSUERS.match(number) and luhn.is_valid(number):
                yield number
                break


def _births(text: str) -> Iterator[str]:
    """Yield dates of birth, as ISO 8601 where they can be read."""
    from dateutil.parser import parse

    for match in matches(BIRTH, text):
        try:
            yield parse(match[1]).date().isoformat()
        except (ValueError, OverflowError):
            yield match[1].lower()


def _runs(written: str) -> Iterator[str]:
    """Yield a number and what it begins with, at its spaces: another number may stand right behind it."""
    yield written
    for space in reversed([match.start() for match in re.finditer(r"[ -]", written)]):
        yield written[:space]


def _first(found: Iterator[str | None]) -> Iterator[str]:
    yield from filter(None, [next(filter(None, found), None)])


NUMBERS: dict[str, Callable[[str], Iterator[str]]] = {
    "telephone number": _phones,
    "bank account (IBAN)": _ibans,
    "payment card": _cards,
    "national number": national_numbers,
    "date of birth": _births,
}
"""The detectors of what is written in digits, by the name that a message gives to it."""
PERSONAL_DATA = (ADDRESS, *NUMBERS)
"""Every kind of personal data that is looked for."""
