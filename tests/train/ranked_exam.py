"""An exam on several ranks: ``ranked_exam.py FOLDER KIND``, started by ``torch.distributed.run``.

``FOLDER/model`` is examined on the first 1, 2, 3 and 5 of ``FOLDER/tasks``, each time; every rank writes
``FOLDER/KIND-RANK.json``: the rates that it came to, and the tasks whose plans it ran. A model of KIND
``sharded`` or ``adapted`` is in parts on the ranks, as FSDP has it; the latter with adapters.
"""

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.train import plan_eval
from eops_traj.train.config import Evaluate
from eops_traj.train.ranks import Ranks, joined_ranks
from eops_traj.train.sharded_generation import generating_whole
from tests.planner_data import SHORT

SIZES = (1, 2, 3, 5)


def exam_of(folder: Path) -> plan_eval.PlanEval:
    """Load the exam of all tasks, two plans at a time."""
    settings = Evaluate(tasks=str(folder / "tasks"), max_new_tokens=60, batch_size=2)
    return plan_eval.PlanEval.of(settings, {"shown": SHORT.model_dump()})


def examine(exam: plan_eval.PlanEval, model: Any, tokenizer: Any, ranks: Ranks) -> dict[str, Any]:
    """Examine a model on parts of the tasks; return the rates, and the tasks whose plans this rank ran."""
    examined: list[str] = []
    module: Any = plan_eval
    run_plan = module.evaluate_plan

    def noted(text: str, task: Any, root: Any, *, cut: bool) -> Any:
        examined.append(task.task_id)
        return run_plan(text, task, root, cut=cut)

    module.evaluate_plan = noted
    results = {}
    for size in SIZES:
        part = replace(exam, tasks=exam.tasks[:size], requests=exam.requests[:size])
        with generating_whole(model):
            rates = part.rates(model, tokenizer, ranks)
        results[str(size)] = {"rates": asdict(rates), "examined": examined[:]}
        examined.clear()
    module.evaluate_plan = run_plan
    return results


def in_parts(model: Any, ranks: Ranks) -> Any:
    """Shard a model over the ranks, layer by layer."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (ranks.count,))
    for layer in model.get_submodule(
        "base_model.model.model" if hasattr(model, "peft_config") else "model"
    ).layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def main(folder: Path, kind: str) -> None:
    """Do one rank's work, and part from the others: a process that ends connected may be aborted."""
    import torch.distributed

    with joined_ranks() as ranks:
        examine_rank(folder, kind, ranks)
    assert not torch.distributed.is_initialized()


def examine_rank(folder: Path, kind: str, ranks: Ranks) -> None:
    """Load the model as a rank has it, and write what its exam comes to."""
    from transformers import AutoModelForCausalLM

    model: Any = AutoModelForCausalLM.from_pretrained(folder / "model").eval()
    if kind == "adapted":
        from peft import LoraConfig, get_peft_model

        model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", r=2, target_modules="all-linear"))
    if kind != "whole":
        model = in_parts(model, ranks)
    results = examine(exam_of(folder), model, load_tokenizer(str(folder / "model")), ranks)
    (folder / f"{kind}-{ranks.index}.json").write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
