"""A loop's tables: each seed's figures stand in its own row, and of its own file."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.loop import main, rate_rows, seconds_table, training_rows


def training(recipe: str, seed: int, rows: int, left_out: list[int]) -> dict[str, Any]:
    """What a training of a loop wrote."""
    return {
        "seed": seed, "rows": {"kept": rows, "dropped": 1}, "steps": 1_170, "seconds": 3_333.3,
        "throughput": {"tokens": 3_700_000}, "losses": [{"step": 1, "loss": 8.1}, {"step": 9, "loss": 0.05}],
        "leaks": {"left_out": left_out}, "config": {"recipe": recipe, "learning_rate": 0.005},
    }  # fmt: skip


@pytest.fixture
def works(tmp_path: Path) -> list[Path]:
    """The folders of the loops of two seeds."""
    folders = [tmp_path / "a", tmp_path / "b"]
    for seed, work in enumerate(folders, 4):
        files = {
            "loop.json": {"seed": seed, "done": {"tasks": 10.4 * seed, "sft": 1_000.0}},
            "results.json": [
                {"split": split, "domain": "all", "rate": "strict pass@1", "tasks": 9, "sft": f"{seed}{n}.0%"}
                for n, split in enumerate(("test", "test_ood"))
            ],
            "sft/metrics.json": training("sft", seed, 1_200 + seed, [3, 7]),
            "dpo/metrics.json": training("dpo", seed, 60, []),
        }
        for name, content in files.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(json.dumps(content))
    return folders


def test_seeds_stand_below_each_other(works: list[Path]) -> None:
    rows = [(row["split"], row["seed"], row["sft"]) for row in rate_rows(works)]
    assert rows == [
        ("test", "4", "40.0%"), ("test", "5", "50.0%"),
        ("test_ood", "4", "41.0%"), ("test_ood", "5", "51.0%"),
    ]  # fmt: skip
    assert [*next(rate_rows(works))] == ["split", "domain", "rate", "seed", "tasks", "sft"]


def test_a_training_is_told_with_what_it_left_out(works: list[Path]) -> None:
    first, second, *_ = training_rows(works)
    told = ["1,170", "3,700,000", "0.005", "3,333", "8.100", "0.050"]
    assert first == ["4", "sft", "sft", "1,204", *told, "2"]
    assert second == ["4", "dpo", "dpo", "60", *told, "0"]


def test_seconds_are_summed(works: list[Path]) -> None:
    lines = seconds_table(works).splitlines()
    assert lines[0] == "| seed | tasks | sft | all |"
    assert lines[2:] == ["| 4 | 42 | 1,000 | 1,042 |", "| 5 | 52 | 1,000 | 1,052 |"]


def test_a_loop_that_was_left_half_way_tells_what_is_done(
    works: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("results.json", "dpo/metrics.json"):
        (works[1] / name).unlink()
    monkeypatch.setattr("sys.argv", ["loop", *map(str, works)])
    main()
    said = capsys.readouterr().out
    assert "strict pass@1" not in said and "| 5 | 52 | 1,000 | 1,052 |" in said
    assert [row[:2] for row in training_rows(works)] == [["4", "sft"], ["4", "dpo"], ["5", "sft"]]
