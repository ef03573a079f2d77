"""Texts compared: the parts of an episode, their words, and near duplicates by MinHash.

Signatures over runs of words go into an index that finds the nearest one; for more than fit into memory there
is :mod:`eops_traj.filter.near_rows`.
"""

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Literal
from zlib import crc32

from eops_traj.schema import ANSWER

if TYPE_CHECKING:
    import polars as pl
    from datasketch import LeanMinHash, MinHash, MinHashLSH

Part = Literal["request", "calls", "answer"]
"""The user's request; the tool calls, a line each, as name and arguments; the final answer."""

PARTS: list[Part] = ["request", "calls", "answer"]


def part(name: Part) -> "pl.Expr":
    """Return a part of an episode as one text. Tool results and the system prompt belong to none."""
    import polars as pl

    columns = {"request": pl.col("user_prompt"), "calls": _calls(), "answer": _answer()}
    return columns[name]


def _calls() -> "pl.Expr":
    import polars as pl

    calls = pl.element().struct.field("tool_calls").explode().drop_nulls()
    line = pl.concat_str(calls.struct.field("name"), calls.struct.field("arguments"), separator=" ")
    return pl.col("turns").list.eval(line).list.join("\n")


def _answer() -> "pl.Expr":
    """Return the final answer, as :attr:`eops_traj.schema.Episode.response` is."""
    import polars as pl

    last = pl.col("turns").list.last().struct
    text = pl.when(last.field("tool_calls").list.len() == 0).then(last.field("text"))
    noted = pl.col("details").str.json_path_match(f"$.{ANSWER}")
    return pl.coalesce(noted, text, pl.lit(""))


UNSPACED = (
    r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
)
"""Characters of Chinese and Japanese, each a word here: no space parts those, and a sentence would be one."""
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")


def words(text: str) -> list[str]:
    """Return the words and numbers of a text, without case and punctuation, in one Unicode form."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shingles(text: str, length: int) -> set[bytes]:
    """Return every run of ``length`` words of a text; of a shorter text, all its words as one run."""
    tokens = words(text)
    runs = max(1, len(tokens) - length + 1)
    return {" ".join(tokens[i : i + length]).encode() for i in range(runs)}


PERMUTATIONS = 128
"""Signature length; the standard error of an estimated Jaccard similarity s is sqrt(s (1 - s) / 128)."""

LOOSEN = 0.9
"""The index is built for this part of the threshold, and its matches are checked against the threshold.

LSH alone misses a fifth of the pairs that lie just at its threshold; so loosened it misses 1 in 1000 of those
at 0.9, and under 3 in 100 down to 0.3.
"""


def signature(text: str, length: int) -> "LeanMinHash":
    """Compute the MinHash signature (Broder 1997) of a text's runs of ``length`` words: about 0.6 kB."""
    from datasketch import LeanMinHash

    minhash = _empty().copy()
    minhash.update_batch(shingles(text, length))
    return LeanMinHash(minhash)


@cache
def _empty() -> "MinHash":
    """Return the signature of nothing; drawing its permutations takes longer than hashing a text."""
    from datasketch import MinHash

    # crc32 takes half as long as the default, SHA-1; the permutations do the mixing
    return MinHash(num_perm=PERMUTATIONS, seed=1, hashfunc=crc32)


def bands(threshold: float) -> list[slice]:
    """Return the parts of signatures of which one is the same where two texts are compared at all."""
    return [slice(start, end) for start, end in _lsh(threshold).hashranges]


def _lsh(threshold: float) -> "MinHashLSH":
    from datasketch import MinHashLSH

    return MinHashLSH(num_perm=PERMUTATIONS, params=_bands_and_rows(threshold))


@cache
def _bands_and_rows(threshold: float) -> tuple[int, int]:
    """Return how many bands of how many rows find that threshold; datasketch integrates to tell."""
    from datasketch import MinHashLSH

    lsh = MinHashLSH(threshold=LOOSEN * threshold, num_perm=PERMUTATIONS, weights=(0.1, 0.9))
    return lsh.b, lsh.r


class Index:
    """An index of signatures by key, to find one at least ``threshold`` alike (Jaccard, estimated)."""

    def __init__(self, threshold: float) -> None:
        """Make an empty index."""
        self.threshold = threshold
        self._signatures: dict[str, LeanMinHash] = {}
        self._lsh = _lsh(threshold)

    def add(self, key: str, signature: "LeanMinHash") -> None:
        """Add a signature under a key that is not in yet."""
        self._signatures[key] = signature
        self._lsh.insert(key, signature)

    def nearest(self, signature: "LeanMinHash") -> tuple[str, float] | None:
        """Return the key of the most similar signature and the similarity; None below the threshold.

        Of several equally similar ones the first key in order, so that the answer is always the same.
        """
        near = [(self._signatures[k].jaccard(signature), k) for k in sorted(self._lsh.query(signature))]
        best = max(near, key=lambda pair: pair[0], default=(0.0, ""))
        return (best[1], best[0]) if best[0] >= self.threshold else None
