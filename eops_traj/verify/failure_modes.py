"""Diagnose: failure modes of an episode, seen in its own turns.

Each mode is a function from an episode to its evidence, pairs of a turn (from 0) and what happened there;
no evidence means that the mode does not show. They describe behaviour, not outcome: a successful episode may
show one (an error that the agent corrected), and a failed one none. A new mode is a function and a line in
:data:`MODES`, which everything else that lists modes reads.
"""

import functools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import Any

from eops_traj.messages import said_later
from eops_traj.schema import Episode, ToolCall
from eops_traj.tool_effects import changed, is_write, succeeded
from eops_traj.verify.refusal_text import declines
from eops_traj.verify.reported_work import announces

Evidence = Iterator[tuple[int, str]]


@dataclass(frozen=True)
class Finding:
    """One piece of evidence: the failure mode, the turn that shows it (from 0), and what happened there."""

    mode: str
    turn: int
    what: str


def diagnose(episode: Episode, policy: str = "") -> tuple[Finding, ...]:
    """Return every piece of evidence in an episode, mode by mode and turn by turn.

    ``policy`` is its system prompt, which an episode names by hash alone: it may hold identifiers.
    """
    return tuple(
        Finding(name, turn, what)
        for name, mode in MODES.items()
        for turn, what in sorted(set(mode.evidence(episode, policy)))
    )


def loop(episode: Episode) -> Evidence:
    """Find the same call with the same result, in two turns running or for the third time."""
    last: dict[tuple[str, str, str | None], int] = {}
    times: Counter[tuple[str, str, str | None]] = Counter()
    for turn, call in _calls(episode):
        key = (call.name, call.arguments, call.result)
        times[key] += 1
        if call.result is not None and (times[key] > 2 or turn - last.get(key, turn) == 1):
            yield turn, f"{call.name} again, with the same arguments and result"
        last[key] = turn


def premature_end(episode: Episode) -> Evidence:
    """Find a stop of its own accord with nothing changed: without an answer, declining, or announcing more.

    Not where the task is known to be one that must be declined.
    """
    calls = episode.tool_calls()
    idle = episode.stop_reason == "completed" and not changed(calls, recorded=episode.changeset is not None)
    if not idle or not episode.turns or episode.feasible is False:
        return
    if not episode.response.strip():
        yield len(episode.turns) - 1, "ended without an answer"
    elif declines(episode.response):
        yield len(episode.turns) - 1, "ended by declining or asking, with nothing changed"
    elif announces(episode.response):
        yield len(episode.turns) - 1, "ended by announcing what it would do next"


def no_tool_used(episode: Episode) -> Evidence:
    """Find an answer without a single tool call. Not where the task is known to be infeasible."""
    if episode.turns and not episode.tool_calls() and episode.feasible is not False:
        yield len(episode.turns) - 1, "answered without a tool call"


MAX_NAME = 256
"""The characters of a called name that are looked for in an error; no endpoint lets a tool have more."""


def unknown_tool(episode: Episode) -> Evidence:
    """Find calls of tools that do not exist."""
    for turn, call in _calls(episode):
        name = re.escape(call.name[:MAX_NAME])
        absent = rf"tool[\s'\"`:]{{0,9}}{name}[\s'\"`]{{0,9}}(?:is |was )?not (?:found|available|known)"
        if re.search(rf"(?:unknown|no such|unrecogni[sz]ed) tool|{absent}", _error_text(call), re.IGNORECASE):
            yield turn, f"{call.name} is not a tool"


def malformed_arguments(episode: Episode) -> Evidence:
    """Find arguments that did not parse, or that the tool refused for their form."""
    for turn, call in _calls(episode):
        if call.raw is not None:
            yield turn, f"{call.name}: the arguments did not parse"
        elif _MALFORMED.search(_error_text(call)):
            yield turn, f"{call.name}: {_error_text(call)[:120]}"


