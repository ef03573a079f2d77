"""The data of a training run and its output folder, which one run at a time holds.

::

    OUTPUT/run.lock            while a run works there
    OUTPUT/run.json            the settings and the version of the data, written before the first step
    OUTPUT/checkpoint-N/       from which ``--resume`` goes on
    OUTPUT/evaluations.jsonl   how its plans fared on the way, where the config asks
    OUTPUT/first_look.jsonl    tries at each prompt before the first step, where the config asks
    OUTPUT/model/              the trained model with tokenizer and chat template, a card and its lineage
    OUTPUT/last/               the model of the last step, where an evaluation chose which one is `model`
    OUTPUT/metrics.json        losses, rows, seconds, seed, package versions, data version
"""

import json
import platform
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import ConfigError, InputError
from eops_traj.export.certificate_file import CertificateFile, read_certificate
from eops_traj.export.certified_copy import certified_copy
from eops_traj.files import alone, write_json
from eops_traj.train.config import RecipeConfig
from eops_traj.train.leak_check import LeakCheck, check_leaks, check_splits
from eops_traj.train.load_rows import load_rows, without
from eops_traj.train.machine import check_machine
from eops_traj.train.ranks import Ranks, joined_ranks
from eops_traj.train.run_cache import run_cache

if TYPE_CHECKING:
    from datasets import Dataset

LOCK, RUN, METRICS, FIRST_LOOK = "run.lock", "run.json", "metrics.json", "first_look.jsonl"
PACKAGES = ("eops-traj", "torch", "transformers", "trl", "peft", "accelerate", "datasets", "tokenizers")

MAY_CHANGE = {
    *("data", "certificate", "output", "epochs", "max_steps", "seconds", "splits", "held_out"),
    *("log_steps", "save_steps", "keep_checkpoints"),
}
"""Settings that a resumed run may have otherwise; the data is compared by its content."""

DATA_KEYS = ("format", "content_hash", "store", "store_version", "selection")
"""The keys of a certificate that identify the data."""


@dataclass(frozen=True)
class TrainingData:
    """Rows with their certificate, and the checkpoint to go on from where a run is resumed."""

    rows: "Dataset"
    certificate: CertificateFile
    checkpoint: Path | None
    leaks: LeakCheck
    processes: int = 1
    """How many processes the run has."""


@contextmanager
def open_data(config: RecipeConfig, formats: Collection[str], resume: bool) -> Iterator[TrainingData]:
    """Hold a run's output, and open the rows of its data through a cache that is thrown away at the end.

    Of several ranks the first checks and reads, and all have what it read. Raises InputError, and nothing is
    written then: data that is not certified or holds splits that were not asked for, an output that is taken,
    nothing to resume, settings that a resumed run may not change, or a machine on which this cannot run.
    Raises WorkError where the data leaks held-out tasks.
    """
    with joined_ranks() as ranks, _held(config.output, ranks), run_cache(ranks) as cache:
        yield ranks.from_first(lambda: _read_data(config, formats, resume, cache, ranks))


@contextmanager
def _held(output: Path, ranks: Ranks) -> Iterator[None]:
    """Hold the output alone, on the first rank for all. Raises InputError where another run holds it."""
    refusal = f"another run works in {output}; wait for its end, or choose another output"
    with ExitStack() as held:
        ranks.from_first(lambda: held.enter_context(alone(output / LOCK, refusal)))
        yield


def _read_data(
    config: RecipeConfig, formats: Collection[str], resume: bool, cache: Path, ranks: Ranks
) -> TrainingData:
    """Check what a run is asked to do and read its rows into the cache."""
    certificate = read_certificate(config.data, config.certificate)
    if certificate.format not in formats:
        needed = " or ".join(map(repr, formats))
        raise InputError(f"{config.data} holds {certificate.format!r} data; needed is {needed}")
    check_splits(config, certificate)
    if not resume:
        _check_free(config.output)
    leaks = check_leaks(config)
    now = _claim(config, certificate, ranks.count, leaks.left_out)
    checkpoint = _checkpoint_to_resume(config, now) if resume else None
    with certified_copy(config.data, certificate) as copy:
        check_machine(config)  # torch is asked for the GPUs, and takes seconds to import
        rows = without(load_rows(copy, cache), leaks.left_out)
        return TrainingData(rows, certificate, checkpoint, leaks, ranks.count)


