"""What a page or a card holds that its template did not write."""

import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from markdown_it import MarkdownIt
from starlette.testclient import TestClient

from eops_traj.store.store import Store
from eops_traj.view.app import make_app
from eops_traj.view.data import EpisodeSource

OUR_SCRIPT = (files("eops_traj.report") / "page.js").read_text(encoding="utf-8").strip()
"""The one script that stands in a page: the report's."""
UNSEEN = {"Cc", "Cs"}
"""Unicode's categories of what no page can hold."""
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
MARKDOWN.validateLink = lambda url: True  # not every reader of cards refuses the same schemes


class Page(HTMLParser):
    """The elements of a page that could act, and the addresses that it leads to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.active: list[str] = []
        self.links: list[str] = []
        self.headings: list[str] = []
        self._in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        address = values.get("href") or values.get("src") or ""
        ours = tag == "script" and address.startswith("/static/")
        self._in_script = tag == "script" and not address and values.get("type") != "application/json"
        handlers = [name for name in values if name.startswith("on")]
        if (
            tag in ("iframe", "object", "embed", "img") or (tag == "script" and address and not ours)
        ) or handlers:
            self.active.append(tag)
        if address.strip().lower().startswith(("javascript:", "data:", "http:")):
            self.active.append(address[:40])
        if tag == "a":
            self.links.append(address)
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.headings.append(tag)

    def handle_data(self, data: str) -> None:
        if self._in_script and data.strip() != OUR_SCRIPT:
            self.active.append("script")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False


def page_problems(page: str) -> str:
    """Return the harm in a page of HTML; empty where there is none."""
    if any(unicodedata.category(c) in UNSEEN for c in set(page) - set("\n\r\t")):
        return "control character"
    active = Page(page).active
    return f"injected {active[0]}" if active else ""


def card_problems(card: str) -> str:
    """Return the harm in a card: what its labels made of themselves; empty where there is none."""
    _, _, body = card.split("---\n", 2)
    if any(unicodedata.category(c) in {*UNSEEN, "Cf"} for c in set(card) - set("\n")):
        return "control character"
    tokens = MARKDOWN.parse(body)
    inner = [child for token in tokens for child in token.children or ()]
    links = [
        t.attrs["href"] for t in inner if t.type == "link_open" and t.attrs["href"] != "certificate.json"
    ]
    html = [t.content for t in (*tokens, *inner) if t.type.startswith("html") and "code>" not in t.content]
    headings = [
        i for i, t in enumerate(tokens) if t.type == "heading_open" and tokens[i + 1].content == "heading"
    ]
    rows = [t for t in tokens if t.type == "inline" and t.content in ("a", "c")]
    images = [t for t in inner if t.type == "image"]
    found = [
        *links,
        *html,
        *(["heading"] * len(headings)),
        *(["row"] * len(rows)),
        *(["image"] * len(images)),
    ]
    return f"injected {found[0]}" if found else ""


def viewer_pages(store: Path) -> Iterator[tuple[str, str]]:
    """Yield the pages of the viewer to which links lead, each with its problem.

    Lists have as many addresses as there are ways to combine their parameters: one is followed where its
    path, or a value of one of its parameters, was in none before.
    """
    with Store.open(str(store)) as opened:
        client = TestClient(make_app(EpisodeSource(opened), ("testserver",)), raise_server_exceptions=False)
        waiting, seen = ["/"], _parts("/")
        while waiting:
            address = waiting.pop()
            reply = client.get(address)
            yield f"viewer {address[:30]}", _reply_problems(reply)
            for link in Page(reply.text).links:
                if link.startswith("/") and not _parts(link) <= seen:
                    waiting.append(link)
                    seen |= _parts(link)


def _reply_problems(reply: Any) -> str:
    """Return the harm in an answer of the viewer: of a page, or of a file that a browser only keeps."""
    if reply.status_code >= 500:
        return "traceback"
    if reply.headers["Content-Type"].startswith("text/html"):
        return page_problems(reply.text)
    kept = reply.headers.get("Content-Disposition", "").startswith("attachment")
    unseen = [c for c in set(reply.text) - {"\n", "\t"} if unicodedata.category(c) in UNSEEN]
    return "" if kept and not unseen else "control character" if unseen else "a file that is shown"


def _parts(address: str) -> set[tuple[str, ...]]:
    """Return the path of an address, and each of its parameters at that path."""
    path, _, query = address.partition("#")[0].partition("?")
    return {(path,), *((path, *pair) for pair in parse_qsl(query, keep_blank_values=True))}