_MALFORMED = re.compile(
    r"validation errors?|field required|missing (?:a )?required|required parameter|\bis required\b"
    r"|\[type=|'type': '|input should be|cannot find field"
    r"|invalid (?:request|arguments?|json|parameters?|\w+ parameter|value .{1,80} for)|unexpected keyword"
    r"|extra (?:fields|inputs)|is not (?:of type|valid under)|is not one of",
    re.IGNORECASE | re.DOTALL,
)


def unseen_identifier(episode: Episode, policy: str = "") -> Evidence:
    """Find identifiers passed that neither policy, user, caller's context nor any earlier result had named.

    Looks at arguments named as identifiers (``case_id``, ``teamId``, ``userIds``), but not at those that a
    caller makes up or takes from a tool's description, nor at names that every caller knows (``me``,
    ``INBOX``). Results of the same turn do not count: their calls went out together.
    """
    texts = [policy, episode.user_prompt, *(server.context for server in episode.servers)]
    seen = set().union(*map(_words, texts))
    for turn, reply in enumerate(episode.turns):
        seen.update(_words(said_later(episode, reply)))
        for call in reply.tool_calls:
            for name, value in _identifiers(call):
                if not _words(value) <= seen:
                    yield turn, f"{call.name}: {name}={value} was in no earlier result"
        seen.update(*(_words(call.result or "") for call in reply.tool_calls))


def write_without_lookup(episode: Episode) -> Evidence:
    """Find changes before any look-up had succeeded: nothing was checked first."""
    for turn, reply in enumerate(episode.turns):
        for call in reply.tool_calls:
            if is_write(call.name) and succeeded(call):
                yield turn, f"{call.name} before any look-up"
        if any(succeeded(call) and not is_write(call.name) for call in reply.tool_calls):
            return


def repeated_errors(episode: Episode) -> Evidence:
    """Find tools that failed a second time, and the third and later errors of an episode."""
    failures: Counter[str] = Counter()
    for turn, call in _calls(episode):
        if not succeeded(call):
            failures[call.name] += 1
            if failures[call.name] > 1 or failures.total() > 2:
                yield turn, f"{call.name} failed: {_error_text(call)[:120]}"


def excess_calls(episode: Episode) -> Evidence:
    """Find calls that led to nothing, where they are eight or more, and over half of all.

    A call led to something when it wrote and succeeded, or when it asked about what a later one that did
    so names (an identifier, an address), or when its result was the first to show a word that a later call's
    arguments or the final answer use, and that neither the request nor a call had given. Not where a task
    that must be declined is: every check led to that.
    """
    if episode.feasible is False and declines(episode.response):
        return
    calls = list(_calls(episode))
    led = {n for n, (_, call) in enumerate(calls) if is_write(call.name) and succeeded(call)}
    if len(calls) - len(led) < _MANY:
        return
    first_shown: dict[str, int] = {}
    lookups = _LookupsByName()
    known = set(_terms(episode.user_prompt))
    for n, (_, call) in enumerate(calls):
        arguments = str(list(json.loads(call.arguments).values()))
        passed = _terms(arguments)
        led.update(first_shown[word] for word in passed if word in first_shown)
        if n in led:
            led.update(lookups.take(passed))
        known |= passed
        for word in _terms(call.result or "") - known:
            first_shown.setdefault(word, n)
        for name in {*_names(arguments), *(value for _, value in _identifiers(call))}:
            lookups.add(name, n)
    answer = _words(episode.response)
    led.update(first_shown[word] for word in answer if word in first_shown and len(word) > 3)
    excess = [(turn, call) for n, (turn, call) in enumerate(calls) if n not in led]
    if len(excess) >= _MANY and len(excess) > len(calls) / 2:
        yield from ((turn, f"{call.name} led to nothing") for turn, call in excess)


_MANY = 8
"""Calls that led to nothing; fewer are no more than looking around."""


