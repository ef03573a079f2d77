"""A real S3 server on loopback, in a process of its own."""

import contextlib
import http.client
import subprocess
import sys
from collections.abc import Iterator

PROGRAM = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """Serve a bucket named ``bucket``; yields deltalake's storage options for it."""
    pipe, command = subprocess.PIPE, [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(  # what it writes to stderr is a line for each request
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout
        options = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{int(server.stdout.readline())}",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
            "AWS_CONDITIONAL_PUT": "etag",
        }
        try:
            _ask(options, "PUT", "/bucket")
            yield options
        finally:
            server.terminate()


@contextlib.contextmanager
def knowing_no_keys(options: dict[str, str]) -> Iterator[None]:
    """Have the server refuse every key for a while."""
    try:
        _ask(options, "POST", "/moto-api/reset-auth", "0")
        yield
    finally:
        _ask(options, "POST", "/moto-api/reset-auth", "inf")


def _ask(options: dict[str, str], method: str, path: str, body: str = "") -> None:
    """Ask the server for what is not signed, which boto3 would take half a second to begin with."""
    connection = http.client.HTTPConnection(options["AWS_ENDPOINT_URL"].removeprefix("http://"))
    with contextlib.closing(connection):
        connection.request(method, path, body)
        assert connection.getresponse().status == 200
