"""The tools that take more than one statement, and the formatters of the rows of the others."""

from eops_traj.gym.api_styles.google import page
from eops_traj.gym.servers.email.resources import Resource, row_resource
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import result_formatter

MODULES = ("drafts", "filters", "messages", "settings", "threads")
"""The modules of this package with tools, in the order in which ``tools/list`` shows them."""


@result_formatter()
def one(call: Call, row: Row, words: str) -> Resource:
    """Return a row as the resource that rows of its table are."""
    assert call.tool.table is not None
    return row_resource(call.tool.table.name, row)


@result_formatter()
def many(call: Call, rows: list[Row], key: str) -> Resource:
    """Return all rows as resources, under the name that Gmail's list has."""
    return {key: [one(call, row, "") for row in rows]}


@result_formatter("pageToken", "pageSize")
def paged(call: Call, rows: list[Row], key: str) -> Resource:
    """Return one page of rows as resources."""
    part, following = page(rows, call.arguments["pageSize"], call.arguments.get("pageToken"))
    return many(call, list(part), key) | ({"nextPageToken": following} if following else {})
