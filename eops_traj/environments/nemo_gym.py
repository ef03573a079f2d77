"""The gym as a resource server of NVIDIA's NeMo Gym: sessions, a route a tool, and ``/verify``, which judges.

The protocol is that of nemo-gym 0.7 (``nemo_gym/base_resources_server.py``); nothing of that package is
needed here. Two kinds of client seed a session: an agent, with a row of the dataset, and an environment
server, with an id of its own. A cookie tells which episode a request means; ``/verify`` closes it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from http.cookies import SimpleCookie
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from eops_traj.environments.episode import EpisodeOver, error_text
from eops_traj.environments.guard import answer, json_body
from eops_traj.environments.nemo_gym_rows import last_reply
from eops_traj.environments.pool import UnknownEpisode
from eops_traj.environments.served_tasks import Selection
from eops_traj.environments.service import GymService
from eops_traj.errors import FormatError, InputError, SandboxError

COOKIE = "eops_gym_session"
Wire = dict[str, Any]
_SESSION_ID = "resources_session_id"


class NemoGymRoutes:
    """The routes of the protocol, on one service."""

    def __init__(self, service: GymService) -> None:
        self._service = service

    def routes(self) -> list[BaseRoute]:
        """Return all routes; whatever else is posted to is a tool."""
        posts = {
            "/seed_session": self._seed, "/close_session": self._close, "/verify": self._verify,
            "/aggregate_metrics": self._aggregate, "/{tool:str}": self._call,
        }  # fmt: skip
        return [
            Route("/reverify_mode", self._reverify_mode, methods=["GET"]),
            Route("/health", self._health, methods=["GET"]),
            *(Route(path, handler, methods=["POST"]) for path, handler in posts.items()),
        ]

    async def sweep(self) -> None:
        """Do nothing: there are no sessions beside the episodes."""

    async def _seed(self, request: Request) -> Response:
        """Begin the episode of a row; an id that the client gave may be seeded twice, and is one episode."""
        body = await json_body(request)
        given = _given_id(body)
        if given is None or not self._runs(given):
            episode_id = (await self._service.begin(_selection(body), given)).id
        else:
            episode_id = given
        response = answer({} if given is None else {_SESSION_ID: given})
        response.headers["set-cookie"] = _cookie(episode_id)
        return response

    async def _call(self, request: Request) -> Response:
        """Call a tool. The answer is its text as it is, a refusal included: that is what a model is shown."""
        arguments = await json_body(request)
        result = await self._service.call(_episode_id(request), request.path_params["tool"], arguments)
        return Response(result.text, media_type="text/plain")

    async def _verify(self, request: Request) -> Response:
        """Judge the episode. One whose sandbox failed, or was dropped, has no reward that means anything."""
        body = await json_body(request)
        reply = last_reply(body)
        try:
            judgement = await self._service.finish(_episode_id(request), reply)
        except (SandboxError, EpisodeOver) as error:
            masked = {"mask_sample": True, "failure_reason": error_text(error)}
            return answer({**body, "reward": 0.0, "label": "error", **masked})
        return answer({**body, "reward": judgement.reward, "label": judgement.label})

    async def _close(self, request: Request) -> Response:
        """Close a session, whether or not it was ever seeded; it cannot be seeded any more."""
        body = await json_body(request)
        given = _given_id(body)
        await self._service.close(_episode_id(request) if given is None else given)
        return answer({_SESSION_ID: given} if given is not None else {})

    async def _aggregate(self, request: Request) -> Response:
        """Return the mean reward and the share of each label, of all rollouts that were measured."""
        verified = (await json_body(request)).get("verify_responses")
        if not isinstance(verified, list) or not all(isinstance(one, dict) for one in verified):
            raise FormatError("verify_responses has to be a list of objects")
        measured = [one for one in verified if not one.get("mask_sample")]
        if not all(isinstance(one.get("reward"), int | float) for one in measured):
            raise FormatError("each of verify_responses has to have a number as its reward")
        figures = _figures(measured)
        return answer({"group_level_metrics": [], "agent_metrics": figures, "key_metrics": figures})

    async def _reverify_mode(self, request: Request) -> Response:
        return answer("unsupported")  # the databases that a verifier would look at are gone

    async def _health(self, request: Request) -> Response:
        return answer({"status": "healthy"})

    def _runs(self, episode_id: str) -> bool:
        try:
            self._service.pool.find(episode_id)
        except UnknownEpisode:
            return False
        return True


def _selection(body: Mapping[str, Any]) -> Selection:
    """Return the task of a seed: a row names it, alone or as an environment server's ``task_data``."""
    row = body.get("task_data", {}) if _SESSION_ID in body else body
    if not isinstance(row, dict) or not isinstance(row.get("task_id"), str):
        raise FormatError(
            "a seed names its task: task_id is missing; `eops-traj gym rows` writes rows with it"
        )
    return Selection(task_id=row["task_id"])


def _given_id(body: Mapping[str, Any]) -> str | None:
    """Return the id that an environment server gave. Raises InputError for one that no cookie holds."""
    given = body.get(_SESSION_ID)
    if given is not None and not (isinstance(given, str) and given.isascii() and given.isprintable()):
        raise InputError(f"{_SESSION_ID} has to be a text of printable ASCII")
    return given


def _episode_id(request: Request) -> str:
    episode_id = request.cookies.get(COOKIE)
    if episode_id is None:
        raise UnknownEpisode(f"no cookie {COOKIE}; call /seed_session first, and send its cookies on")
    return episode_id


def _cookie(episode_id: str) -> str:
    cookie: SimpleCookie = SimpleCookie({COOKIE: episode_id})
    return f"{cookie[COOKIE].OutputString()}; HttpOnly; Path=/; SameSite=Strict"


def _figures(measured: Sequence[Mapping[str, Any]]) -> Wire:
    if not measured:
        return {}
    labels = Counter(str(one.get("label")) for one in measured)
    shares = {f"share/{label}": count / len(measured) for label, count in sorted(labels.items())}
    return {"mean/reward": sum(float(one["reward"]) for one in measured) / len(measured), **shares}
