"""Stores to write on, each test's own, and an S3 server."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.copies import amended_store, empty_store, three_commits
from tests.store.s3_server import s3_server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store of three commits, two episodes each."""
    return three_commits(tmp_path / "s")


@pytest.fixture
def amended(tmp_path: Path) -> Path:
    """A store of three commits in which all but one of the episodes were amended since."""
    return amended_store(tmp_path / "s")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A store of nothing."""
    return empty_store(tmp_path / "s")


@pytest.fixture(scope="session")
def s3_options() -> Iterator[dict[str, str]]:
    """The storage options of an S3 server with a bucket named ``bucket``."""
    with s3_server() as options:
        yield options


@pytest.fixture
def s3(s3_options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a folder that is not there, on an S3 server that the environment names."""
    for name, value in {**s3_options, "XDG_STATE_HOME": str(tmp_path / "state")}.items():
        monkeypatch.setenv(name, value)
    return f"s3://bucket/{uuid.uuid4().hex}"
