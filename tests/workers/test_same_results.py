"""Whoever does the work, the results are the same to the byte: this process, two others, or a Ray cluster."""

import base64
import json
import math
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.progress import display
from eops_traj.store.store import Store
from eops_traj.workers import engine
from tests.conftest import Ran
from tests.made import expert_store, made_tasks
from tests.privacy.test_secret_scan import KEY

pytestmark = pytest.mark.slow
Cli = Callable[..., Ran]
ALONE, PROCESSES = ("--workers", "1"), ("--workers", "2")
RAY = (*PROCESSES, "--engine", "ray")
SPLITS = [word for split in ("train", "test", "test_ood") for word in ("--split", split)]


@pytest.fixture(autouse=True)
def no_lines_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine tells how far it is, and what is printed is compared."""
    monkeypatch.setattr(display, "LINE", math.inf)


@pytest.fixture(params=[PROCESSES, RAY], ids=["processes", "ray"])
def shared_out(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, ...]]:
    """Options that have work shared out, however little it is."""
    monkeypatch.setattr(engine, "FEW", 1)
    if request.param == RAY:
        pytest.importorskip("ray")
    yield request.param
    if request.param == RAY:
        import ray

        ray.shutdown()


@pytest.fixture(scope="module")
def tasks() -> Path:
    return made_tasks(["--suite", "quick", "--tasks", "24", "--seed", "5"])


@pytest.fixture(scope="module")
def store(tasks: Path) -> Path:
    return expert_store(tasks)


def files_of(folder: Path) -> dict[str, bytes]:
    return {f"{p.relative_to(folder)}": p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_tasks_are_made_alike(shared_out: tuple[str, ...], cli: Cli, tmp_path: Path) -> None:
    make = ("tasks", "make", "--suite", "quick", "--tasks", "8", "--seed", "6", "--no-seeds", "--out")
    assert cli(*make, tmp_path / "alone", *ALONE).code == 0
    assert cli(*make, tmp_path / "shared", *shared_out).code == 0
    assert files_of(tmp_path / "alone") == files_of(tmp_path / "shared")


def test_tasks_are_checked_alike(shared_out: tuple[str, ...], cli: Cli, tasks: Path, tmp_path: Path) -> None:
    """Every second plan has lost all but its first line, and is found by whoever looks."""
    broken = Path(shutil.copytree(tasks / "tasks", tmp_path / "tasks"))
    rows = [json.loads(line) for line in (broken / "eops_traj.jsonl").read_text("utf-8").splitlines()]
    for row in rows[::2]:
        row["plan"] = row["plan"].splitlines()[0]
    (broken / "eops_traj.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    alone = cli("tasks", "check", broken, "--limit", "9", "--seeds", tasks, "--json", *ALONE)
    assert alone.code == 1 and 0 < json.loads(alone.out)["failed"] < 9
    ran = cli("tasks", "check", broken, "--limit", "9", "--seeds", tasks, "--json", *shared_out)
    assert ran == alone


def test_episodes_are_verified_alike(
    shared_out: tuple[str, ...], cli: Cli, store: Path, tmp_path: Path
) -> None:
    reports, rows = [], []
    for name, options in (("alone", ALONE), ("shared", shared_out)):
        copied = Path(shutil.copytree(store, tmp_path / name))
        with Store.open(copied) as opened:
            spoilt = next(e for e in opened.episodes() if e.outcome == "success")
            opened.amend([replace(spoilt, outcome="failure", success_strict=False)], opened.version())
        reports.append(json.loads(cli("verify", "--store", copied, "--json", *options).out))
        with Store.open(copied) as opened:
            rows.append(list(opened.episodes()))
    assert reports[0] == reports[1] and reports[0]["changed"] == 1
    assert rows[0] == rows[1]


def test_selections_and_plans_are_alike(
    shared_out: tuple[str, ...], cli: Cli, store: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yaml"
    near = "near_duplicates: {threshold: 0.3, over: [calls], words: 1}"
    rules.write_text(f"rules:\n  - no_error\n  - {near}\n", "utf-8")
    kept, folders = [], []
    for name, options in (("alone", ALONE), ("shared", shared_out)):
        assert cli("filter", rules, "--store", store, "--name", name, *options).code == 0
        with Store.open(store) as opened:
            kept.append(opened.selection(name).rows)
        out = tmp_path / name / "plans"
        command = ("export", "planner_sft", "--store", store, "--selection", "alone", "--out", out)
        ran = cli(*command, *SPLITS, *options)
        assert ran.code == 0, ran.err
        folders.append(files_of(out))
    assert kept[0] == kept[1] and any(row.dropped_by == "near_duplicates" for row in kept[0])
    assert folders[0] == folders[1] and any(name.endswith(".jsonl") for name in folders[0])


@pytest.fixture(scope="module")
def leaking(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store with a key in two answers: in one as it is, in one in disguise."""
    copied = Path(shutil.copytree(store, tmp_path_factory.mktemp("leaking") / "store"))
    with Store.open(copied) as opened:
        first, _, second, *_ = (e for e in opened.episodes() if e.outcome == "success")
        said = ((first, KEY), (second, base64.b64encode(KEY.encode()).decode()))
        opened.amend(
            [replace(e, turns=(*e.turns[:-1], replace(e.turns[-1], text=t))) for e, t in said],
            opened.version(),
        )
    return copied


