"""near_duplicates keeps the best of what says almost the same, and does so the same way every time."""

import random

from eops_traj.schema import Episode, Turn
from tests.episodes import episode
from tests.filters.labelled import kept, labelled

WORDS = [f"word{n}" for n in range(200)]


def with_words(i: str, words: list[str], **fields: object) -> Episode:
    return episode(i, user_prompt=" ".join(words), turns=(Turn(text="Done."),), **fields)


def changed(count: int) -> list[str]:
    """The words with some of them, evenly spread, replaced by others."""
    return [f"other{n}" if count and n % (200 // count) == 0 else word for n, word in enumerate(WORDS)]


def test_one_changed_word_is_a_near_duplicate_and_twenty_are_not() -> None:
    rows = labelled(
        [with_words("a", WORDS), with_words("b", changed(1)), with_words("c", changed(20))], "near_duplicates"
    )
    assert [i for i, row in rows.items() if row.dropped_by] == ["b"]
    similarity, words = str(rows["b"].detail).split(" ", 1)
    assert words == "like a"
    assert abs(float(similarity) - 196 / 204) < 0.08  # 4 of 200 runs of three words differ on either side


def test_the_better_episode_stays_whatever_the_order_of_the_store() -> None:
    rows = [
        with_words("a", WORDS, success_strict=False),
        with_words("b", changed(1), n_steps=9),
        with_words("c", changed(1)),
    ]
    for _ in range(5):
        random.shuffle(rows)
        assert kept(rows, "near_duplicates") == ["c"]


def test_what_is_compared_is_a_parameter() -> None:
    rows = [with_words("a", WORDS), with_words("b", changed(20))]
    assert kept(rows, {"near_duplicates": {"over": ["answer"]}}) == ["a"]
    assert kept(rows, {"near_duplicates": {"threshold": 0.4}}) == ["a"]
    assert kept(rows, {"near_duplicates": {"over": ["request"], "words": 1, "threshold": 0.7}}) == ["a"]


def test_episodes_without_what_is_compared_are_not_alike() -> None:
    rows = [with_words("a", WORDS), with_words("b", changed(20))]
    assert kept(rows, {"near_duplicates": {"over": ["calls"]}}) == ["a", "b"]


def test_twice_in_a_config_it_has_two_labels() -> None:
    rules = [{"near_duplicates": {"over": ["request"]}}, {"near_duplicates": {"over": ["answer"]}}]
    rows = labelled(
        [with_words("a", WORDS), with_words("b", changed(1)), with_words("c", changed(20))], *rules
    )
    assert rows["b"].dropped_by == "near_duplicates"
    assert rows["c"].dropped_by == "near_duplicates#2"
