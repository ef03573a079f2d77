"""balance_domains: as many episodes of one domain as of another, by leaving some out."""

from collections import defaultdict

from pydantic import PositiveInt

from eops_traj.filter.rules import Rows, SetStep
from eops_traj.hashing import digest


class BalanceDomains(SetStep):
    """Keep the same number of episodes of every domain, drawn at random.

    ``most``: that number, where the smallest domain's is not wanted; domains with fewer keep all. ``seed``:
    another seed draws others. An episode's place in the draw hangs on the seed and its id alone, so the draw
    is the same on every machine, and more data changes it little.
    """

    most: PositiveInt | None = None
    seed: int = 0

    def drop(self, rows: Rows) -> dict[str, str]:
        """Drop what was not drawn, with its domain's numbers."""
        import polars as pl

        members = defaultdict(list)
        for row in rows.stream(domain=pl.col("domain")):
            members[row["domain"]].append(row["episode_id"])
        size = self.most or min(len(ids) for ids in members.values())
        return {
            i: f"not among the {size} drawn of {len(ids)} in {domain}"
            for domain, ids in members.items()
            for i in sorted(ids, key=lambda i: digest(self.seed, i))[size:]
        }
