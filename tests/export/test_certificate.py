"""A certificate says passed only of what was checked, and names the rows that failed."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import StoreError, WorkError
from eops_traj.export.base import Exporter
from eops_traj.export.certificate import TokenLengths, check_rows, count_rows_by
from eops_traj.export.checks import ExpectedRow, nulls
from eops_traj.export.row_masks import TokenCounts
from eops_traj.export.run import hidden_progress, write_rows
from eops_traj.exporters.atif import Atif
from eops_traj.exporters.sft import Sft
from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.schema import Episode, SelectionRow
from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS
from tests.llm.test_chat_template import LEAKS, template
from tests.privacy.test_secret_scan import KEY
from tests.selected import calling, certificate, exported, store_of
from tests.tokenizers import save_tokenizer, tokenizer

EPISODES = [calling("e0", {"name": "Odile"}), calling("e1", {"id": 7}), calling("e2", {"id": None})]


class Filled(Sft):
    """What datasets does without declared columns: every call gets every argument."""

    def record(self, bundle: EpisodeBundle) -> dict[str, Any]:
        """The line of an episode, spoiled."""
        line = super().record(bundle)
        for message in line["messages"]:
            for call in message.get("tool_calls", ()):
                call["function"]["arguments"] = {"name": None, "id": None} | call["function"]["arguments"]
        return line


def statuses(
    folder: Path, exporter: Exporter, episodes: Iterable[Episode]
) -> dict[str, tuple[str, list[str]]]:
    """Each check's status, and the episodes that failed it."""
    bundles = [EpisodeBundle(episode, PROMPT, TOOLS) for episode in episodes]
    exporter.write(bundles, folder)
    expected = [ExpectedRow.of(bundle.episode, Sft().calls(bundle.episode)) for bundle in bundles]
    results, _ = check_rows(exporter, folder, expected, None, lambda _: None)
    return {r.check: (r.status, [f.episode_id for f in r.failures]) for r in results}


