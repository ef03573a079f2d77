"""The part of the Hub's HTTP interface that an upload uses, in memory, with LFS; it can be made to fail."""

import base64
import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "hf_" + "test"


@dataclass
class Hub:
    """The files of the Hub, and its behaviour."""

    url: str = ""
    private: bool | None = None
    """None while there is no repository."""
    files: dict[str, str] = field(default_factory=dict)
    """The SHA-256 of every file that is committed, by its path."""
    objects: dict[str, bytes] = field(default_factory=dict)
    refuse: int | None = None
    """The status with which every request is refused."""
    room: int | None = None
    """The number of objects that it still takes in."""
    received: list[str] = field(default_factory=list)
    alone: threading.Lock = field(default_factory=threading.Lock)
    """Held by an upload that is taken in: several come at once."""

    def answer(self, method: str, path: str, body: bytes, token: str | None) -> tuple[int, object]:
        """Return status and answer of a request."""
        if (self.refuse or token != f"Bearer {TOKEN}") and not path.startswith("/objects/"):
            return self.refuse or 401, {"error": "no"}
        if path == "/api/repos/create":
            return self._create(json.loads(body))
        if path == "/api/whoami-v2":
            return 200, {"name": "org"}
        if path == "/api/validate-yaml":
            return 200, {"errors": [], "warnings": []}
        if path.startswith("/objects/"):
            return self._take(path.rpartition("/")[2], body)
        if "/preupload/" in path:
            modes = {
                f["path"]: "lfs" if f["path"].endswith(".parquet") else "regular"
                for f in json.loads(body)["files"]
            }
            return 200, {
                "files": [{"path": p, "uploadMode": m, "shouldIgnore": False} for p, m in modes.items()]
            }
        if path.endswith("/objects/batch"):
            return 200, {
                "transfer": "basic",
                "objects": [self._action(o) for o in json.loads(body)["objects"]],
            }
        if "/commit/" in path:
            return self._commit([json.loads(line) for line in body.splitlines()])
        if "/tree/" in path:
            return 200, [{"type": "file", "path": p, "size": 1, "oid": o} for p, o in self.files.items()]
        return 200, {"id": "org/data", "private": self.private, "sha": "0" * 40, "siblings": []}

    def _create(self, request: dict) -> tuple[int, object]:
        if self.private is not None:
            return 409, {"error": "there already", "url": f"{self.url}/datasets/org/data"}
        self.private = request["visibility"] == "private"
        return 200, {"url": f"{self.url}/datasets/org/data", "name": "org/data"}

    def _action(self, item: dict) -> dict:
        if item["oid"] in self.objects:
            return item
        return {**item, "actions": {"upload": {"href": f"{self.url}/objects/{item['oid']}"}}}

    def _take(self, oid: str, body: bytes) -> tuple[int, object]:
        with self.alone:
            if self.room == 0:
                return 507, {"error": "full"}
            self.room = None if self.room is None else self.room - 1
            assert hashlib.sha256(body).hexdigest() == oid
            self.objects[oid] = body
            self.received.append(oid)
        return 200, {}

    def _commit(self, lines: list[dict]) -> tuple[int, object]:
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                self.files[value["path"]] = hashlib.sha256(base64.b64decode(value["content"])).hexdigest()
            elif line["key"] == "lfsFile":
                assert value["oid"] in self.objects
                self.files[value["path"]] = value["oid"]
            elif line["key"] == "deletedFile":
                del self.files[value["path"]]
        return 200, {"commitUrl": f"{self.url}/datasets/org/data/commit/1", "commitOid": "1" * 40}


@contextlib.contextmanager
def hub_double() -> Iterator[Hub]:
    """Serve a Hub on a free port of the loopback interface."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            body = self._body()
            status, answer = hub.answer(
                self.command, self.path.partition("?")[0], body, self.headers["authorization"]
            )
            text = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = handle_one

        def _body(self) -> bytes:
            if self.headers["transfer-encoding"] != "chunked":
                return self.rfile.read(int(self.headers["content-length"] or 0))
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
