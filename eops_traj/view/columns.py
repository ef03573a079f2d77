"""The columns of the list of episodes, of which a reader chooses some."""

from typing import NamedTuple


class Column(NamedTuple):
    """A column: its title, how its values are shown, and whether it is shown unless others are chosen."""

    title: str
    kind: str
    """text, data, outcome, marks, number, errors, percent, dollars, seconds or day: see the template."""
    usual: bool = True


COLUMNS = {
    "attempt": Column("att.", "number"),
    "outcome": Column("outcome", "outcome"),
    "causes": Column("why it failed", "marks"),
    "domain": Column("domain", "text"),
    "model": Column("model", "text"),
    "mode": Column("mode", "data"),
    "verifier_pass_strict": Column("verified", "percent"),
    "n_turns": Column("turns", "number"),
    "n_steps": Column("calls", "number"),
    "n_tool_errors": Column("errors", "errors"),
    "output_tokens": Column("tokens", "number"),
    "cost": Column("cost", "dollars"),
    "duration_ms": Column("time", "seconds"),
    "started_at": Column("started", "day"),
    "failure_modes": Column("failure modes", "marks", usual=False),
    "split": Column("split", "text", usual=False),
    "suite": Column("suite", "text", usual=False),
    "orchestrator": Column("orchestrator", "text", usual=False),
    "run_id": Column("run", "data", usual=False),
    "episode_id": Column("episode", "data", usual=False),
}
"""The columns by the name of the index, in the order in which they are shown."""
USUAL = tuple(name for name, column in COLUMNS.items() if column.usual)
NUMBERS = frozenset({"number", "errors", "percent", "dollars", "seconds"})
"""The kinds that stand to the right."""
