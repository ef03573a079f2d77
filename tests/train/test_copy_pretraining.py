"""A small model learns to copy: the loss falls, and the layers that were left out say nothing yet."""

import random

from eops_traj.train.scratch_model import Scratch, make_scratch
from tests.tokenizers import tokenizer as small_tokenizer

SIZES = Scratch(architecture="lfm2", vocabulary=400, hidden=32, layers=3, heads=1, intermediate=32)


def test_the_loss_falls_and_every_layer_is_back() -> None:
    from eops_traj.train.copy_pretraining import learn_to_copy

    model = make_scratch(SIZES, small_tokenizer(), 256)
    copied = learn_to_copy(model, 5, seed=0)
    assert copied.steps == 10 and copied.loss < 9
    assert len(model.model.layers) == 3
    assert not model.model.layers[2].feed_forward.w2.weight.any()


def test_spans_are_in_what_was_shown_and_their_first_token_carries_no_loss() -> None:
    import torch

    from eops_traj.train.copy_pretraining import _spans

    ids, labels = _spans(400, random.Random(0), batch=2, spans=1)
    first = int((labels[0] != -100).nonzero()[0]) - 1
    for row in ids.tolist():
        shown, span = row[:first], row[first:]
        assert any(shown[n : n + len(span)] == span for n in range(first))
    assert (labels[:, : first + 1] == -100).all() and torch.equal(labels[:, first + 1 :], ids[:, first + 1 :])


def test_sequences_are_said_twice_with_loss_on_the_second_time() -> None:
    import torch

    from eops_traj.train.copy_pretraining import _twice

    ids, labels = _twice(400, random.Random(0), batch=3)
    half = ids.shape[1] // 2
    assert torch.equal(ids[:, :half], ids[:, half:])
    assert (labels[:, :half] == -100).all() and torch.equal(labels[:, half:], ids[:, half:])
