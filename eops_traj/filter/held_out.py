"""A held-out set, from a list, task files or a store: task ids, and requests where the source has them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.filter.similarity import words
from eops_traj.untrusted.json_text import parse_json
from eops_traj.untrusted.text_file import read_text


@dataclass
class HeldOut:
    """Task ids, and requests in normal form, each with the name of a task that has it."""

    ids: set[str] = field(default_factory=set)
    requests: dict[str, str] = field(default_factory=dict)

    def add(self, task_id: str, request: str | None = None) -> None:
        """Hold out a task; one with an empty request is known by its id alone."""
        self.ids.add(task_id)
        if request and (normal := normalized(request)):
            self.requests.setdefault(normal, task_id)


def normalized(request: str) -> str:
    """Normalize a request to its words, one space between, for exact comparison."""
    return " ".join(words(request))


def add_list(held: HeldOut, path: Path) -> None:
    """Add a list: JSON (``.json``), JSON lines (``.jsonl``), or text with an id a line (any other name).

    A JSON entry is an id, or an object with ``task_id`` and perhaps ``user_prompt``. Raises FormatError, for
    a list without an entry too, which would hold nothing out.
    """
    if not (entries := list(_entries(path))):
        raise FormatError(f"{path}: holds no entry")
    for number, entry in enumerate(entries, 1):
        fields = {"task_id": entry} if isinstance(entry, str) else entry
        if not isinstance(fields, dict) or not isinstance(fields.get("task_id"), str):
            raise FormatError(f"{path}: entry {number} is neither an id nor an object with a task_id")
        if not isinstance(request := fields.get("user_prompt"), str | None):
            raise FormatError(f"{path}: the user_prompt of entry {number} is no text")
        held.add(fields["task_id"], request)


def _entries(path: Path) -> Iterator[Any]:
    text = read_text(path).removeprefix("\ufeff")  # editors put it first, and it is no part of an id
    try:
        if path.suffix != ".json":
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            yield from (parse_json(line) if path.suffix == ".jsonl" else line for line in lines)
            return
        entries = parse_json(text)
    except FormatError as error:
        raise FormatError(f"{path}: not a list of held-out tasks ({error})") from error
    if not isinstance(entries, list):
        raise FormatError(f"{path}: holds no list")
    yield from entries


def add_folder(held: HeldOut, folder: Path) -> None:
    """Add every task file of a folder, in the benchmark's format. Raises FormatError, for one of none too."""
    from eops_traj.tasks import load_folder

    if not (tasks := load_folder(folder)):
        raise FormatError(f"{folder}: holds no task")
    for task in tasks:
        held.add(task.task_id, task.user_prompt)


def add_store(held: HeldOut, url: str, selection: str | None) -> None:
    """Add the tasks of a store's episodes, or of those a selection of it keeps.

    Raises StoreError where there is no store, UnknownName where it has no such selection, and FormatError for
    one without an episode.
    """
    import polars as pl

    from eops_traj.store.store import Store

    with Store.open(url) as store:
        chosen = store.selection(selection) if selection else None
        tasks = store.scan(chosen.store_version if chosen else None)
        if chosen:
            tasks = tasks.filter(pl.col("episode_id").is_in(chosen.kept()))
        found = tasks.select("task_id", "user_prompt").unique().collect()
    if found.is_empty():
        none = f"selection {selection!r} keeps no episode" if selection else "holds no episode"
        raise FormatError(f"{url}: {none}")
    for task_id, request in found.iter_rows():
        held.add(task_id, request)
