"""Episodes with what they refer to: each its own, however many are looked up at once."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import UnknownName
from eops_traj.schema import Episode, Json, Prompt, Run
from eops_traj.store import records
from eops_traj.store.records import with_policies, with_records
from eops_traj.store.store import Store
from tests.episodes import TOOLS, episode

RUN = Run(run_id="r0", kind="collect", config=Json("{}"), version="0")
PROMPTS = [Prompt(prompt_hash=f"p{n}", text=f"Policy {n}.") for n in range(4)]
TOOLSETS = [replace(TOOLS, toolset_hash=f"t{n}") for n in range(3)]
EPISODES = [
    episode(f"e{n}", prompt_hash=f"p{n % 4}", toolset_hash=f"t{n % 3}", run_id=RUN.run_id if n else "gone")
    for n in range(9)
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "store"), create=True) as store:
        store.append(EPISODES, prompts=PROMPTS, toolsets=TOOLSETS, runs=[RUN])
    with Store.open(str(tmp_path / "store")) as store:
        yield store


@pytest.mark.parametrize("together", [1, 2, 5, 100])
def test_each_has_its_own(store: Store, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "TOGETHER", together)
    told = list(with_records(store, EPISODES))
    assert [(e.episode_id, p.text, t.toolset_hash) for e, p, t, _ in told] == [
        (f"e{n}", f"Policy {n % 4}.", f"t{n % 3}") for n in range(9)
    ]
    assert [run for *_, run in told] == [None, *[RUN] * 8]
    policies = [(e.episode_id, policy) for e, policy in with_policies(store, EPISODES)]
    assert policies == [(e.episode_id, p.text) for e, p, *_ in told]


def test_what_is_not_there_is_named(store: Store) -> None:
    lost: list[Episode] = [*EPISODES[:2], episode("e9", prompt_hash="lost")]
    with pytest.raises(UnknownName, match="unknown prompt 'lost'"):
        list(with_records(store, lost))
    with pytest.raises(UnknownName, match="unknown prompt 'lost'"):
        list(with_policies(store, lost))
    with pytest.raises(UnknownName, match="unknown toolset 'lost'"):
        list(with_records(store, [episode("e9", prompt_hash="p1", toolset_hash="lost")]))


def noted(names: list[str], name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def noting(*arguments: Any, **options: Any) -> Any:
        names.append(name)
        return call(*arguments, **options)

    return noting


def test_a_table_is_opened_once_for_many(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    for name, table in store.tables.items():
        monkeypatch.setattr(table, "checked", noted(opened, name, table.checked))
    list(with_records(store, EPISODES))
    assert sorted(opened) == ["prompts", "runs", "toolsets"]
