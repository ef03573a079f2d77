"""Plans with a label: the verifiers' own."""

from dataclasses import replace

import pytest

from eops_traj.errors import InputError
from tests.collectors.group_tasks import TASK
from tests.exporters.attempts import CHATTER, GOLD, SHORT, export, mixed, planned, rows
from tests.selected import certificate, lines
from tests.tokenizers import save_tokenizer


def test_every_distinct_plan_has_the_label_that_it_is_proven_to_have(tmp_path):
    folder = export(tmp_path, "kto", mixed(), tokenizer=save_tokenizer(tmp_path / "tokenizer"))
    labels = [(row["outcome"], row["label"]) for row in lines(folder)]
    assert [outcome in ("success", "safe_refusal") for outcome, _ in labels] == [label for _, label in labels]
    assert len(labels) == 7 and sum(label for _, label in labels) == 3
    written = certificate(folder)
    assert {c["status"] for c in written["checks"].values()} == {"passed"}
    assert written["options"]["max_plans"] == 4


def test_a_task_has_so_many_plans_of_either_label(tmp_path):
    records = rows(tmp_path, "kto", planned(TASK, GOLD, SHORT, CHATTER), max_plans=1)
    assert [row["label"] for row in records] == [True, False]


@pytest.mark.parametrize(("text", "lacking"), [(GOLD, "that fails"), (SHORT, "that passes")])
def test_one_label_alone_is_bad_input(tmp_path, text, lacking):
    with pytest.raises(InputError, match=f"no rows with a plan {lacking} to make"):
        rows(tmp_path, "kto", planned(TASK, text))


def test_plans_for_a_defective_task_are_no_negatives_unless_asked_for(tmp_path):
    bundles = planned(TASK, GOLD, SHORT)
    bundles[1] = replace(bundles[1], episode=replace(bundles[1].episode, task_defect="cannot_pass: x"))
    with pytest.raises(InputError, match=r"no rows with a plan that fails .*1 episodes of defective tasks"):
        rows(tmp_path, "kto", bundles)
    labels = [row["label"] for row in rows(tmp_path, "kto", bundles, defective_tasks=True)]
    assert labels == [True, False]
