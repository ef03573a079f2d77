import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markdown_it import MarkdownIt

from eops_traj.untrusted.markdown import code, code_block, escape_markdown, front_matter, markdown_environment
from eops_traj.untrusted.terminal import visible

HOSTILE = [
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](http://x/pixel.png)",
    "<http://x>",
    "a | b\n|---|---|\n| c | d |",
    "x\n# heading",
    "# heading",
    "- item",
    "1. item",
    "---",
    "x\n===",
    "> quote",
    "~~~",
    "```\n# heading",
    "`` ` ``[x](y)",
    "*bold* _em_ __x__ ~~s~~",
    "&lt;b&gt; &#35;",
    "\\",
    "a\\|[x](javascript:y)",
    "a `|` b",
    "    code",
    "[1]: http://x",
    "$x$",
    "\x1b[2J\u202e\ud800\x00",
]
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens(markdown: str) -> list[str]:
    """Return the kinds of what Markdown holds besides text."""
    parsed = [inner for token in PARSER.parse(markdown) for inner in (token, *(token.children or ()))]
    return [token.type for token in parsed if token.type not in ("text", "text_special", "inline")]


def shown(markdown: str) -> str:
    """Return the characters that a reader of Markdown sees."""
    inlines = [child for token in PARSER.parse(markdown) for child in token.children or ()]
    return "".join(child.content for child in inlines)


def one_line(text: str) -> str:
    return visible(" ".join(text.splitlines()))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_a_paragraph_of_its_own_characters(text):
    escaped = escape_markdown(text)
    assert tokens(escaped) == ["paragraph_open", "paragraph_close"]
    assert shown(escaped) == one_line(text).strip()


@pytest.mark.parametrize(
    "address",
    ["https://evil.example/x", "HTTP://evil.example", "ftp://e.example", "a WWW.evil.com", "a@b.example"],
)
def test_an_address_is_shown_and_is_no_link(address):
    escaped = escape_markdown(address)  # in which GitHub looks for these
    assert not re.search(r"(https?|ftp)://|www\.|@", escaped, re.IGNORECASE)
    assert shown(escaped) == address


@pytest.mark.parametrize("text", HOSTILE)
def test_a_cell_stays_one_cell(text):
    plain = tokens("| a | b |\n|---|---|\n| x | y |\n")
    assert tokens(f"| a | b |\n|---|---|\n| {escape_markdown(text)} | y |\n") == plain
    in_code = tokens(f"| a | b |\n|---|---|\n| {code(text)} | y |\n")
    assert [kind for kind in in_code if kind not in ("code_inline", "html_inline")] == plain


@pytest.mark.parametrize("text", HOSTILE)
def test_code_is_code(text):
    assert set(tokens(f"a {code(text)} b")) <= {
        "paragraph_open",
        "paragraph_close",
        "code_inline",
        "html_inline",
    }
    assert "script" not in "".join(
        t.content for t in PARSER.parse(code(text))[1].children if t.type == "html_inline"
    )
    [block] = PARSER.parse(code_block(text, "json"))
    assert block.type == "fence" and block.info == "json" and block.content == visible(text, "\n\t") + "\n"


@given(st.text(max_size=40))
def test_whatever_the_text_a_paragraph_shows_it(text):
    assert set(tokens(escape_markdown(text))) <= {"paragraph_open", "paragraph_close"}


def test_ordinary_names_stay_as_they_are():
    for name in (
        "gpt-4.1_mini",
        "sn-csm-server",
        "Qwen/Qwen3-4B (AWQ)",
        "s3://bucket/store",
        "0.1.0",
        'it\'s "so"',
    ):
        assert escape_markdown(name) == name


def test_a_template_cannot_forget_to_escape():
    render = markdown_environment().from_string("# {{ x }} {{ n }} {{ x | code }} {{ 'a' ~ x }}").render
    assert render(x="<b>", n=-1) == "# &lt;b&gt; -1 `<b>` a&lt;b&gt;"
    with pytest.raises(UndefinedError):
        markdown_environment().from_string("{{ absent }}").render()


@pytest.mark.parametrize("text", HOSTILE)
def test_front_matter_is_one_document_in_ascii(text):
    head = front_matter({"pretty_name": text, "tags": [text]})
    assert head.isascii() and "\n---" not in head and "\x1b" not in head
    assert yaml.safe_load(head)["tags"] == [text]
