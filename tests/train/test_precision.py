"""A run computes in bfloat16 where its config wants that and the device does so at speed."""

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="no torch: pip install 'eops-traj[train]'")

from eops_traj.config import checked  # noqa: E402
from eops_traj.errors import InputError  # noqa: E402
from eops_traj.recipes.sft import Config  # noqa: E402
from eops_traj.train import copy_pretraining, muon  # noqa: E402
from eops_traj.train.load_model import SLOW, load_training_model  # noqa: E402
from eops_traj.train.muon import orthogonal  # noqa: E402
from eops_traj.train.precision import computes_in_bfloat16  # noqa: E402
from eops_traj.train.run_trainer import trl_arguments  # noqa: E402
from tests.train.test_muon import learn, optimizer, tiny  # noqa: E402

NEEDED = {"data": "d", "output": "o", "model": "m", "max_length": 9, "learning_rate": 0.1, "batch_size": 8}


@pytest.fixture(params=[True, False])
def able(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """Whether the processor has instructions for it."""
    monkeypatch.setenv("ACCELERATE_USE_CPU", "1")
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: request.param, raising=False)
    computes_in_bfloat16.cache_clear()
    yield request.param
    computes_in_bfloat16.cache_clear()


@pytest.mark.parametrize("wanted", [True, False])
def test_a_trainer_does_where_both_say_so(wanted: bool, able: bool) -> None:
    config = checked(Config, {**NEEDED, "recipe": "sft", "bf16": wanted}, "c.yaml")
    assert trl_arguments(config)["bf16"] == (wanted and able)


def test_copying_does_as_the_device_can(able: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def loss(model: Any, inputs: object, labels: object) -> Any:
        seen.append((torch.ones(2, 2) @ torch.ones(2, 2)).dtype)
        return next(model.parameters()).sum()

    monkeypatch.setattr(copy_pretraining, "labelled_loss", loss)
    model, ids = tiny(), torch.ones(1, 4, dtype=torch.long)
    copy_pretraining._train_step(model, torch.optim.SGD(model.parameters()), ids, ids)
    assert seen == [torch.bfloat16 if able else torch.float32]


def test_muon_does_as_the_device_can(able: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, model = set(), tiny()

    def watched(matrix: Any, *settings: Any) -> Any:
        seen.add(matrix.dtype)
        return orthogonal(matrix, *settings)

    monkeypatch.setattr(muon, "orthogonal", watched)
    learn(model, optimizer(model), seed=1)
    assert seen == {torch.bfloat16 if able else torch.float32}
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}


@pytest.mark.parametrize(("weights", "heard"), [("bfloat16", True), ("float32", False)])
def test_weights_that_make_it_slow_are_said_to(
    weights: str, heard: bool, able: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {**NEEDED, "recipe": "sft", "model": "nowhere", "weights": weights, "lora": {"rank": 2}}
    with pytest.raises(InputError):
        load_training_model(checked(Config, settings, "c.yaml"))
    assert (SLOW in capsys.readouterr().out) == (heard and not able)


@pytest.mark.parametrize("lacking", [(torch.backends.mkldnn, "is_available", lambda: False),
                                     (torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)])  # fmt: skip
def test_a_build_without_the_library_or_its_answer_computes_in_float32(
    lacking: tuple[Any, str, Any], able: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert computes_in_bfloat16() == able
    computes_in_bfloat16.cache_clear()
    monkeypatch.setattr(*lacking)
    assert not computes_in_bfloat16()
