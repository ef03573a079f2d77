"""Rows of a batch: how long a reply is, and when those that go on are left to themselves."""

from collections.abc import Sequence

import pytest

from eops_traj.llm.local_rows import HalfDone, ReplyRow, length_of

END, ALSO = 2, 7
TEXTS = {3: "one", 4: " two", 5: "t", 6: "wo", END: "", ALSO: ""}


def decode(ids: Sequence[int]) -> str:
    return "".join(TEXTS[token] for token in ids)


@pytest.mark.parametrize(
    ("ids", "stops", "length"),
    [
        ([3, 4], (), None),
        ([3, ALSO, 4, END], (), 2),
        ([3, 4, 3], " t", 2),
        ([3, 5, 6, END], ("two", "none"), 3),
        ([3, END, 4], ["two"], 2),
        ([3, 5, 3], ["two"], None),
        ([], "two", None),
    ],
)
def test_a_reply_ends_with_a_token_of_the_end_or_with_words(
    ids: list[int], stops: str | Sequence[str], length: int | None
) -> None:
    assert length_of(ids, {END, ALSO}, stops, decode) == length


@pytest.mark.parametrize(
    ("last", "over"),
    [
        ([3, 4, 5, 6], False),
        ([END, 4, 5, 6], False),
        ([END, 4, ALSO, 6], True),
        ([END, END, 5], True),
        ([END, 4, 5], False),
        ([3], False),
        ([ALSO], True),
    ],
)
def test_half_of_the_rows_are_enough(last: list[int], over: bool) -> None:
    import torch

    read = torch.tensor([[END, token] for token in last])
    with_room = torch.full((len(last),), 3)
    assert HalfDone([END, ALSO], with_room)(read, None).tolist() == [over] * len(last)


@pytest.mark.parametrize(
    ("full", "over"),
    [([2, 3, 3, 3], False), ([3, 2, 3, 3], True), ([3, 1, 3, 3], True), ([3, 3, 3, 3], False)],
)
def test_a_row_without_room_is_done_as_one_that_has_ended(full: list[int], over: bool) -> None:
    import torch

    read = torch.tensor([[4, token] for token in (END, 4, 5, 6)])
    assert HalfDone([END], torch.tensor(full))(read, None).tolist() == [over] * 4


def test_a_row_takes_parts_until_it_has_ended() -> None:
    row = ReplyRow([8, 9], None, None, 5)
    row.take([3, 4], [-0.5, -0.25], None)
    assert (row.read, row.ended) == ([8, 9, 3, 4], False)
    row.take([5, END, END], [-1.0, -2.0, -3.0], 4)
    assert (row.ids, row.logprobs, row.ended) == ([3, 4, 5, END], [-0.5, -0.25, -1.0, -2.0], True)


def test_what_a_row_wrote_beyond_its_room_is_dropped() -> None:
    row = ReplyRow([8], None, None, 3)
    row.take([3, 4], [-0.5, -0.25], None)
    row.take([5, 6, END], [-1.0, -2.0, -3.0], 5)
    assert (row.ids, row.logprobs, row.ended, row.left) == ([3, 4, 5], [-0.5, -0.25, -1.0], False, 0)


def test_an_end_in_the_last_place_is_one() -> None:
    row = ReplyRow([8], None, None, 2)
    row.take([3, END, END], [-0.5, -0.25, -1.0], 2)
    assert (row.ids, row.ended) == ([3, END], True)
