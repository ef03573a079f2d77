"""What readers say of episodes: taken in by POST, and shown with the readers' agreement."""

from collections import Counter
from typing import Any
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from eops_traj.errors import InputError
from eops_traj.review.agreement import agreement
from eops_traj.review.labels import latest, make_label
from eops_traj.schema import LABELS, Label
from eops_traj.view.data import EpisodeSource
from eops_traj.view.episode_page import find_episode, label_form
from eops_traj.view.templating import render_page

MOST_BYTES, MOST_SHOWN = 64_000, 200
"""The size of a form, and the labels that the page lists."""


async def take_label(source: EpisodeSource, request: Request) -> Response:
    """Keep the label of a form; answer with the form as it is now, or lead back to the episode."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise HTTPException(413, f"A label has at most {MOST_BYTES:,} bytes.")
    form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    return await run_in_threadpool(_answer, source, form, "hx-request" in request.headers)


def _answer(source: EpisodeSource, form: dict[str, str], in_page: bool) -> Response:
    """Keep the label. Raises InputError for what is no label, HTTPException for an episode not there."""
    episode_id, turn = form.get("episode_id", ""), _turn(form.get("turn", ""))
    episode = find_episode(source, source.index(), episode_id)
    parts = {name: form.get(name, "") for name in ("cause", "note", "better_call")}
    label = make_label(episode, source.reader or "", form.get("value", ""), turn=turn, **parts)
    source.add_label(label)
    if in_page:
        return render_page("label_form.html", **label_form(source, episode, turn))
    place = "#labels" if turn is None else f"#turn-{turn + 1}"
    return RedirectResponse(f"/episodes/{episode_id}{place}", 303)


def _turn(number: str) -> int | None:
    """Return the turn of a form, which counts from 1; None for the episode. Raises InputError."""
    if not number:
        return None
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise InputError(f"a turn is a number from 1, not {number[:40]!r}")
    return int(number) - 1


def labels(source: EpisodeSource, request: Request) -> Response:
    """Render the labels, who gave how many, and how far readers agree."""
    given = source.labels()
    return render_page(
        "labels.html",
        labels=given[: -MOST_SHOWN - 1 : -1],
        count=len(given),
        readers=_by_reader(latest(given)),
        values=LABELS,
        agreement=agreement(given),
        reader=source.reader,
    )


def _by_reader(given: list[Label]) -> list[dict[str, Any]]:
    """Count the latest labels of each reader by value."""
    counts = Counter((label.reader, label.value) for label in given)
    readers = sorted({label.reader for label in given})
    return [{"reader": name, **{value: counts[name, value] for value in LABELS}} for name in readers]
