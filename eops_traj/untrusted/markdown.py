"""Text for cards: what others wrote stands in Markdown and YAML as the characters it has, and nothing more.

A card is read by people on the Hub, where a label that is markup would be a heading, a row of a table, a link
or a script. Every ``{{ }}`` of a template is escaped, so that a new one cannot forget it; what is to stand as
code goes through a filter. The escapes are those of CommonMark 0.31 (backslashes, section 2.4, and entities).
"""

import functools
import html
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from eops_traj.untrusted.terminal import LINES, visible

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_ACTIVE = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
"""Marks that act anywhere in a line; an underscore does at the edge of a word alone."""

_LINKS = re.compile(r"(?:(?<=ftp)|(?<=http)|(?<=https)):(?=//)|(?<=www)\.|@", re.IGNORECASE)
"""The mark by which GitHub's Markdown takes an address for a link, though it stands in no brackets."""

_LEADING = re.compile(r"[-#+=]|\d{1,9}(?=[.)](?:\s|$))")
"""What begins a heading, a list or a rule, where it stands first in a line."""


def markdown_environment(**options: Any) -> "Environment":
    """Return a Jinja environment for Markdown, which escapes all but numbers and ``Markup``.

    Its filters are ``code`` for a span, ``code_block(language)`` for a block, ``one_line`` for a line in one,
    and ``percent`` for a share.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        undefined=StrictUndefined, keep_trailing_newline=True, finalize=_finalized, **options
    )
    environment.filters.update(code=code, code_block=code_block, one_line=one_line, percent=_percent)
    return environment


@functools.cache
def markdown_template(package: str, name: str, **options: Any) -> "Template":
    """Return a template that lies in a package, compiled once: an export renders its card three times."""
    text = (files(package) / name).read_text(encoding="utf-8")
    return markdown_environment(**options).from_string(text)


def _finalized(value: Any) -> Any:
    return value if isinstance(value, Markup | int | float) else escape_markdown(str(value))


def escape_markdown(text: str) -> Markup:
    """Return a text as one line of Markdown that shows it: no markup, no HTML, no cell of a table or link."""
    line = _ACTIVE.sub(r"\\\g<0>", _line(text).strip())
    if first := _LEADING.match(line):
        at = first.end() if first[0].isdigit() else 0
        line = f"{line[:at]}\\{line[at:]}"
    return Markup(_LINKS.sub(lambda mark: f"&#{ord(mark[0])};", html.escape(line, quote=False)))


def code(text: str) -> Markup:
    """Return a text as a span of code, in a table too."""
    line = _line(text)
    if "`" in line or "|" in line or not line.strip():  # no escapes in a span, and a pipe ends a cell
        return Markup(f"<code>{escape_markdown(line)}</code>")
    return Markup(f"`{line}`")


def code_block(text: str, language: str = "") -> Markup:
    """Return a text as a block of code, whose fence is longer than any within it."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`+", text))])
    return Markup(f"{fence}{language}\n{visible(str(text), LINES)}\n{fence}")


def one_line(text: str) -> Markup:
    """Return a text as one line within a block of code."""
    return Markup(_line(text))


def _percent(share: float | None) -> str:
    return "not known" if share is None else f"{share:.1%}"


def front_matter(fields: Mapping[str, Any]) -> Markup:
    """Return the YAML at the head of a card, in ASCII: every other character is an escape."""
    import yaml

    return Markup(yaml.safe_dump(dict(fields), sort_keys=False))


def _line(text: str) -> str:
    return visible(" ".join(str(text).splitlines()))
