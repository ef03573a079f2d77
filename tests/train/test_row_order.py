"""A run that was cut in its second epoch is shown the rest of that epoch's rows, and none of them twice."""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="no torch: pip install 'eops-traj[train]'")

from eops_traj.train.row_order import EpochOrder, ordered  # noqa: E402

ROWS = 12


def make_trainer(folder: Path, repeated: bool = False, **options: Any) -> Any:
    """Make a trainer of rows of different lengths, each of which begins with its number."""
    from datasets import Dataset
    from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments
    from trl.trainer.utils import RepeatSampler

    class RepeatingTrainer(Trainer):
        """What TRL makes of it to repeat prompts."""

        def _get_train_sampler(self, dataset: Any = None) -> Any:
            return RepeatSampler(dataset, mini_repeat_count=1, batch_size=2, seed=self.args.seed)

    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    arguments = {"output_dir": str(folder), "report_to": "none", "use_cpu": True, "seed": 3, **options}
    return ordered(RepeatingTrainer if repeated else Trainer)(
        model=LlamaForCausalLM(LlamaConfig(vocab_size=20, **sizes)),
        args=TrainingArguments(per_device_train_batch_size=2, **arguments),
        train_dataset=Dataset.from_list([{"input_ids": [n] * (1 + n % 5)} for n in range(ROWS)]),
        data_collator=lambda rows: torch.tensor([row["input_ids"][0] for row in rows]),
    )


KINDS = [{"repeated": True}, {"train_sampling_strategy": "group_by_length"}]


def shown(loader: Any, epoch: int, begun: int = 0) -> list[int]:
    """Return the rows of an epoch as a run has them; of one that is resumed, those after so many batches."""
    from accelerate import skip_first_batches

    left = skip_first_batches(loader, begun) if begun else loader
    left.set_epoch(epoch)
    return [int(row) for batch in left for row in batch]


@pytest.mark.parametrize("options", KINDS)
def test_a_resumed_epoch_goes_on_where_it_was_left(options: dict[str, Any], tmp_path: Path) -> None:
    whole = make_trainer(tmp_path, **options).get_train_dataloader()
    first, second = (shown(whole, epoch) for epoch in (0, 1))
    assert sorted(first) == sorted(second) == list(range(ROWS)) and first != second
    torch.manual_seed(99)
    resumed = make_trainer(tmp_path, **options).get_train_dataloader()
    assert shown(resumed, 1, begun=2) == second[4:]
    assert shown(make_trainer(tmp_path, **{**options, "seed": 4}).get_train_dataloader(), 1) != second


@pytest.mark.parametrize("options", KINDS)
def test_so_does_that_of_one_of_two_processes(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, shares = shown(make_trainer(tmp_path, **options).get_train_dataloader(), 1), []
    for rank in (0, 1):
        trainer = make_trainer(tmp_path, **options)
        for name, value in (("num_processes", 2), ("process_index", rank)):
            monkeypatch.setattr(type(trainer.accelerator), name, value)
        shares.append(shown(trainer.get_train_dataloader(), 1, begun=1))
    batches = [alone[n : n + 2] for n in range(0, ROWS, 2)]
    assert shares == [[row for batch in batches[rank + 2 :: 2] for row in batch] for rank in (0, 1)]


def test_other_orders_are_left_as_they_are(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path)
    loader = trainer.get_train_dataloader()
    assert trainer.order is None and not isinstance(loader.batch_sampler.sampler, EpochOrder)
    assert sorted(shown(loader, 1)) == list(range(ROWS))
