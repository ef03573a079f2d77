"""Requests of held-out tasks in the words of a row that tells values by their numbers.

To a planner that is shown ``[name 2]`` in a name's place, requests in one wording are one text, whoever they
are about: it may know by heart what it is measured on, though no row has the names of a held-out task.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from eops_traj.filter.held_out import normalized
from eops_traj.planner.slots import Slots
from eops_traj.provenance.dataset import DataRow
from eops_traj.schema import Task

CACHED = 1 << 12
"""Texts that are kept in their normal form: rows share them."""
_MARKER = re.compile(r"\[([a-z]+) \d+(?:\.\d)?\]")


class HeldOutWording:
    """The requests of tasks as they are shown with marked values, their numbers aside."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        """Mark the values of each task's request; one without a value is told by its own words."""
        shown = ((_marked(task), task.task_id) for task in tasks)
        self._tasks = {_wording(text): task_id for text, task_id in shown if _MARKER.search(text)}
        self._task_of = lru_cache(CACHED)(self._find)

    def task_of(self, row: DataRow) -> str | None:
        """Return the task whose wording one of a row's requests has, alone or among other paragraphs."""
        texts = (message.get("content") for message in row.messages if message.get("role") == "user")
        return next(filter(None, (self._task_of(text) for text in texts if isinstance(text, str))), None)

    def _find(self, text: str) -> str | None:
        if not _MARKER.search(text):
            return None
        wording = f"\n\n{_wording(text)}\n\n"
        return next((task_id for own, task_id in self._tasks.items() if f"\n\n{own}\n\n" in wording), None)


def _marked(task: Task) -> str:
    return Slots.of(task.system_prompt, task.user_prompt).show(task.user_prompt, "marked")


def _wording(text: str) -> str:
    """Return the words of a text, a paragraph a line, with the kind of each value and not its number."""
    return "\n\n".join(normalized(_MARKER.sub(r"[\1]", part)) for part in text.strip().split("\n\n"))
