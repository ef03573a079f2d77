"""The journal of a store behind a URL, gone or broken: it hinders no reading, and a repair settles it."""

from collections.abc import Callable

import pytest

from eops_traj.errors import StoreError, StoreWarning
from eops_traj.store.store import Store
from tests.attacks.damage_kinds import GARBAGE
from tests.episodes import episode

DAMAGE = {"gone": "1 records that waited in its journal are gone", "broken": "cannot open the journal"}


@pytest.fixture(params=DAMAGE)
def damaged(request: pytest.FixtureRequest, s3: str) -> tuple[str, str]:
    """A URL, in whose journal on this machine a second episode waited, and what is said of that."""
    with Store.open(s3, create=True) as store:
        store.append([episode("a")])
    killed = Store.open(s3)
    killed.append([episode("b")])
    killed.journal.close()
    if request.param == "gone":
        killed.journal_path.unlink()
    else:
        killed.journal_path.write_bytes(GARBAGE)
    return s3, DAMAGE[request.param]


def test_the_tables_are_read_and_the_loss_is_told(damaged: tuple[str, str], cli: Callable) -> None:
    url, said = damaged
    with pytest.warns(StoreWarning, match=f"read without its journal: .*{said}"):
        assert [one.episode_id for one in Store.open(url).episodes()] == ["a"]
    for command in ("history", "labels"):  # which ask the journal, too
        ran = cli(command, "--store", url)
        assert ran.code == 1 and ran.err.count("\n") == 1 and said in ran.err


def test_nothing_is_written_that_would_hide_the_loss(damaged: tuple[str, str], cli: Callable) -> None:
    url, said = damaged
    with pytest.raises(StoreError, match=said):
        Store.open(url, create=True)
    with pytest.warns(StoreWarning, match=said):
        store = Store.open(url)
    for _ in range(2):
        with pytest.raises(StoreError, match=said):
            store.append([episode("c")])
    told = cli("check", url)
    assert told.code == 1 and "journal" in told.out


def test_a_repair_settles_the_journal_alone(damaged: tuple[str, str], cli: Callable) -> None:
    url, said = damaged
    journal = Store(url).journal_path
    refused = cli("check", url, "--repair", "--drop-lost")
    assert refused.code == 2 and "no folder" in refused.err and cli("check", url).code == 1
    mended = cli("check", url, "--repair")
    assert mended.code == 0 and "repaired: journal: " in mended.out, mended.err
    with Store.open(url, create=True) as store:
        store.append([episode("c")])
    assert sorted(one.episode_id for one in Store.open(url).episodes()) == ["a", "c"]
    kept = [path.read_bytes() for path in journal.parent.glob(f"damaged/*/{journal.name}")]
    assert kept == ([GARBAGE] if "open" in said else [])
