"""The order in which a run is shown its rows: the seed and the epoch decide it, and nothing else.

transformers groups rows by length in an order of the global chance, and TRL repeats prompts in one that goes
on from epoch to epoch. A run that is resumed has neither again: cut in its second epoch, it would be shown
some rows twice and others never.
"""

from collections.abc import Iterator
from typing import Any


class EpochOrder:
    """A sampler of rows that has another one draw its order, afresh for each epoch."""

    def __init__(self, sampler: Any, seed: int) -> None:
        """Take a sampler that draws from its ``generator``."""
        self._sampler, self._seed, self._epoch = sampler, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Take the number of the epoch to come, which accelerate tells."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers of rows, as the epoch has them."""
        import torch

        self._sampler.generator = torch.Generator().manual_seed(self._seed + self._epoch)
        return iter(self._sampler)

    def __len__(self) -> int:
        """Count the rows of an epoch."""
        return len(self._sampler)


def ordered(trainer_class: Any) -> Any:
    """Return a trainer's class, with such an order wherever accelerate does not see to it."""
    from transformers import Trainer
    from transformers.trainer_pt_utils import LengthGroupedSampler
    from trl.trainer.utils import RepeatSampler

    class OrderedTrainer(Trainer):
        """What is put before the class."""

        order: EpochOrder | None = None

        def _get_train_sampler(self, *given: Any) -> Any:
            sampler = super()._get_train_sampler(*given)
            if not isinstance(sampler, LengthGroupedSampler | RepeatSampler):
                return sampler
            self.order = EpochOrder(sampler, self.args.seed)
            return self.order

        def get_train_dataloader(self) -> Any:
            """Return the loader, and have it know the sampler of a run on several processes, resumed too."""
            loader: Any = super().get_train_dataloader()
            if self.order:
                loader.set_sampler(self.order)
            return loader

    return type(trainer_class.__name__, (OrderedTrainer, trainer_class), {})
