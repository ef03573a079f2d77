"""decontaminate: drop what belongs to a held-out set: its tasks, and requests that are nearly the same."""

from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, PositiveInt, model_validator

from eops_traj.filter.held_out import HeldOut, add_folder, add_list, add_store, normalized
from eops_traj.filter.rules import Rows, SetStep
from eops_traj.filter.similarity import Index, signature


class Decontaminate(SetStep):
    """Drop episodes whose task is held out, so that a model is never measured on what it was trained on.

    The held-out set, all that are given: ``ids``, a list of task ids (JSON, JSON lines or text); ``tasks``, a
    folder of task files; ``store``, another store, of which ``selection`` may name a part. Paths are relative
    to the working directory. An episode goes for its task id, for a request that is the same word for word,
    or for one whose runs of ``words`` words are alike to ``threshold`` (Jaccard, estimated by MinHash).
    """

    ids: Path | None = None
    tasks: Path | None = None
    store: str | None = None
    selection: str | None = None
    threshold: Annotated[float, Field(ge=0.3, le=1)] = 0.8
    words: PositiveInt = 3

    @model_validator(mode="after")
    def _some_source(self) -> Self:
        if self.selection is not None and self.store is None:
            raise ValueError("selection needs the store it is in")
        if self.ids is None and self.tasks is None and self.store is None:
            raise ValueError("give what is held out: ids, tasks or store")
        return self

    def missing(self) -> list[str]:
        """Return the files and folders that are not there."""
        problems = []
        if self.ids is not None and not self.ids.is_file():
            problems.append(f"ids: no file {str(self.ids)!r}")
        if self.tasks is not None and not self.tasks.is_dir():
            problems.append(f"tasks: no folder {str(self.tasks)!r}")
        return problems

    def held_out(self) -> HeldOut:
        """Read the held-out set. Raises InputError where a source cannot be."""
        held = HeldOut()
        if self.ids is not None:
            add_list(held, self.ids)
        if self.tasks is not None:
            add_folder(held, self.tasks)
        if self.store is not None:
            add_store(held, self.store, self.selection)
        return held

    def drop(self, rows: Rows) -> dict[str, str]:
        """Drop every episode of a held-out task, with the task and how it was recognized."""
        import polars as pl

        held = self.held_out()
        index = Index(self.threshold)
        for request in held.requests:
            index.add(request, signature(request, self.words))

        @cache  # many episodes share one request
        def match(request: str) -> str | None:
            if request in held.requests:
                return f"its request is that of held-out task {held.requests[request]}"
            near = index.nearest(signature(request, self.words))
            return (
                near and f"its request is {near[1]:.2f} like that of held-out task {held.requests[near[0]]}"
            )

        dropped = {}
        for row in rows.stream(task=pl.col("task_id"), request=pl.col("user_prompt")):
            reason = (
                "its task id is held out" if row["task"] in held.ids else match(normalized(row["request"]))
            )
            if reason:
                dropped[row["episode_id"]] = reason
        return dropped
