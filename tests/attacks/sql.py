"""An attack on the databases: hostile SQL at every place where SQL from outside comes in.

Each case runs in a process of its own, so that its time and its memory are its own, and in a folder that must
stay as it was. Run from the root: python -m tests.attacks sql
"""

import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import apsw

from eops_traj.errors import EopsError
from eops_traj.gym import registry
from eops_traj.gym.engine import templates
from eops_traj.gym.engine.database import Database
from eops_traj.sandbox.embedded import open_session
from eops_traj.schema import Verifier, json_of
from eops_traj.verify.verifiers import verify
from tests.attacks.sampling import one_in
from tests.attacks.sql_statements import QUERIES, SCRIPTS, function_calls
from tests.attacks.tally import HELD, Tally

Work = Callable[[], object]
SECONDS = 0.3
"""The time limit that the statements run under."""
LATE = 2.0
"""How much later than its limit a statement may end, in seconds of the processor."""
MEGABYTES = 350
"""The most memory that a case may take beside what the process had."""


def attack(folder: Path, every: int = 1) -> Tally:
    """Run every statement at every entry, or one case in so many, in an empty folder."""
    tally = Tally("hostile SQL")
    victim = apsw.Connection(str(folder / "victim.db"))
    victim.execute("CREATE TABLE t AS SELECT 1 AS a")
    victim.close()
    root = Path(__file__).parents[2]
    environment = os.environ | {"TMPDIR": str(folder), "SQLITE_TMPDIR": str(folder), "PYTHONPATH": str(root)}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.attacks.sql", str(folder), str(every)],
        cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    for line in ran.stdout.splitlines():
        tally.add(*json.loads(line))
    return tally


def entries() -> dict[str, Callable[[str], object]]:
    """Return what takes SQL from outside, by name."""
    csm = registry.server("csm")
    template, session = csm.template(), open_session({"csm": 0})
    database = template.open()
    Database.run_sql.__defaults__ = (100, SECONDS)  # verifiers take no other limit
    templates.PATCH_SECONDS = SECONDS

    def verifier(text: str) -> None:
        config = json_of({"query": text, "expected_value": 1, "comparison_type": "equals"})
        verify(
            [Verifier(name="a", kind="database_state", config=config)],
            session,
            "",
            [],
            servers=["csm"],
            request="",
        )

    return {
        "check": database.check_query,
        "query": database.run_sql,
        "verifier": verifier,
        "seed": lambda text: templates.from_sql(csm.schema, text, SECONDS),
        "patch": lambda text: templates.patched(template, text),
        "patch-in": lambda text: templates.patched(template, f"DELETE FROM location WHERE 1 IN ({text})"),
    }


def cases() -> Iterator[tuple[str, list[Work]]]:
    """Yield every case: its name, and what it does, one piece after the other."""
    ways = entries()
    for name, text in QUERIES.items():
        for way, enter in ways.items():
            yield f"{way} {name}", [partial(enter, text)]
    for name, text in SCRIPTS.items():
        for way in ("seed", "patch"):
            yield f"{way} script {name}", [partial(ways[way], text)]
    for name, texts in function_calls(functions()):
        yield f"query {name}", [partial(ways["query"], text) for text in texts]


def functions() -> list[tuple[str, int]]:
    """Return the functions of this SQLite, each with a number of arguments; -1 is any."""
    listing = "SELECT DISTINCT name, narg FROM pragma_function_list WHERE name NOT GLOB '*[^a-z0-9_]*'"
    rows = apsw.Connection(":memory:").execute(f"{listing} ORDER BY 1, 2")
    return [(str(name), int(str(arguments))) for name, arguments in rows]


def run_alone(works: list[Work], folder: Path) -> str:
    """Run a case in a process of its own; return what it came to."""
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))  # what never ends is killed, without a result
        room = address_space() + 4_000_000_000
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        give_back()
        os.write(writer, next((result for result in map(measure, works) if result != HELD), HELD).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as lines:
        result = lines.read()
    killed = os.WTERMSIG(os.waitpid(child, 0)[1])
    after = {file.name: file.read_bytes() for file in folder.iterdir()}
    return "wrote" if after != before else result or f"overtime, or a crash: signal {killed}"


def address_space() -> int:
    """Return the bytes of addresses that this process has taken, those of earlier tests' libraries too."""
    taken = Path("/proc/self/statm")
    return int(taken.read_text().split()[0]) * resource.getpagesize() if taken.exists() else 4_000_000_000


def give_back() -> None:
    """Give back what earlier tests freed and the heap has kept (a training has it keep that).

    What a case takes would fill that first, and would not show.
    """
    marks = Path("/proc/self/clear_refs")
    if marks.exists():
        ctypes.CDLL(None).malloc_trim(0)
        marks.write_text("5")  # the peak counts from here on


def measure(work: Work) -> str:
    """Do one piece of a case; return what it came to by its error, its time and its memory."""
    memory, start = peak(), time.process_time()
    try:
        work()
    except EopsError as error:
        if "\n" in str(error):
            return "traceback: more than a line"
    except BaseException as error:  # noqa: BLE001 - whatever would be a traceback
        return f"traceback {error!r}"[:200]
    seconds, megabytes = time.process_time() - start, peak() - memory
    if megabytes >= MEGABYTES:  # first, since a slow machine makes it late as well
        return f"memory {megabytes:.0f} MB"
    return HELD if seconds <= SECONDS + LATE else f"overtime {seconds:.1f} s"


def peak() -> float:
    """Return the most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(folder: Path, every: int) -> None:
    for name, works in one_in(every, cases()):
        result = run_alone(works, folder)
        print(json.dumps([result.partition(" ")[0], f"{name} {result}"]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
