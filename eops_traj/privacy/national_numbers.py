"""National numbers of people: some are told apart by checksum or form, others are announced by a word."""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import NamedTuple

from eops_traj.privacy.linear import matches

Check = str | Callable[[str], bool] | None
"""A module of python-stdnum, or what that lacks; None where a number has no digit for a check."""


class NationalNumber(NamedTuple):
    """A kind of number: its shape, what checks it, and the word before it."""

    shape: str
    checked_by: Check
    word: str | None = None
    """A pattern that stands within 24 characters before, where the checksum alone proves little."""


BEGIN, END = r"(?<![^\W_])", r"(?![^\W_])"
"""Where a word begins and ends that others hold too, also in a name such as `sin_number`."""


def _hong_kong(number: str) -> bool:
    """Check the sum of `A123456(3)`: letters count from 10, a missing one 36, the last sign once."""
    values = [int(sign, 36) for sign in re.sub(r"\W", "", number)]
    weighed = [36] * (9 - len(values)) + values
    return sum(weight * value for weight, value in zip(range(9, 0, -1), weighed, strict=True)) % 11 == 0


def _canadian(number: str) -> bool:
    """Check the last digit; python-stdnum refuses what begins with 0, which stands in many a document."""
    from stdnum import luhn

    return bool(luhn.is_valid(re.sub(r"[ -]", "", number)))


