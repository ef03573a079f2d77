"""The loop's planner in one file: complete, without pickles, and the same bytes each time."""

import json
import os
import tarfile
from pathlib import Path

from eops_traj.pipeline.release import pack

KEPT = {"README.md", "config.json", "lineage.json", "model.safetensors"}


def loop_folder(work: Path) -> Path:
    """Lay out what a loop leaves, with the planner that it ends with and the one before."""
    for planner in ("sft", "dpo"):
        model = work / planner / "model"
        model.mkdir(parents=True)
        for name in (*KEPT, "training_args.bin"):
            (model / name).write_text(f"{planner} {name}")
        (work / f"{planner}-data").mkdir()
        (work / f"{planner}-data" / "certificate.json").write_text(json.dumps(planner))
    (work / "results.json").write_text("[]")
    return work


def test_what_belongs_to_the_planner_is_packed_and_no_pickle(tmp_path: Path) -> None:
    with tarfile.open(pack(loop_folder(tmp_path))) as archive:
        texts = {entry.name: archive.extractfile(entry).read().decode() for entry in archive}  # type: ignore[union-attr]
    told = {f"planner/{name}": f"dpo {name}" for name in KEPT}
    certificates = {"planner/sft-data.json": '"sft"', "planner/dpo-data.json": '"dpo"'}
    assert texts == {**told, **certificates, "planner/results.json": "[]"}


def test_the_same_planner_is_the_same_bytes(tmp_path: Path) -> None:
    first = pack(loop_folder(tmp_path)).read_bytes()
    for path in tmp_path.rglob("*.json"):
        os.utime(path, (1, 1))
    assert pack(tmp_path).read_bytes() == first
    assert [path.name for path in tmp_path.glob("planner*")] == ["planner.tar.gz"]
