"""Better calls of readers beside the replies that were made."""

import json
from dataclasses import replace

import pytest

from eops_traj.errors import InputError
from eops_traj.export.certificate import check_rows
from eops_traj.export.checks import ExpectedRow
from eops_traj.export.decisions import decisions
from eops_traj.export.run import Export
from eops_traj.exporters.corrections import Corrections
from eops_traj.review.labels import make_label
from eops_traj.store.store import Store
from tests.collectors.group_tasks import TASK
from tests.export.test_step_pairs import DONE, PERSON, WRONG
from tests.exporters.attempts import numbered, store_with
from tests.planner.attempts import episode_of
from tests.selected import certificate, lines
from tests.tokenizers import save_tokenizer

BETTER = {"name": "add_new_group_member", "arguments": {"group_id": 1, "user_id": 8}}


def labelled(*given):
    """An attempt that adds the wrong person in its second turn, with labels: reader, turn, better call."""
    (bundle,) = numbered([episode_of(TASK, "react", (PERSON, WRONG, DONE))])
    labels = [
        make_label(bundle.episode, reader, "wrong", turn=turn, better_call=call and json.dumps(call))
        for reader, turn, call in given
    ]
    return replace(bundle, labels=tuple(labels))


def test_a_row_is_the_better_call_and_the_one_that_was_made(tmp_path):
    bundle = labelled(("ana", 1, BETTER), ("bo", 1, BETTER), ("ana", 2, ""))
    store = store_with(tmp_path, [bundle])
    with Store.open(store) as opened:
        opened.append(labels=bundle.labels)
    folder = tmp_path / "out"
    Export(
        "corrections", str(store), "chosen", folder, tokenizer=save_tokenizer(tmp_path / "tokenizer")
    ).run()
    (row,) = lines(folder)
    assert row["chosen"][0]["tool_calls"][0]["function"] == BETTER
    assert row["rejected"] == [list(decisions(bundle))[1].reply] and row["turns"] == [1]
    assert row["prompt"][-1]["role"] == "tool" and '"ana"' not in json.dumps(row)
    assert {check["status"] for check in certificate(folder)["checks"].values()} == {"passed"}


def test_the_last_word_counts_and_no_call_is_held_against_itself(tmp_path):
    made = {"name": "add_new_group_member", "arguments": {"group_id": 1, "user_id": 7}}
    for given in ([("ana", 1, made)], [("ana", 1, BETTER), ("ana", 1, "")], []):
        with pytest.raises(InputError, match="of 1 episodes none has a turn"):
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            Corrections().write([labelled(*given)], folder)


@pytest.mark.parametrize(
    ("column", "change", "failed"),
    [
        ("prompt", lambda messages: messages[:-1], {"same_prefix", "one_decision"}),
        ("rejected", lambda messages: [{**messages[0], "content": "Then."}], {"rejected_as_made"}),
        ("chosen", lambda messages: messages * 2, {"one_decision"}),
    ],
)
def test_a_spoiled_row_is_found(tmp_path, column, change, failed):
    exporter = Corrections()
    ids = exporter.write([labelled(("ana", 1, BETTER))], tmp_path)
    path = tmp_path / "data" / "train.jsonl"
    row = json.loads(path.read_text())
    path.write_text(json.dumps({**row, column: change(row[column])}) + "\n")
    expected = [ExpectedRow(i, "", 0, {"split": "train"}) for i in ids]
    results, _ = check_rows(exporter, tmp_path, expected, None, lambda _: None)
    assert {result.check for result in results if result.failures} == failed
