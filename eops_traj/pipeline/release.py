"""The loop's planner as one file: the model, its card and lineage, its data's certificates, its results."""

import gzip
import tarfile
from pathlib import Path

from eops_traj.pipeline.stages import DPO

RELEASE = "planner.tar.gz"
"""In the loop's folder. Unpacked it is a folder, ``planner``, that `transformers` loads."""

PICKLES = {".bin", ".pt", ".pth"}
"""What trainers leave beside a model, and nobody should have to load."""


def pack(work: Path) -> Path:
    """Pack the planner of a loop; the same planner always becomes the same bytes."""
    packed, part = work / RELEASE, work / f"{RELEASE}.part"
    with (
        part.open("wb") as file,
        gzip.GzipFile("", fileobj=file, mode="wb", mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for name, path in sorted(_contents(work).items()):
            _add(archive, f"planner/{name}", path)
    part.replace(packed)
    return packed


def _contents(work: Path) -> dict[str, Path]:
    model = {path.name: path for path in (work / DPO / "model").iterdir() if path.suffix not in PICKLES}
    certificates = {f"{path.parent.name}.json": path for path in work.glob("*-data/certificate.json")}
    return {**model, **certificates, "results.json": work / "results.json"}


def _add(archive: tarfile.TarFile, name: str, path: Path) -> None:
    entry = tarfile.TarInfo(name)  # neither the time nor the owner of a file is of interest
    entry.size = path.stat().st_size
    with path.open("rb") as file:
        archive.addfile(entry, file)
