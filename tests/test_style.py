"""Plain words: docstrings of functions begin with a verb, and no class has a name that says nothing."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.import_graph import modules

ROOT = Path(__file__).parents[1]
NO_VERB = re.compile(
    r"What|Whether|Wh[oy]|Whom|Whose|Which|Where|When|How|That|The|An?|Its?|Their|Every|Each|All|Any|One|So|Of|In"
    r"|Those|These|This|Some|Two|If|As|Nothing|No|Both|Many|Other|[^A-Z].*"
)
EMPTY_NAME = re.compile(
    r"_*(Made|Told|Shown|Place|Found|Wanted|Said|Asked|Given|Way|Thing|Stuff|Manager|Helper)"
)
DATA = frozenset({"tool", "family"})
"""Decorators of functions whose docstrings are data: the declaration of a tool, the intent of a family."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    for name, path in modules(ROOT).items():
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def opening(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The first word of a function's docstring, where that is prose about what the function does."""
    decorators = {re.split(r"[(.]", ast.unparse(node))[-1] for node in function.decorator_list}
    decorators |= {re.split(r"[(.]", ast.unparse(node))[0] for node in function.decorator_list}
    arguments = [ast.unparse(a.annotation) for a in function.args.args if a.annotation]
    checks = "CheckedRow" in arguments  # a check's docstring says what must hold, and goes into certificates
    if decorators & (DATA | {"property", "cached_property"}) or checks or function.name == "__init__":
        return None
    docstring = ast.get_docstring(function)
    return docstring.split(maxsplit=1)[0].strip(",.:;") if docstring else None


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    wrong = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (word := opening(node)) is not None
        and NO_VERB.fullmatch(word)
    ]
    assert wrong == []


def test_classes_have_names_that_say_what_they_hold() -> None:
    wrong = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and EMPTY_NAME.fullmatch(node.name)
    ]
    assert wrong == []
