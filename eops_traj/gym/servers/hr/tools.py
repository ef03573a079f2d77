"""Every tool that is a function, by what it is about: those that change records, or take them by name."""

from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import answer

MODULES = ("cases", "offers", "people")
"""The modules of this package with tools, in the order in which ``tools/list`` shows them."""


@answer("priority_list", "status", "type")
def tally(call: Call, rows: list[Row], wanted: str) -> Row:
    """Counts by value; where an argument lists the values wanted, exactly those."""
    counts = {row["value"]: row["count"] for row in rows}
    return {value: counts.get(value, 0) for value in call.arguments.get(wanted, counts)}
