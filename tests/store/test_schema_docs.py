"""The schema on the page is the schema in the code."""

import json
from collections.abc import Callable

from eops_traj.store.arrow import arrow_schema
from eops_traj.store.schema_docs import TABLES, columns, page
from tests.docs.pages import ROOT


def test_the_page_is_what_the_command_prints(cli: Callable) -> None:
    written = (ROOT / "docs" / "schema.md").read_text(encoding="utf-8")
    assert cli("schema").out == page() == written, "run: eops-traj schema > docs/schema.md"


def test_every_column_of_every_table_is_described(cli: Callable) -> None:
    described = json.loads(cli("schema", "--json").out)
    for table, (record, key) in TABLES.items():
        assert [column["name"] for column in described[table]] == arrow_schema(record).names
        assert key in arrow_schema(record).names
        assert all(column.meaning.endswith(".") for column in columns(record))
