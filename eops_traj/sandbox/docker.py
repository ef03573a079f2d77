"""Containers of tool servers on a Docker engine: pulled by digest, started, waited for, listed, removed.

Every container bears labels that say which fleet it belongs to and which process owns that fleet. So what a
killed run left behind is distinguished from what a running one needs, and removed when the next fleet starts.
"""

import contextlib
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx

from eops_traj.errors import InputError, SandboxError
from eops_traj.optional import require
from eops_traj.sandbox.images import ServerImage
from eops_traj.sandbox.mcp_client import PROTOCOL

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container as DockerContainer

FLEET, OWNER, SERVER = "eops-traj.fleet", "eops-traj.owner", "eops-traj.server"
"""The labels: the fleet's id, the process that owns it, the server in the container."""
LINES_SHOWN = 15
_POLL = 0.2  # seconds between two looks at a server that is not ready yet
_RUNS = "running"  # the start of a process that runs, where it cannot be told


@dataclass(frozen=True)
class Container:
    """A running container, and the URL of its server."""

    server: str
    url: str
    docker: "DockerContainer"


class Docker:
    """A Docker engine, as one fleet uses it. A failing engine is a SandboxError."""

    def __init__(
        self, client: "DockerClient", address: str = "127.0.0.1", open_files: int | None = None
    ) -> None:
        self.fleet = uuid4().hex[:12]
        self._client, self._address, self._open_files = client, address, open_files

    def pin(self, reference: str) -> str:
        """Return the image's digest (or its id, for one built here), after pulling what is not there.

        Raises InputError where no such image is available.
        """
        try:
            image = self._find(reference) or self._fetch(reference)
        except docker_errors() as error:
            raise InputError(f"no image {reference!r}: {_engine_message(error)}") from None
        name = _split(reference)[0]
        digests = image.attrs.get("RepoDigests") or ()
        return next((str(d) for d in digests if _split(d)[0] == name), str(image.id))

    def _find(self, reference: str) -> Any:
        from docker.errors import ImageNotFound

        try:
            return self._client.images.get(reference)
        except ImageNotFound:
            return None

    def _fetch(self, reference: str) -> Any:
        name, digest = _split(reference)
        digest = digest or self._client.images.get_registry_data(reference).id
        return self._find(f"{name}@{digest}") or self._client.images.pull(name, tag=digest)

    def run(self, server: str, image: ServerImage, pinned: str, seconds: float) -> Container:
        """Start a container and wait until its server answers.

        Raises SandboxError, with the end of the container's log, where it ends or is not ready in time.
        """
        try:
            started = self._create(server, image, pinned)
        except docker_errors() as error:
            raise SandboxError(f"{server}: no container of {pinned}: {_engine_message(error)}") from None
        try:
            container = self._start(server, image, started)
            wait_until_ready(container, seconds)
        except docker_errors() as error:
            _abandon(started)
            raise SandboxError(f"{server}: {pinned} does not start: {_engine_message(error)}") from None
        except BaseException:
            _abandon(started)
            raise
        return container

    def _create(self, server: str, image: ServerImage, pinned: str) -> "DockerContainer":
        from docker.types import Ulimit

        files = self._open_files
        limits = [Ulimit(name="nofile", soft=files, hard=files)] if files else None
        return self._client.containers.create(
            pinned,
            command=list(image.command) if image.command is not None else None,
            environment=dict(image.environment),
            labels={FLEET: self.fleet, OWNER: process_label(), SERVER: server},
            name=f"eops-traj-{server}-{uuid4().hex[:8]}",
            ports={f"{image.port}/tcp": (self._address, None)},  # type: ignore[dict-item]  # None: any port
            security_opt=["no-new-privileges:true"],
            ulimits=limits,
        )

    def _start(self, server: str, image: ServerImage, created: "DockerContainer") -> Container:
        created.start()
        created.reload()
        bound = created.ports.get(f"{image.port}/tcp") or ()
        if not bound:
            raise SandboxError(f"{server}: port {image.port} is not published{_log_of(created)}")
        return Container(server, f"http://{self._address}:{bound[0]['HostPort']}", created)

    def end(self, container: Container) -> None:
        """Remove a container, running or not; one that is gone already is no error."""
        _remove(container.docker)

    def end_all(self) -> None:
        """Remove every container of this fleet."""
        for container in self._labelled({"label": f"{FLEET}={self.fleet}"}):
            _remove(container)

    def sweep(self) -> list[str]:
        """Remove the containers of fleets of this machine whose process is gone; return their names."""
        orphans = [c for c in self._labelled({"label": OWNER}) if has_ended(c.labels.get(OWNER, ""))]
        for container in orphans:
            _remove(container)
        return [str(container.name) for container in orphans]

    def _labelled(self, filters: Mapping[str, str]) -> "list[DockerContainer]":
        try:
            return list(self._client.containers.list(all=True, filters=dict(filters), ignore_removed=True))
        except docker_errors() as error:
            raise SandboxError(f"the Docker engine: {_engine_message(error)}") from None


