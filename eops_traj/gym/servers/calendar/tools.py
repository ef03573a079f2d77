"""The tools that take more than one statement, and how two lists of ``tools.sql`` are answered.

Tools are grouped by subject: events in `event_tools`, lists of them in `event_list_tools`, calendars in
`calendar_tools`, the calendar list in `calendar_list_tools`, access rules in `acl_tools`, channels in
`channel_tools`.
"""

from typing import Any

from eops_traj.gym.servers.calendar.records import etag
from eops_traj.gym.servers.calendar.times import rfc3339
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import result_formatter

MODULES = (
    "calendar_tools", "channel_tools", "event_tools", "calendar_list_tools", "event_list_tools", "acl_tools",
)  # fmt: skip
"""The modules of this package with tools, in the order in which ``tools/list`` shows them."""


@result_formatter()
def settings(call: Call, rows: list[Row], words: str) -> dict[str, Any]:
    """Return settings as a list resource."""
    return {"kind": "calendar#settings", "etag": etag(rows), "items": rows}


@result_formatter()
def palette(call: Call, rows: list[Row], words: str) -> dict[str, Any]:
    """Return colours by kind and number."""
    colors: dict[str, Any] = {"kind": "calendar#colors", "calendar": {}, "event": {}}
    for row in rows:
        shades = {"background": row["background"], "foreground": row["foreground"]}
        colors[row["kind"]][row["color_id"]] = shades
    newest = max((row["updated_at"] or "" for row in rows), default="")
    return colors | {"updated": rfc3339(newest or call.now)}
