"""The cost of looking: a viewer over a million episodes, timed over HTTP.

    python -m benchmarks.view [--episodes N] [--store DIR]

Makes a store of N episodes (a million unless told otherwise; DIR is kept and used again), starts
``eops-traj view`` on it in a process of its own, and prints how long it takes from the command to the first
page and to the page with all episodes, without and with an index in the cache, how long pages take and how
much memory it held at most; then how long the index of texts took, and searches. The rows are
episodes of the expert under new ids, labels, costs and times; each has its first turn only, but for every
eighth data file, whose episodes are whole. Those are the episodes that are opened.
"""

import argparse
import datetime
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import httpx
import polars as pl

from benchmarks.store import OWN
from eops_traj.store.store import Store

FILE, WHOLE, MOST = 25_000, 8, 300
MODELS = ("gpt-5", "claude-sonnet-4", "qwen3-32b", "planner-1.4m", "llama-3.3-70b")
MODES = ("oracle", "plus_5_tools", "plus_10_tools", "plus_15_tools")


def templates(folder: Path) -> pl.DataFrame:
    """Load the episodes to copy: those of the project's own result files."""
    command = [sys.executable, "-m", "eops_traj.cli", "import", "enterpriseops", OWN, "--store", folder]
    subprocess.run(command, check=True, capture_output=True)
    return episodes_of(folder)


def episodes_of(store: Path) -> pl.DataFrame:
    """Load some episodes of a store, whole."""
    with Store.open(store) as opened:
        return opened.scan().head(MOST).collect()


