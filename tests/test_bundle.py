"""A bundle's records are held against their types: an episode each time, what many share once."""

from dataclasses import replace
from typing import Any

import pytest

from eops_traj import bundle
from eops_traj.errors import FormatError
from eops_traj.schema import Json, Prompt, ToolCall, ToolSet, Turn
from tests.episodes import EPISODE

PROMPT, TOOLS = Prompt.of("Of this test alone."), ToolSet.of([{"name": "of_this_test_alone"}])


def test_what_episodes_share_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Any] = []
    monkeypatch.setattr(bundle, "check_record", checked.append)
    for attempt in (1, 2):
        bundle.check_bundle(bundle.EpisodeBundle(replace(EPISODE, attempt=attempt), PROMPT, TOOLS))
    assert [type(record).__name__ for record in checked] == ["Episode", "Prompt", "ToolSet", "Episode"]


@pytest.mark.parametrize("tools", ["{", ["a list"], 5, None], ids=str)
def test_what_does_not_fit_is_refused_each_time(tools: Any) -> None:
    wrong = bundle.EpisodeBundle(EPISODE, PROMPT, replace(TOOLS, tools=Json("[]"), origin="x"))
    object.__setattr__(wrong.toolset, "tools", tools)
    for _ in range(2):
        with pytest.raises(FormatError, match="ToolSet tools"):
            bundle.check_bundle(wrong)


def test_an_error_that_a_server_sends_as_text_is_counted() -> None:
    """The benchmark's calendar marks none, and neither do imported files; a look-alike is no error."""
    answers = {
        "marked": {"result": "no such event", "is_error": True},
        "text": {"result": "HTTP 404: Event not found: nope"},
        "unreached": {"error": "timed out"},
        "about one": {"result": "The page says HTTP 404: Event not found"},
        "well": {"result": "[]"},
    }
    calls = tuple(ToolCall(id=n, name="delete_event", arguments=Json("{}"), **a) for n, a in answers.items())
    totals = bundle.totals([Turn(text="", tool_calls=calls[:2]), Turn(text="", tool_calls=calls[2:])])
    assert (totals["n_steps"], totals["n_tool_errors"]) == (5, 2)
