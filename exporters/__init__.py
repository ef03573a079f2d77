"""Export formats, one a file. A name here is the name on the command line and of the module."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eops_traj.export.base import Exporter

FORMATS = {
    "sft": "Sft",
    "openai": "OpenAI",
    "enterpriseops": "EnterpriseOps",
    "planner_sft": "PlannerSft",
    "planner_dpo": "PlannerDpo",
    "step_dpo": "StepDpo",
    "kto": "Kto",
    "prompts": "Prompts",
    "atif": "Atif",
    "nemo_gym": "NemoGym",
    "sharegpt": "ShareGpt",
    "token_ids": "TokenIds",
}
"""Every format: its name, which is its module's name here, and its class."""


def exporter_class(name: str) -> "type[Exporter]":
    """The class of a format, imported at this moment. Raises KeyError for a name that is not in FORMATS."""
    exporter: type[Exporter] = getattr(import_module(f"eops_traj.exporters.{name}"), FORMATS[name])
    return exporter
