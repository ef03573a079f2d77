"""What is encoded, broken up or spelled out is read again; what is plain stays as it is."""

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from eops_traj.privacy.disguises import disguised, squashed
from eops_traj.privacy.pii import disguised_data
from eops_traj.privacy.secret_scan import text_kinds
from tests.long_texts import linear_time
from tests.privacy.test_secret_scan import HOSTILE

SAID = "Key hf_" + "aB3dE6gH9" * 4
DISGUISES: dict[str, Callable[[str], str]] = {
    "percent": lambda text: quote(text, safe=""),
    "every letter in percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent twice": lambda text: quote("".join(f"%{byte:02x}" for byte in text.encode())),
    "HTML": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "HTML names": lambda text: html.escape(text).replace("_", "&lowbar;"),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 without its end": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 in lines": lambda text: base64.encodebytes((text * 3).encode()).decode(),
    "base64 before a line": lambda text: base64.b64encode((text * 3).encode()).decode() + "\nSo it ends.",
    "base64 in lines before a line": lambda text: base64.encodebytes((text * 6).encode()).decode() + "So.",
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal, spaced": lambda text: text.encode().hex(" "),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "quoted-printable": lambda text: "".join(f"={byte:02X}" for byte in text.encode()),
    "decimal codes": lambda text: ", ".join(str(ord(letter)) for letter in text),
    "Cyrillic letters": lambda text: text.translate(str.maketrans("aeopcxy", "аеорсху")),
    "strings joined in a line": lambda text: f"'{text[:20]}' + '{text[20:]}'",
    "backslash u in braces": lambda text: "".join(f"\\u{{{ord(letter):x}}}" for letter in text),
    "backslash u": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "backslash x": lambda text: "".join(f"\\x{ord(letter):02x}" for letter in text),
    "JSON in JSON": lambda text: json.dumps(json.dumps({"a": json.dumps({"b": text})})),
    "zero width": lambda text: "\u200b".join(text),
    "soft hyphens": lambda text: "\u00ad".join(text),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "a line break": lambda text: f"{text[:20]}\n    {text[20:]}",
    "a quoted line break": lambda text: f"{text[:20]}\r\n> {text[20:]}",
    "strings joined": lambda text: f'"{text[:20]}"\n  "{text[20:]}"',
    "a space": lambda text: f"{text[:20]} {text[20:]}",
    "letter by letter": " ".join,
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_key_is_found_in_disguise(disguise: str) -> None:
    assert text_kinds(f"See {DISGUISES[disguise](SAID)} here.") == ("Hugging Face token",)


@pytest.mark.parametrize("disguise", sorted(DISGUISES.keys() - {"a space"}))
def test_so_is_an_address(disguise: str) -> None:
    text = DISGUISES[disguise]("write to ann.person.of.lund@mail.co.uk")
    kinds_and_ends = [(datum.kind, datum.value[-18:]) for datum in disguised_data(text)]
    assert ("e-mail address", "of.lund@mail.co.uk") in kinds_and_ends


@pytest.mark.parametrize(
    "text",
    [
        "plan<br>ner",
        "plan\rner",
        "plan\nner",
        "'plan' + 'ner'",
        "plan\x00ner",
        "plan\u034fner",
        "plan\u200bner",
    ],
)
def test_a_short_text_is_looked_at_for_each_break_and_sign_that_is_not_seen(text: str) -> None:
    assert any("planner" in form for form in disguised(text))


def test_words_without_their_spaces_make_no_key() -> None:
    prose = "Ask AC and SK for tasks: " + "the quick brown fox jumps over a lazy dog " * 4
    assert text_kinds(prose) == () and disguised_data(f"Regards\nann@corvane.example\n{prose}") == []


def test_an_address_that_a_line_ends_is_one_address() -> None:
    assert [d.value for d in disguised_data("Regards,\nann@mail.co.uk\nSent from home")] == ["ann@mail.co.uk"]


def test_a_sentence_that_a_line_ends_does_not_go_on_in_the_next() -> None:
    """``how`` and ``the`` are no part of an address, although `.how` is a domain that exists."""
    assert disguised_data("Their address is ann@corvane.example.\nHow many there are: 3.") == []
    broken = disguised_data("Their address is ann@corvane.\nlund.co.uk, or so.")
    assert [datum.value for datum in broken] == ["ann@corvane.lund.co.uk"]


@pytest.mark.parametrize(
    "code",
    [
        'return item\n\n\n@app.post("/items")',
        'return x\n\n@router.post("/a")',
        'return x\r\n    @router.post("/a")',
        "x = 1\n\n@cli.group()",
        "done  # with it\n# @router.post",
    ],
)
def test_what_decorates_code_is_no_address_of_the_line_before(code: str) -> None:
    assert disguised_data(code) == []


def test_a_string_that_begins_so_goes_on_with_the_one_before() -> None:
    found = [datum.value for datum in disguised_data("to = 'ann' +\n  '@mail.co.uk'")]
    assert any(value.endswith("ann@mail.co.uk") for value in found)


@pytest.mark.parametrize(
    "piece", [*HOSTILE, "QUFB", "4141 ", "&#65;", "%2525", "\\u0041", "\\\\", "a\n", "A\u0301"]
)
def test_no_text_takes_long_to_decode(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    with linear_time():
        assert sum(len(form) for form in (*disguised(text), squashed(text))) < 40 * len(text)
