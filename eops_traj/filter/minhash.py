"""Near-duplicate texts: MinHash signatures over runs of words, in an index that finds the nearest one."""

from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

from eops_traj.filter.texts import shingles

if TYPE_CHECKING:
    from datasketch import LeanMinHash, MinHash

PERMUTATIONS = 128
"""Signature length; the standard error of an estimated Jaccard similarity s is sqrt(s (1 - s) / 128)."""

LOOSEN = 0.9
"""The index is built for this part of the threshold, and what it finds is checked against the threshold.

LSH alone misses a fifth of the pairs that lie just at its threshold; so loosened it misses 1 in 1000 of those
at 0.9, and under 3 in 100 down to 0.3.
"""


def signature(text: str, length: int) -> "LeanMinHash":
    """The MinHash signature (Broder 1997) of a text's runs of ``length`` words: about 0.6 kB."""
    from datasketch import LeanMinHash

    found = _empty().copy()
    found.update_batch(shingles(text, length))
    return LeanMinHash(found)


@cache
def _empty() -> "MinHash":
    """The signature of nothing; drawing its permutations takes longer than hashing a text."""
    from datasketch import MinHash

    # crc32 takes half as long as the default, SHA-1; the permutations do the mixing
    return MinHash(num_perm=PERMUTATIONS, seed=1, hashfunc=crc32)


class Index:
    """Signatures by key, to be asked for one that is at least ``threshold`` alike (Jaccard, estimated)."""

    def __init__(self, threshold: float) -> None:
        """An empty index."""
        from datasketch import MinHashLSH

        self.threshold = threshold
        self._signatures: dict[str, LeanMinHash] = {}
        self._lsh = MinHashLSH(threshold=LOOSEN * threshold, num_perm=PERMUTATIONS, weights=(0.1, 0.9))

    def add(self, key: str, signature: "LeanMinHash") -> None:
        """Put a signature in, under a key that is not in yet."""
        self._signatures[key] = signature
        self._lsh.insert(key, signature)

    def nearest(self, signature: "LeanMinHash") -> tuple[str, float] | None:
        """The key of the most similar signature and how similar it is; None where none reaches the threshold.

        Of several equally similar ones the first key in order, so that the answer is always the same.
        """
        near = [(self._signatures[k].jaccard(signature), k) for k in sorted(self._lsh.query(signature))]
        best = max(near, key=lambda pair: pair[0], default=(0.0, ""))
        return (best[1], best[0]) if best[0] >= self.threshold else None
