"""The same store on an object store: a real S3 server on loopback."""

import contextlib
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS, episode


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, str]]:
    """An S3 server in a process of its own, with a bucket; yields deltalake's storage options for it."""
    import boto3

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)])
    options = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
        "AWS_CONDITIONAL_PUT": "etag",
    }
    keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing", "region_name": "us-east-1"}
    try:
        wait_for(port)
        boto3.client("s3", endpoint_url=options["AWS_ENDPOINT_URL"], **keys).create_bucket(Bucket="bucket")
        yield options
    finally:
        server.terminate()
        server.wait()


def wait_for(port: int) -> None:
    """Until something listens on a loopback port; at most half a minute."""
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on port {port}")


def test_a_store_on_s3(s3: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    url = f"s3://bucket/{uuid.uuid4().hex}"
    with Store.open(url, create=True, storage_options=s3) as store:
        assert store.append([episode("a")], prompts=[PROMPT], toolsets=[TOOLS]) == 1
    with Store.open(url, storage_options=s3) as store:
        assert store.append([episode("a"), episode("b")]) == 1
        store.flush()
        assert sorted(e.episode_id for e in store.episodes()) == ["a", "b"]
        assert store.prompt(PROMPT.prompt_hash) == PROMPT.text
    assert len(list((tmp_path / "eops-traj").glob("*.sqlite"))) == 1


def test_credentials_come_from_the_environment(s3: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    url = f"s3://bucket/{uuid.uuid4().hex}"
    Store.open(url, create=True)
    assert Store.open(url).scan().collect().height == 0
