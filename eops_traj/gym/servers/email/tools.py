"""All tools that take more than one statement, and how the rows of the others are answered."""

from eops_traj.gym.api_styles.google import page
from eops_traj.gym.servers.email.resources import Resource, shown
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import answer

MODULES = ("drafts", "filters", "messages", "settings", "threads")
"""The modules of this package with tools, in the order in which ``tools/list`` shows them."""


@answer()
def one(call: Call, row: Row, wanted: str) -> Resource:
    """A row as the resource that rows of its table are."""
    assert call.tool.table is not None
    return shown(call.tool.table.name, row)


@answer()
def many(call: Call, rows: list[Row], key: str) -> Resource:
    """All rows as resources, under the name that Gmail's list has."""
    return {key: [one(call, row, "") for row in rows]}


@answer("pageToken", "pageSize")
def paged(call: Call, rows: list[Row], key: str) -> Resource:
    """One page of rows as resources."""
    part, following = page(rows, call.arguments["pageSize"], call.arguments.get("pageToken"))
    return many(call, list(part), key) | ({"nextPageToken": following} if following else {})
