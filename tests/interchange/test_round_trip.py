"""Store to a format and back: nothing is lost but what the loss report names."""

import dataclasses
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.unread_calls import all_read
from eops_traj.instances import load
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.extension_key import PARTS
from eops_traj.privacy.redact import scrub
from eops_traj.schema import Json, Run, Turn
from eops_traj.tasks import load_folder
from tests.episodes import EPISODE, PROMPT, TOOLS
from tests.interchange.episode_strategies import episodes, there_and_back
from tests.selected import call

RUN = Run(run_id="r0", kind="collect", config=Json("{}"), version="0")
WITH_ROOM = ("atif", "nemo_gym", "adp", "inspect_ai")


@pytest.mark.parametrize("format_", WITH_ROOM)
@settings(max_examples=25)
@given(whole=episodes())
def test_what_has_room_for_a_key_of_ours_loses_nothing(format_: str, whole: EpisodeBundle) -> None:
    back, losses = there_and_back(format_, [whole])
    assert back == {whole.episode.episode_id: whole}
    assert [row for row in losses.rows() if row["lost"]] == []


@pytest.mark.parametrize("format_", ["openai", "sharegpt"])
@settings(max_examples=15)
@given(whole=episodes())
def test_what_has_none_names_every_field_that_is_lost(format_: str, whole: EpisodeBundle) -> None:
    assume(format_ != "sharegpt" or all_read(whole.episode))  # it leaves others out, and says so
    back, losses = there_and_back(format_, [whole])
    [came] = back.values()
    named = {row["field"] for row in losses.rows() if row["lost"]}
    assert differing(whole, came) <= named
    assert losses.episodes == 1 and losses.rows() == sorted(losses.rows(), key=lambda row: -row["lost"])


def differing(whole: EpisodeBundle, back: EpisodeBundle) -> set[str]:
    """The fields that came back otherwise, looked at one by one."""
    losses = {
        f"{part}.{field.name}"
        for part in PARTS
        for field in dataclasses.fields(getattr(whole, part))
        if field.name != "turns"
        and getattr(getattr(whole, part), field.name) != getattr(getattr(back, part), field.name)
    }
    if len(whole.episode.turns) != len(back.episode.turns):
        return {*losses, "episode.turns"}
    for ours, theirs in zip(whole.episode.turns, back.episode.turns, strict=True):
        for field in dataclasses.fields(Turn):
            if field.name != "tool_calls" and getattr(ours, field.name) != getattr(theirs, field.name):
                losses.add(f"turn.{field.name}")
    return losses


def of(**fields: Any) -> EpisodeBundle:
    """An episode with some fields changed."""
    return EpisodeBundle(replace(EPISODE, **fields), PROMPT, TOOLS, RUN)


@pytest.mark.parametrize("format_", WITH_ROOM)
def test_reasoning_that_nobody_asked_for_stays_out_and_is_named(format_: str) -> None:
    whole = of(turns=(Turn(text="No.", reasoning="Hm."), Turn(text="Yes.")))
    back, losses = there_and_back(format_, [whole], reasoning=False)
    assert [turn.reasoning for turn in back["e0"].episode.turns] == [None, None]
    assert [(r["field"], r["values"], r["lost"]) for r in losses.rows() if r["lost"]] == [
        ("turn.reasoning", 1, 1)
    ]


@pytest.mark.parametrize("format_", [*WITH_ROOM, "openai", "sharegpt"])
def test_what_was_sent_in_the_requests_place_stands_there_alone(format_: str) -> None:
    asked = "Who is Odile? End with an outcome line."
    whole = of(source="eops-traj", turns=(Turn(text="User 7.", nudge=asked),))
    exporter: Any = load("format", format_)()
    record, _ = exporter.reader.extension(exporter.record(whole))
    read = exporter.reader.bare(record).episode
    assert (read.user_prompt, [turn.nudge for turn in read.turns]) == (asked, [None])


def dicts(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of a JSON value."""
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    yield from (value,) if isinstance(value, dict) else ()
    for inner in within:
        yield from dicts(inner)


@pytest.mark.parametrize("format_", [*WITH_ROOM, "openai", "sharegpt"])
def test_an_agent_that_spoke_first_is_read_so_and_nobody_asked_nothing(format_: str) -> None:
    said = (Turn(text="How can I help?"), Turn(text="Hm.", nudge="The pump."))
    exporter: Any = load("format", format_)()
    written = exporter.record(of(user_prompt="", source="openai", turns=said, started_at="2026-05-04"))
    record, _ = exporter.reader.extension(written)
    read = exporter.reader.bare(record).episode
    heard = [(turn.nudge, turn.text) for turn in read.turns]
    assert (read.user_prompt, heard) == ("", [(None, "How can I help?"), ("The pump.", "Hm.")])
    assert not [d for d in dicts(record) if {"user", "human"} & {*map(str, d.values())} and "" in d.values()]


@pytest.mark.parametrize("format_", [*WITH_ROOM, "openai", "sharegpt"])
def test_an_error_without_a_result_is_what_a_stranger_reads_the_model_saw(format_: str) -> None:
    lost = replace(call("c", x=1), result=None, error="no such tool")
    whole = of(turns=(Turn(text="", tool_calls=(lost, call("d", x=2))), Turn(text="Done.")))
    exporter: Any = load("format", format_)()
    record, _ = exporter.reader.extension(exporter.record(whole))
    calls = exporter.reader.bare(record).episode.tool_calls()
    assert [made.result for made in calls] == ["no such tool", '{"user_id": 7}']


@pytest.mark.parametrize("format_", WITH_ROOM)
def test_a_logprob_that_json_cannot_hold_is_named(format_: str) -> None:
    ids = {"prompt_token_ids": (1,), "token_ids": (2,), "logprobs": (float("-inf"),)}
    back, losses = there_and_back(format_, [of(turns=(Turn(text="No.", **ids),))])
    assert back["e0"].episode.turns[0].logprobs is None and back["e0"].episode.turns[0].token_ids == (2,)
    assert [r["field"] for r in losses.rows() if r["lost"]] == ["turn.logprobs"]


@pytest.mark.slow
@pytest.mark.parametrize("format_", WITH_ROOM)
def test_the_52_real_episodes_come_back_field_by_field(format_: str, shared: Path) -> None:
    harness = open_importer(
        "enterpriseops", load_folder(shared / "eog" / "tasks"), [shared / "eog" / "tools"]
    )
    files = harness.files([shared / "eog" / "results"])
    bundles = [scrub(one) for path in files for one in harness.read(path)]  # as every door does
    back, losses = there_and_back(format_, bundles)
    assert back == {one.episode.episode_id: one for one in bundles} and len(back) == 52
    assert losses.episodes == 52 and not any(row["lost"] for row in losses.rows())
