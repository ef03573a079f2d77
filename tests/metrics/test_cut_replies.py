"""A reply counts as cut by the word that its endpoint gives for it."""

import polars as pl
import pytest

from eops_traj.metrics.cut_replies import CUT, cut_share, reply_counts


def episodes(*ends: list[str | None]) -> pl.DataFrame:
    """Build episodes whose replies ended for these reasons."""
    turns = [[{"text": "x", "finish_reason": end} for end in reasons] for reasons in ends]
    return pl.DataFrame({"turns": turns}).select(reply_counts())


@pytest.mark.parametrize("word", CUT)
def test_every_providers_word_counts(word: str) -> None:
    assert cut_share(episodes(["stop", word], ["tool_calls", "end_turn"])) == 0.25


def test_turns_that_no_model_wrote_count_for_nothing() -> None:
    assert cut_share(episodes(["length", None, None], [])) == 1.0
    assert cut_share(episodes(["stop"])) == 0.0


def test_of_no_replies_nothing_is_known() -> None:
    assert cut_share(episodes([None], [])) is None
    assert cut_share(episodes(["length"])[:0]) is None
