"""Tokens and cost along an episode, turn by turn, ready to be drawn."""

from dataclasses import dataclass

from eops_traj.schema import Episode

HEIGHT, GAP = 40.0, 0.15
"""The height of the drawing; the share of a turn's width that stays free."""


@dataclass(frozen=True)
class TurnBar:
    """A turn's bars, as shares of the drawing: tokens in and out, and the cost up to its end."""

    number: int
    x: float
    width: float
    tokens_in: float
    tokens_out: float
    title: str


@dataclass(frozen=True)
class Course:
    """The bars of all turns, the line of the cost so far, and the same in words."""

    bars: list[TurnBar]
    cost_line: str
    most: int
    cost: float | None
    words: str


def course_of(episode: Episode) -> Course | None:
    """Return the course of an episode; None where neither tokens nor cost are known of any turn."""
    turns = episode.turns
    counts = [(turn.input_tokens or 0, turn.output_tokens or 0) for turn in turns]
    costs = [turn.cost or 0.0 for turn in turns]
    known = any(turn.cost is not None for turn in turns)
    if not turns or not (known or any(map(sum, counts))):
        return None
    most, total, width = max(max(max(pair) for pair in counts), 1), sum(costs), 100 / len(turns)
    bars, points, so_far = [], [f"0,{HEIGHT}"], 0.0
    for number, ((put_in, put_out), cost) in enumerate(zip(counts, costs, strict=True), 1):
        so_far += cost
        money = f", ${cost:.4f}, ${so_far:.4f} so far" if known else ""
        title = f"turn {number}: {put_in:,} tokens in, {put_out:,} out{money}"
        x = (number - 1) * width
        heights = (round(HEIGHT * put_in / most, 2), round(HEIGHT * put_out / most, 2))
        bars.append(TurnBar(number, round(x, 2), round(width * (1 - GAP) / 2, 3), *heights, title))
        points.append(f"{x + width:.2f},{HEIGHT * (1 - so_far / total) if total else HEIGHT:.2f}")
    line = " ".join(points) if total else ""
    return Course(bars, line, most, total if known else None, "; ".join(bar.title for bar in bars))
