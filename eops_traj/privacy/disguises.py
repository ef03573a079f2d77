"""The forms that a text may hide: decoded, and with what breaks up its words taken out.

Each step is linear, and no form is longer than the text. Two steps are taken, since a link in a mail holds
what was encoded twice.
"""

import base64
import binascii
import contextlib
import functools
import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from eops_traj.privacy.linear import Anywhere, utf8

DEPTH = 2
RECENT = 4
"""Texts of which is kept what was made of them: each step asks for what the one before it had, too."""
LONGEST = 1 << 20
"""Characters of a text that are decoded; the rest is searched as it is."""

INVISIBLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""Control and format characters, of which a reader sees nothing."""
ESCAPE = re.compile(
    r"\\+(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})"
    r"|([0-7]{3})|([\"'/\\nrt]))"
)
BREAK = re.compile(
    r"""(?:["'`][ \t]*[+,&]?|[ \t\\=>|*#]{1,8})?[\r\n][\s>|*#]{0,16}(?:[+&][ \t]*)?"""
    r"""(?:["'`]|(?![\s>|*#]{0,16}@))|<br ?/?>"""
    r"""|["'`][ \t]{0,2}[+&.]{1,2}[ \t]{0,2}["'`]"""
)
"""Where a line or a string ends and its words go on in the next; an `@` that begins a line decorates code."""
SENTENCE_END = re.compile(r"\.[ \t]{0,8}[\r\n]{1,4}(?=[A-Z][a-z]{0,20}[ ,])")
"""Where a line ends with a sentence, and the next begins another: no word goes on there."""
BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
BASE64_LINES = re.compile(r"(?m)^[A-Za-z0-9+/]{20,}$(?:\r?\n^[A-Za-z0-9+/]+={0,2}$)+")
BASE32 = re.compile(r"[A-Z2-7]{24,}")
QUOTED_PRINTABLE = re.compile(r"(?:=[0-9A-F]{2}){2,}")
DECIMALS = re.compile(r"(?:\d{2,3}[ ,;]{1,2}){11,}\d{2,3}")
LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеһіјорсухѕԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτυχηաոսօհցʏıɑɡ",
    "ABESIJKMHOPCTYXaehijopcyxsdqwlABEZHIKMNOPTYXaikvoptuxnwnuohgyiag",
)
"""Letters of Cyrillic and Greek that look like Latin ones (of Unicode's confusables, UTS 39)."""
HEX = re.compile(r"[0-9A-Fa-f]{20,}|(?:(?:0x)?[0-9A-Fa-f]{2}[ :,-]{1,2}){9,}(?:0x)?[0-9A-Fa-f]{2}")
SPELLED = re.compile(r"(?:[!-~][ ._-]){9,}[!-~]")
PRINTABLE = re.compile(r"[\x20-\x7e\s\u00a0-\uffff]{8,}")


def disguised(text: str, depth: int = DEPTH) -> Iterator[str]:
    """Yield what a text says when it is decoded, and what is encoded in it; not the text itself."""
    head = text[:LONGEST]
    clear = decoded(head)
    joined = _joined(clear)
    inside = (*encoded_in(clear), *_spelled(clear))
    forms = [form for form in dict.fromkeys((clear, joined, *inside)) if form and form != text]
    yield from forms
    if depth > 1:
        for form in forms:
            yield from disguised(form, depth - 1)


@functools.lru_cache(maxsize=2)
def forms_of(text: str) -> tuple[str, ...]:
    """Return all that `disguised` yields; the searches for secrets and for personal data ask in turn."""
    return tuple(disguised(text))


def encoded_in(text: str) -> Iterator[str]:
    """Yield the texts that stand encoded in a text: within its lines, and drawn over several of them."""
    parts = dict.fromkeys((text, _joined(text)))
    yield from dict.fromkeys(inner for part in parts for inner in encoded_texts(part))


