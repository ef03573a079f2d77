"""A real S3 server on loopback, in a process of its own."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

KEYS = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing", "region_name": "us-east-1"}


@contextlib.contextmanager
def s3_server(known_keys: bool = True) -> Iterator[dict[str, str]]:
    """Serve a bucket named ``bucket``; yields deltalake's storage options for it.

    Without ``known_keys`` the server knows no keys once the bucket is there.
    """
    import boto3

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    environment = {**os.environ, **({} if known_keys else {"INITIAL_NO_AUTH_ACTION_COUNT": "1"})}
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment)  # a line for each request
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
        boto3.client("s3", endpoint_url=options["AWS_ENDPOINT_URL"], **KEYS).create_bucket(Bucket="bucket")
        yield options
    finally:
        server.terminate()
        server.wait()


def _wait_for(port: int) -> None:
    """Until something listens on a loopback port; at most half a minute."""
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on port {port}")
