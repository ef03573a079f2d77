"""The figures of `train_smollm` for docs/results.md, as Markdown, from the files that the runs wrote.

    python -m benchmarks.smollm RUN FILE [--before RUN]

RUN is the output of `eops-traj train train_smollm`, and FILE what `eops-traj rebench rebench_smollm --json`
printed. ``--before`` names another run for the exam before the first step, where RUN itself had none.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from eops_traj.files import read_json

POINTS = 10
"""The losses that are shown of a curve: about so many, the first and the last among them."""
Figures = Mapping[str, Any]


def exams(run: Path) -> list[Figures]:
    """Read the exams of a run, in their order."""
    lines = (run / "evaluations.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def percent(share: float | None) -> str:
    """Render a share of 1; a dash where there is none."""
    return "-" if share is None else f"{share:.1%}"


def training_lines(metrics: Figures) -> Iterator[str]:
    """Yield how fast a run was, and its loss on the way."""
    speed, losses = metrics["throughput"], metrics["losses"]
    yield (
        f"{metrics['steps']} steps, {speed['tokens']:,} tokens in {speed['seconds_without_exams']:,.0f} s"
        f" without the exam: {speed['tokens_per_second']:.0f} tokens a second on {metrics['device']}."
        f" {metrics['trained_parameters']:,} of {metrics['parameters']:,} parameters were trained."
    )
    every = max(1, round(len(losses) / POINTS))
    shown = losses[:1] + [one for n, one in enumerate(losses[1:-1], 1) if not n % every] + losses[-1:]
    yield from ("", "| step | " + " | ".join(str(one["step"]) for one in shown) + " |")
    yield "|---|" + "---|" * len(shown)
    yield "| loss | " + " | ".join(f"{float(one['loss']):.3f}" for one in shown) + " |"


def exam_lines(before: Figures, after: Figures) -> Iterator[str]:
    """Yield the exams before and after."""
    yield "| exam | tasks | verified | safe refusal | over-refusal | replies cut |"
    yield "|---|---|---|---|---|---|"
    for name, exam in (("before", before), (f"after step {after['step']}", after)):
        rates = (exam[key] for key in ("verified", "safe_refusal", "over_refusal", "cut"))
        yield f"| {name} | {exam['tasks']} | " + " | ".join(map(percent, rates)) + " |"


def rebench_lines(result: Figures) -> Iterator[str]:
    """Yield the comparison of the merged model with the one before it, on tasks that no one trained on."""
    comparison = result["comparison"]
    yield "| rate | tasks | before | merged | difference (95 %) |"
    yield "|---|---|---|---|---|"
    for row in (comparison["pass_at_1"], *comparison["rates"]):
        bounds = "-" if row["low"] is None else f"{row['low'] * 100:+.1f} to {row['high'] * 100:+.1f}"
        change = "-" if row["difference"] is None else f"{row['difference'] * 100:+.1f} ({bounds})"
        cells = (row["name"], row["tasks"], percent(row["base"]), percent(row["new"]), change)
        yield "| " + " | ".join(map(str, cells)) + " |"
    cut = result["replies"]
    yield from ("", f"Of the merged model's {cut['replies']} replies {percent(cut['cut'])} were cut.")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("rebench", type=Path)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    lines = [
        *training_lines(read_json(options.run / "metrics.json")), "",
        *exam_lines(exams(options.before or options.run)[0], exams(options.run)[-1]), "",
        *rebench_lines(read_json(options.rebench)),
    ]  # fmt: skip
    print("\n".join(lines))


if __name__ == "__main__":
    main()
