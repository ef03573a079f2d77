"""``eops-traj convert`` end to end: real stores, real files, and bad input that leaves nothing behind."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.interchange import convert
from eops_traj.interchange.convert import recognise
from eops_traj.privacy import redact
from eops_traj.schema import Episode, Turn
from eops_traj.store.store import Store
from eops_traj.workers import engine
from tests.episodes import episode
from tests.privacy.test_secret_scan import KEY
from tests.selected import call, calling, store_of

FORMATS = ("atif", "nemo_gym", "openai", "sharegpt", "token_ids")
IDS: dict[str, Any] = {"prompt_token_ids": (1, 2), "token_ids": (3,), "logprobs": (-0.5,)}
EPISODES = [
    calling("e0", {"name": "Odile"}, answer="Found."),
    episode("e1", outcome="error", error="no session", turns=(), success_parity=None),
    episode("e2", turns=(Turn(text="No.", reasoning="Hm.", cost=0.25, **IDS),), changeset=b"\x00\xff"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of three episodes."""
    return store_of(tmp_path_factory.mktemp("made"), EPISODES)


def stored(store: Path) -> dict[str, Episode]:
    with Store.open(store) as opened:
        return {one.episode_id: one for one in opened.episodes()}


@pytest.mark.parametrize("format_", ["atif", "nemo_gym"])
def test_a_store_comes_back_from_a_format(format_: str, store: Path, tmp_path: Path, cli: Callable) -> None:
    out = json.loads(cli("convert", store, tmp_path / "out", "--to", format_, "--json").out)
    assert (out["from"], out["to"], out["episodes"]) == ("store", format_, 3)
    assert {row["field"]: row["lost"] for row in out["fields"] if row["lost"]} == {}
    assert json.loads((tmp_path / "out" / "loss.json").read_text())["fields"] == out["fields"]
    ran = cli("convert", tmp_path / "out", tmp_path / "back")
    assert ran.code == 0 and "lost: nothing" in ran.out
    assert stored(tmp_path / "back") == stored(store)


def test_a_link_to_a_file_that_is_not_there_is_followed(store: Path, tmp_path: Path, cli: Callable) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out.jsonl").symlink_to("disk/real.jsonl")
    assert cli("convert", store, tmp_path / "out.jsonl", "--to", "openai").code == 0
    assert (tmp_path / "out.jsonl").is_symlink() and recognise(tmp_path / "disk" / "real.jsonl") == "openai"


@pytest.mark.parametrize("format_", FORMATS)
def test_files_are_recognised_by_what_is_in_them(
    format_: str, store: Path, tmp_path: Path, cli: Callable
) -> None:
    assert cli("convert", store, tmp_path / "out", "--to", format_).code == 0
    assert recognise(tmp_path / "out") == format_ and recognise(store) == "store"


def test_a_report_names_what_a_format_cannot_hold(store: Path, tmp_path: Path, cli: Callable) -> None:
    report = json.loads(cli("convert", store, tmp_path / "o.jsonl", "--to", "openai", "--json").out)
    lost = {row["field"]: row["lost"] for row in report["fields"]}
    assert (lost["turn.cost"], lost["turn.token_ids"], lost["episode.changeset"]) == (1, 1, 1)
    assert "turn.text" in report["held"] and "turn.reasoning" in report["held"]
    assert [p.name for p in tmp_path.iterdir()] == ["o.jsonl"]


def test_what_nothing_measured_is_no_reward_of_0(store: Path, tmp_path: Path, cli: Callable) -> None:
    assert cli("convert", store, tmp_path / "r.jsonl", "--to", "nemo_gym").code == 0
    rows = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text("utf-8").splitlines()]
    [failed] = map(json.loads, (tmp_path / "r_failures.jsonl").read_text("utf-8").splitlines())
    assert [row["reward"] for row in rows] == [1.0, 1.0]
    assert (failed["_ng_failure_class"], failed["mask_sample"]) == ("error", True)


def test_a_result_file_of_the_harness_becomes_a_trajectory(
    fixtures: Path, tmp_path: Path, cli: Callable
) -> None:
    out = json.loads(cli("convert", fixtures / "results", tmp_path / "atif", "--to", "atif", "--json").out)
    assert (out["from"], out["episodes"]) == ("enterpriseops", 5)
    ran = cli("import", "atif", tmp_path / "atif", "--store", tmp_path / "s", "--json")
    assert json.loads(ran.out) == {"files": 5, "episodes": 5, "new": 5, "problems": []}


