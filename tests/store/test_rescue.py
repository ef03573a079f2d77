"""A journal with a flipped bit: told by whoever opens it, listed, and begun anew with its records."""

from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import StoreError
from eops_traj.store.rescue import rescued
from eops_traj.store.store import Store
from tests.attacks.damage_kinds import DAMAGE
from tests.episodes import episode
from tests.store.test_damage import EVERY, ids

BROKEN = {
    "journal without its tally": 2,
    "journal with a tally of nothing": 2,
    "journal with a last commit of nothing": 2,
    "journal with a schema that is no text": 0,
    "journal garbage": 0,
}
"""Kinds of damage, and how many of two records that wait can still be read."""


@pytest.fixture
def waiting(folder: Path) -> Path:
    """A store in whose journal two episodes wait."""
    killed = Store.open(folder)
    killed.append([episode("d1"), episode("d2")])
    killed.journal.close()
    return folder


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_journal_is_told_listed_and_begun_anew(kind: str, waiting: Path, cli: Callable) -> None:
    DAMAGE[kind](waiting)
    with pytest.raises(StoreError, match=r"cannot (use|open) the journal"):
        Store.open(waiting)
    listed = cli("check", waiting)
    assert listed.code == 1 and "the journal" in listed.out
    mended = cli("check", waiting, "--repair")
    assert mended.code == 0, mended.out + mended.err
    assert "journal: begun anew" in mended.out
    assert ids(waiting) == [*EVERY, *["d1", "d2"][: BROKEN[kind]]]
    assert list(waiting.glob("damaged/*/journal.sqlite")) and cli("check", waiting).code == 0


def test_only_records_as_they_were_written_are_rescued(waiting: Path) -> None:
    path = waiting / "journal.sqlite"
    assert [entry.key for entry in rescued(path).waiting] == ["d1", "d2"]
    DAMAGE["journal with a changed payload"](waiting)
    DAMAGE["journal with a payload that is no text"](waiting)
    assert rescued(path) == ([], [])
    assert rescued(waiting / "none.sqlite") == ([], [])
