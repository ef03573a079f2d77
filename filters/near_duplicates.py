"""near_duplicates: of episodes with almost the same text, keep the best one."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, PositiveInt

from eops_traj.filter.near_rows import near_rows
from eops_traj.filter.rules import Rows, SetStep
from eops_traj.filter.signature_file import SignatureFile
from eops_traj.filter.similarity import PARTS, Part, part, signature, words
from eops_traj.hashing import digest

if TYPE_CHECKING:
    import polars as pl

TOGETHER = 256
"""Texts whose signatures a worker is asked for at once."""


class NearDuplicates(SetStep):
    """Drop episodes too similar to a better one.

    ``threshold``: Jaccard similarity of their runs of ``words`` words, estimated by MinHash, from which two
    texts count as one. ``over``: what is compared, any of ``request``, ``calls`` (names and arguments, in
    order) and ``answer``; all three by default; who has none of it is like nobody. The dropped
    are near to one that is kept, so that a chain of small steps does not fold into one episode.
    """

    threshold: Annotated[float, Field(ge=0.3, le=1)] = 0.9
    over: Annotated[list[Part], Field(min_length=1)] = PARTS
    words: PositiveInt = 3

    def drop(self, rows: Rows) -> dict[str, str]:
        """Drop every near duplicate, with the better episode and how similar it is."""
        near = near_rows(self._signatures(rows), self.threshold, rows.ids)
        return {rows.ids[n.row]: f"{n.similarity:.2f} like {rows.ids[n.kept]}" for n in near}

    def _signatures(self, rows: Rows) -> SignatureFile:
        """Return the signatures of the rows, best first."""
        place = {i: row for row, i in enumerate(rows.ids)}
        signatures, texts = SignatureFile(len(place)), rows.stream(text=self._text())
        for i, signed in rows.engine.map(partial(_signed, length=self.words), texts, TOGETHER):
            signatures.put(place[i], signed)
        return signatures

    def _text(self) -> "pl.Expr":
        import polars as pl

        return pl.concat_str([part(name) for name in self.over], separator="\n", ignore_nulls=True)


def _signed(row: dict[str, Any], length: int) -> tuple[str, bytes]:
    text = row["text"] if words(row["text"]) else digest(row["episode_id"])  # no text is like none
    return row["episode_id"], signature(text, length).hashvalues.astype("uint32").tobytes()
