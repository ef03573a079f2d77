"""Hostile files of the formats of exchange: every field of a record that we write, with every hostile value.

Every format that goes both ways is attacked, our own key in it included. What holds is told in
:mod:`tests.attacks.result_files`.
"""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle, build_run
from eops_traj.instances import load
from eops_traj.interchange.base import exchange_formats, open_importer
from eops_traj.schema import Change, Json, Server, Verdict
from tests.attacks.result_files import Accepted, read_case, unstorable
from tests.attacks.sampling import one_in
from tests.attacks.tally import Tally
from tests.episodes import EPISODE, PROMPT, TOOLS
from tests.hostile import VALUES, kinds_of_paths, render, with_value

TOKENS: dict[str, Any] = {"prompt_token_ids": (1, 2), "token_ids": (3, 4), "logprobs": (-0.5, -1.0)}
COUNTS: dict[str, Any] = {
    "input_tokens": 2, "cached_tokens": 1, "output_tokens": 2, "reasoning_tokens": 1, "cost": 0.1,
    "latency_ms": 5.0, "finish_reason": "stop", "reasoning": "Hm.", "provider": Json('{"id":"c"}'),
}  # fmt: skip
ROW = Change(
    server="s", table="t", operation="update", key=Json('{"id":1}'), before=Json("{}"), after=Json("{}")
)
IDS_ALONE = "token_ids"
"""The format that is exported with a model's tokenizer only; its record is written here."""


def attack(folder: Path, every: int = 1) -> Tally:
    """Read every hostile file of every format, or one in so many; keep what was accepted in a store."""
    tally, accepted = Tally("exchange files"), Accepted()
    for format_ in exchange_formats():
        importer, path = open_importer(format_), folder / f"{format_}.jsonl"
        for case, text in one_in(every, hostile_records(record_of(format_))):
            path.write_text(text, encoding="utf-8")
            case = f"{format_}: {case}"
            if (bundles := read_case(case, path, importer, tally)) is not None:
                accepted.append((case, [_renamed(one, case) for one in bundles]))
    for case in unstorable(accepted, folder):
        tally.add("poisoned", case)
    return tally


def hostile_records(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each case with the text of its file."""
    for path in kinds_of_paths(record):
        for name in VALUES:
            yield f"{render(path)} = {name}", with_value(record, path, name)


def record_of(format_: str) -> dict[str, Any]:
    """Return the record that we write of an episode in which every field is filled."""
    if format_ == IDS_ALONE:
        ids = {"prompt_ids": [1, 2], "completion_ids": [3, 4], "mask": [1, 1], "logprobs": [-0.5, -1.0]}
        return {"episode_id": "e", "task_id": "t", "model": "m", **ids}
    exporter: Any = load("format", format_)(reasoning=True)
    with tempfile.TemporaryDirectory() as folder:
        exporter.write([whole_bundle()], Path(folder))
        [path] = exporter.files(Path(folder))
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record


def whole_bundle() -> EpisodeBundle:
    """Return an episode with something in every field."""
    called, answered = EPISODE.turns
    call = replace(called.tool_calls[0], changes=(ROW,), server="s", latency_ms=1.0)
    turns = (
        replace(called, tool_calls=(call,), **COUNTS),
        replace(answered, nudge="Go on.", **COUNTS, **TOKENS),
    )
    verdict = Verdict(
        name="v", kind="database_state", config=Json("{}"), expected=Json("1"), actual=Json("1")
    )
    run = build_run("collect", {})
    episode = replace(
        EPISODE, turns=turns, verdicts=(verdict,), servers=(Server(name="s", seed="d"),), changeset=b"\0",
        started_at="2026-01-01T00:00:00Z", run_id=run.run_id, failure_modes=("x",), duration_ms=1.0,
    )  # fmt: skip
    return EpisodeBundle(episode, PROMPT, TOOLS, run)


def _renamed(bundle: EpisodeBundle, case: str) -> EpisodeBundle:
    """Return the bundle under the name of its case: records that we wrote carry their episode's own."""
    return replace(bundle, episode=replace(bundle.episode, episode_id=case))
