"""The nearest text is found as by comparing all, the first of equals, and none where none is near enough."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.planner.neighbours import WordIndex, words_of

TEXTS = st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=6), max_size=8)


@given(TEXTS, st.frozensets(st.sampled_from("abcdefghi"), min_size=1), st.sampled_from([0.2, 0.5, 0.6, 1.0]))
def test_it_is_the_one_that_comparing_all_finds(texts, asked, least):
    alike = [len(asked & words) / len(asked | words) for words in texts]
    best = max(alike, default=0.0)
    expected = alike.index(best) if best >= least else None
    assert WordIndex(dict(enumerate(texts))).nearest(asked, least) == expected


@pytest.mark.parametrize(("least", "found"), [(0.6, 7), (0.61, None)])
def test_three_of_five_words_are_just_enough(least, found):
    index = WordIndex({3: words_of("a b x y z"), 7: words_of("a B C d")})
    assert index.nearest(words_of("A b c e"), least) == found


def test_nothing_is_near_no_words_and_no_text_is_nearest_of_none():
    assert WordIndex({0: frozenset()}).nearest(frozenset(), 0.5) is None
    assert WordIndex({}).nearest(words_of("a"), 0.5) is None
