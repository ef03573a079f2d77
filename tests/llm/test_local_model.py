"""A causal model of this process."""

import json
from pathlib import Path
from typing import Any

import pytest

from eops_traj.llm.base import Request
from eops_traj.llm.local_model import GeneratedReply, LocalModel
from eops_traj.llm.local_sampling import UnpaddedPenalty
from tests.recipes.runs import planner


def test_what_was_read_is_not_read_again_for_each_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkpoint that was saved while it learnt says that nothing is to be kept."""
    folder = planner(tmp_path)
    settings = folder / "generation_config.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text("utf-8")), "use_cache": False}), "utf-8")
    model = LocalModel.load(str(folder), None, "cpu", "float32")
    widths, forward = [], model._model.forward

    def counted(*inputs: Any, **named: Any) -> Any:
        widths.append(named["input_ids"].shape[1])
        return forward(*inputs, **named)

    monkeypatch.setattr(model._model, "forward", counted)
    prompt = model.prompt(Request([{"role": "user", "content": "Find Odile."}]))
    model.generate([prompt], {"temperature": 0, "max_tokens": 6}, [None])
    assert widths[0] == len(prompt.ids) > 1 and set(widths[1:]) == {1}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    """A tiny model on the processor."""
    return LocalModel.load(str(planner(tmp_path_factory.mktemp("planner"))), None, "cpu", "float32")


def plain_logprobs(model: LocalModel, reply: GeneratedReply) -> list[float]:
    """The log-probabilities of a reply by one forward pass over it and its prompt."""
    import torch

    ids = torch.tensor([[*reply.prompt.ids, *reply.ids]])
    with torch.inference_mode():
        chances = model._model(input_ids=ids).logits[0].float().log_softmax(-1)
    before = len(reply.prompt.ids) - 1
    return [float(chances[before + n, token]) for n, token in enumerate(reply.ids)]


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_logprobs_are_the_models_own_under_a_penalty_alone_and_in_a_batch(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, temperature: float, own: bool
) -> None:
    sampling = {"temperature": temperature, "max_tokens": 12, "repetition_penalty": 1.7}
    if own:  # the checkpoint's
        monkeypatch.setattr(
            model._model.generation_config, "repetition_penalty", sampling.pop("repetition_penalty")
        )
    texts = ("Find Odile.", "Find Odile, and then find her again and again, and write to nobody. " * 3)
    prompts = [model.prompt(Request([{"role": "user", "content": text}])) for text in texts]
    alone = [model.generate([prompt], sampling, [7])[0] for prompt in prompts]
    for reply in (*alone, *model.generate(prompts, sampling, [7, 7])):
        assert reply.logprobs == pytest.approx(plain_logprobs(model, reply), abs=1e-4)


def test_a_penalty_changes_what_is_said(model: LocalModel) -> None:
    prompt = model.prompt(Request([{"role": "user", "content": "Find Odile."}]))
    said = {
        penalty: model.generate(
            [prompt], {"temperature": 0, "max_tokens": 8, "repetition_penalty": penalty}, [None]
        )
        for penalty in (1.0, 9.0)
    }
    assert said[1.0][0].ids != said[9.0][0].ids


def test_padding_is_not_penalised_and_the_same_token_within_a_row_is() -> None:
    import torch

    pad = 0
    ids = torch.tensor([[pad, pad, 1, 2], [pad, 1, 1, pad]])
    scores = torch.tensor([[4.0, 4.0, -4.0, 4.0], [4.0, 4.0, -4.0, 4.0]])
    assert UnpaddedPenalty(2.0, [2, 1])(ids, scores).tolist() == [
        [4.0, 2.0, -8.0, 4.0],
        [2.0, 2.0, -4.0, 4.0],
    ]


@pytest.mark.parametrize(("rope", "readings"), [("default", 3), ("dynamic", 4)])
def test_rows_of_unlike_room_are_seldom_read_again(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, rope: str, readings: int
) -> None:
    """Each writes to the end of its own room, the same as alone; half of them go on together."""
    prompts = [model.prompt(Request([{"role": "user", "content": "Find " * n}])) for n in (2, 4, 6, 8)]
    monkeypatch.setitem(model._model.config.rope_parameters, "rope_type", rope)
    again = LocalModel(model._model, model.tokenizer)
    again.positions = len(prompts[-1].ids) + 5
    widths, forward = [], model._model.forward

    def counted(*inputs: Any, **named: Any) -> Any:
        widths.append(named["input_ids"].shape[1])
        return forward(*inputs, **named)

    alone = [again.generate([prompt], {"temperature": 0}, [None])[0].ids for prompt in prompts]
    monkeypatch.setattr(model._model, "forward", counted)
    together = again.generate(prompts, {"temperature": 0}, [None] * 4)
    assert [reply.ids for reply in together] == alone
    assert [len(ids) for ids in alone] == [len(prompts[-1].ids) + 5 - len(prompt.ids) for prompt in prompts]
    assert sum(width > 1 for width in widths) == readings
