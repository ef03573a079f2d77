"""An evaluation tells plans that pass from plans that do not, and shows tasks as the data showed its own."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import EopsError
from eops_traj.llm.base import Request
from eops_traj.planner.plan_check import evaluate_plan
from eops_traj.train.config import Evaluate
from eops_traj.train.plan_eval import PlanEval, Rates, WrittenPlan
from tests.collectors.group_tasks import BY_SLOTS, PLAN, TASK, TWIN
from tests.planner_data import SHORT, planner_prompt, task_files
from tests.recipes.runs import planner

DEV = [replace(task, split="dev") for task in (TASK, TWIN)]


def rates(*texts: str) -> Rates:
    return Rates.of(
        [TASK, TWIN], [evaluate_plan(text, task) for text, task in zip(texts, (TASK, TWIN), strict=True)]
    )


def test_rates_are_of_plans_that_were_run() -> None:
    assert rates(PLAN, PLAN) == Rates(
        tasks=2, verified=1.0, safe_refusal=1.0, blind_refusal=0.0, over_refusal=0.0
    )
    assert rates("REFUSE: no", "REFUSE: no") == Rates(2, 0.5, 1.0, 0.0, 1.0)
    assert rates("1. fly()", "what?") == Rates(2, 0.0, 0.0, 0.0, 0.0)
    assert Rates.of([TASK], [evaluate_plan(PLAN, TASK)]).safe_refusal is None


@pytest.fixture(scope="module")
def plan_eval(tmp_path_factory: pytest.TempPathFactory) -> PlanEval:
    tasks = task_files(
        tmp_path_factory.mktemp("tasks") / "tasks", [*DEV, replace(TASK, task_id="other", split="test")]
    )
    settings = Evaluate(tasks=str(tasks), max_new_tokens=8, batch_size=1)
    return PlanEval.of(settings, {"shown": SHORT.model_dump()})


def test_the_tasks_are_of_the_split_and_shown_as_the_data_was(plan_eval: PlanEval) -> None:
    assert [task.task_id for task in plan_eval.tasks] == ["join_group", "join_group_gone"]
    assert plan_eval.requests == [Request(planner_prompt(task, SHORT)) for task in DEV]


def test_plans_are_read_as_the_data_had_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Evaluate(tasks=str(task_files(tmp_path / "tasks", DEV[:1])), max_new_tokens=8, batch_size=1)
    monkeypatch.setattr(PlanEval, "plans", lambda *_: [WrittenPlan(BY_SLOTS, cut=False)])
    passed = []
    for values in ("marked", "plain"):
        told = {"shown": {**SHORT.model_dump(), "values": values}}
        model: Any = None
        passed.append(PlanEval.of(settings, told).rates(model, model).verified)
    assert passed == [1.0, 0.0]


def test_a_plan_that_was_cut_fails_though_what_is_there_of_it_passes(
    plan_eval: PlanEval, monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Any = None
    for cut, verified in (((False, False), 1.0), ((True, False), 0.5), ((True, True), 0.0)):
        plans = [WrittenPlan(PLAN[:-4].strip(), cut[0]), WrittenPlan("REFUSE: no", cut[1])]
        monkeypatch.setattr(PlanEval, "plans", lambda *_, plans=plans: plans)
        rates = plan_eval.rates(model, model)
        assert (rates.verified, rates.cut) == (verified, sum(cut) / 2)


def test_plans_are_the_likeliest_whatever_sampling_a_checkpoint_brings(
    plan_eval: PlanEval, tmp_path: Path
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = planner(tmp_path, positions=512)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    [likeliest, _] = plan_eval.plans(model, tokenizer)
    model.generation_config.update(repetition_penalty=5.0, top_k=1, temperature=0.7)
    assert plan_eval.plans(model, tokenizer) == [likeliest] * 2


def test_plans_are_held_to_the_values_of_their_request(tmp_path: Path) -> None:
    source = task_files(tmp_path / "tasks", DEV[:1])
    settings = Evaluate(tasks=str(source), max_new_tokens=8, batch_size=1, constrained=True)
    told = {"shown": {**SHORT.model_dump(), "values": "marked"}}
    [request] = PlanEval.of(settings, told).requests
    assert request.language and request.language.is_whole(BY_SLOTS.strip())
    assert not request.language.is_whole(BY_SLOTS.strip().replace("[name 1]", "[name 9]"))


def test_plans_can_be_held_to_the_tools_of_their_task(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source = task_files(tmp_path / "tasks", DEV[:1])
    folder = planner(tmp_path, positions=512)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    begun = []
    for constrained in (True, False):
        settings = Evaluate(tasks=str(source), max_new_tokens=24, batch_size=1, constrained=constrained)
        exam = PlanEval.of(settings, {"shown": SHORT.model_dump()})
        [plan] = exam.plans(model, tokenizer)
        [request] = PlanEval.of(settings.model_copy(update={"constrained": True}), {}).requests
        held = request.language
        begun.append(bool(plan.text and held and all(map(held.allow_next, *_split(plan.text)))))
    assert begun == [True, False]


def _split(text: str) -> tuple[list[str], list[str]]:
    """Split a text before each of its signs."""
    return [text[:n] for n in range(len(text))], list(text)


def test_a_model_is_evaluated(plan_eval: PlanEval, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = planner(tmp_path, positions=512)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    plans = plan_eval.plans(model, tokenizer)
    assert len(plans) == 2 and plans[0] == plans[1]  # the twins are asked the same
    rates = plan_eval.rates(model, tokenizer)
    assert (rates.verified, rates.cut) == (0.0, float(plans[0].cut))
    model.config.max_position_embeddings = 4  # no room for a plan is a failure, not an error
    assert plan_eval.plans(model, tokenizer) == [WrittenPlan("", cut=True)] * 2


@pytest.mark.parametrize("wrong", [{"split": "tset"}, {"tasks": "nowhere"}])
def test_tasks_that_there_are_none_of_are_refused(
    wrong: dict[str, Any], plan_eval: PlanEval, tmp_path: Path
) -> None:
    tasks = task_files(tmp_path / "tasks", DEV)
    with pytest.raises(EopsError, match=r"tset|nowhere"):
        PlanEval.of(Evaluate(**{"tasks": str(tasks), **wrong}), {})
