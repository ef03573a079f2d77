"""What is reported as written is on disk, and what cannot be written is said."""

import asyncio
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.writer import EpisodeWriter
from eops_traj.errors import WorkError
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
    monkeypatch.setattr("eops_traj.collect.writer.APART", 1)

    async def put(writer: EpisodeWriter) -> None:
        await writer.put(made(0))
        await asyncio.gather(*(put_later(writer, n) for n in range(1, 6)))

    async def put_later(writer: EpisodeWriter, number: int) -> None:
        await asyncio.sleep(number / 100)
        await writer.put(made(number))

    sizes = []
    with Store.open(tmp_path / "s", create=True) as store:
        append = store.append
        monkeypatch.setattr(store, "append", lambda new, **k: sizes.append(len(new)) or append(new, **k))
        with EpisodeWriter(store, RUN) as writer:
            asyncio.run(put(writer))
        assert sizes == [1, 5] and store.journal.keys("episodes") == {f"e{n}" for n in range(6)}


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
