"""TRL's SFT trainer, which computes the loss of a small model on a CPU by the shortest way.

TRL 1.16 never holds a batch's logits: it makes them in tiles, for every token, prompts too, and again for the
gradient, and takes their entropy besides. On a GPU that saves memory. A model of three million weights on two
cores spends a third of its time so.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from eops_traj.train.kept_memory import is_small
from eops_traj.train.name_augmentation import IGNORED

if TYPE_CHECKING:
    import torch
    from trl.trainer.sft_config import SFTConfig


def sft_trainer_class(model: "torch.nn.Module", settings: "SFTConfig") -> Any:
    """Return the class of the trainer for a model: TRL's own where the model is large or the loss another."""
    from trl.trainer.sft_trainer import SFTTrainer

    plain = settings.loss_type == "nll" and not settings.label_smoothing_factor
    return _small_class() if plain and is_small(model, settings.device.type) else SFTTrainer


def _small_class() -> Any:
    from trl.trainer.sft_trainer import SFTTrainer

    class SmallSFTTrainer(SFTTrainer):
        """A trainer of models whose logits are small enough to be held."""

        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            """Return the mean loss over a step's labelled tokens; the step has ``num_items_in_batch``."""
            if return_outputs:  # for an evaluation, which wants all logits
                return super().compute_loss(model, inputs, True, num_items_in_batch)  # type: ignore[no-untyped-call]
            labels = inputs.pop("labels")
            loss = labelled_loss(model, inputs, labels)
            if num_items_in_batch is None:
                return loss / (labels[:, 1:] != IGNORED).sum().clamp(min=1)
            share = self.accelerator.num_processes if self.args.average_tokens_across_devices else 1
            return loss * share / num_items_in_batch

    return SmallSFTTrainer


def labelled_loss(model: Any, inputs: "Mapping[str, torch.Tensor]", labels: "torch.Tensor") -> "torch.Tensor":
    """Sum a model's loss over the labelled tokens, with logits from the first of them on alone."""
    begin = first_labelled(labels)
    kept = labels.shape[1] - begin + 1
    logits = model(**unmasked(inputs), use_cache=False, logits_to_keep=kept).logits
    return summed_loss(logits[:, :-1], labels[:, begin:])


def unmasked(inputs: "Mapping[str, torch.Tensor]") -> "dict[str, torch.Tensor]":
    """Leave the mask out where rows are padded behind alone: no token of a causal model looks that far.

    Attention without one takes half as long, and a step a seventh less.
    """
    mask = inputs.get("attention_mask")
    behind = mask is not None and bool((mask[:, 1:] <= mask[:, :-1]).all())
    return {name: value for name, value in inputs.items() if not (behind and name == "attention_mask")}


def first_labelled(labels: "torch.Tensor") -> int:
    """Return the first column of ``labels`` (rows, tokens), after column 0, in which a row is learnt from.

    It is the last column where there is none.
    """
    columns = (labels[:, 1:] != IGNORED).any(dim=0).nonzero()
    return int(columns[0]) + 1 if len(columns) else labels.shape[1] - 1


def summed_loss(logits: "torch.Tensor", labels: "torch.Tensor") -> "torch.Tensor":
    """Sum the cross entropy of ``logits`` (rows, tokens, vocabulary) over the labelled tokens."""
    from torch.nn.functional import cross_entropy

    flat = logits.float().flatten(0, 1)
    return cross_entropy(flat, labels.flatten(), ignore_index=IGNORED, reduction="sum")
