"""Stores that a run of the tests makes once, and copies to write on: a new one takes twenty times as long."""

import shutil
from collections.abc import Callable
from pathlib import Path

from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS, episode
from tests.made import made


def copied(name: str, make: Callable[[Path], object], at: Path) -> Path:
    """Copy the store of this name to a place, and return it; ``make`` makes the store where none has."""
    shutil.copytree(made(name, make), at)
    return at


def empty_store(at: Path) -> Path:
    """Put a store of nothing in a place, and return it."""
    return copied("store-of-nothing", lambda new: Store.open(new, create=True).close(), at)


def three_commits(at: Path) -> Path:
    """Put a store of three commits in a place, by three writers of two episodes each, and return it."""
    return copied("store-of-three-commits", _make_three_commits, at)


def amended_store(at: Path) -> Path:
    """Put a store in a place in which all but the first of six episodes were amended, and return it."""
    return copied("store-amended", _make_amended, at)


def _make_three_commits(at: Path) -> None:
    for part in "abc":
        with Store.open(at, create=True) as store:
            store.append([episode(f"{part}1"), episode(f"{part}2")], prompts=[PROMPT], toolsets=[TOOLS])


def _make_amended(at: Path) -> None:
    _make_three_commits(at)
    with Store.open(at) as store:
        store.amend(
            [episode(name, outcome="error") for name in ("a2", "b1", "b2", "c1", "c2")], store.version()
        )
