"""The page of two episodes side by side."""

from starlette.requests import Request
from starlette.responses import Response

from eops_traj.errors import InputError
from eops_traj.view.data import EpisodeSource
from eops_traj.view.diff import first_divergence, pair_turns
from eops_traj.view.episode_page import UnreadableRow, find_episode, unreadable_page
from eops_traj.view.templating import render_page


def compare(source: EpisodeSource, request: Request) -> Response:
    """Render two episodes side by side. Raises InputError where the address does not name two."""
    index, both = source.index(), []
    for side in ("a", "b"):
        episode_id = request.query_params.get(side)
        if not episode_id:
            raise InputError("a comparison names two episodes: /compare?a=ID&b=ID")
        try:
            both.append(find_episode(source, index, episode_id))
        except UnreadableRow as error:
            return unreadable_page(episode_id, error)
    pairs = pair_turns(*both)
    return render_page(
        "compare.html", left=both[0], right=both[1], pairs=pairs, first=first_divergence(pairs)
    )
