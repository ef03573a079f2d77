"""A small model's loss, computed the short way, is TRL's to the last gradient."""

import copy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="no torch: pip install 'eops-traj[train]'")

from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model, train_tokenizer  # noqa: E402
from eops_traj.train.small_sft_trainer import first_labelled, sft_trainer_class, unmasked  # noqa: E402

WORDS = {"messages": [{"role": "user", "content": "Close case 7, then case 11."}], "tools": None}
TINY = ScratchConfig(vocabulary=300, hidden=16, layers=2, heads=2, intermediate=16, architecture="lfm2")


def trainers(folder: Path, **options: Any) -> tuple[Any, Any]:
    """Return TRL's trainer and ours, of models that are the same."""
    from datasets import Dataset
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    tokenizer = train_tokenizer([WORDS] * 3, 300)
    settings = SFTConfig(output_dir=str(folder), use_cpu=True, bf16=False, report_to="none", **options)
    torch.manual_seed(0)
    model = make_scratch_model(TINY, tokenizer, 64)
    rows = Dataset.from_dict({"input_ids": [[5, 6]], "labels": [[-100, 6]]})
    made = (
        each(model=copy.deepcopy(model), args=settings, train_dataset=rows, processing_class=tokenizer)
        for each in (SFTTrainer, sft_trainer_class(model, settings))
    )
    theirs, ours = made
    return theirs, ours


def batch(padded: str = "behind") -> dict[str, Any]:
    """Return rows of which one is learnt from early, its first token too, one late, and one not at all."""
    ids = torch.randint(3, 250, (3, 12), generator=torch.Generator().manual_seed(1))
    labels = ids.clone()
    labels[0, 1:4] = labels[1, :9] = labels[2] = labels[0, 6] = -100
    mask = torch.ones_like(ids)
    at = slice(10, None) if padded == "behind" else slice(0, 3)
    mask[1, at], labels[1, at] = 0, -100
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


@pytest.mark.parametrize(
    ("items", "padded"), [(None, "behind"), (9, "behind"), (40, "behind"), (9, "before")]
)
def test_loss_and_gradients_are_those_of_trl(items: int | None, padded: str, tmp_path: Path) -> None:
    found = []
    for trainer in trainers(tmp_path):
        number = None if items is None else torch.tensor(items)
        loss = trainer.compute_loss(trainer.model.train(), batch(padded), num_items_in_batch=number)
        loss.backward()
        found.append((loss.item(), [w.grad.clone() for w in trainer.model.parameters()]))
    (their_loss, theirs), (our_loss, ours) = found
    assert our_loss == pytest.approx(their_loss, rel=1e-5)
    assert any(gradient.abs().max() > 1e-3 for gradient in ours)
    for one, other in zip(theirs, ours, strict=True):
        torch.testing.assert_close(other, one, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("averaged", "items", "times"), [(True, 9, 2), (False, 9, 1), (True, None, 1)])
def test_a_share_of_two_processes_counts_for_both(
    averaged: bool, items: int | None, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, ours = trainers(tmp_path, average_tokens_across_devices=averaged)
    alone, both = ours.args.average_tokens_across_devices, []
    for processes in (1, 2):
        monkeypatch.setattr(type(ours.accelerator), "num_processes", processes)
        number = None if items is None else torch.tensor(items)
        both.append(ours.compute_loss(ours.model.eval(), batch(), num_items_in_batch=number).item())
    assert alone == averaged and both[1] == pytest.approx(times * both[0])


def test_a_batch_without_labels_has_no_loss(tmp_path: Path) -> None:
    _, ours = trainers(tmp_path)
    labels = torch.full((3, 12), -100)
    loss = ours.compute_loss(ours.model.train(), {**batch(), "labels": labels})
    loss.backward()
    assert loss.item() == 0


@pytest.mark.parametrize(
    ("mask", "left_out"),
    [
        ([[1, 1, 0], [1, 1, 1]], True),
        ([[1, 1, 1]], True),
        ([[1, 1, 0], [0, 1, 1]], False),
        ([[1, 0, 1]], False),
    ],
)
def test_a_mask_of_what_is_behind_alone_is_left_out(mask: list[list[int]], left_out: bool) -> None:
    inputs = {"input_ids": torch.ones(len(mask), 3), "attention_mask": torch.tensor(mask)}
    assert set(unmasked(inputs)) == ({"input_ids"} if left_out else set(inputs))
    assert set(unmasked({"input_ids": inputs["input_ids"]})) == {"input_ids"}


@pytest.mark.parametrize(
    ("labels", "first"),
    [([[-100, 5, 5]], 1), ([[-100, -100, 5], [-100, -100, -100]], 2), ([[5, -100, -100]], 2), ([[5, 5]], 1)],
)
def test_the_first_column_that_is_learnt_from(labels: list[list[int]], first: int) -> None:
    assert first_labelled(torch.tensor(labels)) == first


@pytest.mark.parametrize(
    ("device", "options", "small"),
    [
        ("cpu", {}, True),
        ("cuda", {}, False),
        ("cpu", {"loss_type": "dft"}, False),
        ("cpu", {"label_smoothing_factor": 0.1}, False),
    ],
)
def test_other_losses_and_devices_have_trls_trainer(
    device: str, options: dict[str, Any], small: bool
) -> None:
    from trl.trainer.sft_trainer import SFTTrainer

    given = {"loss_type": "nll", "label_smoothing_factor": 0.0, **options}
    settings: Any = SimpleNamespace(device=SimpleNamespace(type=device), **given)
    model: Any = SimpleNamespace(parameters=lambda: [])
    assert (sft_trainer_class(model, settings) is not SFTTrainer) == small
