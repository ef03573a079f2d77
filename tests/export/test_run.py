"""An export is whole or not there at all, and bad input leaves nothing behind."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.export.run import Export
from eops_traj.exporters import FORMATS
from eops_traj.instances import load
from eops_traj.messages import calls
from eops_traj.schema import OUTCOMES, SelectionRow
from eops_traj.store.store import Store
from tests.export.real_results import some_results
from tests.privacy.test_secret_scan import KEY
from tests.selected import calling, certificate, exported, lines, store_of
from tests.tokenizers import save_tokenizer

EPISODES = [calling("e0", {"name": "Odile"}), calling("e1", {"id": 7})]


CONVERSATIONS = ("sft", "openai", "enterpriseops")
"""The formats in which an episode is a row; the others have tests with plans and pairs of their own."""


def test_the_certificate_is_named_by_its_own_hash(tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, EPISODES)
    ran = cli("export", "sft", "--store", store, "--selection", "chosen", "--out", tmp_path / "out")
    sha256 = hashlib.sha256((tmp_path / "out" / "certificate.json").read_bytes()).hexdigest()
    assert f"certificate: {sha256}" in ran.out


@pytest.mark.parametrize("format", CONVERSATIONS)
def test_a_format_writes_data_card_and_certificate(format: str, tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, EPISODES)
    ran = cli(
        "export", format, "--store", store, "--selection", "chosen", "--out", tmp_path / "out", "--json"
    )
    assert ran.code == 0 and json.loads(ran.out)["passed"] and json.loads(ran.out)["format"] == format
    assert json.loads(ran.out) == json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert load("format", format)().files(tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "store"]


def test_the_command_names_every_format(cli: Callable) -> None:
    help_text = " ".join(cli("export", "--help").out.split())
    assert [name for name in FORMATS if name not in help_text] == []


def test_only_what_is_kept_is_exported_as_it_was_at_its_version(tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, EPISODES, dropped=["e0"])
    cli("export", "sft", "--store", store, "--selection", "chosen", "--out", tmp_path / "out")
    assert [row["episode_id"] for row in lines(tmp_path / "out")] == ["e1"]
    assert certificate(tmp_path / "out")["store_version"] == 1
    assert "| no_error | 1 | 1 |" in (tmp_path / "out" / "README.md").read_text("utf-8")


def bad(folder: Path) -> dict[str, tuple[list[object], str]]:
    """Arguments that cannot be used, and what is said of each."""
    (folder / "full").mkdir()
    (folder / "full" / "mine.txt").write_text("x")
    good = {"format": "sft", "--selection": "chosen", "--out": folder / "out", "--store": folder / "store"}
    changed = {
        f"unknown format 'xml'; choose from {', '.join(sorted(FORMATS))}": {"format": "xml"},
        "sft takes no options, not policy": {"--option": "policy=whole"},
        "unknown engine 'threads'; choose from processes, ray": {"--engine": "threads"},
        "unknown key 'sibling'; choose from max_pairs, siblings, require": {
            "format": "step_dpo",
            "--option": "sibling=any",
        },
        "policy: Input should be 'whole', 'digest' or 'reference', not 'short'; max_pairs": {
            "format": "planner_dpo",
            "--option": "policy=short",
            "-o": "max_pairs=0",
        },
        "'policy' is not of the form key=value": {"format": "kto", "--option": "policy"},
        "unknown prompt 'none'; choose from ": {"format": "prompts", "--option": "prompt=none"},
        "unknown selection 'none'; choose from chosen": {"--selection": "none"},
        "full is not empty": {"--out": folder / "full"},
        "no store at": {"--store": folder / "nowhere"},
        "no tokenizer at": {"--tokenizer": folder / "nowhere"},
        "mine.txt is a file": {"--out": folder / "full" / "mine.txt"},
    }
    return {message: _arguments(good | change) for message, change in changed.items()}


def _arguments(options: dict[str, object]) -> list[object]:
    return [options.pop("format"), *(part for option in options.items() for part in option)]


def test_bad_input_is_one_line_exit_code_2_and_nothing_written(tmp_path: Path, cli: Callable) -> None:
    store_of(tmp_path, EPISODES)
    cases = bad(tmp_path)
    before = sorted(p.name for p in tmp_path.iterdir())
    for message, arguments in cases.items():
        ran = cli("export", *arguments)
        assert ran.code == 2 and message in ran.err and ran.err.count("\n") == 1, ran.err
        assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_an_empty_selection_is_bad_input(tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, EPISODES, dropped=["e0", "e1"])
    ran = cli("export", "sft", "--store", store, "--selection", "chosen", "--out", tmp_path / "out")
    assert ran.code == 2 and "selection 'chosen' is empty" in ran.err and not (tmp_path / "out").exists()


def test_a_selection_of_what_the_store_lacks_is_bad_input(tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, EPISODES)
    with Store.open(store) as opened:
        rows = (SelectionRow(episode_id="e0"), SelectionRow(episode_id="ghost"))
        opened.save_selection(replace(opened.selection("chosen"), rows=rows))
    ran = cli("export", "sft", "--store", store, "--selection", "chosen", "--out", tmp_path / "out")
    assert ran.code == 2 and "1 episodes of selection 'chosen' are not in" in ran.err
    assert not (tmp_path / "out").exists()


def test_a_failed_check_exits_1_names_the_rows_and_publishes_nothing(tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, [*EPISODES, calling("e2", {"note": KEY})])
    arguments = ("export", "sft", "--store", store, "--selection", "chosen", "--out", tmp_path / "out")
    for _ in range(2):  # the second takes the place of the first
        ran = cli(*arguments)
        assert ran.code == 1 and "no_secrets failed on 1 of 3 rows: data/train.jsonl:3 (e2)" in ran.err
        assert KEY not in ran.err and "out.failed" in ran.err
        assert sorted(p.name for p in tmp_path.iterdir()) == ["out.failed", "store"]
    assert not certificate(tmp_path / "out.failed")["passed"]


def test_what_has_the_name_of_a_failed_export_stops_it_before_any_work(
    tmp_path: Path, cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eops_traj.export.run.write_rows", lambda *_: pytest.fail("written"))
    (tmp_path / "out.failed").mkdir()
    (tmp_path / "out.failed" / "mine.txt").write_text("x")
    store = store_of(tmp_path, EPISODES)
    ran = cli("export", "sft", "--store", store, "--selection", "chosen", "--out", tmp_path / "out")
    assert ran.code == 2 and "out.failed is no failed export of ours" in ran.err and ran.err.count("\n") == 1
    assert (tmp_path / "out.failed" / "mine.txt").read_text() == "x"


def test_a_secret_that_only_the_card_tells_fails(tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, [replace(calling("e2", {"note": "x"}), orchestrator=KEY)])
    ran = cli("export", "sft", "--store", store, "--selection", "chosen", "--out", tmp_path / "out")
    assert ran.code == 1 and "README.md (no episode): AWS Access Key" in ran.err and KEY not in ran.err
    assert not (tmp_path / "out").exists()


def test_a_crash_on_the_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("eops_traj.export.run.check_rows", crash)
    with pytest.raises(KeyboardInterrupt):
        exported(tmp_path, EPISODES)
    assert [p.name for p in tmp_path.iterdir()] == ["store"]


@pytest.mark.parametrize(("count", "called"), [(12, 123), pytest.param(52, 514, marks=pytest.mark.slow)])
def test_the_real_episodes_pass_every_check(
    shared: Path, tmp_path: Path, cli: Callable, count: int, called: int
) -> None:
    from datasets import load_dataset

    store, out = tmp_path / "store", tmp_path / "out"
    results = shared / "eog" / "results" if count == 52 else some_results(shared, tmp_path / "results")
    assert cli("import", "enterpriseops", results, "--store", store).code == 0
    everything = tmp_path / "everything.yaml"
    everything.write_text(json.dumps({"rules": [{"outcome": {"one_of": OUTCOMES}}]}))
    assert cli("filter", everything, "--store", store, "--name", "all").code == 0
    tokenizer = save_tokenizer(tmp_path / "tokenizer")
    options = ("--selection", "all", "--split", "none", "--out", out, "--tokenizer", tokenizer)
    assert cli("export", "sft", "--store", store, *options).code == 0
    checks = certificate(out)["checks"].values()
    assert all(check["status"] == "passed" and check["rows"] == count for check in checks)
    rows = load_dataset(str(out), split="train", cache_dir=str(tmp_path / "cache"))
    assert sum(len(calls(row["messages"])) for row in rows) == called


@pytest.mark.parametrize("name", ["data[1]", "{a}*?", "two words"])
def test_a_folder_may_have_a_name_that_is_a_pattern(name: str, tmp_path: Path) -> None:
    store = str(store_of(tmp_path, EPISODES))
    Export("sft", store, "chosen", tmp_path / name / name).run()
    assert len(lines(tmp_path / name / name)) == 2


def test_an_empty_folder_may_be_the_target(tmp_path: Path) -> None:
    (tmp_path / "sft").mkdir()
    assert len(lines(exported(tmp_path, EPISODES))) == 2


def test_the_folder_that_one_is_in_may_be_the_target(
    tmp_path: Path, cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(tmp_path, EPISODES)
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    ran = cli("export", "sft", "--store", store, "--selection", "chosen", "--out", ".")
    assert ran.code == 0, ran.err
    assert len(lines(Path.cwd())) == 2 and "mine" in Path("README.md").read_text()
