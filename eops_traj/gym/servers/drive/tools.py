"""Every tool of Google Drive that is a function, by what it is about."""

MODULES = (
    "about",
    "changes",
    "comments",
    "content",
    "drives",
    "editing",
    "files",
    "labels",
    "permissions",
    "proposals",
    "revisions",
    "teamdrives",
)
"""The modules of this package with tools, in the order in which ``tools/list`` shows them."""