NUMBERS = {
    "US social security": NationalNumber(r"\d{3}-\d{2}-\d{4}", "us.ssn"),
    "US social security, announced": NationalNumber(
        r"\d{3}[ -]?\d{2}[ -]?\d{4}", "us.ssn", rf"{BEGIN}ssn|social[ _-]?security"
    ),
    "UK national insurance": NationalNumber(
        r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", None
    ),
    "UK health": NationalNumber(r"\d{3}[ -]?\d{3}[ -]?\d{4}", "gb.nhs", rf"{BEGIN}nhs"),
    "Indian PAN": NationalNumber(r"[A-Z]{3}[PCHFATBLJG][A-Z]\d{4}[A-Z]", "in_.pan"),
    "Aadhaar": NationalNumber(r"\d{4} \d{4} \d{4}", "in_.aadhaar"),
    "Aadhaar, announced": NationalNumber(
        r"\d{4}[ -]?\d{4}[ -]?\d{4}", "in_.aadhaar", rf"aadha+r|{BEGIN}uid{END}"
    ),
    "German tax": NationalNumber(
        r"\d{2} ?\d{3} ?\d{3} ?\d{3}", "de.idnr", rf"steuer|{BEGIN}id-?nr|{BEGIN}(?:tin{END}|tax)"
    ),
    "French": NationalNumber(r"[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}", "fr.nir"),
    "Spanish": NationalNumber(r"\d{8}-?[A-Z]", "es.dni", rf"{BEGIN}(?:dni|nif)"),
    "Spanish foreigner": NationalNumber(r"[XYZ]-?\d{7}-?[A-Z]", "es.nie"),
    "Italian": NationalNumber(r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]", "it.codicefiscale"),
    "Dutch": NationalNumber(r"\d{9}", "nl.bsn", rf"{BEGIN}bsn|burgerservice"),
    "Polish": NationalNumber(r"\d{11}", "pl.pesel", r"pesel"),
    "Brazilian": NationalNumber(r"\d{3}\.\d{3}\.\d{3}-\d{2}", "br.cpf"),
    "Swiss": NationalNumber(r"756\.\d{4}\.\d{4}\.\d{2}", "ch.ssn"),
    "Swedish": NationalNumber(r"(?:\d{2})?\d{6}[-+]\d{4}", "se.personnummer", rf"personn|{BEGIN}pnr"),
    "Finnish": NationalNumber(r"\d{6}[-+A]\d{3}[0-9A-Y]", "fi.hetu"),
    "Danish": NationalNumber(r"\d{6}-?\d{4}", "dk.cpr", r"cpr"),
    "Canadian": NationalNumber(
        r"\d{3}[ -]?\d{3}[ -]?\d{3}", _canadian, rf"{BEGIN}sin{END}|social[ _-]?insurance"
    ),
    "Australian tax": NationalNumber(r"\d{3} ?\d{3} ?\d{3}", "au.tfn", rf"{BEGIN}tfn|tax[ _-]?file"),
    "Korean": NationalNumber(r"\d{6}-\d{7}", "kr.rrn"),
    "Mexican": NationalNumber(r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", "mx.curp"),
    "Chinese": NationalNumber(r"\d{17}[\dX]", "cn.ric"),
    "US taxpayer": NationalNumber(r"9\d{2}-\d{2}-\d{4}", "us.itin"),
    "US bank": NationalNumber(r"\d{9}", "us.rtn", rf"routing|{BEGIN}aba{END}"),
    "US health": NationalNumber(
        r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-?"
        r"[AC-HJKMNP-RT-Y]{2}\d{2}",
        None,
        rf"medicare|{BEGIN}mbi{END}",
    ),
    "UK driver": NationalNumber(  # five places of a name, and a birth whose month says the sex
        r"(?:[A-Z]{5}|[A-Z]{4}9|[A-Z]{3}99|[A-Z]{2}9{3}|[A-Z]9{4})\d(?:[05][1-9]|[16][0-2])"
        r"(?:0[1-9]|[12]\d|3[01])\d[A-Z9]{2}\d[A-Z]{2}",
        None,
    ),
    "UK bank": NationalNumber(r"\d{2}-\d{2}-\d{2}", None, r"sort[ _-]?code"),
    "Belgian": NationalNumber(r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", "be.nn"),
    "Portuguese": NationalNumber(r"\d{9}", "pt.nif", rf"{BEGIN}nif{END}"),
    "Irish": NationalNumber(r"\d{7}[A-W][A-IW]?", "ie.pps", rf"{BEGIN}pps"),
    "Norwegian": NationalNumber(r"\d{6} ?\d{5}", "no.fodselsnummer", r"f(?:ø|oe|o)dsels"),
    "Turkish": NationalNumber(r"\d{11}", "tr.tckimlik", r"kimlik"),
    "South African": NationalNumber(r"\d{13}", "za.idnr", r"\bid\b"),
    "Romanian": NationalNumber(r"\d{13}", "ro.cnp", rf"{BEGIN}cnp{END}"),
    "Czech": NationalNumber(r"\d{6}/\d{4}", "cz.rc"),
    "Bulgarian": NationalNumber(r"\d{10}", "bg.egn", rf"{BEGIN}egn{END}"),
    "Croatian": NationalNumber(r"\d{11}", "hr.oib", rf"{BEGIN}oib{END}"),
    "Estonian": NationalNumber(r"\d{11}", "ee.ik", r"isikukood"),
    "Greek": NationalNumber(r"\d{11}", "gr.amka", rf"{BEGIN}amka{END}"),
    "Israeli": NationalNumber(r"\d{7,8}-?\d", "il.idnr", r"zehut|israeli id"),
    "Austrian": NationalNumber(r"\d{4} ?\d{6}", "at.vnr", rf"{BEGIN}svnr{END}|sozialversicherung"),
    "Argentine": NationalNumber(r"\d{2}-\d{8}-\d", "ar.cuit"),
    "Chilean": NationalNumber(r"\d{1,2}\.\d{3}\.\d{3}-[\dKk]", "cl.rut"),
    "Singaporean": NationalNumber(r"[STFGM]\d{7}[A-Z]", None, rf"{BEGIN}(?:nric|fin){END}"),
    "Hong Kong": NationalNumber(r"[A-Z]{1,2}\d{6}\([0-9A]\)(?!\.\w)", _hong_kong),
    "page of a passport": NationalNumber(r"P[A-Z<][A-Z]{3}[A-Z<]{39}", None),
    "passport": NationalNumber(
        r"[A-Z]{0,2}\d[A-Z0-9]{4,7}\d", None, r"passport[ _-]?(?:no|number|nr)|passport[\"':=]"
    ),
}
"""The numbers that are looked for."""

PATTERNS = {
    kind: re.compile(
        (rf"(?i:{number.word})[^\d\n]{{0,24}}?" if number.word else "")
        + rf"(?<![\w.+-])({number.shape})(?![\w-])"
    )
    for kind, number in NUMBERS.items()
}


def national_numbers(text: str) -> Iterator[str]:
    """Yield the national numbers of people in a text, without spaces."""
    for kind, pattern in PATTERNS.items():
        for match in matches(pattern, text):
            if _valid(NUMBERS[kind].checked_by, match[1]):
                yield re.sub(r"[ -]", "", match[1])


def _valid(check: Check, number: str) -> bool:
    if isinstance(check, str):
        return bool(import_module(f"stdnum.{check}").is_valid(number))
    return check is None or check(number)
