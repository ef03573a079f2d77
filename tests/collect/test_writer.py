"""What is reported as written is on disk, and what cannot be written is said."""

import asyncio
import resource
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.writer import APART, EpisodeWriter
from eops_traj.errors import EopsError, FormatError, StoreError, WorkError
from eops_traj.schema import Json, Run
from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS, episode

RUN = Run(run_id="r0", kind="collect", config=Json("{}"), version="0")


def made(number: int) -> EpisodeBundle:
    return EpisodeBundle(episode(f"e{number}"), PROMPT, TOOLS)


def ids(store: Store) -> set[str]:
    return set(store.scan().select("episode_id").collect()["episode_id"])


def test_many_at_once_are_written_once_each(tmp_path: Path):
    async def put(writer: EpisodeWriter) -> None:
        await asyncio.gather(*(writer.put(made(n % 50)) for n in range(120)))

    with Store.open(tmp_path / "s", create=True) as store:
        with EpisodeWriter(store, RUN) as writer:
            asyncio.run(put(writer))
        assert store.journal.keys("episodes") == {f"e{n}" for n in range(50)}
    with Store.open(tmp_path / "s") as store:
        assert ids(store) == {f"e{n}" for n in range(50)}
        assert store.run("r0") == RUN and store.prompt(PROMPT.prompt_hash) == PROMPT.text


def test_what_finishes_soon_after_another_shares_the_next_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sizes, come = list[int](), threading.Event()
    clock = SimpleNamespace(monotonic=lambda: 7.0, sleep=lambda seconds: seconds and come.wait())
    monkeypatch.setattr("eops_traj.collect.writer.time", clock)

    async def put(writer: EpisodeWriter) -> None:
        await writer.put(made(0))
        waiting = [asyncio.ensure_future(writer.put(made(n))) for n in range(1, 6)]
        await asyncio.sleep(0)  # all are in the queue, before the time between two transactions is over
        come.set()
        await asyncio.gather(*waiting)

    with Store.open(tmp_path / "s", create=True) as store:
        append = store.append
        monkeypatch.setattr(store, "append", lambda new, **k: sizes.append(len(new)) or append(new, **k))
        with EpisodeWriter(store, RUN) as writer:
            asyncio.run(put(writer))
        assert sizes == [1, 5] and store.journal.keys("episodes") == {f"e{n}" for n in range(6)}


def test_a_transaction_has_its_most_and_the_first_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sizes, slept = list[int](), list[float]()
    monkeypatch.setattr("eops_traj.collect.writer.MAX_BATCH", 3)
    monkeypatch.setattr(
        "eops_traj.collect.writer.time", SimpleNamespace(monotonic=lambda: 7.0, sleep=slept.append)
    )

    async def put(writer: EpisodeWriter) -> None:
        waiting = [asyncio.ensure_future(writer.put(made(n))) for n in range(10)]
        await asyncio.sleep(0)  # all are in the queue before the thread begins
        with writer:
            await asyncio.gather(*waiting)

    with Store.open(tmp_path / "s", create=True) as store:
        append = store.append
        monkeypatch.setattr(store, "append", lambda new, **k: sizes.append(len(new)) or append(new, **k))
        asyncio.run(put(EpisodeWriter(store, RUN)))
    assert sizes == [3, 3, 3, 1] and slept[0] == 0 and slept[1:] == pytest.approx([APART] * 3)


def test_who_asks_is_told_which_of_a_transaction_the_store_had_already(tmp_path: Path):
    async def put(store: Store) -> list[bool]:
        with EpisodeWriter(store, RUN) as writer:
            return await asyncio.gather(*(writer.put_new(made(n)) for n in range(4)))

    with Store.open(tmp_path / "s", create=True) as store:
        store.append([episode("e1")])
        store.flush()
        store.append([episode("e3")])  # in the journal, where the other is in the table
        assert asyncio.run(put(store)) == [True, False, True, False]


