"""The lines of a session of Claude Code: which are the program's, and which the user took back.

A line names the one before it. What runs on the user's own machine (``/clear``, ``!ls``) stands under the
user's name, each line with its marks. A request that was taken back leaves its branch in the file, next to
the one in its place; a compaction begins a branch of its own, and takes nothing back.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from eops_traj.interchange.anthropic_blocks import rest_of, results_of
from eops_traj.interchange.conversation import text_of
from eops_traj.interchange.reader import Record

MARKS = re.compile(
    r"\s*<(?P<mark>command-name|command-message|local-command-(?:stdout|stderr|caveat)"
    r"|bash-(?:input|stdout|stderr))>.*</(?P=mark)>",
    re.DOTALL,
)
"""How a line under the user's name begins that is the program's: with a mark that is closed as well."""
COMMAND = "command-"
"""How the marks of a command begin that may be a prompt, with its text in the lines after it."""
SUMMARY = "This session is being continued from a previous conversation"
"""How the summary begins with which a compaction goes on, where no field says so."""


def words_of(line: Record) -> str:
    """Return what a line of the user says, without results."""
    return text_of(rest_of(line["message"].get("content")))


def is_program(line: Record) -> bool:
    """Check whether a line under the user's name is the program's."""
    if line["type"] != "user" or _is_summary(line):
        return False
    return bool(line.get("isMeta") or MARKS.match(words_of(line)))


def prompt_of(texts: list[str]) -> list[str]:
    """Return those of the program's texts that a reply to them answers: the last command and what follows."""
    marks = [match["mark"] if (match := MARKS.match(text)) else "" for text in texts]
    commands = [place for place, mark in enumerate(marks) if mark.startswith(COMMAND)]
    return texts[commands[-1] :] if commands else texts


def taken_back(lines: Iterable[Record], talk: list[Record]) -> set[Any]:
    """Return the ids of lines on branches in whose place the user later made another request.

    ``talk`` is what user and model say in ``lines``, which are all that may stand on a branch.
    """
    asked: dict[Any, dict[Any, None]] = defaultdict(dict)
    own = {line["uuid"]: line for line in talk if is_program(line) and line.get("uuid") is not None}
    for line in filter(None, (_beginning(line, own) for line in talk)):
        for parent, child in _way_up(line, own):
            asked[parent].pop(child, None)  # the last of several is the one that was asked last
            asked[parent][child] = None
    return _with_descendants(lines, [child for branches in asked.values() for child in list(branches)[:-1]])


def _beginning(line: Record, own: dict[Any, Record]) -> Record | None:
    """Return the request that a line is, or the program's words that it replies to, as those of a command."""
    if line["type"] == "assistant":
        return own.get(line.get("parentUuid"))
    results = results_of(line["message"].get("content"))
    return None if results or is_program(line) or _is_summary(line) else line


def _way_up(line: Record, own: dict[Any, Record]) -> Iterator[tuple[Any, Any]]:
    """Yield parent and child from a line up through the program's, as far as the file tells of both."""
    seen: set[Any] = set()
    while "parentUuid" in line and line.get("uuid") is not None and line["uuid"] not in seen:
        seen.add(line["uuid"])
        yield line["parentUuid"], line["uuid"]
        line = own.get(line["parentUuid"], {})


def _is_summary(line: Record) -> bool:
    return bool(line.get("isCompactSummary")) or words_of(line).startswith(SUMMARY)


def _with_descendants(lines: Iterable[Record], gone: list[Any]) -> set[Any]:
    """Return ids of lines with those of all that follows them."""
    children: dict[Any, list[Any]] = defaultdict(list)
    for line in lines:
        if line.get("uuid") is not None:
            children[line.get("parentUuid")].append(line["uuid"])
    seen = set(gone)
    for uuid in gone:  # grows as it goes
        fresh = [child for child in children[uuid] if child not in seen]
        gone += fresh
        seen.update(fresh)
    return seen