def _check_free(output: Path) -> None:
    """Check that an output folder, held by this run, is free. Raises InputError where it holds more."""
    if any(path.name != LOCK for path in output.iterdir()):
        raise InputError(f"{output} is not an empty folder; choose another output, or give --resume")


def _checkpoint_to_resume(config: RecipeConfig, now: Mapping[str, Any]) -> Path | None:
    """Find the checkpoint that a run goes on from; None where it was stopped in its first look at prompts.

    Raises InputError where there is none, ConfigError where it had other settings, other rows or another
    number of processes than it has ``now``.
    """
    claimed = config.output / RUN
    before = json.loads(claimed.read_text(encoding="utf-8")) if claimed.is_file() else {}
    checkpoint = _last_checkpoint(config.output, before.get("processes", 1))
    started = checkpoint is not None or (config.output / FIRST_LOOK).is_file()
    if not started or not before:
        raise InputError(f"no checkpoint in {config.output} to resume from")
    problems = _differences(before, now)
    if problems:
        raise ConfigError(f"cannot resume {config.output}", problems)
    return checkpoint


def claim_output(
    config: RecipeConfig, certificate: CertificateFile, processes: int, left_out: Sequence[int] = ()
) -> None:
    """Take the output folder, held by this run: write its settings, its processes and its data's version."""
    write_json(config.output / RUN, _claim(config, certificate, processes, left_out))


def _claim(
    config: RecipeConfig, certificate: CertificateFile, processes: int, left_out: Sequence[int]
) -> dict[str, Any]:
    """Return what a resumed run has to have as the run before it had."""
    told = settings_and_data(config, certificate)
    return {**told, "processes": processes, "left_out": list(left_out)}


def settings_and_data(config: RecipeConfig, certificate: CertificateFile) -> dict[str, Any]:
    """Return a run's settings, and the keys that identify its data."""
    data = certificate.model_dump(include=set(DATA_KEYS))
    return {"data": {key: data[key] for key in DATA_KEYS}, "config": config.model_dump(mode="json")}


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """List the settings that a resumed run may not change, and did."""
    keys = sorted((before["config"].keys() | now["config"].keys()) - MAY_CHANGE)
    then, after = before["config"], now["config"]
    problems = [
        f"{key} was {then.get(key)!r}, is {after.get(key)!r}"
        for key in keys
        if then.get(key) != after.get(key)
    ]
    if before.get("processes", now["processes"]) != now["processes"]:  # a step would be of more or fewer rows
        problems.append(f"it ran in {before['processes']} processes, this is {now['processes']}")
    if before.get("left_out", []) != now["left_out"]:
        problems.append("other rows are left out of the data")
    same = before["data"]["content_hash"] == now["data"]["content_hash"]
    return problems if same else [*problems, "the data is not the same"]


def _last_checkpoint(output: Path, processes: int) -> Path | None:
    """Find the latest checkpoint that is whole.

    The trainer writes its state last on the first rank; each of several writes a random state of its own.
    """
    states = [f"rng_state_{rank}.pth" for rank in range(processes)] if processes > 1 else []
    folders = [path.parent for path in output.glob("checkpoint-*/trainer_state.json")]
    whole = [folder for folder in folders if all((folder / name).is_file() for name in states)]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def build_metrics(
    config: RecipeConfig, certificate: CertificateFile, measured: Mapping[str, Any]
) -> dict[str, Any]:
    """Join a recipe's measurements with everything needed to run it again."""
    return {
        "recipe": config.recipe,
        "seed": config.seed,
        **measured,
        **settings_and_data(config, certificate),
        "packages": _package_versions(),
        "python": platform.python_version(),
    }


def _package_versions() -> dict[str, str]:
    """Return the versions of the packages that a training run depends on, of those that are installed."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
