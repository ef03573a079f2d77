"""A gym in a process of its own under attack, and another process that asks all the while how it is."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx

PROBE = """
import http.client, sys, time
while True:
    start = time.monotonic()
    try:
        connection = http.client.HTTPConnection(sys.argv[1], timeout=20)
        connection.request("GET", "/health")
        status = connection.getresponse().read() and 200
    except Exception as error:
        status = type(error).__name__
    print(status, time.monotonic() - start, flush=True)
    time.sleep(0.1)
"""


@dataclass
class RunningGym:
    """A served gym: its URL, its process, and the file that its log goes to."""

    url: str
    process: "subprocess.Popen[str]"
    log: Path

    @property
    def address(self) -> tuple[str, int]:
        """Its host and port."""
        parts = urlsplit(self.url)
        return str(parts.hostname), int(parts.port or 0)

    def client(self) -> httpx.Client:
        """Open a client that waits for as long as it takes, and reads no certificates: there is no TLS."""
        return httpx.Client(base_url=self.url, timeout=120, verify=False)

    def megabytes(self) -> float:
        """Return the most memory that it has held."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextlib.contextmanager
def running(folder: Path, *options: str) -> Iterator[RunningGym]:
    """Serve a gym until the context ends."""
    log = folder / "log"
    serve = ["gym", "serve", "--server", "csm", "--port", "0", *options]
    command = [sys.executable, "-m", "eops_traj.cli", *serve]
    with log.open("w") as out, subprocess.Popen(command, stderr=out, text=True) as process:
        try:
            while "/mcp" not in log.read_text():
                assert process.poll() is None, log.read_text()
                time.sleep(0.05)
            yield RunningGym(log.read_text().split()[4].removesuffix("/mcp"), process, log)
        finally:
            process.kill()


@contextlib.contextmanager
def asking(gym: RunningGym) -> Iterator[list[str]]:
    """Ask for ``/health`` ten times a second; at the end the list has the late and the wrong answers."""
    late: list[str] = []
    probe = subprocess.Popen(
        [sys.executable, "-c", PROBE, urlsplit(gym.url).netloc], stdout=subprocess.PIPE, text=True
    )
    assert probe.stdout
    asked = [probe.stdout.readline()]  # it has begun
    try:
        yield late
    finally:
        time.sleep(0.3)
        probe.terminate()
        asked += probe.communicate()[0].splitlines()
        for status, seconds in (line.split() for line in asked if len(line.split()) == 2):
            if status != "200" or float(seconds) > 1:
                late.append(f"{status} after {float(seconds):.1f} s")
