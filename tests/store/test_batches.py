"""What no table takes is told apart from what one does, each with its reason, and nothing is written."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eops_traj.store.arrow import to_json
from eops_traj.store.batches import Row, append, parse, refused
from eops_traj.store.journal import Entry
from eops_traj.store.store import Store
from tests.episodes import PROMPT, episode

POISON = to_json(episode("bad")).replace('"n_turns": 2', '"n_turns": 9223372036854775808')
GOOD, BAD = Entry("episodes", "good", to_json(episode("good"))), Entry("episodes", "bad", POISON)
STRANGER = Entry("verdicts", "v", "{}")
ASKED = Entry("prompts", PROMPT.prompt_hash, to_json(PROMPT))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(tmp_path / "store", create=True) as opened:
        yield opened


def test_what_no_table_takes_is_told_and_nothing_is_written(store: Store) -> None:
    told = refused(store.tables, [ASKED, GOOD, BAD, STRANGER])
    assert [(one.entry, one.reason.split(":")[0]) for one in told] == [
        (STRANGER, "unknown kind 'verdicts'"),
        (BAD, "OverflowError"),
    ]
    assert refused(store.tables, [ASKED, GOOD]) == []
    assert [*store.tables["episodes"].rows()] == [] == [*store.tables["prompts"].rows()]


def test_a_table_that_refuses_some_together_takes_the_rest(store: Store) -> None:
    rows = [row for row in parse([GOOD, BAD, ASKED]) if isinstance(row, Row)]
    counts, rejected = append(store.tables, rows)
    assert counts == {"prompts": 1, "toolsets": 0, "runs": 0, "episodes": 1, "labels": 0}
    assert [one.entry for one in rejected] == [BAD]


def test_a_reason_is_one_line_of_at_most_300_characters(store: Store) -> None:
    [named] = parse([Entry("episodes", "x\n" * 400, GOOD.payload)])
    assert not isinstance(named, Row) and "\n" not in named.reason and len(named.reason) == 300
