"""Token-id rows: what was sampled, to the token, and where it was tokenized again."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.errors import FormatError, InputError
from eops_traj.exporters.token_ids import token_sequences
from eops_traj.interchange.base import open_importer
from eops_traj.schema import Turn
from tests.episodes import episode
from tests.selected import certificate, exported, lines


def turn(prompt: list[int], reply: list[int], logprobs: list[float] | None = None) -> Turn:
    known_logprobs = [-0.5] * len(reply) if logprobs is None else logprobs
    return Turn(
        text="!", prompt_token_ids=tuple(prompt), token_ids=tuple(reply), logprobs=tuple(known_logprobs)
    )


def test_turns_that_follow_are_one_row(tmp_path: Path) -> None:
    recorded = episode(
        "e", turns=(turn([1, 2], [3]), turn([1, 2, 3, 4], [5, 6], [-0.1, -0.30000000000000004]))
    )
    folder = exported(tmp_path, [recorded], "token_ids")
    [row] = lines(folder)
    assert (row["prompt_ids"], row["completion_ids"], row["mask"]) == ([1, 2], [3, 4, 5, 6], [1, 0, 1, 1])
    assert (row["logprobs"], row["drift"], row["turns"]) == (
        [-0.5, 0.0, -0.1, -0.30000000000000004],
        False,
        [0, 1],
    )
    assert {name: check["status"] for name, check in certificate(folder)["checks"].items()} == {
        "split_asked_for": "passed",
        "outcome_to_imitate": "passed",
        "reads_as_written": "passed",
        "no_secrets": "passed",
        "one_mask_a_token": "passed",
    }


def test_drift_ends_a_row() -> None:
    first, second = token_sequences([turn([1, 2], [3]), turn([1, 9, 3, 4], [5])])
    assert (first.drift, second.drift, second.first, second.completion) == (True, False, 1, [5])


def test_a_turn_without_ids_is_in_no_row_and_no_drift() -> None:
    sequences = token_sequences([turn([1], [2]), Turn(text="?"), turn([1, 2, 3], [4])])
    assert [(s.first, s.turns, s.drift) for s in sequences] == [(0, 1, False), (2, 1, False)]


def test_an_unknown_logprob_leaves_the_row_without() -> None:
    [sequences] = token_sequences([turn([1], [2]), Turn(text="", prompt_token_ids=(1, 2, 3), token_ids=(4,))])
    assert sequences.logprobs is None and sequences.mask == [1, 0, 1]


def test_a_row_without_logprobs_passes_beside_one_that_has_some(tmp_path: Path) -> None:
    bare = Turn(text="!", prompt_token_ids=(1, 2), token_ids=(3,))
    recorded = [episode("e0", turns=(turn([1], [2]),)), episode("e1", turns=(bare,))]
    folder = exported(tmp_path, recorded, "token_ids")
    assert [row["logprobs"] for row in lines(folder)] == [[-0.5], None]
    assert certificate(folder)["checks"]["reads_as_written"]["status"] == "passed"


def test_episodes_without_ids_are_counted_and_none_at_all_is_an_error(tmp_path: Path) -> None:
    folder = exported(tmp_path / "a", [episode("e0"), episode("e1", turns=(turn([1], [2]),))], "token_ids")
    assert [row["episode_id"] for row in lines(folder)] == ["e1"]
    assert certificate(folder)["counts"]["episodes without token ids"] == 1
    with pytest.raises(InputError, match="none of 1 episodes carries the token ids"):
        exported(tmp_path / "b", [episode("e0")], "token_ids")
    assert not (tmp_path / "b" / "token_ids").exists()


@given(
    steps=st.lists(
        st.tuples(st.lists(st.integers(0, 9), min_size=1), st.lists(st.integers(0, 9), min_size=1))
    )
)
def test_ids_come_back_turn_by_turn(steps: list[tuple[list[int], list[int]]]) -> None:
    from eops_traj.collectors.importers.token_ids import join_rows
    from eops_traj.exporters.token_ids import _line

    so_far: list[int] = []
    turns = []
    for environment, reply in steps:
        turns.append(turn([*so_far, *environment], reply))
        so_far += [*environment, *reply]
    rows = [json.loads(json.dumps(_line(episode("e"), s))) for s in token_sequences(turns)]
    back = join_rows(rows).episode.turns if rows else ()
    assert [(t.prompt_token_ids, t.token_ids, t.logprobs) for t in back] == [
        (t.prompt_token_ids, t.token_ids, t.logprobs) for t in turns
    ]


def test_rows_of_one_episode_are_read_as_one(tmp_path: Path) -> None:
    recorded = episode("e", turns=(turn([1, 2], [3]), turn([9], [5])))
    folder = exported(tmp_path, [recorded, episode("f", turns=(turn([1], [2]),))], "token_ids")
    assert [
        one.episode.n_turns for one in open_importer("token_ids").read(folder / "data" / "train.jsonl")
    ] == [
        2,
        1,
    ]


@pytest.mark.parametrize("wrong", [{"mask": [1]}, {"logprobs": [0.0]}, {"prompt_ids": "x"}, {"mask": [0, 0]}])
def test_a_row_that_does_not_fit_is_named(tmp_path: Path, wrong: dict[str, Any]) -> None:
    row = {"prompt_ids": [1], "completion_ids": [2, 3], "mask": [0, 1], **wrong}
    (tmp_path / "t.jsonl").write_text(json.dumps(row))
    with pytest.raises(FormatError, match=r"t\.jsonl:1: not token_ids"):
        open_importer("token_ids").read(tmp_path / "t.jsonl")
