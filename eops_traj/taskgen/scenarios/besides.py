"""What a request asks for besides its main matter: said after it, looked up before it writes, then done.

An extra is a generator function of a scene. It finds what it needs and yields the sentence that asks for it;
it is sent the records that the main matter found, looks up what it takes and yields again; its writes come
last::

    def note_device(s: Scene) -> Course:
        device = s.pick(...)
        records = yield Sentence(_WORDINGS, {"serial": device["serial_number"]})
        item = s.do("find_configuration_item_by_serial_number", ...)
        yield None
        s.do("link_affected_ci_to_incident", ..., incident_id=records["ticket"]["incident_id"])

Extras are drawn before a scenario perturbs anything: request and choices are the same in a task and its twin.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.result_ref import ResultRef
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.wording import vary

NONE, ONE = 0.5, 0.9
"""The share of requests without an extra, and that with one at most; the others have two."""
MOST = 2
"""The most that a part of a request has besides."""
_FEWEST = 6


@dataclass(frozen=True)
class Sentence:
    """A sentence that asks for something, in one of several wordings."""

    wordings: Sequence[str]
    slots: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that there are wordings enough. Raises ScenarioError."""
        if len(self.wordings) < _FEWEST:
            raise ScenarioError(f"{len(self.wordings)} wordings; an extra has {_FEWEST} or more")

    def say(self, rng: Random) -> str:
        """Choose a wording, and fill it in."""
        said = " ".join(vary(rng, rng.choice(self.wordings)).format(**self.slots).split())
        return said[0].upper() + said[1:]


Records = dict[str, ResultRef]
"""What the main matter looked up or made, by what it is: ``ticket``, ``group``."""
Course = Generator[Sentence | None, Records, None]
"""How an extra goes: a sentence, then look-ups, then writes."""
Extra = Callable[[Scene], Course]


class Besides:
    """The extras of one request."""

    def __init__(self, s: Scene, drawn: Sequence[tuple[Sentence, Course]]) -> None:
        """Take the extras that were drawn, each with its sentence."""
        self._scene, self._drawn = s, drawn
        self._records: Records = {}

    def say(self) -> None:
        """Let the part of the request that was just asked go on with them."""
        for sentence, _ in self._drawn:
            self._scene.say_more(sentence.say)

    def look(self, **records: ResultRef) -> None:
        """Look up what they take, after what the main matter looks up and before it writes."""
        self._go_on(records)

    def write(self, **records: ResultRef) -> None:
        """Make their changes, after those of the main matter, which may have made more ``records``."""
        self._go_on(records)

    def _go_on(self, records: Records) -> None:
        self._records |= records
        for _, course in self._drawn:
            with suppress(StopIteration):
                course.send(self._records)


def besides(s: Scene, *extras: Extra) -> Besides:
    """Draw none, one or two of these extras; one for which the company has nothing falls away.

    In a chain the second part has one at most, and the third has none: its request is long enough.
    """
    draw = s.rng.random()
    wanted = max(0, min((draw >= NONE) + (draw >= ONE), MOST - len(s.parts)))
    drawn = []
    for place in s.rng.sample(range(len(extras)), min(wanted, len(extras))):
        course = extras[place](s)
        with suppress(NoMatch):
            sentence = next(course)
            if sentence is None:
                raise ScenarioError(f"{extras[place]} does not begin with its sentence")
            drawn.append((sentence, course))
    return Besides(s, drawn)


def question(
    what: str, wordings: Sequence[str], find: Callable[[Scene, Records], Any], **slots: Any
) -> Extra:
    """Make an extra that wants to be told something: ``find`` looks it up and returns it."""

    def ask(s: Scene) -> Course:
        records = yield Sentence(wordings, slots)
        s.answer(what, find(s, records))

    return ask
