import contextlib
from random import Random

import apsw
import pytest

from eops_traj.errors import FormatError
from eops_traj.gym.engine import heap, templates
from eops_traj.gym.engine.seeds import load_seed
from eops_traj.gym.registry import server
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
        ("ATTACH 'x.db' AS y;", "statement 1, line 1"),
        ("DROP TABLE user;", "statement 1, line 1"),
        ("\nINSERT INTO location VALUES ('", "statement 1, line 2"),
        ("BEGIN;", "transaction"),
    ],
)
def test_a_seed_that_does_not_load_names_statement_and_line(csm, text, said):
    with pytest.raises(FormatError, match=said):
        templates.from_sql(csm.schema, text)


def test_a_row_without_its_key_is_refused_in_a_seed_and_in_a_patch():
    teams = server("teams")
    whole = "INSERT INTO teamwork_tags (id, team_id, display_name) VALUES ('t', 'x', 'T');"
    keyless = whole.replace("'t',", "NULL,")
    with pytest.raises(FormatError, match=r"^seed: a row of teamwork_tags has no id, which is its key$"):
        load_seed(teams.schema, whole + keyless)
    with pytest.raises(FormatError, match="seed patch: a row of teamwork_tags has no id"):
        templates.patched(load_seed(teams.schema, whole), keyless)


def test_a_seed_may_be_empty(csm):
    assert templates.from_sql(csm.schema, " -- nothing\n").open().run_sql("SELECT * FROM user").rows == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) "
         "INSERT INTO location SELECT x, 'A', NULL, NULL, 'london', 'uk', 1, '', '' FROM n;", "seed ran"),
        ("INSERT INTO location VALUES ('\ud800');", "'utf-8' codec can't encode"),
    ],
)  # fmt: skip
def test_a_seed_can_neither_run_for_ever_nor_break_off_oddly(csm, text, said):
    with pytest.raises(FormatError, match=f"statement 1, line 1: {said}"):
        templates.from_sql(csm.schema, text, seconds=0.2)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE location SET name = c.n FROM (SELECT max(name) n FROM location) c",
        "INSERT INTO location SELECT DISTINCT location_id + 1000, name, plot_no, street, city, country, "
        "active, sys_created_on, sys_updated_on FROM location ORDER BY name",
        "REPLACE INTO location SELECT * FROM location ORDER BY name",
    ],
)
def test_a_seed_or_patch_may_need_a_temporary_table(csm, statement):
    text = f"{LOCATION}\n{statement.replace('UPDATE', 'UPDATE OR IGNORE')};"
    assert templates.from_sql(csm.schema, text).open().run_sql("SELECT count(*) >= 1 FROM location").rows == (
        (1,),
    )
    assert templates.patched(csm.template(), statement).image


def test_what_a_patch_opens_is_expected_until_it_is_closed(csm, monkeypatch):
    expected = []
    monkeypatch.setattr(heap, "expect", expected.append)
    for statement in ("SELECT 1", "no SQL"):
        with contextlib.suppress(FormatError):
            templates.patched(csm.template(), statement)
    size = len(csm.template().image)
    assert expected == [size, -size] * 2


def test_a_template_written_as_sql_gives_the_same_rows(csm):
    again = templates.from_sql(csm.schema, templates.to_sql(csm.template())).open()
    for table in csm.schema.tables:
        query = f'SELECT * FROM "{table}" ORDER BY 1, 2'
        assert again.run_sql(query, None) == csm.template().open().run_sql(query, None)


@pytest.mark.parametrize("text", ["a\rb", "\r\n\r\n", "it's\r", "\u240d\r\u240d0\r\u240d1", "\r" * 3000])
def test_carriage_returns_survive_text_mode(csm, text):
    rename = f"UPDATE location SET name = {apsw.format_sql_value(text)}"
    sql = templates.to_sql(templates.patched(templates.from_sql(csm.schema, LOCATION), rename))
    assert "\r" not in sql
    again = templates.from_sql(csm.schema, sql).open()
    assert again.run_sql("SELECT name FROM location").rows == ((text,),)
