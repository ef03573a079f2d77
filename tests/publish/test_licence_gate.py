"""The terms of every model and suite behind a row count, whichever of its episodes they are of."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from eops_traj.bundle import build_run
from eops_traj.errors import StoreError
from eops_traj.publish.episode_facts import UNKNOWN_JUDGE, EpisodeFacts, judge_models
from eops_traj.publish.leak_gate import check_splits
from eops_traj.publish.licence_gate import LicenceGate
from eops_traj.publish.policy import load_policy
from eops_traj.publish.split_export import DatasetPart
from eops_traj.schema import Json, Verdict
from tests.collectors.group_tasks import TASK
from tests.export.test_step_pairs import DONE, GOOD
from tests.exporters.attempts import numbered, store_with
from tests.planner.attempts import episode_of
from tests.publish.publications import may_go, stops


def known(**changes: str) -> EpisodeFacts:
    """Return the facts of an episode that may go out, but for the changes."""
    facts = {"split": "train", "model": "expert", "suite": "quick"} | changes
    return EpisodeFacts(facts["split"], (facts["model"],), facts["suite"], frozenset())


FACTS = {"e0": known(), "e1": known(model="openai/gpt-5"), "e2": known(suite="house", split="test")}


def part(config: str, *rows: tuple[str, ...]) -> DatasetPart:
    """Return a part with these episodes behind its rows."""
    return cast(DatasetPart, SimpleNamespace(config=config, sources=rows))


def test_the_model_of_what_is_rejected_counts_as_that_of_what_is_chosen(tmp_path: Path) -> None:
    made = numbered([episode_of(TASK, "react", GOOD), episode_of(TASK, "react", (DONE,))])
    models = ("scripted", "openai/gpt-5")
    store_with(
        tmp_path,
        [replace(b, episode=replace(b.episode, model=m)) for b, m in zip(made, models, strict=True)],
    )
    assert ("licences", "step_dpo/train", 0, "e0", "model") in stops(tmp_path, [], configs=("step_dpo",))


def test_every_episode_behind_a_row_is_asked_for_its_terms_and_named_once() -> None:
    gate = LicenceGate(load_policy(), "CC-BY-4.0")
    rows = part("kto", ("e0",), ("e0", "e1", "e2"), ("e1",), ("e0", "e9"))
    found = list(gate.check(rows, FACTS))
    assert [(number, field) for number, field, _ in found] == [(1, "model"), (1, "suite"), (3, "episode")]
    assert "'openai/gpt-5'" in found[0][2] and "'house'" in found[1][2] and "'e9'" in found[2][2]


def test_the_split_of_every_episode_behind_a_row_counts() -> None:
    rows = part("kto", ("e0",), ("e0", "e2"), ("e0", "e9"))
    assert [(number, why[:18]) for number, _, why in check_splits(rows, FACTS, evaluation=False)] == [
        (1, "its task is held o"),
        (2, "nobody knows of wh"),
    ]


def test_a_branch_has_the_models_of_the_episode_whose_turns_it_shares(tmp_path: Path) -> None:
    first = may_go("e0", model="openai/gpt-5", split="dev")
    shared, own = (may_go(f"e{n}", parent="e0", branch_turn=turn) for n, turn in ((1, 1), (2, 0)))
    findings = stops(tmp_path, [first, own, shared], configs=("sft",))
    assert [(where, row, id) for _, where, row, id, _ in findings] == [
        ("sft/train", 1, "e1"),
        ("sft/validation", 0, "e0"),
    ]


def test_a_branch_whose_parent_is_gone_does_not_go_out(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="episode e1 was branched from e0, which is not in the store"):
        stops(tmp_path, [may_go("e1", parent="e0", branch_turn=1)])


@pytest.mark.parametrize(
    ("model", "licence", "train"),
    [
        ("qwen3-max", "LicenseRef-Alibaba-Cloud-Terms", False),
        ("openrouter/qwen/Qwen3-Coder-Plus", "LicenseRef-Alibaba-Cloud-Terms", False),
        ("qwen3.6-flash", "LicenseRef-Alibaba-Cloud-Terms", False),
        ("Qwen/Qwen3-8B", "Apache-2.0", True),
        ("Qwen2.5-Coder-3B-Instruct", "LicenseRef-Qwen-Research", False),
        ("Qwen2.5-Coder-32B-Instruct", "Apache-2.0", True),
        ("Qwen2.5-VL-72B-Instruct", "LicenseRef-Qwen", True),
        ("deepseek-r1-distill-llama-70b", "LicenseRef-Llama-3-Community", True),
        ("deepseek-r1-distill-qwen-32b", "MIT", True),
        ("deepseek-r1-0528", "MIT", True),
    ],
)
def test_a_model_has_its_own_terms_and_not_those_of_its_family(model: str, licence: str, train: bool) -> None:
    terms = load_policy().terms(model)
    assert terms is not None and (terms.licence, terms.train) == (licence, train)


REASON = Verdict(name="polite", kind="response_check", passed_strict=True, details="It thanks them.")
POOL = {"kind": "pool", "members": [{"model": "openai/gpt-5"}, {"model": "m-8b", "checkpoint": "c0"}]}


@pytest.mark.parametrize(
    ("config", "changes", "asked"),
    [
        ({"judge": POOL}, {}, {"openai/gpt-5": None, "m-8b": "c0"}),
        ({"judge": None}, {}, {UNKNOWN_JUDGE: None}),
        (None, {}, {UNKNOWN_JUDGE: None}),
        (None, {"source": "enterpriseops-gym"}, {}),
        (None, {"settings": Json('{"protocol":"benchmark"}')}, {}),
        (None, {"verdicts": (replace(REASON, details=None),)}, {}),
        ({"judge": POOL}, {"verdicts": (replace(REASON, kind="database_state"),)}, {}),
    ],
)
def test_the_model_whose_reasons_go_out_is_the_judge_of_the_run(
    config: dict[str, Any] | None, changes: dict[str, Any], asked: dict[str, str | None]
) -> None:
    [made] = numbered([episode_of(TASK, "react", GOOD)])
    episode = replace(made.episode, **{"verdicts": (REASON,), **changes})
    run = build_run("collect", config) if config is not None else None
    assert judge_models(replace(made, episode=episode, run=run)) == asked


def test_reasons_of_a_judge_whom_nobody_recorded_need_terms(tmp_path: Path) -> None:
    episodes = [may_go("e0"), may_go("e1", verdicts=(REASON,))]
    assert stops(tmp_path, episodes) == [("licences", "episodes/train", 1, "e1", "model")]
    assert stops(tmp_path, episodes, model_licences={UNKNOWN_JUDGE: "Apache-2.0"}) == []