@functools.lru_cache(maxsize=RECENT)
def _joined(text: str) -> str:
    """Take out what breaks words up, without a look at each sign of a text of one line and no strings."""
    one_line = not ("\n" in text or "\r" in text or "<br" in text)
    if one_line and sum(map(text.count, "\"'`")) < 2:
        return text
    return BREAK.sub("", SENTENCE_END.sub(". ", text))


def _spelled(text: str) -> Iterator[str]:
    return (match[0][::2] for match in (SPELLED.finditer(text) if _may_be_code(text) else ()))


def squashed(text: str) -> str:
    """Return a text decoded, without any space."""
    return "".join(words_of(text))


def words_of(text: str) -> list[str]:
    """Return what stands between the spaces of a text, decoded."""
    return decoded(decoded(text[:LONGEST])).split()


@functools.lru_cache(maxsize=RECENT)
def decoded(text: str) -> str:
    """Decode a text in place: percent, HTML and backslash escapes, Unicode's forms, invisible characters."""
    if "%" in text:
        text = unquote(text, errors="ignore")
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text:
        text = ESCAPE.sub(_unescaped, text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(LOOKALIKES)
    if "=" in text:
        text = QUOTED_PRINTABLE.sub(_quoted, text)
    plain = text.isascii() and all(map(str.isprintable, text.split("\n")))
    return text if plain else INVISIBLE.sub("", text)


@functools.lru_cache(maxsize=RECENT)
def encoded_texts(text: str) -> tuple[str, ...]:
    """Return the texts that stand in a text as base64, base32, hexadecimal digits or decimal codes."""
    return (*(_numbered(text) if _may_be_code(text) else ()), *_in_base(text))


@functools.lru_cache(maxsize=RECENT)
def _may_be_code(text: str) -> bool:
    """Check whether numbers may be letters, or letters spelled: RE2 says it in a tenth of the time."""
    return _codes().stands_in(utf8(text))


@functools.cache
def _codes() -> Anywhere:
    return Anywhere.of(HEX, DECIMALS, SPELLED)


def _numbered(text: str) -> Iterator[str]:
    for match in HEX.finditer(text):
        digits = re.sub(r"0x|[ :,-]", "", match[0])
        yield from _readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))
    for match in DECIMALS.finditer(text):
        yield from _readable(bytes(min(int(code), 255) for code in re.findall(r"\d+", match[0])))


def _in_base(text: str) -> Iterator[str]:
    for match in BASE32.finditer(text):
        yield from _readable(_base32(match[0]))
    for match in BASE64.finditer(text):
        yield from _base64(match[0])
    for match in BASE64_LINES.finditer(text):
        yield from _base64("".join(match[0].split()))


def _base64(code: str) -> Iterator[str]:
    code = code.rstrip("=").replace("-", "+").replace("_", "/")
    with contextlib.suppress(ValueError, binascii.Error):
        yield from _readable(base64.b64decode(code[: len(code) - (len(code) % 4 == 1)] + "==="))


def _base32(code: str) -> bytes:
    """Decode base32, but for a last letter that no byte ends with."""
    whole = code[: len(code) - (len(code) % 8 in (1, 3, 6))]
    return base64.b32decode(whole + "=" * (-len(whole) % 8))


def _quoted(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("=", "")).decode("utf-8", "ignore")


def _readable(content: bytes) -> Iterator[str]:
    """Yield bytes as text, where nearly all of them are."""
    text = content.decode("utf-16" if b"\0" in content else "utf-8", "ignore")
    if PRINTABLE.fullmatch(text) and len(text) >= 0.9 * len(content.replace(b"\0", b"")):
        yield text


def _unescaped(match: re.Match[str]) -> str:
    braced, code, byte, octal, sign = match.groups()
    if sign:
        return {"n": "\n", "r": "\r", "t": "\t"}.get(sign, sign)
    number = int(braced or code or byte or octal, 8 if octal else 16)
    return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else ""
