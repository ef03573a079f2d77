"""Whether a run can go well as it was started on this machine: checked before any weight is loaded."""

import os
from pathlib import Path

from eops_traj.errors import InputError
from eops_traj.train.config import RecipeConfig, TrainingConfig
from eops_traj.train.load_model import check_weights
from eops_traj.train.ranks import launched, on_cpu, switched_on


def check_machine(config: RecipeConfig) -> None:
    """Check how a run was started, and that its weights can be trained so.

    Raises InputError with what to do instead. A model that is not in a folder is checked as it is loaded.
    """
    if not isinstance(config, TrainingConfig):
        return
    _check_launcher(config)
    if config.model and Path(config.model).is_dir():
        check_weights(config)
    _check_fsdp(config)


def _check_launcher(config: TrainingConfig) -> None:
    """Raise InputError for several GPUs without a launcher: transformers would run one copy in threads."""
    if launched() or on_cpu():
        return
    import torch

    if (gpus := torch.cuda.device_count()) > 1:
        raise InputError(
            f"{gpus} GPUs are visible, and no launcher started this: use `accelerate launch --num_processes"
            f" {gpus} recipes/{config.recipe}.py CONFIG`, or CUDA_VISIBLE_DEVICES=0 for one of them"
        )


def _check_fsdp(config: TrainingConfig) -> None:
    """Raise InputError for settings of FSDP with which no model is saved, or the reference is empty."""
    if not switched_on("ACCELERATE_USE_FSDP"):
        return
    unsaid = "SHARDED_STATE_DICT" if os.environ.get("FSDP_VERSION") == "2" else "FULL_STATE_DICT"
    if (kind := os.environ.get("FSDP_STATE_DICT_TYPE", unsaid)) != "FULL_STATE_DICT":
        raise InputError(f"fsdp_state_dict_type {kind} saves no model in the end; give FULL_STATE_DICT")
    if getattr(config, "beta", 0) and switched_on("FSDP_CPU_RAM_EFFICIENT_LOADING"):
        raise InputError(
            "fsdp_cpu_ram_efficient_loading leaves the reference empty on all ranks but the first, and"
            f" {config.recipe} asks it on each: set it to false"
        )
