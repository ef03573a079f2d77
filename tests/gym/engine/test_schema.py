from dataclasses import replace

import pytest

from eops_traj.errors import FormatError
from eops_traj.gym.engine.schema import Schema

TEXT = """CREATE TABLE "thing" (
    thing_id INTEGER PRIMARY KEY,  -- Id - of the thing.
    kind TEXT NOT NULL CHECK (kind IN ('a-b', 'c (d)')),  -- Kind.
    name VARCHAR(60) CHECK (length(name) >= 1) CHECK (length(name) <= 60),  -- Name. [N%03d]
    cost NUMERIC,  -- Cost.
    parent INTEGER REFERENCES thing (thing_id),  -- Parent.
    UNIQUE (kind, name)
);"""


def test_columns_say_what_tools_need():
    thing = Schema.parse(TEXT).tables["thing"]
    assert thing.key == ("thing_id",)
    assert thing.columns["kind"].enum == ("a-b", "c (d)") and thing.columns["kind"].required
    assert thing.columns["name"].limits == {"minLength": 1, "maxLength": 60}
    assert (thing.columns["name"].description, thing.columns["name"].tag) == ("Name.", "N%03d")
    assert thing.columns["cost"].kind == "number"
    assert thing.columns["parent"].references == ("thing", "thing_id")


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("DECIMAL(10, 2)", "number"), ("double", "number"), ("SMALLINT", "integer"),
        ("bigint(20)", "integer"), ("CHAR (3)", "string"), ("datetime", "string"),
        ("Boolean", "boolean"), ("JSON", "object"),
    ],
)  # fmt: skip
def test_a_type_says_what_kind_of_values_a_column_has(declared: str, kind: str) -> None:
    column = Schema.parse(TEXT.replace("cost NUMERIC", f"cost {declared}")).tables["thing"].columns["cost"]
    assert (column.kind, column.declared) == (kind, declared.upper())


@pytest.mark.parametrize("declared", ["", "MONEY", "BOOL", "DOUBLES", "TEXT MONEY"])
def test_a_type_that_nobody_knows_how_to_compare_is_an_error(declared: str) -> None:
    with pytest.raises(FormatError, match=rf"thing\.cost: unknown type '{declared}'; choose from BIGINT,"):
        Schema.parse(TEXT.replace("cost NUMERIC", f"cost {declared}"))


def test_a_reference_to_a_table_alone_is_one_to_its_key():
    alone = TEXT.replace("REFERENCES thing (thing_id)", "REFERENCES thing")
    assert Schema.parse(alone) == replace(Schema.parse(TEXT), sql=alone)
    pair = TEXT.replace("thing_id INTEGER PRIMARY KEY", "thing_id INTEGER NOT NULL").replace(
        "UNIQUE (kind, name)",
        "PRIMARY KEY (name, kind),\n    FOREIGN KEY (cost, parent) REFERENCES thing",
    )
    columns = Schema.parse(pair.replace(" REFERENCES thing (thing_id)", "")).tables["thing"].columns
    assert columns["cost"].references == ("thing", "name")
    assert columns["parent"].references == ("thing", "kind")


def test_a_reference_to_no_key_is_an_error():
    with pytest.raises(FormatError, match="REFERENCES thinks: there is no such table"):
        Schema.parse(TEXT.replace("REFERENCES thing (thing_id)", "REFERENCES thinks"))


def test_a_column_without_a_description_is_an_error():
    with pytest.raises(FormatError, match=r"thing\.cost"):
        Schema.parse(TEXT.replace("  -- Cost.", ""))


@pytest.mark.parametrize("name", ["csm.json"])
def test_tables_and_columns_are_the_real_ones(csm, shared, name):
    import json

    real = json.loads((shared / "eog" / "schema" / name).read_text())
    assert {t: list(table.columns) for t, table in csm.schema.tables.items()} == {
        t: v["columns"] for t, v in real.items()
    }
    for table, facts in real.items():
        for column, values in facts["enums_seen"].items():
            assert csm.schema.tables[table].columns[column].enum == tuple(values)