def failures(folder: Path, episodes: Iterable[Episode], **options: Any) -> dict[str, list[dict[str, str]]]:
    """The failures in the certificate of an export that fails, by check."""
    with pytest.raises(WorkError):
        exported(folder, episodes, **options)
    checks = certificate(folder / "sft.failed")["checks"]
    return {name: check["failures"] for name, check in checks.items() if check["status"] == "failed"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of them without a tokenizer, which nobody changes."""
    return exported(tmp_path_factory.mktemp("whole"), EPISODES)


def test_without_a_tokenizer_the_mask_is_not_run_and_lengths_are_not_known(whole: Path) -> None:
    written = certificate(whole)
    assert written["passed"] and written["lengths"] is None and written["rows"] == 3
    assert written["checks"]["loss_mask"]["status"] == "not run"
    assert written["checks"]["loss_mask"]["not_run"] == "no tokenizer was given"
    assert written["checks"]["tool_calls_round_trip"]["rows"] == 3


def test_with_a_tokenizer_the_mask_is_checked_and_lengths_are_counted(tmp_path: Path) -> None:
    long = calling("long", {"name": "Odile"}, answer="word " * 1000)
    written = certificate(exported(tmp_path, [*EPISODES, long], tokenizer=save_tokenizer(tmp_path / "t")))
    assert written["checks"]["loss_mask"]["status"] == "passed"
    assert written["lengths"]["rows_within"] == {"2048": 3, "8192": 4, "32768": 4, "65536": 4}
    assert 0 < written["lengths"]["tokens_with_loss"] < written["lengths"]["tokens"]


def test_null_filled_arguments_are_found(tmp_path: Path) -> None:
    statuses_by_check = statuses(tmp_path, Filled(), EPISODES)
    assert statuses_by_check["no_null_filled_arguments"] == ("failed", ["e0", "e1", "e2"])
    assert statuses_by_check["tool_calls_round_trip"] == ("failed", ["e0", "e1", "e2"])


def test_a_call_that_is_lost_is_found(tmp_path: Path) -> None:
    lost = {"e1": calling("e1"), "e0": EPISODES[0]}
    expected = [
        ExpectedRow.of(EPISODES[0], Sft().calls(EPISODES[0])),
        ExpectedRow.of(EPISODES[1], Sft().calls(EPISODES[1])),
    ]
    Sft().write([EpisodeBundle(lost[w.episode_id], PROMPT, TOOLS) for w in expected], tmp_path)
    results, _ = check_rows(Sft(), tmp_path, expected, None, lambda _: None)
    [failure] = next(r for r in results if r.check == "tool_calls_round_trip").failures
    assert (failure.row, failure.episode_id) == ("data/train.jsonl:2", "e1")


def test_a_number_that_datasets_rounds_fails_and_is_named(tmp_path: Path) -> None:
    failed = failures(tmp_path, [*EPISODES, calling("e3", {"latitude": 52.516275123456})])
    assert [f["episode_id"] for f in failed.pop("reads_as_written")] == ["e3"] and not failed


def test_a_number_that_datasets_refuses_fails_and_is_named(tmp_path: Path) -> None:
    failed = failures(tmp_path, [*EPISODES, calling("e3", {"id": 2**70})])
    assert [f["episode_id"] for f in failed.pop("reads_as_written")] == ["e3"] and not failed


def test_a_secret_fails_and_is_not_repeated(tmp_path: Path) -> None:
    failed = failures(tmp_path, [*EPISODES, calling("e3", {"note": f"use {KEY}"})])
    assert failed["no_secrets"] == [
        {"row": "data/train.jsonl:4", "episode_id": "e3", "why": "AWS Access Key"}
    ]
    assert KEY not in (tmp_path / "sft.failed" / "certificate.json").read_text()


def test_a_mask_that_leaks_fails_every_row(tmp_path: Path) -> None:
    leaky = save_tokenizer(tmp_path / "t", LEAKS["tokens that are not the assistant's carry loss"])
    failed = failures(tmp_path, EPISODES, tokenizer=leaky)
    assert [f["episode_id"] for f in failed["loss_mask"]] == ["e0", "e1", "e2"]


def test_a_row_that_the_template_refuses_is_named(tmp_path: Path) -> None:
    refusing = template(result="{{ raise_exception('too long') if m.content | length > 13 }}{{ m.content }}")
    assert ChatTemplate.of(tokenizer(refusing), "it")
    short = calling("short")
    failed = failures(tmp_path, [*EPISODES[:1], short], tokenizer=save_tokenizer(tmp_path / "t", refusing))
    [failure] = failed["loss_mask"]
    assert failure["episode_id"] == "e0" and "too long" in failure["why"]


def test_the_content_hash_is_of_names_and_bytes(whole: Path, tmp_path: Path) -> None:
    first = certificate(whole)
    assert first["content_hash"] == certificate(exported(tmp_path / "b", EPISODES))["content_hash"]
    assert first["content_hash"] != certificate(exported(tmp_path / "c", EPISODES[:2]))["content_hash"]
    bytes_hash = hashlib.sha256((whole / "data" / "train.jsonl").read_bytes()).hexdigest()
    lines = f"data/train.jsonl {bytes_hash}\n"
    assert first["content_hash"] == hashlib.sha256(lines.encode()).hexdigest()


def test_every_data_file_is_named_with_its_size_hash_and_rows(whole: Path) -> None:
    content = (whole / "data" / "train.jsonl").read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    assert certificate(whole)["data_files"] == [
        {"name": "data/train.jsonl", "size": len(content), "sha256": sha256, "rows": 3}
    ]


def test_nulls_are_counted_wherever_they_are() -> None:
    assert nulls(json.loads('{"a": null, "b": [null, {"c": null}], "d": 0, "e": ""}')) == 3
    assert replace(ExpectedRow.of(EPISODES[2], Sft().calls(EPISODES[2])), calls="").nulls == 1


@pytest.mark.parametrize("written", [1, 3])
def test_rows_lost_or_added_on_the_way_are_never_certified(written: int, tmp_path: Path) -> None:
    """Two are expected: where the files hold one row fewer or one more, there is no certificate at all."""
    Sft().write([EpisodeBundle(episode, PROMPT, TOOLS) for episode in EPISODES[:written]], tmp_path)
    expected = [ExpectedRow.of(episode, Sft().calls(episode)) for episode in EPISODES[:2]]
    with pytest.raises(ValueError, match=r"zip\(\)"):
        check_rows(Sft(), tmp_path, expected, None, lambda _: None, unloaded="as Parquet")


def test_an_episode_that_left_the_store_is_missed(tmp_path: Path) -> None:
    store = store_of(tmp_path, EPISODES)
    with Store.open(store) as opened:
        chosen = opened.selection("chosen")
        gone = replace(chosen, rows=(*chosen.rows, SelectionRow(episode_id="gone")))
        with pytest.raises(StoreError, match="1 episodes of selection 'chosen' are not in"):
            write_rows(Sft(), opened, gone, tmp_path, hidden_progress)


def test_lengths_are_summed_from_nothing_and_fit_up_to_the_bound() -> None:
    lengths = TokenLengths()
    assert lengths.summary() == {
        "rows_within": {"2048": 0, "8192": 0, "32768": 0, "65536": 0},
        "rows": 0, "median": None, "longest": None, "tokens": 0, "tokens_with_loss": 0,
    }  # fmt: skip
    lengths.add(TokenCounts(longest=2048, tokens=3000, with_loss=40, leak=None))
    lengths.add(TokenCounts(longest=2050, tokens=2050, with_loss=2, leak=None))
    assert lengths.summary() == {
        "rows_within": {"2048": 1, "8192": 2, "32768": 2, "65536": 2},
        "rows": 2, "median": 2049, "longest": 2050, "tokens": 5050, "tokens_with_loss": 42,
    }  # fmt: skip


def test_a_certificate_begins_with_its_version_and_whether_it_passed(whole: Path) -> None:
    text = (whole / "certificate.json").read_text()
    assert text.startswith('{\n  "version": 3,\n  "passed": true,\n  "format": "sft",')
    assert text.endswith("}\n")


def test_rows_are_counted_by_each_fact_in_order() -> None:
    facts = [{"split": "train", "domain": "itsm"}, {"split": "train", "domain": "csm"}, {"split": "dev"}]
    rows = [replace(ExpectedRow.of(EPISODES[0], ""), facts=one) for one in facts]
    counted = count_rows_by(rows)
    assert counted == {"split": {"dev": 1, "train": 2}, "domain": {"csm": 1, "itsm": 1}}
    assert list(counted["split"]) == ["dev", "train"] and list(counted["domain"]) == ["csm", "itsm"]


def test_rows_are_counted_by_what_their_episodes_are() -> None:
    kinds = (True, "train"), (True, None), (False, "train"), (None, "test")
    made = [replace(EPISODES[0], feasible=feasible, split=split) for feasible, split in kinds]
    counted = count_rows_by([ExpectedRow.of(one, []) for one in made])
    assert counted["feasible"] == {"no": 1, "unknown": 1, "yes": 2}
    assert counted["split"] == {"none": 1, "test": 1, "train": 2}


def test_files_that_load_dataset_need_not_read_say_why_and_have_every_other_check(tmp_path: Path) -> None:
    counted: list[int] = []
    expected = [ExpectedRow.of(episode, Sft().calls(episode)) for episode in EPISODES]
    Sft().write([EpisodeBundle(episode, PROMPT, TOOLS) for episode in EPISODES], tmp_path)
    results, lengths = check_rows(Sft(), tmp_path, expected, None, counted.append, unloaded="as Parquet")
    by_name = {result.check: result for result in results}
    assert by_name.pop("reads_as_written").not_run == "as Parquet"
    assert by_name.pop("loss_mask").not_run == "no tokenizer was given"
    assert {(result.not_run, result.rows) for result in by_name.values()} == {(None, 3)}
    assert counted == [1, 1, 1] and lengths is None


def test_a_format_that_load_dataset_cannot_read_is_not_read_by_it(tmp_path: Path) -> None:
    bundles = [EpisodeBundle(episode, PROMPT, TOOLS) for episode in EPISODES]
    Atif().write(bundles, tmp_path)
    expected = [ExpectedRow.of(episode, Atif().calls(episode)) for episode in EPISODES]
    results, _ = check_rows(Atif(), tmp_path, expected, None, lambda _: None)
    reasons = {result.check: result.not_run for result in results if result.not_run}
    assert reasons["reads_as_written"].startswith("load_dataset does not read")


def test_rows_that_only_together_are_refused_all_fail_with_the_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        from datasets.exceptions import DatasetGenerationError

        cause = ValueError("columns differ")
        raise DatasetGenerationError("An error occurred while generating the dataset") from cause

    monkeypatch.setattr("datasets.load_dataset", refuse)
    failed = failures(tmp_path, EPISODES)["reads_as_written"]
    assert [failure["episode_id"] for failure in failed] == ["e0", "e1", "e2"]
    assert all("columns differ" in failure["why"] for failure in failed)
