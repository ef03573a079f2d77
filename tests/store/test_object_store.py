"""The same store on an object store: a real S3 server on loopback."""

import json
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import StoreError
from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS, episode
from tests.store.s3_server import knowing_no_keys


def test_a_store_on_s3(s3_options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    url = f"s3://bucket/{uuid.uuid4().hex}"
    with Store.open(url, create=True, storage_options=s3_options) as store:
        assert store.append([episode("a")], prompts=[PROMPT], toolsets=[TOOLS]) == 1
    with Store.open(url, storage_options=s3_options) as store:
        assert store.append([episode("a"), episode("b")]) == 1
        store.flush()
        assert sorted(e.episode_id for e in store.episodes()) == ["a", "b"]
        assert store.prompt(PROMPT.prompt_hash) == PROMPT.text
        with pytest.raises(StoreError, match=r"episodes has no version 9, its newest is [1-9]"):
            store.scan(9)
    assert len(list((tmp_path / "eops-traj").glob("*.sqlite"))) == 1


def test_a_store_on_s3_is_converted_with_credentials_from_the_environment(
    s3: str, cli: Callable, tmp_path: Path
) -> None:
    with Store.open(s3, create=True) as store:
        store.append([episode("a"), episode("b")], prompts=[PROMPT], toolsets=[TOOLS])
    ran = cli("convert", s3, tmp_path / "out", "--to", "openai", "--json")
    assert ran.code == 0 and json.loads(ran.out)["episodes"] == 2, ran.err
    assert [row["files_removed"] for row in json.loads(cli("compact", "--store", s3, "--json").out)["tables"]]
    none = cli("convert", s3 + "-not", tmp_path / "other", "--to", "openai")
    assert (none.code, none.err.count("\n")) == (2, 1) and "no store at s3://bucket/" in none.err
    onto = cli("convert", tmp_path / "out", s3)
    assert onto.code == 2 and "is a URL" in onto.err


@pytest.mark.parametrize(
    ("url", "change", "word"),
    [
        ("s3://nowhere/st", {}, "NoSuchBucket"),
        ("s3://bucket/st", {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "error"),
    ],
    ids=["no bucket", "no server"],
)
def test_what_cannot_be_reached_is_one_line(
    s3: str, url: str, change: dict[str, str], word: str, cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**change, "AWS_MAX_RETRIES": "0"}.items():
        monkeypatch.setenv(name, value)
    ran = cli("import", "enterpriseops", "tests/fixtures/results", "--store", url)
    assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
    assert word in ran.err and "<" not in ran.err and len(ran.err) < 400


def test_no_key_at_all_is_one_line_too(tmp_path: Path) -> None:
    """In a process of its own: what deltalake logs does not pass Python's stderr."""
    env = {
        "PATH": f"{Path(sys.executable).parent}",
        "HOME": f"{tmp_path}",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:9",
    }
    command = ["eops-traj", "score", "--store", "s3://bucket/st"]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1), ran.stderr
    assert "no credentials found" in ran.stderr


def test_wrong_keys_are_one_line(
    s3: str, s3_options: dict[str, str], cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {"AWS_ACCESS_KEY_ID": "nobodys", "AWS_SECRET_ACCESS_KEY": "notheirs", "AWS_MAX_RETRIES": "0"}
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    with knowing_no_keys(s3_options):
        for command in (("history",), ("score",), ("import", "enterpriseops", "tests/fixtures/results")):
            ran = cli(*command, "--store", s3)
            assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
            assert "InvalidAccessKeyId" in ran.err and "<" not in ran.err and len(ran.err) < 400
            assert "notheirs" not in ran.err
