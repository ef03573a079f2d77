"""The loss of a held-out plan: the sum over the tokens of the plan alone, whatever rows it is among."""

import math
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="no torch: pip install 'eops-traj[train]'")

from benchmarks.gold_losses import gold_loss, row_losses
from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.llm.local_model import load_weights
from tests.planner_data import plan, planner_sft
from tests.recipes.runs import planner

NAMES = ("Odile", "Saga the younger of the two")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder, with a planner to which each token is as likely as any other."""
    folder = tmp_path_factory.mktemp("run")
    model = load_weights(str(planner(folder / "model")), "float32")
    for weight in model.parameters():
        weight.data.zero_()
    model.save_pretrained(folder / "model")
    return folder


def test_a_row_costs_what_each_token_of_its_plan_costs(run: Path, tmp_path: Path) -> None:
    tokenizer = load_tokenizer(str(run / "model"))
    counts = [len(tokenizer(plan(name)[0]["content"])["input_ids"]) + 1 for name in NAMES]  # and its end
    expected = [count * math.log(len(tokenizer)) for count in counts]
    assert list(row_losses(run / "model", planner_sft(tmp_path, NAMES))) == pytest.approx(expected)
    assert counts[0] < counts[1]


def test_a_loss_is_kept_for_the_plans_and_the_planner_that_it_is_of(run: Path, tmp_path: Path) -> None:
    both, one = (planner_sft(tmp_path / str(len(names)), names) for names in (NAMES, NAMES[:1]))
    first, other = gold_loss(run, both), gold_loss(run, one)
    assert other < first == pytest.approx(sum(row_losses(run / "model", both)) / 2)
    kept = run / "held_out.json"
    kept.write_text(kept.read_text(encoding="utf-8").replace('"losses": [', '"losses": [7.0, '), "utf-8")
    assert gold_loss(run, one) == pytest.approx((other + 7) / 2)  # what is kept is read
    planner(run / "model")  # another one in its place, to which no two tokens are as likely
    assert gold_loss(run, one) == pytest.approx(*row_losses(run / "model", one)) != pytest.approx(other)
