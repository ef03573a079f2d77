"""The tools that take more than one statement, and how two lists of ``tools.sql`` are answered.

Whoever looks for a tool finds it by what it is about: events in `event_tools`, lists of them in
`listing_tools`, calendars in `calendar_tools`, the calendar list in `list_tools`, access rules in `sharing`,
channels in `channels`.
"""

from typing import Any

from eops_traj.gym.servers.calendar.records import etag
from eops_traj.gym.servers.calendar.times import rfc3339
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import answer

MODULES = ("calendar_tools", "channels", "event_tools", "list_tools", "listing_tools", "sharing")
"""The modules of this package with tools, in the order in which ``tools/list`` shows them."""


@answer()
def settings(call: Call, rows: list[Row], words: str) -> dict[str, Any]:
    """Settings as a list resource."""
    return {"kind": "calendar#settings", "etag": etag(rows), "items": rows}


@answer()
def palette(call: Call, rows: list[Row], words: str) -> dict[str, Any]:
    """Colours by kind and number."""
    found: dict[str, Any] = {"kind": "calendar#colors", "calendar": {}, "event": {}}
    for row in rows:
        shades = {"background": row["background"], "foreground": row["foreground"]}
        found[row["kind"]][row["color_id"]] = shades
    newest = max((row["updated_at"] or "" for row in rows), default="")
    return found | {"updated": rfc3339(newest or call.now)}
