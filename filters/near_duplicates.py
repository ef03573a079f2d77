"""near_duplicates: of episodes with almost the same text, keep the best one."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, PositiveInt

from eops_traj.filter.rules import Rows, SetStep
from eops_traj.filter.similarity import PARTS, Index, Part, part, signature

if TYPE_CHECKING:
    import polars as pl
    from datasketch import LeanMinHash


TOGETHER = 256
"""Texts whose signatures a worker is asked for at once."""


class NearDuplicates(SetStep):
    """Drop episodes too similar to a better one.

    ``threshold``: Jaccard similarity of their runs of ``words`` words, estimated by MinHash, from which two
    texts count as one. ``over``: what is compared, any of ``request``, ``calls`` (names and arguments, in
    order) and ``answer``; all three by default. The dropped are near to one that is kept, so that
    a chain of small steps does not fold into one episode.
    """

    threshold: Annotated[float, Field(ge=0.3, le=1)] = 0.9
    over: Annotated[list[Part], Field(min_length=1)] = PARTS
    words: PositiveInt = 3

    def drop(self, rows: Rows) -> dict[str, str]:
        """Drop every near duplicate, with the better episode and how similar it is."""
        texts = rows.stream(text=self._text())
        signatures = dict(rows.engine.map(partial(_signed, words=self.words), texts, TOGETHER))
        index = Index(self.threshold)
        dropped = {}
        for i in rows.ids:
            if near := index.nearest(signatures[i]):
                dropped[i] = f"{near[1]:.2f} like {near[0]}"
            else:
                index.add(i, signatures[i])
        return dropped

    def _text(self) -> "pl.Expr":
        import polars as pl

        return pl.concat_str([part(name) for name in self.over], separator="\n", ignore_nulls=True)


def _signed(row: dict[str, Any], words: int) -> "tuple[str, LeanMinHash]":
    return row["episode_id"], signature(row["text"], words)
