"""The request of a scene: its parts put together in one of many genres, with what is beside the point."""

from collections.abc import Sequence
from random import Random
from typing import Any

from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import Family, asides
from eops_traj.taskgen.phrasing import LONGEST, SHORTEST, Composition, count_words
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.speech import Speech


def compose(
    families: Sequence[Family], scene: Scene, parts: Sequence[str], speech: Speech
) -> tuple[str, tuple[str, ...]]:
    """Return the request that these parts make, and what is beside the point in it.

    Raises ScenarioError where nothing is asked, NoMatch for a request that is too long or too short.
    """
    if not parts:
        raise ScenarioError(f"{families[0].name} asks nothing")
    first_name = full_name(scene.caller).split()[0]
    said = Random(f"{speech.seed}:said")
    composition = Composition.drawn(said, parts, first_name, asides(families[0].domain))
    request = speech.whole(lambda rng: composition.write(rng, whole=scene.whole))
    if not SHORTEST <= count_words(request) <= LONGEST:
        raise NoMatch(f"a request of {count_words(request)} words")
    return request, tuple(composition.asides)


def full_name(person: dict[str, Any]) -> str:
    """Return the name of a row of people, whatever its columns are called."""
    for field in ("name", "display_name", "displayName", "full_name"):
        if person.get(field):
            return str(person[field])
    if person.get("first_name"):
        return f"{person['first_name']} {person['last_name']}"
    return str(person["email"]).split("@")[0].replace(".", " ").title()
