"""What teams answers is what Microsoft Graph's published models say."""

import json
from functools import cache
from pathlib import Path

import pytest

from eops_traj.gym import registry
from tests.gym.graph.methods import MODELS, NONE
from tests.gym.graph.models import ANNOTATION, Schema, choices, definitions, folder
from tests.gym.published import Findings, answers, read_deviations

needs_models = pytest.mark.skipif(
    folder() is None, reason="msgraph-sdk is not installed: its models are read"
)
DEVIATIONS = read_deviations(Path(__file__).parent / "deviations.yaml")


@cache
def answer_of(_server: str, tool: str) -> Schema | None:
    """Return the schema of a tool's answer; a list is in ``value``."""
    model = MODELS[tool]
    if model is None:
        return None
    name = model.removeprefix("*")
    one = {"$ref": f"#/$defs/{name}"}
    listed = {"type": "object", "properties": {"value": {"type": "array", "items": one}}}
    whole = listed | {"patternProperties": ANNOTATION, "additionalProperties": False}
    return (one if name == model else whole) | {"$defs": definitions({name})}


def findings() -> Findings:
    return Findings(DEVIATIONS, answer_of)


def test_every_tool_has_a_model_of_graph_s() -> None:
    assert registry.server("teams").tools.keys() == MODELS.keys() | NONE


@pytest.mark.slow
@needs_models
def test_answers_are_graph_s_models_and_the_list_is_what_differs() -> None:
    found = findings()
    for tool, text in answers("teams", 12):
        if tool not in NONE:
            found.check("teams", tool, text)
    print(
        f"teams: {found.answers} answers, {len(found.listed)} listed deviations, {len(found.others)} others"
    )
    assert found.others == [] and found.answers > 400
    assert found.listed == set(range(len(DEVIATIONS))) and all(one["evidence"] for one in DEVIATIONS)


@pytest.mark.slow
@needs_models
@pytest.mark.parametrize(
    ("tool", "answer", "wrong"),
    [
        ("create_channel", {"id": "c", "membershipType": "private", "@odata.context": "x"}, False),
        ("create_channel", {"id": "c", "membershipType": "secret"}, True),
        ("create_channel", {"id": 7}, True),
        ("list_teams", {"value": [{"id": "t", "isArchived": "no"}]}, True),
        ("list_team_members", {"value": [{"id": "m", "userId": "u"}]}, False),
        ("delete_team", {"id": "t"}, True),
    ],
)
def test_what_differs_and_is_not_listed_is_found(tool: str, answer: object, wrong: bool) -> None:
    found = findings()
    found.check("teams", tool, json.dumps(answer))
    assert bool(found.others) == wrong


@pytest.mark.slow
@needs_models
def test_enumerations_are_read() -> None:
    assert {"standard", "private", "shared"} <= set(choices("ChannelMembershipType"))
