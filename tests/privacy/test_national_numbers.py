"""National numbers: each kind by a number that its country's checksum allows, and none by the next one."""

import pytest

from eops_traj.privacy.national_numbers import national_numbers

FOUND = {
    "her ITIN: 912-90-3456": "912903456",
    "routing number 111000025": "111000025",
    "rijksregister 85.07.30-033.28": "85.07.30033.28",
    "NIF 501964843": "501964843",
    "PPS number 6433435F": "6433435F",
    "fødselsnummer 151086 95088": "15108695088",
    "kimlik 17291716060": "17291716060",
    "ID 7503305044089": "7503305044089",
    "CNP 1630615123457": "1630615123457",
    "born number 710319/2745": "710319/2745",
    "EGN 7523169263": "7523169263",
    "OIB 33392005961": "33392005961",
    "isikukood 36805280109": "36805280109",
    "AMKA 01013099997": "01013099997",
    "zehut 3933742-3": "39337423",
    "SVNR 1237 010180": "1237010180",
    "CUIT 20-05536168-2": "20055361682",
    "RUT 12.531.909-2": "12.531.9092",
    "SIN 046454286": "046454286",
    "social-insurance 123-456-782": "123456782",
    "HKID G123456(A)": "G123456(A)",
    "HKID AB987654(3)": "AB987654(3)",
    "licence MORGA657054SM9IJ": "MORGA657054SM9IJ",
}
"""Numbers that the documentation of python-stdnum gives, behind the words that announce them."""
CHECKED = {text for text in FOUND if not text.startswith(("her ITIN", "licence"))}
"""Those whose last digit is a check; an ITIN has none, nor has a driver's licence."""


@pytest.mark.parametrize("text", FOUND)
def test_a_number_is_found(text: str) -> None:
    assert FOUND[text] in set(national_numbers(text))


@pytest.mark.parametrize("text", sorted(CHECKED))
def test_the_next_number_is_nobody_s(text: str) -> None:
    last = max(place for place, character in enumerate(text) if character.isdigit())
    other = f"{text[:last]}{(int(text[last]) + 1) % 10}{text[last + 1 :]}"
    assert not set(national_numbers(other))
