"""A stand-in for the Docker engine: its HTTP API on a Unix socket, as far as a fleet has the SDK ask for it.

What it starts for a container is a real process of our gym (`tests.sandbox.contained`), which listens where
the engine would publish the container's port, with the container's limit of open files, and which can be
killed, can leak, and leaves a log. Images are made up; what they do is told by the repository's name.
"""

import contextlib
import json
import re
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4

from tests import forks
from tests.sandbox import contained

VERSION = "1.47"


def digest(repository: str) -> str:
    """The digest that the registry has for a repository."""
    return "sha256:" + repository.encode().hex()[:64].rjust(64, "0")


@dataclass
class Contained:
    """A container: what it was made from, and its process once it is started."""

    name: str
    body: dict[str, Any]
    log: Path
    id: str = field(default_factory=lambda: uuid4().hex * 2)
    process: Any = None
    port: int = 0
    held: socket.socket = field(default_factory=socket.socket)
    changing: Any = field(default_factory=threading.Lock)

    @property
    def repository(self) -> str:
        return self.body["Image"].partition("@")[0]

    def start(self) -> None:
        """Start what is in the image, on a free port of the address that it is published on."""
        with self.changing:
            self.port = self._hold_port()
            limit = (self.body["HostConfig"].get("Ulimits") or [{"Soft": 1024}])[0]["Soft"]
            told = (self.repository, self.port, self.log, limit)
            process = forks.CONTEXT.Process(target=contained.main, args=told)
            process.start()
            self.process = process

    def _hold_port(self) -> int:
        """Take a port that nobody else is given, and on which the container can listen nevertheless."""
        self.held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.held.bind(("127.0.0.1", 0))
        return int(self.held.getsockname()[1])

    def state(self) -> str:
        if self.process is None:
            return "created"
        return "running" if self.process.is_alive() else "exited"

    def end(self) -> None:
        """End what runs; what is being started is ended once it is."""
        with self.changing:
            if self.process:
                self.process.kill()
                self.process.join()

    def inspected(self) -> dict[str, Any]:
        """What the engine tells of it."""
        ports = {}
        for inside, [binding] in self.body["HostConfig"]["PortBindings"].items():
            assert binding["HostPort"] == ""  # any free one
            ports[inside] = [{"HostIp": binding["HostIp"], "HostPort": str(self.port)}] if self.port else None
        config = {"Labels": self.body["Labels"], "Image": self.body["Image"], "Tty": False}
        network = {"Ports": ports}
        state = {"Status": self.state(), "Running": self.state() == "running"}
        return {
            "Id": self.id,
            "Name": f"/{self.name}",
            "State": state,
            "Config": config,
            "NetworkSettings": network,
        }


class DockerStandIn(socketserver.ThreadingUnixStreamServer):
    """The engine. ``registry`` holds the repositories that can be pulled, ``images`` those that are here."""

    daemon_threads = True

    def __init__(self, folder: Path, registry: set[str]) -> None:
        self.path = folder / "docker.sock"
        super().__init__(str(self.path), _Handler)
        self.folder, self.registry = folder, registry
        self.images: set[str] = set()
        self.containers: dict[str, Contained] = {}
        self.created: list[Contained] = []
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        """The address as the SDK takes it."""
        return f"unix://{self.path}"

    def running(self) -> list[Contained]:
        """The containers whose process runs."""
        return [c for c in list(self.containers.values()) if c.state() == "running"]


