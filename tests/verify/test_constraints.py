"""Constraints say what a value has to be, and nothing else passes."""

from typing import Any

import pytest

from eops_traj.verify.constraints import Fitting, TooManyWays, describe, ids_in, is_near


def fits(constraint: Any, value: Any, passed: tuple[Any, ...] = (), steps: int = 2_000) -> bool:
    return bool(Fitting(steps).ways(constraint, value, {}, lambda one: one in passed))


@pytest.mark.parametrize(
    ("constraint", "right", "wrong"),
    [
        (3, 3, 4),
        ("a b", "a b", "a  b"),
        (None, "", 0),
        (None, "[]", "x"),
        (0, False, None),
        ({"some": True}, 0, ""),
        ({"any": True}, None, None),
        ({"prose": []}, "All done.", "x"),
        ({"prose": ["CS001"]}, "See CS001, please.", "See CS0012, please."),
        ({"prose": ["ana|ruiz"]}, "as Ms. Ruiz said", "as Banana said"),
        ({"prose": [{"says": 12}]}, "There are 12.", "There are 112 or 12.5."),
        ({"prose": [{"says": "Ana Ruiz"}]}, "By Ruiz, Ana", "By Ana or Ruiz"),
        ({"fields": {"a": 1}}, '{"a": 1, "b": null}', '{"a": 1, "b": 2}'),
        ({"fields": {"a": 1}}, {"a": 1}, {}),
        ({"list": [1, 2]}, "[2, 1]", "[1, 1]"),
        ({"list": [{"some": True}, 2]}, [2, 5], [3, 5]),
        ({"list": []}, [], [1]),
        ({"list": [{"some": True}]}, ["x"], "x"),
        ({"list": [{"some": True}]}, "[0]", [1, 2]),
        ({"fields": {"a": 1}}, {"a": 1, "b": []}, "no object"),
        ({"id": 1}, 0, ""),
        ({"id": 1}, "x", ["x"]),
        ({"id": 1}, 7, {"id": 7}),
        ({"prose": []}, "done it", "done"),
        ("2026-01-09 10:00", "2026-01-09T10:00:59.5Z", "2026-01-09T10:01:00Z"),
        ("2026-01-09T10:00:00Z", "2026-01-09 10:00:00+00:00", "2026-01-09T10:00:00+01:00"),
        ("2026-01-09 10:00", "2026-01-09 10:00:30", "2026-01-10 10:00"),
        ("2026-01-09 10:00", "2026-01-09T10:00", "at ten"),
        ("at ten", "at ten", "2026-01-09 10:00"),
    ],
)
def test_a_value_fits_or_does_not(constraint: Any, right: Any, wrong: Any) -> None:
    assert fits(constraint, right)
    assert not fits(constraint, wrong) or constraint == {"any": True}


def test_what_the_tool_made_was_passed_by_no_call() -> None:
    assert fits({"made": True}, "2026-01-05") and fits({"own": True}, None)
    assert not fits({"made": True}, "2026-01-05", passed=("2026-01-05",)) and not fits({"made": True}, "")
    assert not fits({"own": True}, 7, passed=(7,))


def test_an_id_is_the_same_wherever_its_number_stands() -> None:
    pair = {"list": [{"fields": {"of": {"id": 1}}}, {"fields": {"of": {"id": 1}}}]}
    assert fits(pair, [{"of": "x"}, {"of": "x"}]) and not fits(pair, [{"of": "x"}, {"of": "y"}])


@pytest.mark.parametrize(
    ("value", "moments", "near"),
    [
        ("2026-01-10T10:00:00Z", ["2026-01-09T10:00:00"], True),  # a day later, without a zone in UTC
        ("2026-01-08T10:00:00", ["2026-01-09T10:00:00Z"], True),
        ("2026-01-10T10:00:01Z", ["2026-01-09T10:00:00Z"], False),
        ("2026-01-08T09:59:59Z", ["2026-01-09T10:00:00Z"], False),
        ("2026-01-10T10:30:00+01:00", ["2026-01-09T10:00:00Z"], True),
        ("2026-03-01T10:00:00Z", ["2026-01-09T10:00:00Z", "soon", "2026-03-01T00:00:00Z"], True),
        ("2026-03-01", [], True),
        ("2026-03-01", ["soon"], True),
        ("soon", [], False),
        (5, [], False),
        (None, ["2026-01-09T10:00:00Z"], False),
    ],
)
def test_now_is_within_a_day_of_what_the_tools_took_for_it(
    value: Any, moments: list[str], near: bool
) -> None:
    found = Fitting(moments=tuple(moments)).ways({"now": True}, value, {}, lambda one: False)
    assert bool(found) is near is is_near(value, moments)


def test_steps_are_counted_to_the_last() -> None:
    """Each of two elements is tried first, and the other after it."""
    two = {"list": [{"some": True}, {"some": True}]}
    assert fits(two, [1, 2], steps=4)
    with pytest.raises(TooManyWays):
        fits(two, [1, 2], steps=3)


def test_ids_are_found_wherever_they_stand() -> None:
    assert list(ids_in({"fields": {"a": {"id": 1}, "b": {"list": [{"id": 2}, 3, {"made": True}]}}})) == [1, 2]
    assert list(ids_in({"id": 3})) == [3] and not list(ids_in("id"))


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (None, "empty"),
        ("x", "'x'"),
        ({"prose": []}, "a text"),
        ({"prose": ["ana|ruiz", {"says": 12}]}, "a text with ana or ruiz, 12"),
        ({"list": [1]}, "[1]"),
        ({"fields": {"a": 1}}, '{"a":1}'),
        ({"never": "stay as it was"}, "to stay as it was"),
        ({"made": True}, "made by the tool"),
    ],
)
def test_what_is_asked_for_is_told_in_words(constraint: Any, words: str) -> None:
    assert describe(constraint) == words


def test_alike_elements_without_end_are_given_up() -> None:
    alike = {"list": [*({"some": True} for _ in range(8)), {"fields": {"a": 1}}]}
    with pytest.raises(TooManyWays):
        fits(alike, [*range(9)])
