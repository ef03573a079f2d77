"""Replies end with their stop token, whatever a template writes behind it."""

from hypothesis import given
from hypothesis import strategies as st

from eops_traj.train.stop_token_collator import StopTokenCollator, end_at

STOP = 9
TOKENS = st.lists(st.integers(0, STOP - 1))


@given(TOKENS, TOKENS)
def test_what_follows_the_last_stop_is_cut(reply: list[int], behind: list[int]) -> None:
    assert end_at([*reply, STOP, *behind], STOP) == [*reply, STOP]
    assert end_at(reply, STOP) == reply


def test_only_replies_are_cut() -> None:
    row = {"prompt_ids": [1, STOP, 2], "chosen_ids": [3, STOP, 4], "label": True, "length": 7}
    (ended,) = StopTokenCollator(lambda rows: {"rows": rows}, STOP)([row])["rows"]
    assert ended == {"prompt_ids": [1, STOP, 2], "chosen_ids": [3, STOP], "label": True, "length": 7}
