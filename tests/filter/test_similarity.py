"""The texts compared are those of the records; MinHash estimates similarity; the index finds the nearest."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.files import find_files
from eops_traj.filter.similarity import PARTS, Index, part, shingles, signature, words
from eops_traj.interchange.base import open_importer
from tests.filters.labelled import frame


def test_the_parts_of_an_episode_are_those_of_its_record(fixtures: Path) -> None:
    importer = open_importer("enterpriseops")
    episodes = [
        bundle.episode for path in find_files([fixtures / "results"]) for bundle in importer.read(path)
    ]
    table = frame(*episodes).select([part(name).alias(name) for name in PARTS]).collect()
    assert len(episodes) >= 3
    assert table.rows() == [
        (e.user_prompt, "\n".join(f"{c.name} {c.arguments}" for c in e.tool_calls()), e.response)
        for e in episodes
    ]


def pair(rng: random.Random, shared: int, apart: int) -> tuple[str, str]:
    """Make two texts with ``shared`` words in common and ``apart`` more words each."""
    tokens = [f"w{rng.getrandbits(40)}" for _ in range(shared + 2 * apart)]
    return " ".join(tokens[: shared + apart]), " ".join(tokens[:shared] + tokens[shared + apart :])


@pytest.mark.parametrize(("shared", "apart"), [(180, 10), (160, 20), (100, 50)])
def test_the_estimate_is_close_to_the_jaccard_similarity(shared: int, apart: int) -> None:
    texts = [pair(random.Random(seed), shared, apart) for seed in range(40)]
    estimates = [signature(a, 1).jaccard(signature(b, 1)) for a, b in texts]
    assert sum(estimates) / len(estimates) == pytest.approx(shared / (shared + 2 * apart), abs=0.03)


def test_the_index_misses_hardly_any_pair_over_the_threshold() -> None:
    index, hits, over = Index(0.9), 0, 0
    for seed in range(150):
        a, b = (signature(text, 1) for text in pair(random.Random(seed), 186, 7))  # 0.93 alike
        index.add(str(seed), a)
        near = index.nearest(b)
        hits += near is not None and near[0] == str(seed)
        over += a.jaccard(b) >= 0.9
    assert over > 100
    assert over - hits <= 1


def test_the_nearest_one_is_found() -> None:
    index = Index(0.5)
    index.add("far", signature("a b c d e f g x y", 1))
    index.add("near", signature("a b c d e f g h y", 1))
    assert index.nearest(signature("a b c d e f g h i", 1))[0] == "near"  # type: ignore[index]
    assert index.nearest(signature("nothing of the kind", 1)) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Q3報告を送る。", ["q3", "報", "告", "を", "送", "る"]),
        ("水泵 Nr. 7_b", ["水", "泵", "nr", "7_b"]),
        ("보고서를 Größe café", ["보고서를", "grösse", "café"]),
    ],
)
def test_characters_that_no_space_parts_are_words_of_their_own(text: str, found: list[str]) -> None:
    assert words(text) == found


@given(st.text(), st.integers(1, 4))
def test_case_and_punctuation_do_not_count(text: str, length: int) -> None:
    assert shingles(" ".join(words(text)), length) == shingles(text, length)
    assert 1 <= len(shingles(text, length)) <= max(1, len(words(text)))
