"""A real S3 server on loopback, in a process of its own."""

import contextlib
import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator


@contextlib.contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """Serve a bucket named ``bucket``; yields deltalake's storage options for it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # a line for each request
    options = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
        "AWS_CONDITIONAL_PUT": "etag",
    }
    try:
        _wait_for(port)
        _ask(options, "PUT", "/bucket")
        yield options
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def knowing_no_keys(options: dict[str, str]) -> Iterator[None]:
    """Have the server refuse every key for a while."""
    _ask(options, "POST", "/moto-api/reset-auth", "0")
    try:
        yield
    finally:
        _ask(options, "POST", "/moto-api/reset-auth", "inf")


def _ask(options: dict[str, str], method: str, path: str, body: str = "") -> None:
    """Ask the server for what is not signed, which boto3 would take half a second to begin with."""
    connection = http.client.HTTPConnection(options["AWS_ENDPOINT_URL"].removeprefix("http://"))
    with contextlib.closing(connection):
        connection.request(method, path, body)
        assert connection.getresponse().status == 200


def _wait_for(port: int) -> None:
    """Until something listens on a loopback port; at most half a minute."""
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on port {port}")
