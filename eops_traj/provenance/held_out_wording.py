"""Requests of held-out tasks in the words of a row that tells values by their numbers.

To a planner that is shown ``[name 2]`` in a name's place, requests in one wording are one text, whoever they
are about: it may know by heart what it is measured on, though no row has the names of a held-out task.
"""

from collections.abc import Iterable

from eops_traj.filter.held_out import normalized
from eops_traj.plan.listed_values import MARKER
from eops_traj.planner.slots import Slots
from eops_traj.provenance.dataset import DataRow
from eops_traj.schema import Task


class HeldOutWording:
    """The requests of tasks as they are shown with marked values, their numbers aside."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        """Mark the values of each task's request; one without a value is told by its own words."""
        shown = ((_marked(task), task.task_id) for task in tasks)
        self.tasks = {_wording(text): task_id for text, task_id in shown if MARKER.search(text)}
        """Of each wording a task that has it."""

    def task_of(self, row: DataRow) -> str | None:
        """Return the task whose wording one of a row's requests has, alone or among other paragraphs."""
        texts = (message.get("content") for message in row.messages if message.get("role") == "user")
        said = [f"\n\n{_wording(t)}\n\n" for t in texts if isinstance(t, str) and MARKER.search(t)]
        found = (task_id for own, task_id in self.tasks.items() if any(f"\n\n{own}\n\n" in t for t in said))
        return next(found, None)


def _marked(task: Task) -> str:
    return Slots.of(task.system_prompt, task.user_prompt).show(task.user_prompt, "marked")


def _wording(text: str) -> str:
    """Return the words of a text, a paragraph a line, with the kind of each value and not its number."""
    return "\n\n".join(normalized(MARKER.sub(r"[\g<kind>]", part)) for part in text.strip().split("\n\n"))
