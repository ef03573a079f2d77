"""Logs of inspect_ai: one that it wrote is read sample by sample, and ours are what it reads."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import FormatError
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.convert import recognise
from eops_traj.schema import Episode, Json, Turn, Verdict
from tests.episodes import episode
from tests.selected import call, exported

PYTHON = os.environ.get("EOPS_TRAJ_INSPECT", "")
LOG = "inspect_log.json"
"""What inspect_ai 0.3.285 wrote of two samples, of the events the model's alone: one right, one an error."""
VERDICTS = (
    Verdict(name="Same", kind="database_state", passed_strict=True, passed_parity=True, expected=Json("9")),
    Verdict(
        name="Same", kind="database_state", passed_strict=False, passed_parity=True, details="9 is not 8"
    ),
    Verdict(name="success", kind="response_check", passed_strict=None, error="no judge"),
)


def test_a_log_of_inspect_ai_is_read_sample_by_sample(fixtures: Path) -> None:
    assert recognise(fixtures / LOG) == "inspect_ai"
    right, broken = open_importer("inspect_ai").read(fixtures / LOG)
    add, answer = right.episode.turns
    assert (right.prompt.text, right.episode.user_prompt) == ("Be brief.", "What is 1+2?")
    assert (add.text, add.reasoning, answer.text) == ("I add.", "A sum.", "It is 3.")
    assert (add.input_tokens, add.cached_tokens, add.output_tokens, add.finish_reason) == (
        11,
        4,
        3,
        "tool_calls",
    )
    assert [(c.name, c.arguments, c.result) for c in add.tool_calls] == [("add", '{"x":1,"y":2}', "3")]
    assert [tool["name"] for tool in json.loads(right.toolset.tools)] == ["add"]
    assert (right.episode.model, right.episode.attempt, right.episode.outcome) == (
        "mockllm/model",
        1,
        "unverified",
    )
    assert (broken.episode.outcome, broken.episode.stop_reason) == ("error", "error")
    assert "unlucky" in str(broken.episode.error)


def test_samples_of_different_evaluations_are_different_tasks(fixtures: Path, tmp_path: Path) -> None:
    log = json.loads((fixtures / LOG).read_text())
    names = set()
    for task in ("gsm8k", "inspect_evals/gaia"):
        log["eval"]["task"], log["samples"][0]["id"] = task, 1
        (tmp_path / "log.json").write_text(json.dumps(log))
        names |= {one.episode.task_id for one in open_importer("inspect_ai").read(tmp_path / "log.json")}
    assert names == {"gsm8k/1", "gsm8k/s2", "inspect_evals/gaia/1", "inspect_evals/gaia/s2"}


@pytest.mark.parametrize("ours", [True, False], ids=["with our key", "as anyone reads it"])
def test_a_sample_of_ours_keeps_the_name_of_its_task(ours: bool, tmp_path: Path) -> None:
    [log] = [log for log in logs(tmp_path) if len(log["samples"]) == 2]
    for sample in log["samples"] if not ours else ():
        del sample["metadata"]["eops_traj"]
    (tmp_path / "log.json").write_text(json.dumps(log))
    read = open_importer("inspect_ai").read(tmp_path / "log.json")
    assert [one.episode.task_id for one in read] == ["t1", "t2"]


def test_every_score_is_a_verdict_and_none_is_guessed(fixtures: Path) -> None:
    right, _ = open_importer("inspect_ai").read(fixtures / LOG)
    told = [(v.name, v.passed_strict, v.actual, v.expected, v.details) for v in right.episode.verdicts]
    assert told == [
        ("includes", True, '"C"', '"3"', "It is 3."),
        ("closeness", None, "0.5", '"3"', "half way"),
    ]
    assert json.loads(right.episode.verdicts[1].config) == {"steps": 2}


@pytest.mark.parametrize(
    ("value", "passed"),
    [("C", True), ("I", False), ("N", False), ("P", None), (1, True), (0, False), (True, True), ([1], None)],
)
def test_what_a_value_says(value: Any, passed: bool | None, fixtures: Path, tmp_path: Path) -> None:
    log = json.loads((fixtures / LOG).read_text())
    log["samples"][0]["scores"] = {"one": {"value": value}}
    (tmp_path / "log.json").write_text(json.dumps(log))
    [verdict] = open_importer("inspect_ai").read(tmp_path / "log.json")[0].episode.verdicts
    assert verdict.passed_strict is passed and json.loads(verdict.actual or "") == value


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"version": 3}, "version 3 of an inspect_ai log; this eops-traj reads 2"),
        ({"samples": None}, r"a log without samples \(status error\)"),
        ({"samples": [{"id": 1}]}, "sample 1: not inspect_ai: epoch"),
    ],
)
def test_another_version_and_another_form_are_refused(
    change: dict, problem: str, fixtures: Path, tmp_path: Path
) -> None:
    (tmp_path / "log.json").write_text(json.dumps(json.loads((fixtures / LOG).read_text()) | change))
    with pytest.raises(FormatError, match=problem):
        open_importer("inspect_ai").read(tmp_path / "log.json")


