"""One text of an episode, whole: what its page cuts."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from eops_traj.schema import Episode
from eops_traj.view.data import EpisodeSource
from eops_traj.view.episode_page import UnreadableRow, find_episode, unreadable_page
from eops_traj.view.formatting import indent_json
from eops_traj.view.templating import render_page

TURN_PARTS = ("text", "reasoning", "nudge")
CALL_PARTS = ("arguments", "raw", "result", "error")
BLOCK = 2_000
"""Characters of a block: a browser lays out one of a million, written from right to left, in minutes."""


def whole_text(source: EpisodeSource, request: Request) -> Response:
    """Render the text that the address names: a part of a turn, or of a call of it, both from 1."""
    index, episode_id = source.index(), request.path_params["episode_id"]
    try:
        episode = find_episode(source, index, episode_id)
    except UnreadableRow as error:
        return unreadable_page(episode_id, error)
    turn, call, part = (request.query_params.get(name, "") for name in ("turn", "call", "part"))
    text = _find(episode, turn, call, part)
    if text is None:
        raise HTTPException(404, f"The episode {episode_id} has no such text.")
    what = f"turn {turn}" + (f", call {call}" if call else "") if turn else "the request"
    return render_page(
        "text.html", episode_id=episode_id, turn=turn, what=what, part=part, blocks=split(indent_json(text))
    )


def _find(episode: Episode, turn: str, call: str, part: str) -> str | None:
    if not turn:
        return episode.user_prompt if part == "request" else None
    place = _at(episode.turns, turn)
    if call:
        place = _at(place.tool_calls, call) if place else None
    known = CALL_PARTS if call else TURN_PARTS
    text = getattr(place, part) if place is not None and part in known else None
    return text if isinstance(text, str) else None


def _at(items: tuple[Any, ...], number: str) -> Any:
    """Return the item of a number from 1; None where there is none."""
    place = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
    return items[place - 1] if 0 < place <= len(items) else None


def split(text: str) -> list[str]:
    """Split a text into blocks of whole lines; a line that is longer than a block is cut."""
    blocks: list[str] = []
    block: str | None = None  # an empty line is a line
    for line in text.split("\n"):
        pieces = [line[n : n + BLOCK] for n in range(0, len(line), BLOCK)] or [""]
        for piece in pieces:
            if block is None:
                block = piece
            elif len(block) + len(piece) > BLOCK:
                blocks.append(block)
                block = piece
            else:
                block = f"{block}\n{piece}"
    return [*blocks, block or ""]