def test_who_asks_is_told_of_what_another_program_stored_since_this_one_looked(tmp_path: Path):
    with Store.open(tmp_path / "s", create=True) as store, EpisodeWriter(store, RUN) as writer:
        assert asyncio.run(writer.put_new(made(0)))
        with Store.open(tmp_path / "s") as other:
            other.append([episode("e1")])
        assert [asyncio.run(writer.put_new(made(number))) for number in (1, 2)] == [False, True]


def test_the_run_is_written_with_its_first_episode(tmp_path: Path):
    with Store.open(tmp_path / "s", create=True) as store:
        with EpisodeWriter(store, RUN) as writer:
            asyncio.run(writer.put(made(0)))
        store.flush()
        assert store.run("r0") == RUN


def test_what_nobody_waits_for_any_more_is_written_before_the_end(tmp_path: Path):
    async def leave(store: Store) -> None:
        with EpisodeWriter(store, RUN) as writer:
            await writer.put(made(0))
            left = asyncio.ensure_future(writer.put(made(1)))
            await asyncio.sleep(0)  # it is in the queue, and so is the end by the next transaction
        left.cancel()

    with Store.open(tmp_path / "s", create=True) as store:
        asyncio.run(leave(store))
        assert store.journal.keys("episodes") == {"e0", "e1"}


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError("no space left"), "cannot write to .*: no space left; what was"),
        (StoreError("it is gone"), "cannot write to .*: it is gone; what was"),
        (KeyError("prompt"), "cannot write to .*: KeyError: 'prompt'; what was"),
        (FormatError("episode e1: half a surrogate"), "^episode e1: half a surrogate$"),
    ],
)
def test_whatever_goes_wrong_is_said_to_who_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
):
    def fail(*_: Any, **__: Any) -> None:
        raise error

    with Store.open(tmp_path / "s", create=True) as store:
        monkeypatch.setattr(store, "append", fail)
        with EpisodeWriter(store, RUN) as writer, pytest.raises(EopsError, match=said):
            asyncio.run(writer.put(made(0)))


def test_a_run_without_episodes_leaves_nothing(tmp_path: Path):
    with Store.open(tmp_path / "s", create=True) as store:
        with EpisodeWriter(store, RUN):
            pass
        assert store.scan(table="runs").collect().height == 0


def test_what_is_written_is_there_after_the_process_was_killed(tmp_path: Path):
    code = f"""
import asyncio, os
from tests.collect.test_writer import RUN, made
from eops_traj.collect.writer import EpisodeWriter
from eops_traj.store.store import Store
async def put():
    with EpisodeWriter(Store.open({str(tmp_path / "s")!r}, create=True), RUN) as writer:
        await asyncio.gather(*(writer.put(made(n)) for n in range(5)))
        os._exit(9)
asyncio.run(put())
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2]).returncode == 9
    with Store.open(tmp_path / "s") as store:
        assert ids(store) == {f"e{n}" for n in range(5)}


def test_a_full_disk_is_told_and_what_was_written_stays(tmp_path: Path):
    """A limit on the size of files is what a full disk is to SQLite: writes fail."""

    async def put(writer: EpisodeWriter) -> int:
        done = 0
        with pytest.raises(WorkError, match=r"cannot write to .*; what was reported is kept"):
            for number in range(10_000):
                await writer.put(
                    EpisodeBundle(episode(f"e{number}", user_prompt="x" * 20_000), PROMPT, TOOLS)
                )
                done += 1
        with pytest.raises(WorkError):
            await writer.put(made(20_000))
        return done

    with Store.open(tmp_path / "s", create=True) as store:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        with EpisodeWriter(store, RUN) as writer:
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, before[1]))
            try:
                done = asyncio.run(put(writer))
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with Store.open(tmp_path / "s") as store:
        assert {f"e{n}" for n in range(done)} <= ids(store) and done > 3
