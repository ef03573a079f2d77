from dataclasses import replace

from eops_traj.schema import Turn
from eops_traj.view.diff import first_divergence, pair_turns
from tests.episodes import episode
from tests.view.conftest import call

LOOK = Turn(text="Look.", tool_calls=(call("find_user", "7", name="Odile"),))


def differences(left: Turn, right: Turn | None) -> list[str]:
    pairs = pair_turns(episode("a", turns=(left,)), episode("b", turns=(right,) if right else ()))
    return [pair.difference for pair in pairs]


def test_what_differs_is_named() -> None:
    other = call("find_user", "7", name="Ana")
    assert differences(LOOK, replace(LOOK, text="Let me see.")) == [""]
    assert differences(LOOK, replace(LOOK, tool_calls=(other,))) == ["arguments"]
    assert differences(LOOK, replace(LOOK, tool_calls=())) == ["calls"]
    assert differences(LOOK, replace(LOOK, tool_calls=(replace(LOOK.tool_calls[0], result="8"),))) == [
        "results"
    ]
    assert differences(Turn(text="Yes."), Turn(text="No.")) == ["answer"]
    assert differences(LOOK, None) == ["ended"]


def test_they_part_at_the_first_turn_that_differs() -> None:
    pairs = pair_turns(episode("a", turns=(LOOK, LOOK)), episode("b", turns=(LOOK, Turn(text="Done."))))
    assert first_divergence(pairs) == 2 and first_divergence(pairs[:1]) is None
