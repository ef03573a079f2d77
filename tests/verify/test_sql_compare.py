import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.verify.sql_compare import COMPARISONS, body_error, compare, extract, sound
from tests.real import real_files

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ({"data": [{"COUNT(*)": 3}]}, 3),
        ({"data": [{"n": None}]}, None),
        ({"data": [{"a": 1, "b": 2}]}, {"a": 1, "b": 2}),
        ({"data": [{"a": 1}, {"a": 2}]}, [{"a": 1}, {"a": 2}]),
        ({"data": []}, []),
        ({"data": [[3]]}, [3]),  # under data only a row that is an object gives up its cell
        ({"rows": [[3]]}, 3),
        ({"rows": [{"n": 3}]}, 3),
        ({"rows": [[1, 2]]}, [1, 2]),
        ({"data": [{"n": 1}], "rows": [[2]]}, 1),
        ({"content": [{"type": "image"}, {"type": "text", "text": "hi"}]}, "hi"),
        ({"content": []}, []),
        ({"result": {"n": 1}}, {"n": 1}),
        ({"count": 1}, {"count": 1}),
        ([{"n": 1}], [{"n": 1}]),
    ],
)
def test_the_value_that_the_benchmark_reads(body, value):
    assert extract(body) == value


@pytest.mark.parametrize(
    ("actual", "expected", "comparison", "passed"),
    [
        (1, 1, "equals", True),
        (1, "1", "equals", False),
        (None, None, "equals", True),
        ([], [], "equals", True),
        (1, True, "equals", True),
        (3, 2, "greater_than", True),
        (3, 3, "greater_than", False),
        (3, 3, "less_than", False),
        (None, 2, "greater_than", False),
        ("3", 2, "less_than", False),
        (4, 5, "less_than", True),
        ({"state": "open"}, "state", "contains", True),
        (None, "None", "contains", True),
        (15, 5, "contains", False),
        (1, 1, "not_equals", False),
        (1, 1, "Equals", False),
    ],
)
def test_the_benchmarks_comparisons(actual, expected, comparison, passed):
    assert compare(actual, expected, comparison)[0] is passed


@given(JSON, JSON, st.sampled_from([*COMPARISONS, "nonsense"]))
def test_comparing_never_raises(actual, expected, comparison):
    passed, details = compare(actual, expected, comparison)
    assert isinstance(passed, bool) and details
    if passed:
        assert isinstance(sound(actual, expected, comparison), bool)


@pytest.mark.parametrize(
    ("actual", "expected", "comparison", "is_sound"),
    [
        ({"state": "open"}, "state", "contains", False),
        ({"state": "open"}, "open", "contains", True),
        ([{"state": "open"}, {"state": "new"}], "new", "contains", True),
        (None, "None", "contains", False),
        ("open", "", "contains", False),
        ([2], [1], "greater_than", False),
        ("2026-01-02", "2026-01-01", "greater_than", True),
        (2, 1.5, "greater_than", True),
        ({"a": 1}, {"a": 1}, "equals", True),
    ],
)
def test_passes_that_are_no_evidence(actual, expected, comparison, is_sound):
    assert compare(actual, expected, comparison)[0]
    assert sound(actual, expected, comparison) is is_sound


@pytest.mark.parametrize(("actual", "expected"), [(2, "1"), ("2", 1), ([2], 1), (2, [1]), ("2", ["1"])])
def test_order_between_kinds_is_no_evidence(actual, expected):
    assert not sound(actual, expected, "greater_than") and not sound(actual, expected, "less_than")


def test_a_body_may_say_that_it_is_an_error():
    error = {"content": [{"type": "text", "text": "no such table: x"}], "isError": True}
    assert body_error(error) == "no such table: x"
    assert body_error({"success": False, "error": "locked"}) == "locked"
    assert body_error({"success": False, "result": "full"}) == "full"
    assert body_error({"error": "gone", "success": True, "isError": False}) == "gone"
    assert body_error({"isError": True, "result": "no"}) == "no"
    assert body_error({"success": True, "data": []}) is None
    assert body_error([]) is None


def test_the_verdicts_of_the_real_files_come_out_again(shared):
    for file in real_files(shared).values():
        for result in file["runs"][0]["verification_results"].values():
            again = compare(result["actual"], result["expected"], result["comparison_type"])
            assert again == (result["passed"], result["details"])
