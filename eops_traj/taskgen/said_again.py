"""A draft in other words: the same scene asked for again, without playing it.

What a scene says is kept as functions of chance (`eops_traj.taskgen.scene.Scene.sayings`), so that other ways
to say it cost next to nothing; the draw that results plays the scene with the same words.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle

from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, Task
from eops_traj.taskgen.composing import compose
from eops_traj.taskgen.draft import Draft
from eops_traj.taskgen.speech import Speech


def say_again(draft: Draft, numbers: Sequence[int]) -> Draft:
    """Return a draft whose scene is asked for in other words: each of its sayings in the way of a number.

    The numbers begin anew where they end. Raises NoMatch for a request that is too long or too short.
    """
    seed = draft.draw.partition("~")[0]
    ways = cycle(numbers)
    said = [str(next(ways)) for part in draft.scene.sayings for say in part if not isinstance(say, str)]
    speech = Speech(f"{seed}~{'.'.join(said)}~{next(ways)}")
    parts = [
        " ".join(say if isinstance(say, str) else speech.part(say) for say in part)
        for part in draft.scene.sayings
    ]
    request, beside = compose(draft.families, draft.scene, parts, speech)
    return replace(draft, request=request, draw=speech.draw, asides=beside)


def asked_again(task: Task, said: Draft) -> Task:
    """Return a task as it is asked for in other words: work, verifiers and databases stay."""
    details = json.loads(task.details)
    details["made"] |= {"draw": said.draw, "asides": [*said.asides]}
    return replace(task, user_prompt=said.request, details=Json(canonical_json(details)))
