"""YAML from outside is read as YAML, or refused with one line and within seconds."""

from pathlib import Path

import pytest
import yaml

from eops_traj.config import CONFIGS
from eops_traj.errors import FormatError
from eops_traj.untrusted.yaml_text import parse_yaml
from tests.hostile import YAML_TEXTS
from tests.long_texts import linear_time


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_committed_config_is_read_as_ever(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert parse_yaml(text) == yaml.safe_load(text)


@pytest.mark.parametrize("name", YAML_TEXTS)
def test_a_hostile_text_is_read_or_refused_with_one_line_within_seconds(name: str) -> None:
    with linear_time():
        try:
            parse_yaml(YAML_TEXTS[name])
        except FormatError as error:
            assert "\n" not in str(error) and len(str(error)) < 600


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("aliases of aliases", "more than 100000 values"),
        ("merged aliases", "more than 100000 values"),
        ("a cycle", r"\*a stands within &a"),
        ("a merged cycle", r"\*a stands within &a"),
        ("deep keys", "nested more than 100 deep"),
        ("a number in base 60", "a number of 900001 characters"),
        ("NaN", "nan is no number"),
        ("a call", "the tag .*python.*; no value needs one"),
        ("no date", "day is out of range"),
        ("a comment of 9 MB", "characters, of at most"),
    ],
)
def test_what_is_refused_is_told(name: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        parse_yaml(YAML_TEXTS[name])


def test_anchors_within_the_limits_are_read() -> None:
    text = "a: &a {x: 1, y: !!str 2}\nb: {<<: *a, y: 3}\nc: [*a, *a]\nd: 2026-02-03"
    first = {"x": 1, "y": "2"}
    assert parse_yaml(text) == {"a": first, "b": {"x": 1, "y": 3}, "c": [first, first], "d": "2026-02-03"}


@pytest.mark.parametrize(
    "text",
    ["a: 1\nb: {c: 1}\na: 2", "x: {b: [1, {b: 1}], a: 2,\n\n b: 3}", "[{? {a: 1}: 1, b: &b 1, 'b': *b}]"],
)
def test_a_key_that_an_object_has_twice_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"the key '[ab]' stands twice in one object: line \d"):
        parse_yaml(text)


def test_a_key_may_stand_in_each_of_several_objects_and_be_a_value_too() -> None:
    assert parse_yaml("a: {a: a, b: a}\nb: [a, a, {a: 1}, {a: 1}]") == {
        "a": {"a": "a", "b": "a"},
        "b": ["a", "a", {"a": 1}, {"a": 1}],
    }


def test_an_integer_beyond_64_bits_is_refused() -> None:
    assert parse_yaml(str(2**63 - 1)) == 2**63 - 1
    with pytest.raises(FormatError, match="larger than 64 bits"):
        parse_yaml(str(2**63))


def test_whole_numbers_that_no_setting_needs_are_refused_before_they_are_keys() -> None:
    same_hash = "\n".join(f"{factor * (2**61 - 1)}: 1" for factor in range(1, 40_000))
    with pytest.raises(FormatError, match="a number of 21 characters, of at most 20"):
        parse_yaml(same_hash)
    assert parse_yaml(f"commit: 0{'deadbeef' * 5}\nat: 2026-11-22-2026-11-23") == {
        "commit": f"0{'deadbeef' * 5}",
        "at": "2026-11-22-2026-11-23",
    }