class _LookupsByName:
    """The calls so far by each name that they asked about; a name is found by the first of its words."""

    def __init__(self) -> None:
        self._calls: dict[str, dict[str, list[int]]] = defaultdict(dict)

    def add(self, name: str, number: int) -> None:
        """Add a call that asked about a name."""
        self._calls[min(_words(name), default="")].setdefault(name, []).append(number)

    def take(self, passed: Set[str]) -> Iterator[int]:
        """Yield the calls that asked about a name whose words are all among these, and forget them."""
        for word in ("", *passed):
            named = self._calls.get(word, {})
            for name in [name for name in named if _words(name) <= passed]:
                yield from named.pop(name)


@dataclass(frozen=True)
class FailureMode:
    """A way in which episodes go wrong."""

    find: Callable[..., Evidence]
    reads_policy: bool = False
    """Its function takes the system prompt too."""

    def evidence(self, episode: Episode, policy: str = "") -> Evidence:
        """Yield the evidence in an episode; ``policy`` is its system prompt."""
        return self.find(episode, policy) if self.reads_policy else self.find(episode)


MODES = {
    "loop": FailureMode(loop),
    "premature_end": FailureMode(premature_end),
    "no_tool_used": FailureMode(no_tool_used),
    "unknown_tool": FailureMode(unknown_tool),
    "malformed_arguments": FailureMode(malformed_arguments),
    "unseen_identifier": FailureMode(unseen_identifier, reads_policy=True),
    "write_without_lookup": FailureMode(write_without_lookup),
    "repeated_errors": FailureMode(repeated_errors),
    "excess_calls": FailureMode(excess_calls),
}
"""Every failure mode by its name, in the order in which they are reported."""


def _calls(episode: Episode) -> Iterator[tuple[int, ToolCall]]:
    return ((n, call) for n, turn in enumerate(episode.turns) for call in turn.tool_calls)


def _error_text(call: ToolCall) -> str:
    """Return the error text of a failed call; empty for one that succeeded."""
    return "" if succeeded(call) else call.error or call.result or ""


@functools.lru_cache(maxsize=256)
def _terms(text: str) -> frozenset[str]:
    """Return the words of a text, and those of them that are written together."""
    return _words(text) | _names(text)


def _names(text: str) -> frozenset[str]:
    """Return words written together: ``ana@corvane.example``, ``INC-000058``.

    They begin where a word does: without that a long word would be read again from each of its letters.
    """
    return frozenset(re.findall(r"\b\w+(?:[.@+-]\w+)+", text.lower()))


@functools.lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


_CHOSEN_BY_CALLER = {"requestId", "colorId", "settingId", "themeId", "theme_id"}
"""Identifiers that a caller makes up (a repeated request is known by its own) or that a tool's text lists."""

_WELL_KNOWN = frozenset({"me", "primary", "root", "appDataFolder", "true", "false", ""})
_SYSTEM_LABEL = re.compile(r"(?:INBOX|SENT|DRAFT|TRASH|SPAM|STARRED|UNREAD|IMPORTANT|CHAT|CATEGORY_[A-Z]+)")


def _identifiers(call: ToolCall) -> Iterator[tuple[str, str]]:
    """Yield the arguments named as identifiers, and their values.

    Those inside nested objects are often the caller's own to choose, and so are those of the channels on
    which changes are watched.
    """
    for name, value in json.loads(call.arguments).items():
        chosen = name in _CHOSEN_BY_CALLER or (name == "id" and call.name.startswith("watch"))
        if chosen or not re.search(r"(?:^|_)ids?$|[a-z]Ids?$", name):
            continue
        values: list[Any] = value if isinstance(value, list) else [value]
        for text in (str(v) for v in values if isinstance(v, str | int) and not isinstance(v, bool)):
            if text not in _WELL_KNOWN and not _SYSTEM_LABEL.fullmatch(text):
                yield name, text
