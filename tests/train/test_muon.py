"""Muon trains the matrices of layers and AdamW the rest, as one optimizer."""

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="no torch: pip install 'eops-traj[train]'")

from eops_traj.train.muon import _muon_class, split_optimizer, split_weights  # noqa: E402
from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model, train_tokenizer  # noqa: E402

WORDS = {"messages": [{"role": "user", "content": "Close case 7, then case 11."}], "tools": None}
TINY = ScratchConfig(vocabulary=300, hidden=16, layers=2, heads=2, intermediate=16, architecture="lfm2")
RATE = 0.01


def tiny(**changes: Any) -> Any:
    torch.manual_seed(0)
    return make_scratch_model(TINY.model_copy(update=changes), train_tokenizer([WORDS], 300), 64)


def optimizer(model: Any, **changes: Any) -> Any:
    return split_optimizer(model, **{"learning_rate": RATE, "beta2": 0.9, "weight_decay": 0.0, **changes})


def learn(model: Any, steps: Any, seed: int) -> None:
    """Take a step by gradients that are drawn, whatever the weights are."""
    draws = torch.Generator().manual_seed(seed)
    for weight in model.parameters():
        weight.grad = torch.randn(weight.shape, generator=draws)
    steps.step()


@pytest.mark.parametrize("tied", [True, False])
def test_matrices_of_layers_are_apart_from_words_vectors_and_convolutions(tied: bool) -> None:
    model = tiny(tie_embeddings=tied)
    names = {id(weight): name for name, weight in model.named_parameters()}
    matrices, others = ({names[id(weight)] for weight in part} for part in split_weights(model))
    assert {"model.layers.0.conv.in_proj.weight", "model.layers.1.self_attn.q_proj.weight"} <= matrices
    words = {"model.embed_tokens.weight", *(() if tied else ("lm_head.weight",))}
    assert {"model.layers.0.conv.conv.weight", "model.embedding_norm.weight", *words} <= others
    assert matrices | others == {*names.values()} and not matrices & others


def test_weights_that_are_not_trained_are_in_no_part() -> None:
    model = tiny()
    model.model.layers[0].requires_grad_(False)
    kept = sum(weight.requires_grad for weight in model.parameters())
    assert sum(map(len, split_weights(model))) == kept < len([*model.parameters()])


def test_a_step_moves_a_matrix_by_the_same_in_all_directions() -> None:
    model = tiny()
    weight = model.model.layers[1].feed_forward.w1.weight
    before = weight.detach().clone()
    learn(model, optimizer(model), seed=1)
    sizes = torch.linalg.svdvals(weight.detach() - before) / (RATE * 0.2 * max(weight.shape) ** 0.5)
    assert sizes.min() > 0.5 and sizes.max() < 1.4  # Liu et al. 2025, equation 4


@pytest.mark.parametrize("shape", [(16, 16), (8, 32), (32, 8)])
def test_a_step_is_torchs_but_for_the_rounding_of_bfloat16(shape: tuple[int, int]) -> None:
    draws = torch.Generator().manual_seed(3)
    ours, theirs = (torch.nn.Parameter(torch.ones(shape)) for _ in range(2))
    scale = {"lr": RATE, "weight_decay": 0.1}
    steps = [
        _muon_class()([ours], **scale),
        torch.optim.Muon([theirs], adjust_lr_fn="match_rms_adamw", **scale),
    ]
    for _ in range(3):
        ours.grad = torch.randn(shape, generator=draws)
        theirs.grad = ours.grad.clone()
        for each in steps:
            each.step()
    torch.testing.assert_close(ours, theirs, atol=0.05 * RATE, rtol=0)
    assert (ours - 1).abs().mean() > RATE / 5


def test_words_and_norms_learn_as_adamw_has_them() -> None:
    model = tiny()
    other, steps = copy.deepcopy(model), optimizer(model)
    adam = torch.optim.AdamW(other.parameters(), lr=RATE, betas=(0.9, 0.9), weight_decay=0.0)
    for seed in (1, 2, 3):
        learn(model, steps, seed)
        learn(other, adam, seed)
    torch.testing.assert_close(model.model.embed_tokens.weight, other.model.embed_tokens.weight)
    torch.testing.assert_close(model.model.embedding_norm.weight, other.model.embedding_norm.weight)


def test_only_matrices_decay() -> None:
    model = tiny()
    steps = optimizer(model, weight_decay=0.5)
    before = copy.deepcopy(model)
    for weight in model.parameters():
        weight.grad = torch.zeros_like(weight)
    steps.step()
    parts = zip(split_weights(model), split_weights(before), (0.995, 1), strict=True)
    for now, then, left in parts:
        for after, first in zip(now, then, strict=True):
            torch.testing.assert_close(after.data, first.data * left)


def test_a_closure_is_asked_for_the_loss() -> None:
    assert optimizer(tiny()).step(lambda: 3.0) == 3.0


def test_a_schedule_changes_the_rate_of_both_parts() -> None:
    model = tiny()
    steps = optimizer(model)
    schedule = torch.optim.lr_scheduler.LambdaLR(steps, lambda step: 1.0 if step == 0 else 0.0)
    learn(model, steps, seed=1)
    schedule.step()
    still = copy.deepcopy(model.state_dict())
    learn(model, steps, seed=2)
    torch.testing.assert_close(model.state_dict(), still)


def test_what_was_saved_goes_on_as_if_it_had_not_stopped() -> None:
    model = tiny()
    steps = optimizer(model)
    learn(model, steps, seed=1)
    other = copy.deepcopy(model)
    resumed = optimizer(other, learning_rate=0.5)
    resumed.load_state_dict(copy.deepcopy(steps.state_dict()))
    for each, own in ((model, steps), (other, resumed)):
        for group in own.param_groups:
            group["lr"] /= 2
        learn(each, own, seed=2)
    torch.testing.assert_close(model.state_dict(), other.state_dict())
