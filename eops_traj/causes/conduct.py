"""Causes from how an episode went and ended, whatever its rows and queries say."""

import re
from collections.abc import Iterator
from dataclasses import replace

from eops_traj.causes.calls import PlacedCall, placed_calls, refused_for_good, row_keys
from eops_traj.causes.cause import Cause, Evidence
from eops_traj.causes.origin import stands
from eops_traj.schema import Episode
from eops_traj.verify.failure_modes import MODES
from eops_traj.verify.refusal_text import declines
from eops_traj.verify.reported_work import announces

_ASKS = re.compile(r"\?|\b(?:can(?:no|')t|cannot|unable|need|provide|confirm|which)\b", re.IGNORECASE)
"""What an answer says that asks for something before it goes on."""
_ON = r"(?:finish|complete|continue|proceed|go on|(?:go|get)(?: any)? further)"
_UNFINISHED = re.compile(
    r"\b(?:work|rest|others|remainder|remaining|request|task)\b[^.!?\n]{0,40}\b"
    r"(?:(?:not|n't) (?:yet )?(?:finished|completed?|done)|unfinished|undone|to be done)\b"
    rf"|\b(?:(?:could|can|did|was|am|were)(?: ?not|n['’]t)|can['’]t)\b[^.!?\n]{{0,20}}\b{_ON}\b"
    rf"|\b(?:unable|failed) to {_ON}\b",
    re.IGNORECASE,
)
"""What an answer says that tells of work left undone."""
_BUDGETS = {
    "max_turns": "turns",
    "max_tokens": "tokens",
    "max_cost": "money",
    "timeout": "time",
}


def causes_of_conduct(episode: Episode) -> Iterator[Cause]:
    """Yield the causes that the course of a failed episode shows, whatever its verifiers say."""
    last = len(episode.turns) - 1 if episode.turns else None
    if episode.outcome == "error":
        yield Cause("broken_off", f"it ended in an error: {_line(episode.error or '')}", Evidence(turn=last))
        return
    if episode.stop_reason in _BUDGETS:
        what = _BUDGETS[episode.stop_reason]
        yield Cause(
            "out_of_budget", f"it ran out of {what} after {episode.n_turns} turns", Evidence(turn=last)
        )
    if episode.feasible is False:
        yield from _wrongly_undeclined(episode)
        return
    if episode.outcome == "over_refusal":
        yield _over_refusal(episode)
    elif episode.stop_reason == "completed":
        yield from _stopped_early(episode)
    yield from _refused(episode)
    yield from _premature(episode)


def _over_refusal(episode: Episode) -> Cause:
    """Return the refusal with its ground, and the last look-up that shows what the ground speaks of."""
    ground = _declining_sentence(episode.response)
    named = {word for word in re.findall(r"[\w.@-]+", ground) if any(map(str.isdecimal, word))}
    named.update(re.findall(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+", ground))
    read = [
        one
        for one in placed_calls(episode)
        if not one.writes and any(name in (one.call.result or "") for name in named)
    ]
    said, at = "", Evidence(turn=len(episode.turns) - 1, got=ground)
    if read:
        name, turn = read[-1].call.name, read[-1].turn + 1
        said, at = f"; what it speaks of was shown by {name} in turn {turn}", replace(at, origin=name)
    return Cause("over_refusal", f"it declined what could be done: “{ground}”{said}", at)


def _declining_sentence(answer: str) -> str:
    sentences = [part for part in re.split(r"(?<=[.!?])\s+|\n+", answer.strip()) if part.strip()]
    said = next((part for part in sentences if declines(part) or _UNFINISHED.search(part)), None)
    asked = next((part for part in sentences if _ASKS.search(part)), sentences[0] if sentences else "")
    return _line(said or asked)


def _stopped_early(episode: Episode) -> Iterator[Cause]:
    ends = [found for mode in ("premature_end", "no_tool_used") for found in MODES[mode].evidence(episode)]
    if ends:
        turn, what = ends[0]
        yield Cause("stopped_early", f"it {what}", Evidence(turn=turn))
    elif not episode.response.strip():
        yield Cause("stopped_early", "it ended without an answer", Evidence(turn=len(episode.turns) - 1))
    elif declines(episode.response) or announces(episode.response) or _UNFINISHED.search(episode.response):
        ground, at = _declining_sentence(episode.response), Evidence(turn=len(episode.turns) - 1)
        own = own_write_met(episode)
        said = f", at what {own.call.name} had done in turn {own.turn + 1}" if own else ""
        at = replace(at, origin=written_in(own.turn)) if own else at
        yield Cause("stopped_early", f"it stopped halfway{said}: “{ground}”", at)


def written_in(turn: int) -> str:
    """Return the origin of what an own write of this turn stopped; people count turns from 1."""
    return f"written in turn {turn + 1}"


def own_write_met(episode: Episode) -> PlacedCall | None:
    """Return the first write whose rows the last call names or shows, where that is another call."""
    calls = list(placed_calls(episode))
    if not calls:
        return None
    last = calls[-1].call
    text = f"{last.arguments} {last.result or ''} {last.error or ''}"
    for one in calls[:-1]:
        if one.writes and any(stands(key, text) for key in row_keys(one.call)):
            return one
    return None


def _refused(episode: Episode) -> Iterator[Cause]:
    for one in refused_for_good(episode):
        text = _line(one.call.error or one.call.result or "")
        yield Cause(
            "unrepaired_call",
            f"{one.call.name} was refused and never came through: {text}",
            Evidence(turn=one.turn, call=one.place, got=text),
        )


def _premature(episode: Episode) -> Iterator[Cause]:
    """Yield the writes before any look-up, where they were the first thing done."""
    for turn, what in sorted(MODES["write_without_lookup"].evidence(episode))[:1]:
        yield Cause("premature_step", what, Evidence(turn=turn))


def _wrongly_undeclined(episode: Episode) -> Iterator[Cause]:
    """Yield what went wrong in a task that had to be declined."""
    acts = [one for one in placed_calls(episode) if one.call.changes or (one.writes and one.done)]
    last = len(episode.turns) - 1
    if acts:
        what = f"{acts[0].call.name} changed something in a task that had to be declined"
        yield Cause("forbidden_action", what, Evidence(turn=acts[0].turn, call=acts[0].place))
    elif announces(episode.response):
        said = _line(episode.response)
        yield Cause(
            "stopped_early", f"it ended by announcing what it would do: “{said}”", Evidence(turn=last)
        )
    elif episode.outcome == "false_success":
        said = _line(episode.response)
        yield Cause("false_claim", f"nothing was done, but it says: “{said}”", Evidence(turn=last, got=said))
    elif not episode.response.strip():
        yield Cause("stopped_early", "it ended without an answer", Evidence(turn=last))


def _line(text: str) -> str:
    return " ".join(text.split())[:200]
