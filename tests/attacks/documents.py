"""Hostile YAML and JSON documents, given to whatever reads one that others may have written.

Every field of a document that holds is given every hostile value, and each reader every hostile text. A case
holds where the document is read, or refused with one line, and that within seconds.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from eops_traj.collect.config import load_setup
from eops_traj.collectors.clients.scripted import read_replies
from eops_traj.config import CONFIGS, checked, overridden, read_settings
from eops_traj.errors import EopsError
from eops_traj.filter.config import load_rules
from eops_traj.filter.held_out import HeldOut, add_list
from eops_traj.instances import load_module
from eops_traj.publish.policy import load_policy
from eops_traj.tasks.catalog import find_tasks
from eops_traj.tasks.json_files import dump_task
from eops_traj.tasks.summary import render_task, stats, task_row
from tests.attacks.sampling import one_in
from tests.attacks.tally import HELD, Tally
from tests.conftest import FIXTURES
from tests.hostile import JSON_TEXTS, VALUES, YAML_TEXTS, kinds_of_paths, render, with_value

SECONDS = 5.0
"""The most processor time that a case may take."""


class Documents(NamedTuple):
    """Documents of a kind: some that hold, the name of a file of theirs, and what reads it."""

    examples: list[Any]
    name: str
    read: Callable[[Path], object]

    @property
    def texts(self) -> dict[str, str]:
        """The hostile texts of the kind's language."""
        return YAML_TEXTS if self.name.endswith(".yaml") else JSON_TEXTS


def _train_config(path: Path) -> object:
    settings = overridden(read_settings(path), (), str(path))
    return checked(load_module("recipe", settings.get("recipe", "")).Config, settings, str(path))


def _override(path: Path) -> object:
    return overridden({"b": {}}, [f"a.b={path.read_text(encoding='utf-8', errors='surrogateescape')}"], "c")


def _show_tasks(path: Path) -> object:
    tasks = find_tasks(str(path.parent))
    return [stats(tasks), *((task_row(task), render_task(task), dump_task(task)) for task in tasks)]


def _configs(kind: str) -> list[Any]:
    return [
        yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(CONFIGS.glob(f"{kind}_*.yaml"))
    ]


def _tasks() -> list[Any]:
    paths = sorted((FIXTURES / "tasks").glob("*.json"))
    return [{**json.loads(path.read_text(encoding="utf-8")), "eops_traj": OWN} for path in paths]


OWN = {
    "suite": "s", "split": "test", "feasible": True, "plan": "find_user(name=\"a\")", "strict_verifiers": [],
    "made": {"families": ["f"], "steps": 3, "twist": "t", "twin": "u", "why": "w"},
}  # fmt: skip
REPLIES = ["Hello.", {"text": "a", "tool_calls": [{"name": "f", "arguments": {"a": 1}}], "cost": 0.1}]
KINDS: dict[str, Documents] = {
    "collect config": Documents(_configs("collect"), "c.yaml", load_setup),
    "filter config": Documents(_configs("filter"), "c.yaml", load_rules),
    "train config": Documents(_configs("train"), "c.yaml", _train_config),
    "publish policy": Documents(_configs("publish"), "c.yaml", load_policy),
    "replies": Documents([REPLIES], "r.yaml", read_replies),
    "override": Documents([{"a": [1]}], "o.yaml", _override),
    "task": Documents(_tasks(), "t.json", _show_tasks),
    "held-out list": Documents(
        [["a", {"task_id": "b", "user_prompt": "c"}]], "h.json", lambda path: add_list(HeldOut(), path)
    ),
}
"""Every kind of document that is read from outside, apart from results, exports and certificates."""


def attack(folder: Path, every: int = 1) -> Tally:
    """Read every hostile document, or one in so many of each kind."""
    tally = Tally("documents")
    for kind, documents in KINDS.items():
        path = folder / kind.replace(" ", "_") / documents.name
        path.parent.mkdir()
        for case, text in one_in(every, hostile_texts(documents)):
            path.write_text(text, encoding="utf-8", errors="surrogateescape")
            with _judged(f"{kind}: {case}", tally):
                documents.read(path)
    return tally


def hostile_texts(documents: Documents) -> Iterator[tuple[str, str]]:
    """Yield each case with its text."""
    yield from ((f"the whole = {name}", text) for name, text in documents.texts.items())
    seen: set[str] = set()
    for example in documents.examples:
        for path in kinds_of_paths(example):
            if path and render(path) not in seen:
                seen.add(render(path))
                for name in VALUES:
                    yield f"{render(path)} = {name}", with_value(example, path, name)


@contextlib.contextmanager
def _judged(case: str, tally: Tally) -> Iterator[None]:
    """Count what comes of a case."""
    began, result = time.process_time(), HELD
    try:
        yield
    except EopsError as error:
        result = HELD if "\n" not in str(error) else "several lines"
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is looked for
        result, case = "traceback", f"{case}: {type(error).__name__}: {error}"[:200]
    tally.add("slow" if time.process_time() - began > SECONDS else result, case)
