import pytest

from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.tools import tool
from eops_traj.gym.tools.empty_values import split_empty

SCHEMA = Schema.parse(
    "CREATE TABLE t (\n    a INTEGER PRIMARY KEY,  -- A.\n    b TEXT NOT NULL,  -- B.\n    c TEXT,  -- C.\n"
    "    d TEXT CHECK (length(d) >= 1)  -- D.\n)"
)
TOOLS = tool.load(
    SCHEMA,
    "-- make(b!, c, d, e?[] = c, f) -> row\n--   f: Object. {type: object}\n"
    "INSERT INTO t {values, a = :f} RETURNING *;\n\n-- look(b, c) -> rows\nSELECT * FROM t WHERE {filters};"
    .replace("e?[]", "e[]"),
    [],
)  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "value", "kept"),
    [
        ("keep", "", ""), ("keep", " ", " "), ("keep", None, "absent"),
        ("drop", "", "absent"), ("drop", " ", None), ("drop", None, "absent"), ("drop", "x", "x"),
        ("clear", "", None), ("clear", " ", None), ("clear", None, "absent"),
        ("null", "", None), ("null", None, None), ("null", "x", "x"),
    ],
)  # fmt: skip
def test_each_mode_has_its_meaning(mode, value, kept):
    given, cleared = split_empty(TOOLS["make"], {"c": value}, mode)
    assert {**given, **cleared} == ({} if kept == "absent" else {"c": kept})


def test_what_is_looked_for_is_never_null():
    assert split_empty(TOOLS["look"], {"b": " ", "c": ""}, "drop") == ({}, {})


def test_what_must_not_be_empty_is_left_to_be_refused():
    assert split_empty(TOOLS["make"], {"d": ""}, "drop") == ({"d": ""}, {})


def test_a_required_text_that_is_blank_is_missing():
    assert split_empty(TOOLS["make"], {"b": " "}, "drop") == ({}, {})
    assert split_empty(TOOLS["make"], {"b": " "}, "keep") == ({"b": " "}, {})


def test_lists_and_objects_lose_their_empty_texts():
    given, _ = split_empty(TOOLS["make"], {"e": ["", "x"], "f": {"k": "", "n": None}}, "drop")
    assert given == {"e": ["x"], "f": {"n": None}}
    assert split_empty(TOOLS["make"], {"e": [""]}, "clear") == ({}, {})
