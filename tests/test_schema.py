"""Records, Arrow and JSON say the same."""

import dataclasses
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.hashing import canonical_json, digest
from eops_traj.schema import (
    Change,
    Episode,
    Json,
    Prompt,
    Run,
    Selection,
    Task,
    ToolCall,
    ToolSet,
    Turn,
    Verdict,
)
from eops_traj.store.arrow import (
    arrow_schema,
    documentation,
    field_types,
    from_row,
    row_from_json,
    to_json,
    to_row,
)

RECORDS = [Episode, Turn, ToolCall, Change, Verdict, Prompt, ToolSet, Run, Selection, Task]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
calls = st.builds(
    ToolCall,
    id=text,
    name=text,
    arguments=st.dictionaries(text, st.none() | st.integers() | text).map(lambda d: Json(canonical_json(d))),
    changes=st.tuples(st.builds(Change, server=text, table=text, operation=text, key=st.just(Json("{}")))),
)
turns = st.builds(
    Turn, text=text, tool_calls=st.tuples(calls), token_ids=st.none() | st.tuples(st.integers(0, 9))
)


@pytest.mark.parametrize("record", RECORDS)
def test_every_field_is_documented_and_has_an_arrow_type(record: type) -> None:
    assert arrow_schema(record).names == [f.name for f in dataclasses.fields(record)]
    assert all(len(words) > 8 for words in documentation(record).values())


@given(turns)
def test_a_record_survives_arrow(turn: Turn) -> None:
    table = pa.Table.from_pylist([to_row(turn)], schema=arrow_schema(Turn))
    assert from_row(Turn, table.to_pylist()[0]) == turn


@given(st.binary(max_size=40))
def test_bytes_survive_json(changeset: bytes) -> None:
    row = dict.fromkeys(field_types(Episode)) | {"turns": (), "verdicts": (), "servers": ()}
    episode = from_row(Episode, row | {"changeset": changeset, "failure_modes": ()})
    assert row_from_json(Episode, to_json(episode))["changeset"] == changeset


@given(st.recursive(st.none() | st.booleans() | st.integers() | text, lambda s: st.dictionaries(text, s)))
def test_canonical_json_is_json_and_does_not_depend_on_order(value: object) -> None:
    assert json.loads(canonical_json(value)) == value
    if isinstance(value, dict):
        assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


def test_lone_surrogates_become_readable_text() -> None:
    assert canonical_json("\ud83d") == '"\ufffd"'
    assert digest("\ud83d") == digest("\ufffd")


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))
