"""Every regular expression of the package against texts that make a careless one slow.

Patterns are found, not listed: those at the top of modules by import, those written in a call by reading the
source. Each is used as its module uses it. Time must grow with the text, not with its square.
"""

import ast
import functools
import importlib.util
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import eops_traj
from tests.attacks.pattern_readers import READERS
from tests.attacks.tally import HELD, Tally

SIZES = (5_000, 20_000, 80_000)
"""Characters of a text."""
QUICK = 0.003
"""Seconds for the shortest text from which not even a square makes a second of the longest."""
MOST, DEADLINE = 1.0, 1.5
"""Seconds of the processor that the longest text may take, and after which a case is given up."""
GROWTH = 10
"""Times as long that four times the text may take: linear is 4, the square 16."""
UNITS = (
    *"a1 \n.-_@\"'([{<\\`=,:$é", "\t\n", "a ", "a.", "a@", "a-1 ", "A1b2", '{"a":', '"a\\', "<a ", "```",
    "a@b.", "https://a.", "**a", "1. a\n", "a: ", "+1 (5) ", "{{", "{$", "a_Id", "\u200b", "a=b&", "%41",
    "&#x41;",
)  # fmt: skip
"""What the texts repeat."""


METHODS = {"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"}
PLUGGED_INTO = {"verifiers"}
"""Packages that load modules of ours, and are installed in environments of their own."""


class Pattern(NamedTuple):
    """A pattern where it stands, with the methods by which it is used."""

    place: str
    compiled: Any
    methods: frozenset[str]

    def run(self, text: str) -> None:
        """Use it on a text as its module does."""
        anchored = self.methods & {"match", "fullmatch"}
        for method in anchored:
            getattr(self.compiled, method)(text)
        if self.methods - anchored or not self.methods:
            for _ in self.compiled.finditer(text):
                pass


def attack(folder: Path, every: int = 1) -> Tally:
    """Try every pattern and every reader with every text; what falls took too long, or grew too fast.

    With ``every`` each gets one in so many of the texts that all get, in its turn, and all of its own words.
    """
    tally = Tally("patterns x texts")
    for turn, pattern in enumerate(patterns()):
        units = (*UNITS[turn % every :: every], *own_words(pattern.compiled.pattern))
        try_texts(tally, pattern.place, pattern.run, units)
    for turn, (name, read) in enumerate(READERS.items()):
        try_texts(tally, name, read, UNITS[turn % every :: every])
    return tally


def try_texts(tally: Tally, name: str, use: Callable[[str], Any], units: Iterable[str]) -> None:
    """Use a pattern or a reader on texts of each unit, up to the first on which it falls."""
    for unit in units:
        result = growth(use, unit)
        tally.add(result, f"{name} on {unit!r}")
        if result != HELD:
            return


def growth(use: Callable[[str], Any], unit: str) -> str:
    """Return ``held``, or ``square`` where the time grows faster than the text or passes a second."""
    before = 0.0
    for size in SIZES:
        text = (unit * (size // len(unit) + 1))[:size] + "\x00"
        try:
            taken = seconds(use, text)
            if taken > 0.1 and taken > GROWTH * before:  # once more: other work on the machine slows this one
                taken = min(taken, seconds(use, text))
        except TimeoutError:
            return "square"
        if size == SIZES[0] and taken < QUICK:
            return HELD
        if taken > MOST or (size == SIZES[-1] and taken > 0.1 and taken > GROWTH * before):
            return "square"
        before = taken
    return HELD


def seconds(use: Callable[[str], Any], text: str) -> float:
    """Return the seconds of the processor that one use takes. Raises TimeoutError past the deadline."""
    with deadline(DEADLINE):
        start = time.process_time()
        use(text)
        return time.process_time() - start


@contextmanager
def deadline(limit: float) -> Iterator[None]:
    """Raise TimeoutError after so many seconds of the processor, within a match too."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_IGN)  # by default one on its way would end the process


def own_words(pattern: str | bytes) -> list[str]:
    """Return what a pattern itself looks for: its first words, with and without a space between."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    words = list(dict.fromkeys(re.findall(r"[A-Za-z]{2,}(?: [a-z]+)?", text)))[:12]
    return [form for word in words for form in (word, f"{word} ", f"{word} a ")]


@functools.cache
def patterns() -> tuple[Pattern, ...]:
    """Find every pattern of the package, each once."""
    named = [
        (module, name, pattern)
        for module in module_names()
        for name, value in names_in(module).items()
        for pattern in compiled_in(value)
        if isinstance(pattern.pattern, str)
    ]
    direct: dict[int, set[str]] = {id(pattern): set() for _, _, pattern in named}
    for module, name, pattern in named:
        direct[id(pattern)] |= {
            method for owner, method in calls(module) if name in re.findall(r"\w+", owner)
        }
    found = [
        Pattern(f"{module}.{name}", pattern, frozenset(direct[id(pattern)] or handed_on(module)))
        for module, name, pattern in named
    ]
    found += [pattern for module in module_names() for pattern in written_in_calls(module)]
    return tuple({(p.compiled.pattern, p.compiled.flags, p.methods): p for p in found}.values())


def names_in(module: str) -> dict[str, Any]:
    """Return what a module defines; nothing of one that is a plug-in of a package that is not installed."""
    try:
        return vars(importlib.import_module(module))
    except ModuleNotFoundError as error:
        if error.name in PLUGGED_INTO:
            return {}
        raise


def compiled_in(value: Any) -> Iterator[re.Pattern[str]]:
    """Yield the patterns in the value of a module's name: itself, or those of a list, set or dict."""
    values = value.values() if isinstance(value, dict) else value
    yield from (v for v in ([values] if not isinstance(value, dict | list | tuple | set) else values)
                if isinstance(v, re.Pattern))  # fmt: skip


def written_in_calls(module: str) -> Iterator[Pattern]:
    """Yield the patterns that stand in calls of ``re``, where they are plain text."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
            [first, *_] = node.args
            method = ast.unparse(node.func).removeprefix("re.")
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and method != "compile":
                place = f"{module}:{node.lineno}"
                yield Pattern(place, re.compile(first.value), frozenset({method}))


@functools.cache
def calls(module: str) -> frozenset[tuple[str, str]]:
    """Return what a module calls with the name of a pattern's method, and on what."""
    nodes = (node for node in ast.walk(tree(module)) if isinstance(node, ast.Attribute))
    return frozenset((ast.unparse(node.value), node.attr) for node in nodes if node.attr in METHODS)


def handed_on(module: str) -> set[str]:
    """Return the methods that a module calls on what may be a pattern that it handed on: a local name."""
    return {method for owner, method in calls(module) if owner.islower() and owner != "re"} - {"split"}


@functools.cache
def module_names() -> tuple[str, ...]:
    """Return the modules of the package and of its instance folders."""
    walked = pkgutil.walk_packages(eops_traj.__path__, "eops_traj.")
    return tuple(module.name for module in walked if not module.name.endswith("__main__"))


@functools.cache
def tree(module: str) -> ast.Module:
    """Return the syntax tree of a module."""
    spec = importlib.util.find_spec(module)
    return ast.parse(Path((spec and spec.origin) or "").read_text(encoding="utf-8"))
