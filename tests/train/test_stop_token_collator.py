"""Replies end with their stop token, whatever a template writes behind it."""

from hypothesis import given
from hypothesis import strategies as st

from eops_traj.train.stop_token_collator import EndingWithReply, up_to

STOP = 9
TOKENS = st.lists(st.integers(0, STOP - 1))


@given(TOKENS, TOKENS)
def test_what_follows_the_last_stop_is_cut(said: list[int], behind: list[int]) -> None:
    assert up_to([*said, STOP, *behind], STOP) == [*said, STOP]
    assert up_to(said, STOP) == said


def test_only_replies_are_cut() -> None:
    row = {"prompt_ids": [1, STOP, 2], "chosen_ids": [3, STOP, 4], "label": True, "length": 7}
    (given,) = EndingWithReply(lambda rows: {"rows": rows}, STOP)([row])["rows"]
    assert given == {"prompt_ids": [1, STOP, 2], "chosen_ids": [3, STOP], "label": True, "length": 7}
