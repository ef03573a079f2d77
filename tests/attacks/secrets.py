"""An attack on the gate: every kind of secret and personal data in every column, and in every disguise.

The columns are walked from the record's own types, so that a new one is attacked without a new test. A case
is held where the gate would stop the row, or where the column does not go out.
"""

import base64
import dataclasses
import html
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote

from eops_traj.bundle import EpisodeBundle
from eops_traj.hashing import canonical_json
from eops_traj.privacy.secret_scan import secret_kinds
from eops_traj.publish.content_scan import ContentScanner, Searched
from eops_traj.publish.episode_exporter import EpisodeExporter
from eops_traj.publish.policy import load_policy
from eops_traj.schema import Change, Json, Server, ToolSet, Verdict
from eops_traj.store.arrow import field_types
from tests.attacks.sampling import one_in
from tests.attacks.tally import HELD, Tally
from tests.episodes import EPISODE, PROMPT, TOOLS
from tests.privacy.secret_samples import KEYS, samples

Disguise = Callable[[str], Any]
TEMPLATE = replace(
    EPISODE,
    servers=(Server(name="csm", seed="s"),),
    turns=(
        replace(
            EPISODE.turns[0],
            tool_calls=(
                replace(
                    EPISODE.turns[0].tool_calls[0],
                    changes=(Change(server="csm", table="t", operation="insert", key=Json("{}")),),
                ),
            ),
        ),
        EPISODE.turns[1],
    ),
    verdicts=(Verdict(name="v", kind="database_state"),),
)
"""An episode with one of everything."""

DISGUISES: dict[str, Disguise] = {
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "an address": lambda text: f"https://corvane.example/?q={quote(text, safe='')}",
    "percent twice": lambda text: quote("".join(f"%{byte:02x}" for byte in text.encode())),
    "HTML": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "HTML names": html.escape,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for addresses": lambda text: (
        base64.urlsafe_b64encode(f"so: {text}".encode()).decode().rstrip("=")
    ),
    "base64 in lines": lambda text: base64.encodebytes(
        f"It is this: {text}, and that was it.".encode()
    ).decode(),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal, spaced": lambda text: text.encode().hex(" "),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "quoted-printable": lambda text: "".join(f"={byte:02X}" for byte in text.encode()),
    "decimal codes": lambda text: [ord(letter) for letter in text],
    "decimal codes in a text": lambda text: ", ".join(str(ord(letter)) for letter in text),
    "Cyrillic letters": lambda text: text.translate(str.maketrans("aeopcxy", "аеорсху")),
    "strings joined in a line": lambda text: f"'{text[:-6]}' + '{text[-6:]}'",
    "backslash u in braces": lambda text: "".join(f"\\u{{{ord(letter):x}}}" for letter in text),
    "backslash u": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "backslash x": lambda text: "".join(f"\\x{ord(letter):02x}" for letter in text),
    "JSON in JSON": lambda text: json.dumps({"a": json.dumps({"b": json.dumps([text])})}),
    "JSON within a text": lambda text: "It says " + json.dumps(json.dumps({"b": [text]})) + " there.",
    "zero width": lambda text: "\u200b".join(text),
    "soft hyphen": lambda text: f"{text[:-6]}\u00ad{text[-6:]}",
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "a line break": lambda text: f"{text[:-6]}\n{text[-6:]}",
    "a quoted line break": lambda text: f"> {text[:-6]}\r\n> {text[-6:]}",
    "strings joined": lambda text: f"'{text[:-6]}' +\n    '{text[-6:]}'",
    "a space": lambda text: f"{text[:-6]} {text[-6:]}",
    "a list of pieces": lambda text: [text[:-6], text[-6:]],
    "key and value": lambda text: {text[:-6]: text[-6:]},
    "a key": lambda text: {f"{text}": 1},
    "within words": lambda text: f"**{text}**, `{text}`, <{text}>, ({text})",
    "after an equals sign": lambda text: f"x={text};",
}
"""Ways to write a text, by name; what they return is put into a tool's result."""


def attack(folder: Path, every: int = 1) -> Tally:
    """Plant every kind in every column, or in its turn in one of so many, and every disguise of it in one.

    Nothing is written.
    """
    few = 0.05 * len(samples()) * len(DISGUISES)
    tally, scanner = Tally("secrets at the gate", {"disguised": few}), ContentScanner(load_policy().allow)
    for turn, (kind, text) in enumerate(samples().items()):
        places = one_in(every, plantings(TEMPLATE, text), turn)
        cases = [("plain", f"{kind} in {place}", planted) for place, planted in places]
        for name, disguise in DISGUISES.items():
            planted = in_result(canonical_json({"items": [disguise(text)]}))
            cases.append(("disguised", f"{kind} as {name}", planted))
        for harm, case, planted in cases:
            tally.add(HELD if is_held(planted, scanner, kind in KEYS) else harm, case)
    return tally


def is_held(bundle: EpisodeBundle, scanner: ContentScanner, certified: bool) -> bool:
    """Check whether the gate stops a row, and a key its certificate, or whether the text does not go out."""
    record = EpisodeExporter().record(bundle)
    if record == EpisodeExporter().record(EpisodeBundle(TEMPLATE, PROMPT, TOOLS)):
        return True
    stopped = bool(scanner.findings(Searched(record, frozenset())))
    return stopped and (not certified or bool(secret_kinds(record)))


def plantings(record: Any, text: str) -> Iterator[tuple[str, EpisodeBundle]]:
    """Yield an episode for each column of text, with the text there; for JSON as a value, and as a key."""
    for place, episode in planted_records(record, text):
        yield place, EpisodeBundle(episode, PROMPT, TOOLS)
    yield "the system prompt", EpisodeBundle(record, replace(PROMPT, text=f"Beware: {text}"), TOOLS)
    for tools in (
        [{"name": "t", "description": f"Like {text}."}],
        [{"name": "t", "inputSchema": {text: {}}}],
    ):
        yield "the tools", EpisodeBundle(record, PROMPT, ToolSet.of(tools))


def planted_records(record: Any, text: str) -> Iterator[tuple[str, Any]]:
    """Yield a copy of a record for each of its columns of text, on every level."""
    for name, kind in field_types(type(record)).items():
        value = getattr(record, name)
        if isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
            for place, inner in planted_records(value[0], text):
                yield f"{name}.{place}", replace(record, **{name: (inner, *value[1:])})
        elif kind is Json:
            for place, content in (("value", {"note": f"It is {text}"}), ("key", {text: {"deep": [1]}})):
                yield f"{name}, {place}", replace(record, **{name: Json(canonical_json(content))})
        elif kind is str:
            yield name, replace(record, **{name: f"Take {text} now"})
        elif str in get_args(kind):
            yield name, replace(record, **{name: (f"Take {text} now",)})


def in_result(result: str) -> EpisodeBundle:
    """Return an episode whose tool answered so."""
    first = TEMPLATE.turns[0]
    turn = replace(first, tool_calls=(replace(first.tool_calls[0], result=result),))
    return EpisodeBundle(replace(TEMPLATE, turns=(turn, *TEMPLATE.turns[1:])), PROMPT, TOOLS)
