"""Does an adapter belong to a base? What can be known of that before any weight is loaded.

Three witnesses, the surest first: the hash of the base in the adapter's ``lineage.json``; the name of the
base in ``adapter_config.json``; and the shapes of both, which the headers of their safetensors tell.
"""

import logging
from pathlib import Path

from eops_traj.errors import InputError
from eops_traj.provenance.checkpoint import WEIGHTS, checkpoint_hash, is_adapter, is_hash
from eops_traj.provenance.lineage_file import LINEAGE, MOST_ANCESTORS, read_lineage
from eops_traj.provenance.tensor_shapes import misfit

SHORT = 12
_log = logging.getLogger(__name__)


def check_base(adapter: Path, named: str, base: str) -> None:
    """Check that an adapter, which names its base ``named``, was trained over the model ``base``.

    Raises InputError for a base that is not on this machine, is an adapter itself, or is another one.
    """
    folder = model_folder(base)
    if folder is None:
        raise InputError(
            f"{base!r}, the base of {adapter}, is not on this machine; nothing is downloaded here"
        )
    if is_adapter(folder):
        raise InputError(f"{base!r} is an adapter; the base of {adapter} is a whole model")
    if (trained_over := base_hash(adapter)) is not None:
        if (found := checkpoint_hash(folder)) != trained_over:
            names = f"{trained_over[:SHORT]}, and {base!r} is {found[:SHORT]}"
            raise InputError(
                f"{adapter} is an adapter for another base: it was trained over checkpoint {names}"
            )
        return
    if not _is_named(named, base, folder):
        raise InputError(f"{adapter} is an adapter for another base: for {named!r}, not for {base!r}")
    if problem := misfit(adapter, folder):
        raise InputError(f"{adapter} is an adapter for another base than {base!r}: {problem}")


def base_hash(adapter: Path) -> str | None:
    """Return the hash of the base that an adapter was trained over; None where no lineage file tells it.

    An adapter that was trained on from another one has the base of that one.
    """
    for _ in range(MOST_ANCESTORS):
        if not (adapter / LINEAGE).is_file():
            return None
        file = read_lineage(adapter)
        if file.parent is None or not is_hash(file.parent):
            return None
        if file.config.get("lora"):
            return file.parent
        parent = file.parent_folder(adapter)
        if parent is None or not is_adapter(parent):
            return None
        adapter = parent
    return None


def model_folder(model: str) -> Path | None:
    """Return the folder of a model, its own or the local Hugging Face cache's; None where neither is."""
    if Path(model).is_dir():
        return Path(model)
    try:
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(model, "config.json")
    except (ImportError, ValueError):  # no hub's library here, or no name that a hub could have
        return None
    return Path(found).parent if isinstance(found, str) else None


def _is_named(named: str, base: str, folder: Path) -> bool:
    """Check whether the name of a base fits a model; where nothing can be said, the shapes have to."""
    known = model_folder(named)
    if named == base or (known is not None and known.resolve() == folder.resolve()):
        return True
    if known is not None:
        return any(known.glob(WEIGHTS)) and checkpoint_hash(known) == checkpoint_hash(folder)
    if not Path(base).is_dir():
        return False
    _log.warning("nothing but shapes tells whether %s is %r, which the adapter was made for", base, named)
    return True
