"""How fast a run learns: tokens a second, the share of padding, and the share of the hardware's peak.

A token that is learnt from costs 2 FLOPs a weight forwards and 4 backwards, 6 N in all (Kaplan et al. 2020,
appendix B; Chowdhery et al. 2022 call the share of the peak MFU). Of frozen weights the backward pass needs
no gradients: with LoRA it is 4 N, and 2 for each weight that is trained. Attention's own products and
activations computed again are not counted, nor are the replies that online training generates.
"""

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eops_traj.train.peak_flops import peak_flops
from eops_traj.train.run_totals import Counts

if TYPE_CHECKING:
    from transformers import Trainer

EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
"""The settings of models of which a token passes only some experts: 6 N does not hold for those."""


@dataclass(frozen=True)
class Throughput:
    """The pace of a run over all of its processes, exams left out."""

    tokens: int
    seconds_without_exams: float
    tokens_per_second: float
    padding_share: float
    """Of the places in all batches."""
    computed_in: str
    """What matrices were multiplied in: bfloat16, or float32 (:mod:`eops_traj.train.precision`)."""
    flops_per_token: int | None
    peak_flops: float | None
    """Of all the devices together, in bfloat16; None where it is not known."""
    share_of_peak: float | None


class TokenMeter:
    """Counts the tokens and the places of every batch that this process learns from."""

    def __init__(self) -> None:
        """Start at none."""
        self.tokens: Any = 0
        """A tensor on the device once batches came: reading it waits for the device, so that is done once."""
        self.places = 0

    @classmethod
    def on(cls, trainer: "Trainer") -> "TokenMeter":
        """Return a meter of a trainer's batches."""
        meter, compute_loss = cls(), trainer.compute_loss

        @functools.wraps(compute_loss)
        def counted(model: Any, inputs: dict[str, Any], *args: Any, **options: Any) -> Any:
            if model.training:
                meter.add(inputs)
            return compute_loss(model, inputs, *args, **options)

        trainer.compute_loss = counted  # type: ignore[method-assign]
        return meter

    def add(self, inputs: dict[str, Any]) -> None:
        """Count a batch as TRL's collators make it: one mask, one of prompts and one of replies, or none."""
        whole = ("attention_mask",) if "attention_mask" in inputs else ("prompt_mask", "completion_mask")
        masks = [inputs[name] for name in whole if name in inputs]
        if not masks:  # rows packed one after another: there is no padding
            masks = [inputs["input_ids"].new_ones(inputs["input_ids"].shape)]
        for mask in masks:
            self.tokens = self.tokens + mask.sum()
            self.places += mask.numel()

    def of_all(self, trainer: "Trainer") -> dict[str, int]:
        """Return the ``tokens`` and ``places`` of all processes; every one comes here."""
        import torch

        counts = torch.tensor([int(self.tokens), self.places], device=trainer.args.device)
        tokens, places = trainer.accelerator.reduce(counts, "sum").tolist()
        return {"tokens": int(tokens), "places": int(places)}


def throughput(trainer: "Trainer", whole: Counts) -> Throughput:
    """Return the pace of a run by its ``tokens`` and ``places``, and its ``seconds`` less those ``aside``."""
    tokens, places, seconds = int(whole["tokens"]), whole["places"], whole["seconds"] - whole["aside"]
    pace = tokens / seconds if seconds else 0.0
    flops, peak = flops_per_token(trainer), _peak(trainer)
    return Throughput(
        tokens=tokens,
        seconds_without_exams=round(seconds, 1),
        tokens_per_second=round(pace, 1),
        padding_share=round(1 - tokens / places, 4) if places else 0.0,
        computed_in="bfloat16" if _in_bfloat16(trainer) else "float32",
        flops_per_token=flops,
        peak_flops=peak,
        share_of_peak=round(pace * flops / peak, 4) if flops and peak else None,
    )


def flops_per_token(trainer: "Trainer") -> int | None:
    """Return the FLOPs that learning from a token takes; None where 6 N does not hold.

    N are the weights that a token is multiplied with: an input embedding is only looked up, unless it is the
    output's as well.
    """
    model: Any = trainer.model
    settings = model.config.get_text_config()
    if any((getattr(settings, name, 0) or 0) > 1 for name in EXPERTS) or hasattr(trainer, "num_generations"):
        return None
    weights = list(model.parameters())
    embedding, output = model.get_input_embeddings(), model.get_output_embeddings()
    tied = output is None or output.weight is embedding.weight
    used = sum(map(_size, weights)) - (0 if tied else _size(embedding.weight))
    trained = sum(_size(weight) for weight in weights if weight.requires_grad)
    return 4 * used + 2 * min(trained, used)


def _size(weight: Any) -> int:
    """Return how many numbers a weight holds, the parts of it on other processes (DeepSpeed) included."""
    return int(getattr(weight, "ds_numel", weight.numel()))


def _peak(trainer: "Trainer") -> float | None:
    """Return the peak of a run's devices in bfloat16; None for other devices or numbers."""
    import torch

    device = trainer.args.device
    if device.type != "cuda" or not _in_bfloat16(trainer):
        return None
    peak = peak_flops(torch.cuda.get_device_name(device))
    return peak and peak * trainer.args.world_size


def _in_bfloat16(trainer: "Trainer") -> bool:
    import torch

    return bool(trainer.args.bf16 or trainer.model.dtype == torch.bfloat16)  # type: ignore[union-attr]
