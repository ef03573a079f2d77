"""A column that a newer program added: this one does not read it, and loses none of its values."""

from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import Field

from eops_traj.errors import StoreError
from eops_traj.store.arrow import to_row
from eops_traj.store.store import Store
from tests.attacks.damage_kinds import entry
from tests.episodes import episode
from tests.store.test_damage import EVERY


@pytest.fixture
def newer(folder: Path) -> Path:
    """The store of six episodes with a column that we do not know, and a seventh that has a value there."""
    table = Store(str(folder)).tables["episodes"]
    table.open().alter.add_columns([Field("newer", "string", nullable=True)])
    row = {**to_row(episode("n")), "newer": "kept"}
    table.commit(table.arrow([row], table.whole_schema(table.open())))
    return folder


def values(folder: Path) -> dict[str, str | None]:
    with Store.open(folder) as store:
        return dict(store.scan().select("episode_id", "newer").collect().iter_rows())


WHOLE = {**dict.fromkeys(EVERY), "n": "kept"}


def test_its_values_are_merged_with_the_rest(newer: Path) -> None:
    with Store.open(newer) as store:
        [merged] = [row for row in store.compact() if row["table"] == "episodes"]
        assert (merged["files_removed"], merged["files_added"]) == (4, 1)
        assert store.episode("n") == episode("n")
    assert values(newer) == WHOLE


def test_what_comes_later_has_no_value_there(newer: Path) -> None:
    with Store.open(newer) as store:
        store.append([episode("later")])
    assert values(newer) == {**WHOLE, "later": None}


def test_an_amendment_that_would_empty_it_is_refused(newer: Path) -> None:
    with Store.open(newer) as store:
        since = store.version()
        with pytest.raises(StoreError, match="has newer, which this eops-traj does not know"):
            store.amend([episode("n", outcome="failure")], since)
        assert store.version() == since and store.episode("n").outcome == "success"
    assert values(newer) == WHOLE


def test_rows_that_a_repair_brings_back_have_their_values(newer: Path, cli: Callable) -> None:
    entry(newer, -1).unlink()
    assert cli("check", newer, "--repair").code == 0
    assert values(newer) == WHOLE and cli("check", newer).code == 0
