"""A run's settings in the terms of TRL and transformers."""

from typing import Any

from eops_traj.train.config import TrainingConfig


def arguments(config: TrainingConfig) -> dict[str, Any]:
    """What the arguments of every TRL trainer have in common. Nothing is reported or pushed anywhere."""
    import torch

    return {
        "output_dir": str(config.output),
        "num_train_epochs": config.epochs,
        "max_steps": config.max_steps or -1,
        "per_device_train_batch_size": config.batch_size,
        "gradient_accumulation_steps": config.accumulate,
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": config.schedule,
        "warmup_steps": config.warmup,
        "weight_decay": config.weight_decay,
        "adam_beta2": config.beta2,
        "bf16": config.bf16,
        "activation_checkpointing": config.recompute,
        "logging_steps": config.log_steps,
        "logging_first_step": True,
        "save_steps": config.save_steps,
        "save_total_limit": config.keep_checkpoints,
        "seed": config.seed,
        "report_to": "none",
        "use_cpu": not torch.cuda.is_available(),
        "dataloader_pin_memory": torch.cuda.is_available(),
    }