def docker_errors() -> tuple[type[Exception], ...]:
    """Return the errors that the SDK raises where the engine refuses, or is gone."""
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    return DockerException, RequestException


def connect(host: str | None = None) -> "DockerClient":
    """Connect to the Docker engine at an address, by default the one that the environment names.

    Raises InputError where the extra is not installed or no engine answers.
    """
    require("docker")
    import docker

    try:
        return docker.DockerClient(base_url=host) if host else docker.from_env()
    except docker_errors() as error:
        where = host or os.environ.get("DOCKER_HOST") or "the default socket"
        raise InputError(f"no Docker engine answers at {where}: {_engine_message(error)}") from None


def wait_until_ready(container: Container, seconds: float) -> None:
    """Wait until the server answers. Raises SandboxError where it ends or is not ready in time."""
    until = time.monotonic() + seconds
    while problem := _problem_with(container):
        state = _state(container.docker)
        if state not in ("created", "running") or time.monotonic() > until:
            message = f"{container.server}: its container is {state} and {problem}"
            raise SandboxError(message + _log_of(container.docker))
        time.sleep(_POLL)


def is_answering(container: Container) -> bool:
    """Check whether the server answers now."""
    return not _problem_with(container)


def _problem_with(container: Container) -> str:
    """Describe the problem with the server, empty where it shakes hands. Nothing is tried again here."""
    client = {"name": "eops-traj", "version": "1"}
    hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
    accept = {"accept": "application/json, text/event-stream"}
    try:
        response = httpx.post(f"{container.url}/mcp", json=message, headers=accept, timeout=5.0, verify=False)
    except httpx.HTTPError as error:
        return f"does not answer ({error or type(error).__name__})"
    return "" if response.is_success else f"answers with HTTP {response.status_code}"


def _state(container: "DockerContainer") -> str:
    try:
        container.reload()
    except docker_errors():
        return "gone"
    return str(container.status)


def _split(reference: str) -> tuple[str, str | None]:
    """Return name and digest of a reference, without its tag and without the default registry."""
    name, _, digest = reference.partition("@")
    head, slash, last = name.rpartition("/")
    return (head + slash + last.partition(":")[0]).removeprefix("docker.io/"), digest or None


def _remove(container: "DockerContainer") -> None:
    try:
        container.remove(force=True, v=True)
    except docker_errors() as error:
        if getattr(error, "status_code", None) not in (404, 409):  # it is gone, or someone removes it now
            raise SandboxError(
                f"cannot remove container {container.name}: {_engine_message(error)}"
            ) from None


def _abandon(container: "DockerContainer") -> None:
    """Remove a container that did not come up; one that stays is swept later, and hides no reason."""
    with contextlib.suppress(SandboxError):
        _remove(container)


def _log_of(container: "DockerContainer") -> str:
    try:
        text = container.logs(tail=LINES_SHOWN).decode(errors="replace").strip()
    except docker_errors():
        return ""
    return f"; its log ends:\n{text}" if text else ""


def _engine_message(error: Exception) -> str:
    """Return the engine's own message of an error, without the wrapping."""
    return str(getattr(error, "explanation", None) or error)


def process_label(process: int | None = None) -> str:
    """Return a process as a label names it: its machine, its number, when it started.

    Numbers are used again; with the start, a label of an ended process never fits a running one.
    """
    number = process or os.getpid()
    return f"{socket.gethostname()}:{number}:{_started(number)}"


def has_ended(label: str) -> bool:
    """Check whether the process that a label names has ended.

    False for one of another machine, and where one runs of which nobody tells us when it started.
    """
    machine, _, process = label.rpartition(":")[0].rpartition(":")
    if machine != socket.gethostname() or not process.isdigit():
        return False
    return process_label(int(process)) not in (label, f"{machine}:{process}:{_RUNS}")


def _started(process: int) -> str:
    """Return when a process started, in the kernel's ticks; without /proc, only whether it runs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        pass
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return "ended"
    except PermissionError:  # it runs, and is someone else's
        pass
    return _RUNS
