"""Episodes that hypothesis makes up, every field of them, and what a format gives back."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from eops_traj.bundle import EpisodeBundle, totals
from eops_traj.hashing import canonical_json
from eops_traj.instances import load
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.loss_report import Losses
from eops_traj.schema import (
    OUTCOMES,
    Change,
    Episode,
    Json,
    Prompt,
    Run,
    Server,
    ToolCall,
    ToolSet,
    Turn,
    Verdict,
)
from tests.episodes import EPISODE

WORDS = st.text(max_size=6)
"""Any words: of what is said, asked and answered."""
NAMES = st.sampled_from(["", "a", "b", "c d/\u00e9\n"])
"""A few words, for all else: so much that each is tried beside each."""
NUMBERS = st.sampled_from([0.0, 1.5, -0.1, 1e300, 0.30000000000000004])
COUNTS = st.sampled_from([None, 0, 7])
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=3,
)
ARGUMENTS = st.dictionaries(WORDS, VALUES, max_size=2).map(canonical_json).map(Json)
OBJECTS = st.sampled_from([{}, {"a": None}, {"b": [1, 0.5, "\u00e9"]}])
JSON = OBJECTS.map(canonical_json).map(Json)
ANY_JSON = st.sampled_from([None, Json("null"), Json("{}"), Json('["x",1]')])
MAYBE = st.none() | NAMES

MOMENTS = [None, "", "soon", "2026-11-22T04:02:14.123+00:00", "2026-11-22T04:02:14Z"]

CHANGES = st.builds(Change, server=NAMES, table=NAMES, operation=NAMES, key=JSON, before=st.none() | JSON)
CALLS = st.builds(
    ToolCall,
    id=NAMES,
    name=NAMES,
    arguments=ARGUMENTS,
    server=MAYBE,
    result=st.none() | WORDS,
    envelope=ANY_JSON,
    is_error=st.booleans(),
    error=MAYBE,
    raw=MAYBE,
    latency_ms=st.none() | NUMBERS,
    changes=st.lists(CHANGES, max_size=1).map(tuple),
)
IDS = st.none() | st.sampled_from([(), (1,), (1, 2), (1, 2, 3)])
TURNS = st.builds(
    Turn,
    text=WORDS,
    reasoning=MAYBE,
    tool_calls=st.lists(CALLS, max_size=2).map(tuple),
    nudge=MAYBE,
    finish_reason=MAYBE,
    input_tokens=COUNTS,
    cached_tokens=COUNTS,
    output_tokens=COUNTS,
    reasoning_tokens=COUNTS,
    cost=st.none() | NUMBERS,
    latency_ms=st.none() | NUMBERS,
    provider=JSON,
    prompt_token_ids=IDS,
    token_ids=IDS,
    logprobs=st.sampled_from([None, (), (-0.5,), (-0.5, -1.25)]),
)
VERDICTS = st.builds(
    Verdict,
    name=NAMES,
    kind=NAMES,
    config=JSON,
    expected=ANY_JSON,
    passed_strict=st.none() | st.booleans(),
)
TOOLS = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES, "description": NAMES, "inputSchema": OBJECTS}, optional={"title": NAMES}
    ),
    max_size=2,
)


@st.composite
def episodes(draw: st.DrawFn) -> EpisodeBundle:
    """Draw an episode with its records; the tokens and counts of the whole may be any."""
    turns = tuple(draw(st.lists(TURNS, max_size=3)))
    prompt, toolset = (
        Prompt.of(draw(NAMES)),
        ToolSet.of(draw(TOOLS), draw(st.sampled_from(["listed", "observed"]))),
    )
    run = Run(run_id=draw(NAMES), kind="collect", config=draw(JSON), started_at=draw(MAYBE), version="0")
    episode: Episode = replace(
        EPISODE,
        **(totals(turns) | ({"input_tokens": draw(COUNTS)} if draw(st.booleans()) else {})),
        episode_id=draw(st.sampled_from(["e1", "e/\u00e9"])),
        run_id=run.run_id,
        supersedes=draw(MAYBE),
        attempt=draw(st.integers(1, 3)),
        user_prompt=draw(WORDS),
        prompt_hash=prompt.prompt_hash,
        toolset_hash=toolset.toolset_hash,
        servers=(Server(name="s", seed="d", details=draw(JSON)),),
        settings=draw(JSON),
        turns=turns,
        stop_reason=draw(NAMES),
        error=draw(MAYBE),
        verdicts=tuple(draw(st.lists(VERDICTS, max_size=2))),
        success_parity=draw(st.none() | st.booleans()),
        verifier_pass_strict=draw(st.none() | NUMBERS),
        outcome=draw(st.sampled_from(OUTCOMES)),
        failure_modes=tuple(draw(st.lists(NAMES, max_size=2))),
        started_at=draw(st.sampled_from(MOMENTS)),
        changeset=draw(st.sampled_from([None, b"", b"\x00\xff"])),
        details=draw(JSON),
    )
    return EpisodeBundle(episode, prompt, toolset, run)


def there_and_back(
    format_: str, bundles: Sequence[EpisodeBundle], **options: Any
) -> tuple[dict[str, EpisodeBundle], Losses]:
    """Return the episodes as files of a format give them back, by id, and the losses of the format."""
    exporter: Any = load("format", format_)(**{"reasoning": True, **options})
    with tempfile.TemporaryDirectory() as folder:
        exporter.write(bundles, Path(folder))
        back = [one for path in exporter.files(Path(folder)) for one in open_importer(format_).read(path)]
    return {one.episode.episode_id: one for one in back}, exporter.losses