def rows(of: pl.DataFrame, first: int, count: int, whole: bool) -> pl.DataFrame:
    """Make ``count`` rows of the store from number ``first`` on; four attempts at each task."""
    n = pl.int_range(first, first + count)
    again = pl.concat([of] * (count // of.height + 1)).head(count)
    day = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    started = pl.lit(day) + pl.duration(seconds=n * 29)
    frame = again.with_columns(
        episode_id=pl.format("{}{}", n.hash(1).cast(pl.String), n.cast(pl.String).str.zfill(8)),
        task_id=pl.format("{}_{}", "task_id", n // 4),
        task_hash=(n // 4).hash(2).cast(pl.String),
        attempt=n % 4 + 1,
        run_id=(n // 20_000).hash(3).cast(pl.String),
        model=pl.Series(MODELS).gather(n % len(MODELS)),
        mode=pl.Series(MODES).gather(n // 7 % len(MODES)),
        cost=(n.hash(4) % 10_000) / 10_000,
        started_at=started.dt.strftime("%Y-%m-%dT%H:%M:%S+00:00"),
        **({} if whole else {"turns": pl.col("turns").list.head(1)}),
    )
    return frame.select(of.columns)


def make(store: Path, episodes: int, of: pl.DataFrame) -> None:
    """Write the store, file by file, with the row groups of :mod:`eops_traj.store.table`."""
    import pyarrow.parquet as pq
    from deltalake.transaction import AddAction

    with Store.open(store, create=True) as opened:
        table = opened.tables["episodes"]
        for number, first in enumerate(range(0, episodes, FILE)):
            part = rows(of, first, min(FILE, episodes - first), number % WHOLE == 0).to_arrow()
            path = store / "episodes" / f"part-{number:05}.parquet"
            pq.write_table(
                part.cast(table.schema), path, row_group_size=1024, compression="zstd", use_dictionary=False,
                write_statistics=False, store_schema=False,
            )  # fmt: skip
            added = AddAction(
                path.name, path.stat().st_size, {}, 0, True, f'{{"numRecords": {part.num_rows}}}'
            )
            table.load().create_write_transaction([added], "append", table.schema)


def open_viewer(store: Path, cache: Path) -> tuple[subprocess.Popen[str], str, float]:
    """Start a viewer in a process of its own; return it, its address, and when it was started."""
    start, environment = time.perf_counter(), {**os.environ, "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, "-m", "eops_traj.cli", "view", "--store", store, "--port", "0"]
    viewer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert viewer.stdout is not None
    address = viewer.stdout.readline().split()
    if not address:
        raise SystemExit(f"the viewer ended with {viewer.wait()}")
    return viewer, address[0].rstrip("/"), start


class PageTime(NamedTuple):
    """Seconds that a page took, and those of them that the viewer worked (more, where on several cores)."""

    wall: float
    worked: float

    def __str__(self) -> str:
        return f"{self.wall:.3f} s (worked {self.worked:.2f})"


def time_page(client: httpx.Client, viewer: int, address: str) -> PageTime:
    """Time a page."""
    start, before = time.perf_counter(), cpu_seconds(viewer)
    client.get(address).raise_for_status()
    return PageTime(time.perf_counter() - start, cpu_seconds(viewer) - before)


def cpu_seconds(process: int) -> float:
    """Return the seconds of CPU time that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


LISTS = (
    "/episodes?outcome=failure&sort=-cost",
    "/episodes?q=_77&sort=started_at&page=3",
    "/episodes?failure_mode=loop&model=gpt-5",
    "/episodes?sort=task_id",
    "/causes?by=model",
)
SEARCHES = (
    "/episodes?q=odile",
    "/episodes?q=case+customer&in=results",
    "/episodes?q=the",
    "/tools",
)
"""Words of some episodes, of many, and of nearly all; and the tools."""
BEING_READ = "The others are being read"
"""What a page says that does not have all episodes yet."""
PATIENCE = 3600
"""Seconds to wait for the index of texts."""


def whole_episodes(store: Path, count: int) -> list[str]:
    """List ids of episodes from all over the store that have all their turns."""
    with Store.open(store) as episodes:
        ids = (
            episodes.scan()
            .select("episode_id", "n_turns", turns=pl.col("turns").list.len())
            .filter(pl.col("n_turns") == pl.col("turns"), pl.col("n_turns") > 3)
        )
        return ids.select("episode_id").collect().to_series().sample(count, seed=0).to_list()


def time_opening(store: Path, cache: Path) -> None:
    """Print the seconds from the command to the first page, and until the page has all episodes."""
    viewer, address, start = open_viewer(store, cache)
    try:
        with httpx.Client(base_url=address, timeout=120) as client:
            page = client.get("/episodes").text
            first = PageTime(time.perf_counter() - start, cpu_seconds(viewer.pid))
            while BEING_READ in page:
                time.sleep(0.05)
                page = client.get("/episodes").text
        whole = PageTime(time.perf_counter() - start, cpu_seconds(viewer.pid))
    finally:
        viewer.terminate()
        viewer.wait(30)
    print(f"from the command to the first page in {first}; to all episodes in {whole}")


def measure(store: Path, cache: Path) -> None:
    """Print the times of opening and of pages, and the memory; the cache is empty at first."""
    ids = whole_episodes(store, 20)
    for _ in range(2):
        time_opening(store, cache)
    viewer, address, _ = open_viewer(store, cache)
    try:
        with httpx.Client(base_url=address, timeout=120) as client:
            lists = {path: time_page(client, viewer.pid, path) for path in LISTS}
            each = [time_page(client, viewer.pid, f"/episodes/{episode_id}") for episode_id in ids]
            indexed = wait_for_index(client)
            searches = {path: time_page(client, viewer.pid, path) for path in SEARCHES}
        status = Path(f"/proc/{viewer.pid}/status").read_text(encoding="utf-8")
        peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    finally:
        viewer.terminate()
        viewer.wait(30)
    for path, page_time in lists.items():
        print(f"  {path} in {page_time}")
    print(f"an episode's page in {statistics.median(e.wall for e in each):.3f} s, at most {max(each)}")
    print(f"all texts could be searched {indexed:.0f} s later")
    for path, page_time in searches.items():
        print(f"  {path} in {page_time}")
    print(f"memory at most {peak:.0f} MB")


def wait_for_index(client: httpx.Client) -> float:
    """Wait until every text can be searched; return the seconds that took."""
    start = time.perf_counter()
    while "still to be read" in client.get("/tools").text:
        if time.perf_counter() - start > PATIENCE:
            raise SystemExit(f"the index of texts is not ready after {PATIENCE} s")
        time.sleep(1)
    return time.perf_counter() - start


def main() -> None:
    """Make the store unless it is there, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--episodes", type=int, default=1_000_000, help="how many to make")
    parser.add_argument("--store", type=Path, help="where to make it; one that is there is used as it is")
    parser.add_argument("--like", type=Path, help="a store whose first episodes are copied")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        store = options.store or Path(scratch) / "many"
        if not store.exists():
            of = episodes_of(options.like) if options.like else templates(Path(scratch) / "few")
            make(store, options.episodes, of)
        measure(store, Path(scratch) / "cache")


if __name__ == "__main__":
    main()
