"""What an export is worth: figures that move with the data, and exit code 1 where it is unfit."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.export.checks import Row
from eops_traj.export.pair_quality import measure_pairs
from eops_traj.export.quality import export_quality, measure_quality
from eops_traj.instances import load
from eops_traj.schema import Episode, Turn
from tests.certified import certify, write_rows
from tests.episodes import EPISODE, PROMPT, episode
from tests.exporters.attempts import export, mixed
from tests.planner_data import plan, planner_dpo, refusal, reply
from tests.selected import call, calling, exported

FORMATS_OF_MESSAGES = ("sft", "openai", "sharegpt", "adp", "inspect_ai")
NAMES = [f"Name{n}" for n in range(30)]


def pairs(*sides: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [
        {"task_id": f"t{n}", "domain": "csm", "chosen": chosen, "rejected": rejected}
        for n, (chosen, rejected) in enumerate(sides)
    ]


def test_pairs_that_length_tells_apart_are_unfit(tmp_path: Path, cli: Callable) -> None:
    ran = cli("data", "quality", planner_dpo(tmp_path, NAMES))
    assert ran.code == 1 and "length tells the sides apart" in ran.err
    assert "a bag of words tells the sides apart" in ran.err
    assert "0%, 100%" in ran.out


def test_pairs_that_are_told_apart_by_the_request_alone_are_fit() -> None:
    sides = [(plan(f"A{n % 2}"), plan(f"A{1 - n % 2}")) for n in range(20)]
    found = measure_pairs(pairs(*sides))
    assert found.problems() == [] and found.length.auc == 0.5
    assert found.chosen_refusals == found.rejected_refusals == 0


def test_rejected_sides_that_are_always_longer_tell_as_much() -> None:
    found = measure_pairs(pairs(*[(plan(f"A{n}"), plan(f"A{n} the elder")) for n in range(20)]))
    assert found.length.auc == 0 and any(problem.startswith("length") for problem in found.problems())


def test_a_parsers_refusal_is_unfit() -> None:
    parser = reply("REFUSE: $2.id finds nothing in the result of step 2")
    found = measure_pairs(pairs((plan("A"), parser), (refusal(), plan("B"))))
    assert found.parser_refusals == 1 and "sound like a parser's" in found.problems()[-1]
    assert (found.chosen_refusals, found.rejected_refusals) == (0.5, 0.5)


def test_held_out_rows_are_unfit_unless_they_are_named(tmp_path: Path, cli: Callable) -> None:
    folder = exported(tmp_path, [replace(calling("e0"), split="test")], splits=("train", "test"))
    ran = cli("data", "quality", folder)
    assert ran.code == 1 and "held-out rows: 1 of test" in ran.err
    assert cli("data", "quality", folder, "--split", "test").code == 0


def test_failures_that_were_asked_for_are_still_unfit_to_imitate(tmp_path: Path) -> None:
    folder = exported(tmp_path, [calling("e0"), replace(calling("e1"), outcome="failure")])
    assert export_quality(folder).problems == ["rows to imitate that did not end well: 1 of failure"]


def test_duplicates_are_rows_that_say_the_same_whatever_their_episode(tmp_path: Path) -> None:
    folder = exported(tmp_path, [calling("e0"), calling("e1"), calling("e2", answer="Not that.")])
    assert export_quality(folder).duplicates == 1


def test_the_ids_that_an_endpoint_draws_for_calls_make_no_difference(tmp_path: Path) -> None:
    def answered(episode_id: str, *answers: tuple[str, str]) -> Episode:
        calls = [replace(call(id), result=result) for id, result in answers]
        return episode(episode_id, turns=(Turn(text="", tool_calls=tuple(calls)), Turn(text="Done.")))

    same = [answered("e0", ("call_aX90", "a"), ("call_b", "b")), answered("e1", ("7", "a"), ("8", "b"))]
    crossed = answered("e2", ("call_aX90", "b"), ("call_b", "a"))
    assert export_quality(exported(tmp_path, [*same, crossed])).duplicates == 1


def test_it_is_on_the_card_and_in_json(tmp_path: Path, cli: Callable) -> None:
    folder = exported(tmp_path, [calling("e0"), calling("e1")])
    facts = json.loads(cli("data", "quality", folder, "--json").out)
    assert facts["rows_by"]["split"] == {"train": 2} and facts["duplicates"] == 1 and facts["pairs"] is None
    card = (folder / "README.md").read_text("utf-8")
    assert "## Quality" in card and "| duplicates | 1 |" in card and "| rows by split | train 2 |" in card


@pytest.mark.parametrize("format", ["planner_sft", "planner_dpo", "kto", "prompts"])
def test_every_format_of_plans_is_measured(tmp_path: Path, format: str) -> None:
    found = export_quality(export(tmp_path, format, mixed()))
    assert found.rows > 0 and (found.pairs is not None) == (format == "planner_dpo")


@pytest.mark.parametrize("format", ["openai", "sharegpt", "nemo_gym", "atif", "enterpriseops"])
def test_every_format_of_episodes_is_measured(tmp_path: Path, format: str) -> None:
    found = export_quality(exported(tmp_path, [calling("e0"), calling("e1", answer="No.")], format))
    assert (found.rows, found.rows_by["split"]) == (2, {"train": 2})
    assert found.duplicates == (0 if format in ("openai", "sharegpt") else None)


@pytest.mark.parametrize("format", [*FORMATS_OF_MESSAGES, "nemo_gym", "atif", "enterpriseops"])
def test_the_length_is_that_of_the_whole_conversation_or_not_known(tmp_path: Path, format: str) -> None:
    found = export_quality(exported(tmp_path, [calling("e0", {"name": "Odile"})], format))
    texts = (PROMPT.text, EPISODE.user_prompt, '{"user_id": 7}', "Done.")
    assert found.row_length == (sum(map(len, texts)) if format in FORMATS_OF_MESSAGES else None)


def test_where_one_row_lacks_the_request_no_length_is_told() -> None:
    whole = [{"role": "user", "content": "Find Odile."}, {"role": "assistant", "content": "Done."}]
    rows = [Row(f"{n}", {}, messages, []) for n, messages in enumerate((whole, whole[1:]))]
    exporter = load("format", "sft")()
    assert measure_quality("sft", exporter, rows[:1], {}).row_length == len("Find Odile.Done.")
    assert measure_quality("sft", exporter, rows, {}).row_length is None


def test_what_is_not_certified_is_not_measured(tmp_path: Path, cli: Callable) -> None:
    write_rows(tmp_path / "data", [{"messages": []}])
    assert cli("data", "quality", tmp_path / "data").code == 2
    certify(tmp_path / "data", "sft")
    ran = cli("data", "quality", tmp_path / "data")
    assert ran.code == 2 and "its rows are not of format sft (KeyError: 'tools')" in ran.err
