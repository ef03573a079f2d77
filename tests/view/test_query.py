from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.view.query import FILTERS, SORTS, Query

SORT = st.sampled_from(["", *SORTS, *(f"-{name}" for name in SORTS)])


@given(
    st.fixed_dictionaries({}, optional={name: st.text("aé &=%/+#\"'", min_size=1) for name in FILTERS}),
    st.text("aé &=%/+#\"'"),
    SORT,
    st.integers(1, 999_999_999),
)
def test_a_query_comes_back_from_its_address(
    filters: dict[str, str], text: str, sort: str, page: int
) -> None:
    query = Query(
        tuple((n, filters[n]) for n in FILTERS if n in filters),
        text,
        "calls",
        "t",
        "c",
        "f",
        "s",
        "kept",
        sort,
        page,
        "none",
    )
    assert Query.of(dict(parse_qsl(urlsplit(query.url(page=page)).query))) == query


@pytest.mark.parametrize(("of", "left"), [("sft", "kept"), ("dpo", ""), ("", "")])
def test_a_reason_is_of_the_selection_that_it_was_chosen_of(of: str, left: str) -> None:
    assert Query.of({"selection": of, "reason": "kept", "reason_of": "sft"}).reason == left
    assert Query.of({"selection": of, "reason": "kept"}).reason == "kept"


def test_a_column_is_sorted_up_and_then_down() -> None:
    assert Query(sort="cost", page=4).sort_url("cost") == "/episodes?sort=-cost"
    assert Query(sort="-cost").sort_url("cost") == "/episodes?sort=cost"
