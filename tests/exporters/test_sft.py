"""The sft format: what load_dataset gives is what the episode holds."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.run import Export
from eops_traj.exporters.sft import Sft
from eops_traj.hashing import canonical_json
from eops_traj.messages import calls, function_tools
from eops_traj.schema import Prompt, ToolSet, Turn
from tests.episodes import TOOLS, episode
from tests.selected import calling, exported, lines, store_of

VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.text(max_size=8), VALUES, max_size=4)


@given(arguments=st.lists(ARGUMENTS, max_size=3))
def test_any_arguments_come_back_from_the_line(arguments: list[dict[str, Any]]) -> None:
    made, exporter = calling("e", *arguments), Sft()
    line = json.dumps(exporter.record(EpisodeBundle(made, Prompt.of("Policy."), TOOLS)), ensure_ascii=False)
    row = exporter.row("1", json.loads(line))
    assert canonical_json(calls(row.messages)) == canonical_json(exporter.calls(made))


def test_load_dataset_fills_nothing_in(tmp_path: Path) -> None:
    from datasets import load_dataset

    mixed = [
        calling("e0", {"id": 1}),
        calling("e1", {"id": "x", "tags": ["a", 1]}),
        calling("e2", {"at": {"y": None}}),
    ]
    folder = exported(tmp_path, mixed)
    rows = load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert [dict(row) for row in rows] == lines(folder)
    assert [calls(row["messages"])[0][1] for row in rows] == [
        {"id": 1},
        {"id": "x", "tags": ["a", 1]},
        {"at": {"y": None}},
    ]


def test_rows_beyond_the_first_megabytes_keep_their_types(tmp_path: Path) -> None:
    """datasets guesses columns from its first ten megabytes, unless the card declares them."""
    from datasets import load_dataset

    plain = [calling(f"e{n}", answer="x" * 1_000_000) for n in range(11)]
    rare = ToolSet.of(
        [{"name": "rare", "inputSchema": {"type": "object", "properties": {"a": {"enum": [1, "b"]}}}}]
    )
    store = store_of(tmp_path, [*plain, calling("last")], toolsets=[*[TOOLS] * 11, rare])
    Export("sft", str(store), "chosen", tmp_path / "sft").run()
    rows = load_dataset(str(tmp_path / "sft"), split="train", cache_dir=str(tmp_path / "cache"))
    assert rows[-1]["tools"] == function_tools(rare)


def test_a_row_says_which_episode_it_is(tmp_path: Path) -> None:
    [row] = lines(exported(tmp_path, [calling("e7", {"id": 1})]))
    assert (row["episode_id"], row["task_id"], row["domain"], row["outcome"]) == (
        "e7",
        "task_0",
        "csm",
        "success",
    )
    assert row["tools"][0]["function"]["name"] == "find_user"


def test_what_was_sent_in_the_requests_place_stands_there_alone(tmp_path: Path) -> None:
    asked = "Who is Odile?\n\nEnd with an outcome line."
    turns = (Turn(text="User 7.", nudge=asked), Turn(text="Yes.", nudge="Sure?"))
    sources = ("eops-traj", "enterpriseops-gym", "a chat")
    made = [episode(f"e{n}", source=source, turns=turns) for n, source in enumerate(sources)]
    rows = lines(exported(tmp_path, made))
    said = [[m["content"] for m in row["messages"] if m["role"] == "user"] for row in rows]
    assert said == [[asked, "Sure?"], [asked, "Sure?"], [made[2].user_prompt, asked, "Sure?"]]
