"""The tools that write, by the verb in a tool's name, for episodes whose changes were not recorded.

The first word of the name that is one of these verbs decides, so that ``list_updated_cases`` reads and
``email_create_delegate`` writes; a name with none of them is taken to read. Every name of the benchmark's
512 tools holds such a verb. Some verbs say too little: ``check_in_guest`` writes, ``check_stock`` does not.
"""

import functools
import re
from collections.abc import Iterable

from eops_traj.schema import ToolCall

_WRITE_VERBS = """
accept activate add append apply approve archive assign attach batch book cancel change clear close copy
create deactivate decline delete deny detach disable discard downgrade edit empty enable enlist escalate
forward grant hide import insert install invite issue link lock map mark merge modify move obliterate
offboard onboard order patch pay pin place post provision publish purge put quick register reject release
remove rename reopen replace reply reset resolve restore return revoke save schedule send set share snooze
soft start stop submit subscribe swap terminate transfer trash unarchive unassign undo unhide unlink
unlock unpin unpublish unset unshare unsubscribe untrash update updated upgrade upload upsert verify watch
write
"""
_READ_VERBS = """
average avg browse calculate compare compute count describe fetch find get has installed inspect is list
lookup preview query read retrieve search show sum summarize total view whoami
"""
WRITE_VERBS = frozenset(_WRITE_VERBS.split())
READ_VERBS = frozenset(_READ_VERBS.split())
DOUBTFUL_VERBS = frozenset({"check", "download", "export", "generate", "test", "validate"})
"""Verbs of tools that may write: ``generate_files_Ids`` reserves ids, ``download_files`` leaves a record."""
_VERBS = WRITE_VERBS | READ_VERBS | DOUBTFUL_VERBS
_READING_TOOLS = frozenset({"check_user_membership", "export_files"})
"""The tools of the benchmark that surely only read, whatever their verb."""

ERROR_TEXT = r"^(?:HTTP [45]\d\d\b|Unknown tool\b|Tool execution failed\b|(?:Request|Unexpected) Error\b)"
"""How a result starts that is an error and not marked as one; polars reads the pattern, too."""
_ERROR = re.compile(ERROR_TEXT)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@functools.lru_cache(maxsize=1 << 10)
def is_write(tool: str) -> bool:
    """Check whether a tool of this name changes something; ``snake_case``, ``camelCase`` and dots alike."""
    return _verb(tool) in WRITE_VERBS


@functools.lru_cache(maxsize=1 << 10)
def is_read(tool: str) -> bool:
    """Check whether a tool of this name surely only reads, so that it may be called twice."""
    return tool in _READING_TOOLS or _verb(tool) in READ_VERBS


def _verb(tool: str) -> str | None:
    """Return the first verb in the name, if there is one."""
    words = (word.lower() for word in _WORD.findall(tool))
    return next((word for word in words if word in _VERBS), None)


def succeeded(call: ToolCall) -> bool:
    """Check whether the tool was reached and answered without an error.

    Some servers (the benchmark's calendar) send errors as ordinary text: those are known by how they start.
    """
    return not call.is_error and call.error is None and not says_error(call.result or "")


def says_error(result: str) -> bool:
    """Check whether a result that is not marked as an error starts as one."""
    return _ERROR.match(result) is not None


def changed(calls: Iterable[ToolCall], recorded: bool) -> bool:
    """Check whether the calls changed anything: by their recorded changes, else by the tools' names.

    By name, a call that changed nothing (an update to the value already there) still counts as a change,
    and a call that failed halfway does not.
    """
    return any(call.changes if recorded else succeeded(call) and is_write(call.name) for call in calls)