def bad(folder: Path, store: Path) -> dict[str, list[object]]:
    """What cannot be converted, by what is said of it."""
    for name in ("empty", "full"):
        (folder / name).mkdir()
    (folder / "full" / "mine.txt").write_text("x")
    chat = '{"messages":[{"role":"user","content":"Hi"}]}'
    files = {
        "corrupt.jsonl": f'{chat}\n{chat}\n{{"messages": [\n',
        "wrong.jsonl": f'{chat}\n{{"messages":[{{"role":"king","content":"Hi"}}]}}\n',
        "strange.json": '{"a": 1}',
        "nothing.jsonl": "",
        "new.json": '{"schema_version":"ATIF-v1.9","agent":{"name":"a","version":"1"},"steps":[]}',
        "odd.json": '{"schema_version":"ATIF-v1.8","steps":[]}',
        "bytes.jsonl": "",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "bytes.jsonl").write_bytes(b"\xff\xfe")
    return {
        "corrupt.jsonl:3: not JSON": ["corrupt.jsonl", "out"],
        "wrong.jsonl:2: not openai: messages.0.role": ["wrong.jsonl", "out"],
        "strange.json is of no known format; say which with --from: store, enterpriseops": [
            "strange.json",
            "out",
        ],
        "nothing.jsonl is empty": ["nothing.jsonl", "out"],
        "holds no episode": ["nothing.jsonl", "out", "--from", "openai"],
        "schema_version 'ATIF-v1.9'; this eops-traj reads ATIF-v1.0 to ATIF-v1.8": ["new.json", "out"],
        "odd.json: not atif: agent: Field required": ["odd.json", "out"],
        "bytes.jsonl: not UTF-8": ["bytes.jsonl", "out"],
        "empty holds no .json or .jsonl file": ["empty", "out"],
        "nowhere does not exist": ["nowhere", "out"],
        "unknown format 'xml'; choose from adp": [store, "out", "--to", "xml"],
        "unknown format 'csv'; choose from adp": [store, "out", "--from", "csv"],
        "say with --to what": [store, "out"],
        "is a store already": [store, "out", "--to", "store"],
        "full is not empty": [store, "full", "--to", "atif"],
        "new.json exists": [store, "new.json", "--to", "atif"],
        "no store at": ["odd.json", "out", "--from", "store"],
        "3 episodes make as many files": [store, "one.json", "--to", "atif"],
        "atif is written as .json, not .jsonl; name one.json": [store, "one.jsonl", "--to", "atif"],
        "adp is written as .jsonl, not .json; name one.jsonl": [store, "one.json", "--to", "adp"],
    }


def test_bad_input_is_one_line_and_leaves_nothing(store: Path, tmp_path: Path, cli: Callable) -> None:
    cases = bad(tmp_path, store)
    before = sorted(path.name for path in tmp_path.iterdir())
    for message, (source, out, *rest) in cases.items():
        ran = cli("convert", tmp_path / str(source), tmp_path / str(out), *rest)
        assert (ran.code, message in ran.err, ran.err.count("\n")) == (2, True, 1), (message, ran)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def with_result(folder: Path, text: str) -> Path:
    """A store of an episode in which a tool said something."""
    answered = replace(call("c"), result=f"the key is {text}")
    return store_of(folder, [episode("e", turns=(Turn(text="", tool_calls=(answered,)),))])


def test_an_unmistakable_key_is_taken_out(tmp_path: Path, cli: Callable) -> None:
    assert cli("convert", with_result(tmp_path, KEY), tmp_path / "out", "--to", "atif").code == 0
    text = (tmp_path / "out" / "trajectories" / "e.json").read_text("utf-8")
    assert KEY not in text and "the key is [secret removed]" in text


def test_workers_take_out_what_a_config_said_is_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "FEW", 1)
    monkeypatch.setattr(redact, "SECRET_VARIABLES", {"MY_GATEWAY"})
    monkeypatch.setattr(convert, "SECRET_VARIABLES", redact.SECRET_VARIABLES)
    monkeypatch.setenv("MY_GATEWAY", "plain words of ours")
    store = with_result(tmp_path, "plain words of ours")
    convert.Conversion(store, tmp_path / "out", to="atif", workers=2).run()
    text = (tmp_path / "out" / "trajectories" / "e.json").read_text("utf-8")
    assert "the key is [secret removed]" in text and "plain words" not in text


def test_a_key_in_disguise_stops_it(tmp_path: Path, cli: Callable) -> None:
    key = base64.b64encode(("sk_live_" + "a1B2c3D4e5F6g7H8i9J0k1L2").encode()).decode()
    ran = cli("convert", with_result(tmp_path, key), tmp_path / "out", "--to", "atif")
    assert ran.code == 1 and "trajectories/e.json: Stripe Access Key" in ran.err and key not in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


EXTENDED = ("atif", "nemo_gym", "adp", "inspect_ai")


@pytest.mark.parametrize("format_", EXTENDED)
def test_bytes_that_look_like_a_key_in_base64_are_none(format_: str, tmp_path: Path, cli: Callable) -> None:
    by_chance = base64.b64decode("ABIAAQAAAAAAAACBAQAA")  # of a real changeset: the letters of an AWS key
    ran = cli(
        "convert", store_of(tmp_path, [episode("e", changeset=by_chance)]), tmp_path / "out", "--to", format_
    )
    assert ran.code == 0, ran.err
    assert cli("convert", tmp_path / "out", tmp_path / "back").code == 0
    assert stored(tmp_path / "back")["e"].changeset == by_chance


@pytest.mark.parametrize("format_", EXTENDED)
def test_a_key_within_a_changeset_stops_it(format_: str, tmp_path: Path, cli: Callable) -> None:
    key = base64.b64encode(("sk_live_" + "a1B2c3D4e5F6g7H8i9J0k1L2").encode())
    changeset = b"gym 99\nT\x02\x01\x00\xff\x03" + bytes([len(key)]) + key + b"\x00\xfe\x90\x81"
    store = store_of(tmp_path, [episode("e", changeset=changeset)])
    ran = cli("convert", store, tmp_path / "out", "--to", format_)
    assert ran.code == 1 and "Stripe Access Key" in ran.err
