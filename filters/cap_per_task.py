"""cap_per_task: a few episodes a task, so that easy or often tried tasks do not crowd out the others."""

from collections import defaultdict

from pydantic import PositiveInt

from eops_traj.filter.rules import Rows, SetStep


class CapPerTask(SetStep):
    """Keep the ``most`` best episodes of each task (suite and task id, whatever the mode or the agent).

    Best are successes and safe refusals, of those the strict ones, then fewer tool calls, then by id.
    """

    most: PositiveInt

    def drop(self, rows: Rows) -> dict[str, str]:
        """Drop what is over the cap, with the last episode that came before it."""
        import polars as pl

        columns = rows.stream(suite=pl.col("suite"), task=pl.col("task_id"))
        task_of = {row["episode_id"]: (row["suite"], row["task"]) for row in columns}
        kept: dict[tuple[str, str], list[str]] = defaultdict(list)
        dropped = {}
        for i in rows.ids:
            best = kept[task_of[i]]
            if len(best) < self.most:
                best.append(i)
            else:
                dropped[i] = f"task {task_of[i][1]} has {self.most} better, the last of them {best[-1]}"
        return dropped