@pytest.mark.parametrize("format_", ["sft", "enterpriseops"])
def test_conversations_are_searched_alike(
    shared_out: tuple[str, ...], format_: str, cli: Cli, leaking: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("rules:\n  - outcome: {one_of: [success, safe_refusal]}\n", "utf-8")
    assert cli("filter", rules, "--store", leaking, "--name", "good", *ALONE).code == 0
    ends = []
    for name, options in (("alone", ALONE), ("shared", shared_out)):
        place = ("--store", leaking, "--out", tmp_path / name / "out")
        command = ("export", format_, *place, "--selection", "good")
        ran = cli(*command, *SPLITS, *options)
        ends.append((ran.code, ran.err.replace(name, "")))
    assert ends[0] == ends[1] and ends[0][0] == 1 and "no_secrets failed on 2 of" in ends[0][1]
    assert files_of(tmp_path / "alone") == files_of(tmp_path / "shared") != {}


def test_files_are_converted_alike(
    monkeypatch: pytest.MonkeyPatch, cli: Cli, leaking: Path, store: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine, "FEW", 1)
    for name, options in (("alone", ALONE), ("shared", PROCESSES)):
        assert cli("convert", store, tmp_path / name, "--to", "openai", *options).code == 0
        ran = cli("convert", leaking, tmp_path / "no", "--to", "openai", *options)
        assert ran.code == 1 and "shape of a secret is in 1 records" in ran.err
    assert files_of(tmp_path / "alone") == files_of(tmp_path / "shared") != {}
    assert b"secret removed" not in b"".join(files_of(tmp_path / "alone").values())


def test_datasets_are_published_alike(
    shared_out: tuple[str, ...], cli: Cli, leaking: Path, store: Path, tasks: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("rules:\n  - split: {one_of: [train]}\n  - no_error\n", "utf-8")
    words = ("--licence", "CC-BY-4.0", "--tasks", tasks, "--config", "episodes", "--config", "planner_sft")
    for place in (store, leaking):
        assert cli("filter", rules, "--store", place, "--name", "train", *ALONE).code == 0
    ends = []
    for name, options in (("alone", ALONE), ("shared", shared_out)):
        out = ("--to", tmp_path / name / "data", *words, *options)
        ran = cli("publish", "train", "--store", store, *out)
        assert ran.code == 0, ran.err
        rest = ("--store", leaking, "--dry-run", "--json")
        stopped = cli("publish", "train", "--to", tmp_path / "no", *out[2:], *rest)
        ends.append((stopped.code, json.loads(stopped.out)["stops"]))
    assert ends[0] == ends[1] and ends[0][0] == 1 and ends[0][1]
    assert {stop["check"] for stop in ends[0][1]} >= {"secrets"}
    assert files_of(tmp_path / "alone") == files_of(tmp_path / "shared") != {}
