"""Where the tools that take more than one statement are, by subject, and the shapes that ``@as`` names."""

MODULES = (
    "calls",
    "channels",
    "chats",
    "events",
    "graph",
    "groups",
    "memberships",
    "messages",
    "team_provisioning",
    "people",
    "reactions",
)
"""The modules of this package with tools and answers, in the order in which ``tools/list`` shows them."""
