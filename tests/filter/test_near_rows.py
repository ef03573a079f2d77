"""What is found by links is what an index of the rows that are kept finds, row by row."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eops_traj.filter.near_rows import near_rows
from eops_traj.filter.signature_file import SignatureFile
from eops_traj.filter.similarity import PERMUTATIONS, Index, signature


def found(texts: list[str], threshold: float, names: list[str]) -> list[tuple[str, str, float]]:
    signatures = SignatureFile(len(texts))
    for row, text in reversed(list(enumerate(texts))):
        signatures.put(row, signature(text, 1).hashvalues.astype("uint32").tobytes())
    near = near_rows(signatures, threshold, names)
    return [(names[one.row], names[one.kept], one.similarity) for one in near]


def indexed(texts: list[str], threshold: float, names: list[str]) -> list[tuple[str, str, float]]:
    index, near = Index(threshold), []
    for text, name in zip(texts, names, strict=True):
        if nearest := index.nearest(signature(text, 1)):
            near.append((name, *nearest))
        else:
            index.add(name, signature(text, 1))
    return near


def variants(seed: int, texts: int) -> list[str]:
    """Make texts in families: each is one before it with some words of its forty changed, few or all."""
    rng, made = random.Random(seed), [[f"w{n}" for n in range(40)]]
    for number in range(texts - 1):
        words = list(rng.choice(made))
        for place in rng.sample(range(40), rng.choice([0, 1, 2, 4, 8, 24, 40])):
            words[place] = f"x{number}y{place}"
        made.append(words)
    return [" ".join(words) for words in made]


@pytest.mark.parametrize("threshold", [0.3, 0.7, 0.9, 1.0])
def test_an_index_finds_the_same(threshold: float) -> None:
    texts = variants(seed=int(10 * threshold), texts=400)
    names = random.Random(1).sample([f"e{n:03}" for n in range(len(texts))], len(texts))
    near = found(texts, threshold, names)
    assert near == indexed(texts, threshold, names)
    assert 40 < len(near) < 390 and {kept for _, kept, _ in near}.isdisjoint(name for name, *_ in near)


@settings(max_examples=15)
@given(st.lists(st.text("abcd ", max_size=12), min_size=1, max_size=12), st.sampled_from([0.3, 0.6, 0.9]))
def test_any_texts_have_the_same_neighbours(texts: list[str], threshold: float) -> None:
    names = [f"e{n}" for n in range(len(texts))][::-1]
    assert found(texts, threshold, names) == indexed(texts, threshold, names)


def test_of_equally_near_ones_the_first_name_counts() -> None:
    last = np.arange(PERMUTATIONS, dtype=np.uint32)
    first, second = last.copy(), last.copy()
    first[:10], second[-10:] = 7_000, 8_000  # 108 of 128 are the same in these two, 118 in each with the last
    for names, nearest in (("bac", 1), ("abc", 0)):
        file = SignatureFile(3)
        for row, numbers in enumerate((first, second, last)):
            file.put(row, numbers.tobytes())
        assert list(near_rows(file, 0.9, names)) == [(2, nearest, 118 / 128)]
