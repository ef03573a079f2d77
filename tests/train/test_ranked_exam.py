"""An exam on several ranks is one exam: each task examined once, and the rates of one process."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.train.ranks import ALONE
from tests.collectors.group_tasks import TASK, TWIN
from tests.planner_data import SHORT, planner_prompt, reply, task_files
from tests.tiny_model import train_tiny_model
from tests.train.ranked_exam import SIZES, exam_of, examine

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
TASKS = [replace(task, task_id=f"t{n}", split="dev") for n, task in enumerate((TASK, TWIN, TASK, TWIN, TWIN))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five tasks, and a model that declines all of them, as two kinds of them should be."""
    folder = tmp_path_factory.mktemp("exam")
    task_files(folder / "tasks", TASKS)
    refusal = reply("REFUSE: this is not for you to ask")
    train_tiny_model(folder / "model", [{"messages": planner_prompt(TASK, SHORT) + refusal, "tools": []}])
    return folder


@pytest.fixture(scope="module")
def alone(folder: Path) -> dict[str, Any]:
    """What one process comes to."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder / "model").eval()
    results = examine(exam_of(folder), model, load_tokenizer(str(folder / "model")), ALONE)
    assert [results[str(size)]["rates"]["verified"] for size in SIZES] == [0.0, 0.5, 1 / 3, 0.6]
    return results


@pytest.mark.parametrize(("kind", "ranks"), [("whole", 3), ("sharded", 2), ("adapted", 2)])
def test_ranks_share_an_exam(kind: str, ranks: int, folder: Path, alone: dict[str, Any]) -> None:
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(ranks)]
    ran = subprocess.run(
        [*launch, "-m", "tests.train.ranked_exam", str(folder), kind], cwd=ROOT,
        capture_output=True, text=True, check=False, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-3000:]
    each = [json.loads((folder / f"{kind}-{rank}.json").read_text()) for rank in range(ranks)]
    for size in map(str, SIZES):
        assert [results[size]["rates"] for results in each] == [alone[size]["rates"]] * ranks
        examined = [task for results in each for task in results[size]["examined"]]
        assert sorted(examined) == alone[size]["examined"]
        assert max(len(results[size]["examined"]) for results in each) == -(-int(size) // ranks)
