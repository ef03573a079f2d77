"""Agent trajectories for enterprise operations: collect, verify, filter, export, train, measure again."""

from pkgutil import resolve_name

__version__ = "0.1.0"

_PLUGINS = {
    "GymEnv": "eops_traj.environments.verifiers_taskset:GymEnv",
    "GymHarness": "eops_traj.environments.verifiers_harness:GymHarness",
    "GymTaskset": "eops_traj.environments.verifiers_taskset:GymTaskset",
}
__all__ = list(_PLUGINS)
"""What verifiers looks for in a package that is named as an environment (`eops_traj.environments`)."""


def __getattr__(name: str) -> object:
    """Import a plugin at the moment it is asked for: verifiers is in an environment of its own."""
    if name in _PLUGINS:
        return resolve_name(_PLUGINS[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
