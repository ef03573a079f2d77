"""A call whose arguments could not be read is shown as it was written, or its conversation is left out."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import InputError
from eops_traj.export.certificate import check_rows
from eops_traj.export.checks import ExpectedRow
from eops_traj.export.decisions import decisions, shown_as_made
from eops_traj.export.run import Export
from eops_traj.export.unread_calls import UNREAD, UNREAD_DECISIONS
from eops_traj.exporters.step_dpo import StepDpo
from eops_traj.instances import load
from eops_traj.interchange.loss_report import LOSS
from eops_traj.publish.episode_exporter import EpisodeExporter
from eops_traj.schema import Episode, Json, ToolCall, Turn
from tests.collectors.group_tasks import TASK
from tests.episodes import PROMPT, TOOLS, episode
from tests.export.test_conversations import PERSON, SPLIT, attempt
from tests.export.test_step_pairs import DONE, JOIN, WRONG
from tests.exporters.attempts import numbered
from tests.planner.attempts import episode_of
from tests.selected import call, calling, certificate, exported, lines, store_of

RAW = '{"ticket_id": 5,}'
REFUSED = "The arguments of close_ticket are not JSON; nothing was called."
UNREADABLE = ToolCall(
    id="c", name="close_ticket", arguments=Json("{}"), result=REFUSED, is_error=True, raw=RAW
)
"""The model did not write ``{}``, and nothing was called."""
RECOVERED = (Turn(text="", tool_calls=(UNREADABLE,)), Turn(text="", tool_calls=(call("d"),)), Turn(text="!"))
SALVAGED = replace(call("c", name="O"), raw="```{'name': 'O'}```")
LOST = Turn(text="", tool_calls=(replace(UNREADABLE, name="find_user"),))


def three() -> list[Episode]:
    """Return an episode with such a call, one with a call that has no arguments, and one salvaged."""
    salvaged = episode("salvaged", turns=(Turn(text="", tool_calls=(SALVAGED,)), Turn(text="Done.")))
    return [episode("unread", turns=RECOVERED), calling("bare", {}), salvaged]


@pytest.mark.parametrize("format", ["sft", "sharegpt"])
def test_what_nobody_wrote_is_not_imitated(format: str, tmp_path: Path) -> None:
    folder = exported(tmp_path, three(), format)
    text = (folder / "data" / "train.jsonl").read_text("utf-8")
    assert len(lines(folder)) == 2 and "close_ticket" not in text and "find_user" in text
    told = certificate(folder)
    assert told["counts"][UNREAD] == 1 and told["checks"]["tool_calls_round_trip"]["rows"] == 2
    assert f"| {UNREAD} | 1 |" in (folder / "README.md").read_text("utf-8")
    if format == "sharegpt":
        report = json.loads((folder / LOSS).read_text())
        assert (report["episodes"], report["absent"]) == (3, 1)


@pytest.mark.parametrize("format", ["sft", "sharegpt"])
def test_a_selection_of_nothing_else_is_bad_input(format: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"no row to write: 1 {UNREAD}"):
        exported(tmp_path, three()[:1], format)
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_the_other_conversations_of_an_episode_stay(tmp_path: Path) -> None:
    made = attempt(SPLIT, LOST, JOIN, DONE, PERSON, DONE, orchestrator="decomposing")
    store = store_of(tmp_path, [made.episode], toolsets=[made.toolset])
    certified = Export("sft", str(store), "chosen", tmp_path / "sft").run()
    [row] = lines(tmp_path / "sft")
    assert [m["tool_calls"][0]["function"]["name"] for m in row["messages"] if "tool_calls" in m] == [
        "find_user"
    ]
    assert certified.counts == {UNREAD: 1}


@pytest.mark.parametrize("format", ["openai", "nemo_gym", "atif", "adp", "inspect_ai"])
def test_a_format_of_exchange_has_the_written_text_and_proves_it(format: str, tmp_path: Path) -> None:
    exporter = load("format", format)()
    found = dict(failed_checks(exporter, three(), tmp_path, {}))
    assert found == {} and UNREAD not in exporter.counts
    for shown in (RAW, SALVAGED.raw):
        where = tmp_path / f"{len(str(shown))}"
        where.mkdir()
        kept = dict(failed_checks(load("format", format)(), three(), where, {shown: "{}"}))
        assert "tool_calls_round_trip" in kept


def test_a_published_episode_has_the_written_text_in_a_column_of_its_own(tmp_path: Path) -> None:
    exporter = EpisodeExporter()
    assert dict(failed_checks(exporter, three(), tmp_path, {})) == {}
    rows = [row.record for row in exporter.read(tmp_path)]
    assert [row["turns"][0]["tool_calls"][0]["raw"] for row in rows] == [RAW, None, SALVAGED.raw]


def failed_checks(
    exporter: Any, episodes: list[Episode], folder: Path, changes: dict[Any, str]
) -> Iterator[tuple[str, str]]:
    """Yield each check that fails once texts are changed in the files, with the first reason."""
    bundles = [EpisodeBundle(replace(e, split="train"), PROMPT, TOOLS) for e in episodes]
    written = exporter.write(bundles, folder)
    for path in exporter.files(folder):
        text = path.read_text("utf-8")
        for old, new in changes.items():  # what our own key holds stays: a stranger does not read it
            text = text.replace(json.dumps(old)[1:-1], new, 1)
        path.write_text(text, encoding="utf-8")
    by_id = {b.episode.episode_id: ExpectedRow.of(b.episode, exporter.calls(b.episode)) for b in bundles}
    results, _ = check_rows(exporter, folder, [by_id[i] for i in written], None, lambda _: None)
    yield from ((r.check, r.failures[0].why) for r in results if r.failures)


def test_a_format_that_shows_it_with_no_arguments_is_not_certified() -> None:
    sft, unread = load("format", "sft")(), three()[0]
    row = sft.row("1", sft.record(EpisodeBundle(unread, PROMPT, TOOLS)))
    shown = row.messages[2]["tool_calls"][0]["function"]
    assert (shown["name"], shown["arguments"]) == ("close_ticket", {})
    assert sft.calls(unread)[0] == ("close_ticket", RAW) and sft.calls(three()[1]) == [("find_user", {})]


def test_decisions_from_there_on_are_left_out() -> None:
    found = list(decisions(attempt(PERSON, LOST, JOIN, DONE)))
    assert [decision.as_made for decision in found] == [True, False, False, False]
    counts = Counter[str]()
    assert [decision.turn for decision in shown_as_made(found, counts)] == [0]
    assert counts == {UNREAD_DECISIONS: 3}
    several = decisions(attempt(SPLIT, LOST, DONE, PERSON, DONE, orchestrator="decomposing"))
    assert [decision.as_made for decision in several] == [False, False, True, True]


def test_no_pair_is_for_or_against_a_call_that_was_not_written(tmp_path: Path) -> None:
    good, bad = (PERSON, JOIN, DONE), (PERSON, LOST, DONE)
    bundles = numbered([episode_of(TASK, "react", turns) for turns in (good, bad, (PERSON, WRONG, DONE))])
    won = replace(bundles[0], episode=replace(bundles[0].episode, outcome="success"))
    exporter = StepDpo()
    exporter.write([won, *bundles[1:]], tmp_path)
    rejected = [row.record["episode_ids"][1] for row in exporter.read(tmp_path)]
    assert rejected == ["e2"] and exporter.counts[UNREAD_DECISIONS] == 2
