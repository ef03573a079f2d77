"""near_duplicates: of episodes with almost the same text, keep the best one."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, PositiveInt

from eops_traj.filter.rules import Rows, SetStep
from eops_traj.filter.similarity import PARTS, Index, Part, part, signature

if TYPE_CHECKING:
    import polars as pl


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
        text = self._text()
        signatures = {r["episode_id"]: signature(r["text"], self.words) for r in rows.stream(text=text)}
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
