"""Rows come back from Parquet as they were, however many shards they lie in."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from eops_traj.publish.features import pack_row, unpack_row
from eops_traj.publish.parquet_shards import read_shards, write_shards

COLUMNS = (
    {"name": "id", "dtype": "int64"},
    {"name": "said", "list": "json"},
    {"name": "of", "list": "string"},
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
)
ROWS = st.fixed_dictionaries({"id": st.integers(0, 9)}, optional={"said": st.lists(JSON, max_size=3)})


@given(ROWS)
def test_a_row_comes_back_from_its_columns(row: dict) -> None:
    assert unpack_row(pack_row(row, COLUMNS), COLUMNS) == row


def test_shards_are_named_and_filled_as_the_hub_wants_them(tmp_path: Path) -> None:
    rows = [{"id": n, "said": [{"n": n, "none": None}], "of": ["e"]} for n in range(7)]
    lines = tmp_path / "train.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    shards = write_shards(lines, COLUMNS, tmp_path / "sft", "train", 7, most=lines.stat().st_size // 3)
    assert [path.name for path in shards.files] == [f"train-{n:05d}-of-00003.parquet" for n in range(3)]
    assert list(read_shards(shards.files, COLUMNS)) == rows
