"""Plain words: docstrings of functions begin with a verb, and no class has a name that says nothing."""

import ast
import re
from pathlib import Path

import pytest

from tests.import_graph import modules, statements

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
Definitions = tuple[list[tuple[str, str]], list[tuple[str, str]]]


def opening(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The first word of a function's docstring, where that is prose about what the function does."""
    docstring = ast.get_docstring(function, clean=False)
    if not docstring or not docstring.strip():
        return None
    decorators = {re.split(r"[(.]", ast.unparse(node))[-1] for node in function.decorator_list}
    decorators |= {re.split(r"[(.]", ast.unparse(node))[0] for node in function.decorator_list}
    arguments = [ast.unparse(a.annotation) for a in function.args.args if a.annotation]
    checks = "CheckedRow" in arguments  # a check's docstring says what must hold, and goes into certificates
    if decorators & (DATA | {"property", "cached_property"}) or checks or function.name == "__init__":
        return None
    return docstring.split(maxsplit=1)[0].strip(",.:;")


@pytest.fixture(scope="module")
def definitions() -> Definitions:
    """Return the openings of functions and the names of classes, with where they are; no trees are kept."""
    openings, classes = [], []
    for name, path in modules(ROOT).items():
        for node in statements(ast.parse(path.read_text(encoding="utf-8")).body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                openings.append((f"{name}:{node.lineno} {node.name}", opening(node) or ""))
            elif isinstance(node, ast.ClassDef):
                classes.append((f"{name}:{node.lineno}", node.name))
    return openings, classes


def test_docstrings_of_functions_begin_with_a_verb(definitions: Definitions) -> None:
    openings, _ = definitions
    assert [where for where, word in openings if word and NO_VERB.fullmatch(word)] == []
    assert len([word for _, word in openings if word]) > 1000


def test_classes_have_names_that_say_what_they_hold(definitions: Definitions) -> None:
    _, classes = definitions
    assert [f"{where} {name}" for where, name in classes if EMPTY_NAME.fullmatch(name)] == []
