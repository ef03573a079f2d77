"""The modules of tools that are functions: those that change records, or take them by name."""

from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import result_formatter

MODULES = ("cases", "catalogue", "people")
"""The modules of this package with tools, in the order in which ``tools/list`` shows them."""


@result_formatter("priority_list", "status", "type")
def tally(call: Call, rows: list[Row], argument: str) -> Row:
    """Return counts by value; where an argument lists values, of exactly those."""
    counts = {row["value"]: row["count"] for row in rows}
    return {value: counts.get(value, 0) for value in call.arguments.get(argument, counts)}