class _Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: DockerStandIn

    def handle_request(self) -> None:
        parts = urlsplit(self.path)
        path = unquote(re.sub(r"^/v[0-9.]+(?=/)", "", parts.path))
        self.query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        length = int(self.headers.get("content-length") or 0)
        self.body = json.loads(self.rfile.read(length) or "{}")
        self.server.asked.append(f"{self.command} {path}")
        try:
            status, answer = self._route(self.command, path)
        except _Refused as refused:
            status, answer = refused.status, {"message": str(refused)}
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        if status != 204:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        if status != 204:
            self.wfile.write(content)

    do_GET = do_POST = do_DELETE = handle_request

    def _route(self, method: str, path: str) -> tuple[int, Any]:
        routes: dict[str, Callable[..., tuple[int, Any]]] = {
            r"GET /version": lambda: (200, {"ApiVersion": VERSION, "MinAPIVersion": "1.24"}),
            r"GET /images/(.+)/json": self._image,
            r"POST /images/create": self._pull,
            r"GET /distribution/(.+)/json": self._distribution,
            r"POST /containers/create": self._create,
            r"GET /containers/json": self._list,
            r"GET /containers/([^/]+)/json": lambda c: (200, self._container(c).inspected()),
            r"POST /containers/([^/]+)/start": self._start,
            r"GET /containers/([^/]+)/logs": self._logs,
            r"DELETE /containers/([^/]+)": self._remove,
        }
        for route, handler in routes.items():
            if found := re.fullmatch(route, f"{method} {path}"):
                return handler(*found.groups())
        raise _Refused(404, f"the stand-in has no {method} {path}")

    def _image(self, reference: str) -> tuple[int, Any]:
        repository, at, wanted = reference.partition("@")
        exact = f"{repository}@{digest(repository)}"
        if exact not in self.server.images or not at or wanted != digest(repository):
            raise _Refused(404, f"No such image: {reference}")
        return 200, {"Id": "sha256:" + "1" * 64, "RepoDigests": [exact], "RepoTags": []}

    def _distribution(self, reference: str) -> tuple[int, Any]:
        repository = reference.partition(":")[0]
        if repository not in self.server.registry:
            raise _Refused(404, f"pull access denied for {repository}, repository does not exist")
        return 200, {"Descriptor": {"digest": digest(repository)}, "Platforms": []}

    def _pull(self) -> tuple[int, Any]:
        repository, wanted = self.query["fromImage"], self.query["tag"]
        if repository not in self.server.registry or wanted != digest(repository):
            raise _Refused(404, f"manifest for {repository}@{wanted} not found: manifest unknown")
        self.server.images.add(f"{repository}@{wanted}")
        return 200, json.dumps({"status": f"Digest: {wanted}"}).encode() + b"\r\n"

    def _create(self) -> tuple[int, Any]:
        if self.body["Image"] not in self.server.images:
            raise _Refused(404, f"No such image: {self.body['Image']}")
        made = Contained(self.query["name"], self.body, self.server.folder / f"{self.query['name']}.log")
        self.server.containers[made.id] = made
        self.server.created.append(made)
        return 201, {"Id": made.id, "Warnings": []}

    def _container(self, named: str) -> Contained:
        if named not in self.server.containers:
            raise _Refused(404, f"No such container: {named}")
        return self.server.containers[named]

    def _start(self, named: str) -> tuple[int, Any]:
        if "cannot-start" in self._container(named).repository:
            raise _Refused(500, "failed to create task for container: exec: not found")
        self._container(named).start()
        return 204, b""

    def _list(self) -> tuple[int, Any]:
        wanted = json.loads(self.query.get("filters", "{}")).get("label", [])
        rows = [c for c in list(self.server.containers.values()) if all(_bears(c, label) for label in wanted)]
        return 200, [{"Id": c.id} for c in rows]

    def _logs(self, named: str) -> tuple[int, Any]:
        lines = self._container(named).log.read_bytes().splitlines(keepends=True)[-int(self.query["tail"]) :]
        return 200, b"".join(b"\x01\0\0\0" + len(line).to_bytes(4, "big") + line for line in lines)

    def _remove(self, named: str) -> tuple[int, Any]:
        container = self._container(named)
        if container.state() == "running" and self.query.get("force") not in ("1", "True", "true"):
            raise _Refused(409, f"cannot remove container {named}: container is running")
        del self.server.containers[named]
        container.end()
        return 204, b""

    def log_message(self, *_: object) -> None:
        """Nothing."""


def _bears(container: Contained, label: str) -> bool:
    name, equals, value = label.partition("=")
    labels = container.body["Labels"]
    return name in labels and (not equals or labels[name] == value)


@contextlib.contextmanager
def engine(folder: Path, registry: set[str]) -> Iterator[DockerStandIn]:
    """A running stand-in; whatever it still has in containers is ended with it."""
    forks.begin()  # before anyone waits for a container, which clients do for a minute at most
    with DockerStandIn(folder, registry) as served:
        thread = threading.Thread(target=served.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield served
        finally:
            served.shutdown()
            for container in served.created:
                container.end()
                container.held.close()
