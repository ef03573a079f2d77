"""What goes wrong on the wire with a tool server is the sandbox's failure, soon and at little cost."""

import gzip
import json
import time
import tracemalloc
from typing import Any

import pytest

from eops_traj.errors import SandboxError
from eops_traj.sandbox import mcp_client
from eops_traj.sandbox.mcp_client import McpClient
from tests.attacks.tool_servers import serving
from tests.sandbox.raw_server import head, sending

HELLO = b'{"jsonrpc":"2.0","id":1,"result":{}}'


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "_PAUSES", (None,))


@pytest.mark.parametrize("encoding", [b"gzip, gzip", b"gzip", b"br", b"identity, deflate", b"caf\xe9"])
def test_a_compressed_reply_is_refused_before_it_is_unpacked(encoding: bytes) -> None:
    bomb = gzip.compress(gzip.compress(bytes(50 * 2**20)))
    reply = [head(len(bomb), b"content-encoding: " + encoding), bomb]
    with sending(reply) as url:
        refuse(url)  # what it imports may be compiled first, which takes more
        tracemalloc.start()
        refuse(url)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 2**20


def refuse(url: str) -> None:
    with pytest.raises(SandboxError, match=r"csm: .*/mcp: a reply in '.*', which was not asked for"):
        McpClient("csm", url, {}, 60.0).initialize()


@pytest.mark.parametrize("header", [b"server: caf\xe9", b"content-encoding: Identity", b"content-encoding:"])
def test_headers_of_any_bytes_are_taken(header: bytes) -> None:
    with sending([head(len(HELLO), header), HELLO]) as url:
        McpClient("csm", url, {}, 60.0).initialize()


@pytest.mark.parametrize("codec", [b"zip", b"base64", b"utf-16", b"idna", b"none"])
def test_a_reply_is_utf_8_whatever_its_charset_says(codec: bytes) -> None:
    body = '{"result":{"content":[{"type":"text","text":"José"}]}}'.encode()
    with sending([head(len(body), b"content-type: text/plain; charset=" + codec), body]) as url:
        assert McpClient("csm", url, {}, 60.0).call("find_user", {}).text == "José"


@pytest.mark.parametrize("name", [b"caf\xe9", b"a b", b"a\tb"])
def test_a_session_id_that_cannot_be_repeated_is_refused(name: bytes) -> None:
    reply = [head(len(HELLO), b"mcp-session-id: " + name), HELLO]
    with sending(reply) as url, pytest.raises(SandboxError, match="mcp-session-id"):
        McpClient("csm", url, {}, 60.0).initialize()


HEADERS = [
    {"x-user": "José"}, {"X-Üser": "é"}, {"x-user": "\ud800"}, {"x-u": "a\r\nb: c"}, {"x-user": "a\0"},
    {"": "a"}, {"x y": "a"}, {"Accept-Encoding": "gzip"},
]  # fmt: skip


@pytest.mark.parametrize("headers", HEADERS, ids=ascii)
def test_callers_headers_are_sent_or_refused(headers: dict[str, str]) -> None:
    with sending([head(len(HELLO)), HELLO]) as url:
        try:
            McpClient("csm", url, headers, 60.0).initialize()
        except SandboxError as error:
            assert "José" not in str(headers) and "gzip" not in str(headers) and "\n" not in str(error)


def test_a_callers_name_is_sent_in_utf_8_and_never_replaces_what_the_client_asks() -> None:
    client = McpClient("csm", "http://127.0.0.1:9", {"x-user": "José", "Accept-Encoding": "gzip"}, 60.0)
    sent = dict(client._http.headers.raw)
    assert sent[b"x-user"] == "José".encode() and sent[b"accept-encoding"] == b"identity"


ADDRESSES = [
    "http://x\0y", "http://x:99999999", "http://[::1", "http://a..b", "ftp://x", "", "x", "http://xn--a",
    "http://" + "a" * 300, "http://\ud800", "http://x\ny",
]  # fmt: skip


@pytest.mark.parametrize("url", ADDRESSES, ids=ascii)
def test_an_address_that_is_none_is_a_failure_on_one_line(url: str) -> None:
    with pytest.raises(SandboxError, match="csm") as caught:
        McpClient("csm", url, {}, 0.5).initialize()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 1000


def _drip(whole: bytes) -> list[bytes]:
    return [whole[i : i + 1] for i in range(len(whole))]


DRIPS = {
    "body": [head(10_000), *_drip(b" " * 400)],
    "chunk": [
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", *_drip(b"1;" + b"a" * 400),
    ],
    "headers": _drip(b"HTTP/1.1 200 OK\r\nx: " + b"a" * 400),
}  # fmt: skip


@pytest.mark.parametrize("place", DRIPS)
def test_the_whole_exchange_ends_in_time_however_slowly_it_drips(place: str) -> None:
    started = time.monotonic()
    with sending(DRIPS[place], pause=0.05) as url, pytest.raises(SandboxError, match=r"csm: .*/mcp: "):
        McpClient("csm", url, {}, 0.5).call("create_case", {})
    assert time.monotonic() - started < 10


def test_the_pages_of_a_list_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def page(**more: Any) -> list[bytes]:
        return [json.dumps({"result": {"tools": [{"name": "a" * 900}], **more}}).encode()]

    monkeypatch.setattr(mcp_client, "MOST_BYTES", 10_000)
    with serving(page()) as url:
        assert len(McpClient("csm", url, {}, 60.0).tools()) == 1
    with serving(page(nextCursor="again")) as url, pytest.raises(SandboxError, match="more than 10000 bytes"):
        McpClient("csm", url, {}, 60.0).tools()
