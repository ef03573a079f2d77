"""Rows that do not fit are dropped and counted, and none is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.errors import InputError
from eops_traj.train.length_filter import LENGTH, RowSize, drop_long_rows

LENGTHS = st.lists(st.integers(1, 20), min_size=1, max_size=8)


@given(LENGTHS, st.integers(1, 20))
def test_what_is_kept_fits_and_what_is_dropped_does_not(lengths: list[int], most: int) -> None:
    from datasets import Dataset

    rows = Dataset.from_dict({"row": list(range(len(lengths)))})
    sizes = [RowSize(length, 1) for length in lengths]
    expected = [row for row, length in enumerate(lengths) if length <= most]
    if not expected:
        with pytest.raises(InputError, match=f"the shortest has {min(lengths)} tokens"):
            drop_long_rows(rows, sizes, most)
        return
    kept, counts = drop_long_rows(rows, sizes, most)
    assert kept["row"][:] == expected and kept[LENGTH][:] == [lengths[row] for row in expected]
    assert (counts.kept, counts.dropped) == (len(expected), len(lengths) - len(expected))
    assert (counts.tokens, counts.tokens_with_loss) == (sum(kept[LENGTH]), len(expected))


def test_no_rows_at_all_are_refused() -> None:
    from datasets import Dataset

    with pytest.raises(InputError, match="there is no row to train on"):
        drop_long_rows(Dataset.from_dict({"row": []}), [], 9)
