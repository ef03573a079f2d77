"""What each command costs at several sizes of a store: CPU and wall seconds, peak memory, growth exponents.

    python -m benchmarks.scale RESULTS [--sizes 100000,1000000] [--keep FOLDER] [--commands why,score]
    python -m benchmarks.scale codecs RESULTS

RESULTS is a folder of EnterpriseOps-Gym result files. Their episodes are copied under new ids, with texts and
tasks that differ, in merged files; each command is a process of its own. An exponent is the growth of cost
from one size to the next: 1 is linear, 0 is flat.
"""

import argparse
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

CHUNK = 11_000
"""Episodes of a data file, as merging leaves them."""
CODECS = [("brotli", n) for n in (5, 9, 10)] + [("zstd", n) for n in (3, 9, 12, 15, 19)]


class Cost(NamedTuple):
    """What a process cost: CPU seconds, wall seconds, peak resident megabytes."""

    cpu: float
    wall: float
    peak: float


def commands(store: Path, scratch: Path, some: Path, one: str) -> dict[str, list[str]]:
    """Return the commands to measure, by name, in an order in which each finds what it needs."""
    at = ["--store", str(store)]
    rules = scratch / "rules.yaml"
    rules.write_text("rules:\n  - no_error\n  - outcome: {one_of: [success, safe_refusal]}\n")
    near = scratch / "near.yaml"
    near.write_text("rules:\n  - near_duplicates: {threshold: 0.9}\n")
    sft, openai = str(scratch / "sft"), str(scratch / "openai")
    return {
        "history": ["history", *at],
        "score": ["score", *at, "--by", "domain,mode", "--mix-protocols"],
        "diagnose": ["diagnose", *at],
        "filter outcome": ["filter", str(rules), *at, "--name", "all"],
        "filter near": ["filter", str(near), *at, "--name", "near"],
        "why": ["why", one, *at, "--selection", "all"],
        "import": ["import", "enterpriseops", str(some), *at],
        "compact": ["compact", *at],
        "report": ["report", *at, "--out", str(scratch / "report.html")],
        "export sft": ["export", "sft", *at, "--selection", "all", "--out", sft, "--split", "none"],
        "convert openai": ["convert", str(store), openai, "--to", "openai"],
    }


def copy_store(base: Path, folder: Path, count: int) -> None:
    """Make a store of ``count`` episodes: those of another again and again, under ids in order."""
    from eops_traj.store.store import Store

    with Store.open(base) as source, Store.open(folder, create=True) as target:
        for name in ("prompts", "toolsets", "runs"):
            target.tables[name].append(list(source.tables[name].rows()))
        rows, table = source.scan().collect(), target.tables["episodes"]
        for start in range(0, count, CHUNK):
            numbers = range(start, min(start + CHUNK, count))
            table.commit(_copies(rows, numbers, count).to_arrow().cast(table.schema))


def _copies(rows: "pl.DataFrame", numbers: range, count: int) -> "pl.DataFrame":
    """Return copies with these numbers: of their own id, task (four copies share one) and texts."""
    import polars as pl

    step = 16**24 // count
    many = rows[[number % rows.height for number in numbers]]
    ids = pl.Series("episode_id", [f"{number * step:024x}" for number in numbers])
    copy = pl.Series("copy", [number // (4 * rows.height) for number in numbers])
    many = many.with_columns(ids, copy)
    texts = [pl.format("{} ({})", name, "copy").alias(name) for name in ("task_hash", "user_prompt")]
    return many.with_columns(texts).select(rows.columns)


def measure(arguments: Sequence[str]) -> Cost:
    """Run a command line in a process of its own. Raises RuntimeError where it fails."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([sys.executable, "-m", "eops_traj.cli.main", *arguments],
                                   stdout=log, stderr=log)  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            log.seek(0)
            raise RuntimeError(f"{' '.join(arguments[:2])}: exit {process.returncode}: {log.read()[-300:]}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def measure_size(
    base: Path, results: Path, folder: Path, count: int, chosen: Sequence[str]
) -> Iterator[tuple[str, Cost]]:
    """Yield what each of the chosen commands costs at a size; all without a choice."""
    store, scratch = folder / f"store-{count}", folder / f"out-{count}"
    if not store.exists():  # in a process of its own: a child's peak begins at its parent's
        command = [sys.executable, "-m", "benchmarks.scale", "copy", base, store, str(count)]
        subprocess.run(command, check=True)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    one = f"{(count // 2) * (16**24 // count):024x}"
    for name, arguments in commands(store, scratch, results, one).items():
        if chosen and name not in chosen:
            continue
        try:
            yield name, measure(arguments)
        except RuntimeError as error:
            print(error, file=sys.stderr)


def exponent(small: float, large: float, growth: float) -> float:
    """Return the power of the size with which a cost grew."""
    return math.log(large / small) / math.log(growth)


def show(costs: dict[int, dict[str, Cost]]) -> None:
    """Print the table, with the exponents from each size to the next."""
    sizes = sorted(costs)
    print("| command |", " | ".join(f"{size:,}" for size in sizes), "| time | memory |")
    print("|---" * (len(sizes) + 3) + "|")
    for name in costs[sizes[0]]:
        found = [costs[size].get(name) for size in sizes]
        cells = [f"{c.cpu:.1f} s, {c.peak:.0f} MB" if c else "" for c in found]
        known = [(size, cost) for size, cost in zip(sizes, found, strict=True) if cost]
        grown = [
            (exponent(a.cpu, b.cpu, m / n), exponent(a.peak, b.peak, m / n))
            for (n, a), (m, b) in itertools.pairwise(known)
        ]
        powers = [", ".join(f"{powers[side]:.2f}" for powers in grown) for side in (0, 1)]
        print(f"| `{name}` |", " | ".join([*cells, *powers]), "|", flush=True)


def show_codecs(base: Path) -> None:
    """Print bytes of an episode and milliseconds to write it, for each codec and level."""
    import pyarrow as pa
    import pyarrow.parquet

    from eops_traj.store.store import Store

    with Store.open(base) as store:
        rows = store.scan().collect().to_arrow().cast(store.tables["episodes"].schema)
    for codec, level in CODECS:
        sink, start = pa.BufferOutputStream(), time.process_time()
        pyarrow.parquet.write_table(
            rows, sink, compression=codec, compression_level=level, use_dictionary=False,
            write_statistics=False, data_page_size=64 << 20, store_schema=False,
        )  # fmt: skip
        spent = (time.process_time() - start) * 1000 / rows.num_rows
        print(f"{codec:6} {level:2} {sink.getvalue().size / rows.num_rows:6.0f} bytes {spent:.2f} ms")


def main() -> None:
    """Print the codecs, or every figure at every size."""
    if sys.argv[1:2] == ["codecs"]:
        with tempfile.TemporaryDirectory() as scratch:
            measure(["import", "enterpriseops", sys.argv[2], "--store", f"{scratch}/base"])
            show_codecs(Path(scratch) / "base")
        return
    if sys.argv[1:2] == ["copy"]:
        copy_store(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--keep", type=Path, help="A folder in which the stores stay.")
    parser.add_argument("--commands", default="", help="Some of them, with commas between.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        base = folder / "base"
        if not base.exists():
            measure(["import", "enterpriseops", str(options.results), "--store", str(base)])
        chosen = [name for name in options.commands.split(",") if name]
        costs = {}
        for size in map(int, options.sizes.split(",")):
            costs[size] = dict(measure_size(base, options.results, folder, size, chosen))
            print(json.dumps({size: costs[size]}), flush=True)
        show(costs)


if __name__ == "__main__":
    main()