def test_the_binary_form_is_refused_with_the_way_out(tmp_path: Path, cli: Callable) -> None:
    (tmp_path / "log.eval").write_bytes(b"PK\3\4")
    ran = cli("import", "inspect_ai", tmp_path / "log.eval", "--store", tmp_path / "store")
    assert ran.code == 2 and "inspect log convert --to json" in ran.err


def logs(tmp_path: Path) -> list[dict[str, Any]]:
    """The logs of three episodes of two agents."""
    turns = (Turn(text="", tool_calls=(call("c", x=1),), reasoning="Hm."), Turn(text="Done."))
    one = episode("a", turns=turns, verdicts=VERDICTS, outcome="failure", task_id="t1")
    two = episode("b", turns=turns, outcome="success", task_id="t2", stop_reason="max_turns")
    other = episode("c", agent_hash="a1", turns=turns, outcome="error", error="sandbox: gone", task_id="t1")
    folder = exported(tmp_path, [one, two, other], "inspect_ai", reasoning=True)
    return [json.loads(path.read_text("utf-8")) for path in sorted((folder / "logs").iterdir())]


def test_an_agents_episodes_are_a_log_with_every_verdict(tmp_path: Path) -> None:
    ours, alone = sorted(logs(tmp_path), key=lambda log: -len(log["samples"]))
    first, second = ours["samples"]
    told = {name: (score["value"], score["explanation"]) for name, score in first["scores"].items()}
    assert told == {
        "success": ("I", "failure"),
        "Same": ("C", None),
        "Same (2)": ("I", "9 is not 8"),
        "success (2)": ("N", "no judge"),
    }
    assert (
        second["limit"]["type"] == "turn"
        and ours["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 0.5
    )
    [broken] = alone["samples"]
    assert broken["error"]["message"] == "sandbox: gone" and broken["scores"] == {}


def test_a_verifier_whose_name_ends_in_a_number_keeps_its_score(tmp_path: Path) -> None:
    named = tuple(replace(VERDICTS[0], name=name) for name in ("Same", "Same", "Same (2)"))
    folder = exported(tmp_path, [episode("a", verdicts=named, outcome="failure")], "inspect_ai")
    [log] = [json.loads(path.read_text("utf-8")) for path in (folder / "logs").iterdir()]
    assert list(log["samples"][0]["scores"]) == ["success", "Same", "Same (2)", "Same (2) (2)"]


def limited(stop_reason: str, limits: dict[str, Any], **fields: Any) -> Episode:
    """Return an episode of two turns that ended for a limit, and what its settings say of them."""
    settings = Json(json.dumps({"limits": limits}))
    return episode(stop_reason, n_turns=2, stop_reason=stop_reason, settings=settings, **fields)


def test_a_limit_has_the_number_that_was_set_or_there_is_none(tmp_path: Path) -> None:
    told = {"turns": 2, "tokens": 9000, "cost": 0.5, "seconds": None}
    ended = [limited(reason, told) for reason in ("max_turns", "max_tokens", "max_cost", "timeout")]
    full = limited("max_tokens", told, task_id="full", details=Json('{"context":"too long"}'))
    folder = exported(tmp_path, [*ended, replace(full, episode_id="full")], "inspect_ai")
    [log] = [json.loads(path.read_text("utf-8")) for path in (folder / "logs").iterdir()]
    assert {sample["uuid"]: sample.get("limit") for sample in log["samples"]} == {
        "max_turns": {"type": "turn", "limit": 2},
        "max_tokens": {"type": "token", "limit": 9000},
        "max_cost": {"type": "cost", "limit": 0.5},
        "timeout": None,
        "full": None,
    }


READS = (
    "import sys; from inspect_ai.log import read_eval_log\n"
    "for at in sys.argv[1:]: print(len(read_eval_log(at).samples))"
)


@pytest.mark.skipif(not PYTHON, reason="EOPS_TRAJ_INSPECT names no Python that has inspect_ai")
def test_inspect_ai_reads_what_we_write(tmp_path: Path) -> None:
    written = logs(tmp_path)
    paths = sorted((tmp_path / "inspect_ai" / "logs").iterdir())
    ran = subprocess.run([PYTHON, "-c", READS, *paths], capture_output=True, text=True, timeout=120)
    assert ran.stdout.split() == [str(len(log["samples"])) for log in written], ran.stderr
