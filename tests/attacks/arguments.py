"""Every text argument of every tool, given texts on which matching, parsing or counting could take for ever.

The texts are as long as the argument may be, so each call does all the work that one call can. The harm:
``slow`` (a call took over `SECONDS`), ``error`` (the gym itself failed). `slowest` are the worst of a run.
"""

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from eops_traj.gym import registry
from eops_traj.gym.identity import default_caller
from eops_traj.gym.server import Server
from eops_traj.gym.tools.arguments import Argument
from eops_traj.gym.tools.tool import Tool
from tests.attacks.tally import HELD, Tally
from tests.gym.plausible import attempts

SECONDS = 2.0
PATTERNS = (
    "a(", "(", "[{", "\\'", "'", '"a" OR ', "%_", " ", "0", "9", "-", "id,", "a eq 1 and ", "2026-01-01 ",
    "a@", "a.", "<script", "/**/", "re: ", "é", "a\0", "from:a ", "members(_expand=", "RRULE:FREQ=SECONDLY;",
)  # fmt: skip
"""What is repeated; each text ends in what fits none of it, so that a match can fail as late as possible."""
END = "!)'\""


def text_of(argument: Argument, pattern: str) -> str:
    """Return a text of this pattern, as long as the argument takes it."""
    length = min(argument.longest, argument.schema.get("maxLength", argument.longest))
    return ((pattern * length)[: max(0, length - len(END))] + END)[:length]


def values_of(argument: Argument, pattern: str) -> Iterator[Any]:
    """Yield values that bring a text to an argument: alone, in a list or in an object, as it takes it."""
    text = text_of(argument, pattern)
    kinds = argument.schema.get("type", ())
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        match kind:
            case "string":
                yield text
            case "array":
                yield [text, text]
            case "object":
                yield dict.fromkeys(argument.schema.get("properties", {"a": {}}), text)


def attack(folder: Path, every: int = 1) -> Tally:
    """Call every tool of every server with every text, or one in so many, in each argument that takes one."""
    tally, turns = Tally("texts in arguments"), count()
    for name in registry.SERVERS:
        server = registry.server(name)
        for tool in server.tools.values():
            _attack_tool(server, tool, tally, turns, every)
    return tally


def _attack_tool(server: Server, tool: Tool, tally: Tally, turns: Iterator[int], every: int) -> None:
    database = server.template().open()
    caller = default_caller(server, database)
    usual = next(attempts(server, tool, database), {})
    for argument, turn in zip(tool.arguments, turns, strict=False):
        for pattern in PATTERNS[turn % every :: every]:
            for value in values_of(argument, pattern):
                case = f"{server.name} {tool.name} {argument.name} {pattern!r}"
                start = time.thread_time()
                try:
                    server.call(database, tool.name, {**usual, argument.name: value}, caller)
                except Exception as error:  # noqa: BLE001 - whatever it is, a call must not raise it
                    tally.add("error", f"{case}: {error!r:.200}")
                    continue
                seconds = time.thread_time() - start
                tally.add(HELD if seconds < SECONDS else "slow", f"{case}: {seconds:.3f} s")
    database.close()


def slowest(tally: Tally, count: int = 10) -> list[str]:
    """Return the cases that took longest, the worst first."""
    cases = [case for result in (HELD, "slow") for case in tally.cases.get(result, ())]
    return sorted(cases, key=lambda case: -float(case.split()[-2]))[:count]
