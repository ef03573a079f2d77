"""What a verifier is about, inferred from its query where the task does not say.

The benchmark's paper sorts verifiers into task completion, integrity, and permission and process; its task
files carry no such field. The rule here is coarse and looks only at the query and what it is compared with:

1. A check that something is *absent* speaks of integrity: it expects zero rows, fewer than a bound, or its
   query hunts for duplicates and dangling references.
2. A check of the records by which work is governed (memberships, roles, permissions, approvals, service
   levels, notifications), or of which tools were called, speaks of permission and process.
3. Everything else is task completion.

A removal that was asked for also expects zero rows, so some of the first kind are task completion in truth;
``Verdict.category_inferred`` marks every category that comes from here.
"""

import re

_FROM = re.compile(r"\bfrom\s+[\"'`\[]?(\w+)", re.IGNORECASE)
_ABSENCE = re.compile(
    r"\bnot\s+exists\b|\bhaving\s+count\s*\([^)]*\)\s*>\s*1\b|\bleft\s+join\b.*\bis\s+null\b",
    re.IGNORECASE | re.DOTALL,
)
_GOVERNING = re.compile(
    r"member|role|permission|acl|owner|delegate|approv|policy|sla(?:s|_|$)|notification", re.IGNORECASE
)
_ZERO: tuple[object, ...] = (0, "0", [])


def category(kind: str, query: str | None, expected: object, comparison: str | None) -> str:
    """The category that a verifier's kind, query and comparison speak for, one of ``schema.CATEGORIES``."""
    if kind == "tool_execution":
        return "permission_and_process"
    if kind != "database_state" or not query:
        return "task_completion"
    if comparison == "less_than" or (comparison == "equals" and expected in _ZERO) or _ABSENCE.search(query):
        return "integrity"
    table = _FROM.search(query)
    return "permission_and_process" if table and _GOVERNING.search(table[1]) else "task_completion"
