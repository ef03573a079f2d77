from random import Random

import pytest

from eops_traj.errors import FormatError
from eops_traj.gym.engine import templates
from eops_traj.gym.servers.csm.seed import seed

LOCATION = (
    "INSERT INTO location VALUES (1, 'A;b', NULL, NULL, 'london', 'uk', 1, datetime('2024-01-01'), '');"
)


def test_the_same_seed_gives_the_same_bytes(csm):
    one, two = (templates.from_rows(csm.schema, seed(Random(5))) for _ in range(2))
    assert one.image == two.image


def test_the_seed_is_sound(csm):
    assert csm.template().open().connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_sql_seeds_load_with_comments_and_broken_references(csm):
    text = f"-- a note; it's here\nPRAGMA foreign_keys = OFF;\nBEGIN; {LOCATION} COMMIT;\n" + (
        "/* one; more */ INSERT INTO user_group_member VALUES (1, 99, 99, '');"
    )
    database = templates.from_sql(csm.schema, text).open()
    assert database.run_sql("SELECT name, sys_created_on FROM location").rows == (
        ("A;b", "2024-01-01 00:00:00"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{LOCATION}\n\n-- two\nINSERT INTO location\nVALUES (1);", "statement 2, line 4"),
        (f"{LOCATION}\nINSERT INTO nowhere VALUES (1)", "statement 2, line 2: no such table"),
        (f"{LOCATION}\n{LOCATION}", "statement 2, line 2: UNIQUE"),
        ("ATTACH '/tmp/x' AS y;", "statement 1, line 1"),
        ("DROP TABLE user;", "statement 1, line 1"),
        ("\nINSERT INTO location VALUES ('", "statement 1, line 2"),
        ("BEGIN;", "transaction"),
    ],
)
def test_a_seed_that_does_not_load_names_statement_and_line(csm, text, said):
    with pytest.raises(FormatError, match=said):
        templates.from_sql(csm.schema, text)


def test_a_seed_may_be_empty(csm):
    assert templates.from_sql(csm.schema, " -- nothing\n").open().run_sql("SELECT * FROM user").rows == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) "
         "INSERT INTO location SELECT x, 'A', NULL, NULL, 'london', 'uk', 1, '', '' FROM n;", "interrupted"),
        ("INSERT INTO location VALUES ('\ud800');", "'utf-8' codec can't encode"),
    ],
)  # fmt: skip
def test_a_seed_can_neither_run_for_ever_nor_break_off_oddly(csm, text, said):
    with pytest.raises(FormatError, match=f"statement 1, line 1: {said}"):
        templates.from_sql(csm.schema, text, seconds=0.2)


def test_a_template_written_as_sql_gives_the_same_rows(csm):
    again = templates.from_sql(csm.schema, templates.to_sql(csm.template())).open()
    for table in csm.schema.tables:
        query = f'SELECT * FROM "{table}" ORDER BY 1, 2'
        assert again.run_sql(query, None) == csm.template().open().run_sql(query, None)
