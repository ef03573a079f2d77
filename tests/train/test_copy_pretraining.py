"""A small model learns to copy: the loss falls, and the layers that were left out add nothing yet."""

import random

from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model
from tests.tokenizers import tokenizer as small_tokenizer

SIZES = ScratchConfig(architecture="lfm2", vocabulary=400, hidden=32, layers=3, heads=1, intermediate=32)


def test_the_loss_falls_and_every_layer_is_back() -> None:
    from eops_traj.train.copy_pretraining import pretrain_copying

    model = make_scratch_model(SIZES, small_tokenizer(), 256)
    result = pretrain_copying(model, 5, seed=0)
    assert result.steps == 10 and result.loss < 9
    assert len(model.model.layers) == 3
    assert not model.model.layers[2].feed_forward.w2.weight.any()


def test_spans_are_in_the_sequence_and_their_first_token_carries_no_loss() -> None:
    import torch

    from eops_traj.train.copy_pretraining import _spans

    ids, labels = _spans(400, random.Random(0), batch=2, spans=1)
    first = int((labels[0] != -100).nonzero()[0]) - 1
    for row in ids.tolist():
        sequence, span = row[:first], row[first:]
        assert any(sequence[n : n + len(span)] == span for n in range(first))
    assert (labels[:, : first + 1] == -100).all() and torch.equal(labels[:, first + 1 :], ids[:, first + 1 :])


def test_sequences_are_repeated_with_loss_on_the_second_time() -> None:
    import torch

    from eops_traj.train.copy_pretraining import _sequences

    ids, labels = _sequences(400, random.Random(0), batch=3)
    half = ids.shape[1] // 2
    assert torch.equal(ids[:, :half], ids[:, half:])
    assert (labels[:, :half] == -100).all() and torch.equal(labels[:, half:], ids[:, half:])
