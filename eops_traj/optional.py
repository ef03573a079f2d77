"""Optional dependencies: a missing one is an input error that says what to install."""

from importlib.util import find_spec

from eops_traj.errors import InputError

EXTRAS = {
    "api": ("litellm",),
    "docker": ("docker",),
    "exchange": ("atif",),
    "openenv": ("websockets",),
    "publish": ("huggingface_hub", "packaging", "phonenumbers", "publicsuffixlist", "stdnum"),
    "ray": ("ray",),
    "smollm": ("gguf",),
    "train": ("datasets", "peft", "torch", "transformers", "trl"),
}
"""The modules that an extra of this package brings."""


def require(extra: str, *modules: str) -> None:
    """Check that an extra is installed, or those of its modules that are needed.

    Raises InputError where one is missing.
    """
    missing = [module for module in modules or EXTRAS[extra] if not is_installed(module)]
    if missing:
        raise InputError(f"this needs {', '.join(missing)}: pip install 'eops-traj[{extra}]'")


def is_installed(module: str) -> bool:
    """Check whether a module can be imported; a folder of its name that is no package does not count."""
    spec = find_spec(module)
    return spec is not None and spec.origin is not None
