"""The call that a database is at: its number, and what is its own, the time and the ids that it draws."""

import random
from collections.abc import Callable
from datetime import datetime
from typing import Any

from eops_traj.gym.engine.clock import Clock

Ids = Callable[[int], random.Random]


def seeded_ids(seed: int = 0) -> Ids:
    """Return a source of ids: one generator a call, so that a fork draws the same ids as its origin."""
    return lambda calls: random.Random(f"{seed}:{calls}")


class CurrentCall:
    """The current call of one database, to which SQLite's functions of time and ids lead.

    It does not lead back: SQLite holds its functions where Python does not see them, so that a database they
    led to would be freed by being closed alone, and one that is dropped never.
    """

    def __init__(self, tell: Clock, ids: Ids) -> None:
        self.tell, self.ids = tell, ids
        self.number = 0
        self._random: random.Random | None = None

    def move(self, number: int) -> None:
        """Go to the call of this number, of which nothing is drawn yet."""
        self.number, self._random = number, None

    def now(self) -> datetime:
        """Return its time."""
        return self.tell(self.number)

    def draw(self, *_: Any) -> str:
        """Return 128 random bits as 32 hexadecimal digits, others each time."""
        self._random = self._random or self.ids(self.number)
        return f"{self._random.getrandbits(128):032x}"
