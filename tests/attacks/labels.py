"""Every command of the program over stores, tasks, files and configs whose every name and text is hostile.

What a command prints may hold no character that a terminal obeys or hides, and a page or a card nothing of
the labels' own: no script, no link, no heading, no row.
"""

import contextlib
import io
import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from unittest.mock import AsyncMock, patch

from eops_traj.cli.main import main
from eops_traj.schema import Task, json_of
from eops_traj.tasks import dump_task
from tests.attacks.commands import runs
from tests.attacks.hostile_pages import card_problems, page_problems, viewer_pages
from tests.attacks.hostile_records import ATTACKS, FIXED, Records, hostile, records, store_of
from tests.attacks.sampling import one_in
from tests.attacks.tally import HELD as NO_HARM
from tests.attacks.tally import Tally
from tests.planner_data import task_files
from tests.publish.publications import HELD

ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of what a terminal obeys, or shows as nothing."""
WILD = {"changeset": None}
"""With these fixed alone, even outcomes and kinds are hostile."""


def attack(folder: Path, names: Iterable[str] = tuple(ATTACKS), every: int = 1) -> Tally:
    """Run every command over a store for each attack; then look at every page and card there is.

    Or one command in so many, in their turn: what is written and viewed is looked at in any case.
    """
    tally, turns = Tally("commands x labels"), count()
    for name in names:
        text = ATTACKS[name]
        for kind, fixed in (("plausible", FIXED), ("wild", WILD)):
            place = folder / f"{name}-{kind}"
            rows = records(text, fixed)
            places = prepare(place, rows, text)
            for arguments in one_in(every, runs(places), next(turns)):
                tally.add(run(arguments), f"{name}, {kind}: {' '.join(arguments[:2])} {arguments[-1]}"[:120])
            for what, problem in (*written_pages(place), *viewer_pages(place / "store")):
                tally.add(problem or NO_HARM, f"{name}, {kind}: {what}")
    return tally


def prepare(folder: Path, rows: Records, text: str) -> dict[str, str]:
    """Write what the commands are run on, and return the names and places by which they ask for it."""
    folder.mkdir()
    one_line = f"name{text}".replace("\x00", "").replace("/", "_")[:80]  # a file has no more
    store = store_of(folder / "store", rows)
    (folder / "tasks").mkdir()
    task = hostile(Task, text, {**FIXED, "split": "test"})
    verifier = replace(task.verifiers[0], config=json_of({"query": "SELECT 1", "expected_value": text}))
    task = replace(task, servers=(replace(task.servers[0], name="sn-csm-server"),), verifiers=(verifier,))
    (folder / "tasks" / "oracle__csm__task.json").write_text(json.dumps(dump_task(task)))
    task_files(folder / "held", [HELD])
    file = folder / f"{one_line}.json"
    file.write_text(json.dumps({text: [text]}))
    config = folder / f"{one_line}.yaml"
    config.write_text(json.dumps({text: {text: text}}))
    terms = {"pattern": "*", "licence": "MIT", "publish": True, "train": True, "note": f"note{text}"}
    (folder / "policy.yaml").write_text(json.dumps({"models": [terms]}))
    (folder / "export").mkdir()
    (folder / "export" / "certificate.json").write_text(json.dumps({text: text}))
    (folder / "model").mkdir()
    (folder / "model" / "lineage.json").write_text(json.dumps({text: text}))
    episode, second = rows.episodes
    return {
        "store": str(store), "tasks": str(folder / "tasks"), "file": str(file), "config": str(config),
        "export": str(folder / "export"), "model_folder": str(folder / "model"), "new": str(folder / "new"),
        "name": f"name{text}", "episode": episode.episode_id, "second": second.episode_id,
        "task": "task", "model": episode.model, "second_model": second.model,
        "selection": rows.selection.name, "policy": str(folder / "policy.yaml"), "held": str(folder / "held"),
    }  # fmt: skip


def run(arguments: list[str]) -> str:
    """Run a command in this process; return ``held``, or the word for the harm."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), nothing_served():
        try:
            main(arguments)
        except SystemExit:
            pass
        except Exception as error:  # noqa: BLE001 - a user would see a traceback of it
            return f"traceback {type(error).__name__}"
    return "escaped" if acts(printed.getvalue()) else NO_HARM


def acts(text: str) -> bool:
    """Check whether a text holds what a terminal obeys or hides."""
    return any(unicodedata.category(c) in ACTING for c in set(text) - set("\n\t"))


@contextlib.contextmanager
def nothing_served() -> Iterator[None]:
    """Let servers end at once."""
    served: Callable[..., None] = lambda *_, **__: None  # noqa: E731
    bridged = AsyncMock(return_value=None)
    with (
        patch("eops_traj.gym.http.bridge.bridge", bridged),
        patch("uvicorn.Server.run", served),
        patch("eops_traj.gym.http.app.run", served),
        patch("eops_traj.environments.serving.run", served),
    ):
        yield


def written_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each page and card that the commands wrote, with its problem; empty where it has none."""
    for path in sorted(folder.glob("new*/**/README.md")):
        yield f"card {path.parent.name[:20]}", card_problems(path.read_text(encoding="utf-8"))
    for path in sorted(folder.glob("new*.html")):
        yield "report", page_problems(path.read_text(encoding="utf-8"))
    for path in sorted(folder.glob("new*_figures/*.svg")):
        yield f"figure {path.name}", page_problems(path.read_text(encoding="utf-8"))
