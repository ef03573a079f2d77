"""Marks that say their numbers when they are pointed at, and know whose they are, for the page's filters."""

import json
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from eops_traj.metrics.percent import percent

_MARK = "says:"
"""What the id of such a mark begins with, in the SVG that matplotlib writes."""
_FILTERS = ("agent", "domain")
SVG = "http://www.w3.org/2000/svg"


def say(artist: Any, row: Mapping[str, Any], text: str) -> None:
    """Let a mark of a drawing say a text; the row that it shows tells whose it is."""
    known = {name: row[name] for name in _FILTERS if row.get(name) is not None}
    artist.set_gid(_MARK + json.dumps({"text": text, **known}))


def say_share(artist: Any, row: Mapping[str, Any], value: str, what: str = "") -> None:
    """Let a mark say a share of a row, with its interval where the row has one."""
    interval = f" ({percent(row['low'])} to {percent(row['high'])})" if row.get("low") is not None else ""
    said = f"{row['agent']}{f', {what}' * bool(what)}: {percent(row[value])}{interval * (value != what)}"
    say(artist, row, said)


def titled(root: ElementTree.Element) -> None:
    """Turn the ids of marks into titles, which browsers show, and into attributes that a filter reads."""
    for element in root.iter(f"{{{SVG}}}g"):
        if element.get("id", "").startswith(_MARK):
            said = json.loads(element.attrib.pop("id").removeprefix(_MARK))
            title = ElementTree.Element(f"{{{SVG}}}title")
            title.text = said.pop("text")
            element.insert(0, title)
            element.set("pointer-events", "all")
            for name, value in said.items():
                element.set(f"data-{name}", str(value))
