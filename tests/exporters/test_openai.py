"""The openai format: arguments are JSON text, as the API takes them."""

import json
from dataclasses import replace
from pathlib import Path

from eops_traj.export.run import Export
from eops_traj.schema import ToolSet, Turn
from tests.episodes import episode
from tests.selected import call, calling, certificate, exported, lines, store_of


def test_arguments_are_text_and_results_name_only_their_call(tmp_path: Path) -> None:
    [row] = lines(exported(tmp_path, [calling("e", {"name": "Odile", "x": None})], "openai"))
    reply, result = row["messages"][2:4]
    assert json.loads(reply["tool_calls"][0]["function"]["arguments"]) == {"name": "Odile", "x": None}
    assert result == {"role": "tool", "tool_call_id": "c0", "content": '{"user_id": 7}'}
    assert set(row) == {"messages", "tools"}


def test_what_did_not_parse_is_given_as_it_was_written(tmp_path: Path) -> None:
    broken = [
        replace(call("c"), raw='{"name": "Od'),
        replace(call("c"), raw='{"name":"O"}'),
        replace(call("c"), raw="[1]"),
    ]
    written = episode("e", turns=(*(Turn(text="", tool_calls=(c,)) for c in broken), Turn(text="!")))
    folder = exported(tmp_path, [written], "openai")
    texts = [
        m["tool_calls"][0]["function"]["arguments"] for m in lines(folder)[0]["messages"] if "tool_calls" in m
    ]
    assert texts == ['{"name": "Od', '{"name":"O"}', "[1]"]
    assert certificate(folder)["checks"]["tool_calls_round_trip"]["status"] == "passed"


def test_no_tools_is_no_key(tmp_path: Path) -> None:
    store = store_of(tmp_path, [episode("e", turns=(Turn(text="No."),))], toolsets=[ToolSet.of([])])
    Export("openai", str(store), "chosen", tmp_path / "out").run()
    assert set(lines(tmp_path / "out")[0]) == {"messages"}
    assert certificate(tmp_path / "out")["checks"]["reads_as_written"]["status"] == "passed"
