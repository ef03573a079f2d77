"""A real, tiny model that has learnt one conversation by heart, generated from in this process."""

import asyncio
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.collectors.clients import transformers_local
from eops_traj.errors import ConfigError, InputError
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.llm.local_model import LocalModel
from eops_traj.llm.local_sampling import SeededSampler, make_warpers
from eops_traj.llm.options import client_options
from eops_traj.llm.vllm_process import PYTHON
from eops_traj.provenance.checkpoint import checkpoint_hash
from eops_traj.schema import Turn
from tests.adapters import tiny_adapter, tiny_base
from tests.tiny_model import POSITIONS, train_tiny_model
from tests.tokenizers import row


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a model that has learnt the conversation of tests.tokenizers."""
    return str(train_tiny_model(tmp_path_factory.mktemp("model"), [row()]))


def asked(replies: int) -> Request:
    """The conversation up to the reply of this number, from 0."""
    said = row()["messages"]
    places = [n for n, message in enumerate(said) if message["role"] == "assistant"]
    return Request(said[: places[replies]], row()["tools"], episode="e")


def replies(checkpoint: str, *requests: Request, **options: Any) -> list[Turn]:
    settings = {"kind": "transformers_local", "model": "tiny", "path": checkpoint, **options}

    async def ask() -> list[Turn]:
        chat = client_options({"sampling": {"temperature": 0, "max_tokens": 60}, **settings}).open()
        try:
            return await asyncio.gather(*(chat.reply(request) for request in requests))
        finally:
            await chat.close()

    return asyncio.run(ask())


def test_a_call_comes_back_parsed_and_an_answer_as_text(checkpoint: str) -> None:
    call, answer = replies(checkpoint, asked(0), asked(2))
    assert [(c.name, c.arguments, c.raw) for c in call.tool_calls] == [
        ("find_user", '{"limit":3,"name":"Odile Prat"}', None)
    ]
    assert (call.text, call.finish_reason) == ("", "tool_calls")
    assert (answer.text, answer.tool_calls, answer.finish_reason) == ("Odile is user 7.", (), "stop")


def test_the_template_is_given_the_reasoning_in_messages_where_that_is_asked_for(checkpoint: str) -> None:
    plain = asked(1)
    call = {**plain.messages[-2], "reasoning_content": "Look her up."}
    thoughtful = replace(plain, messages=[*plain.messages[:-2], call, plain.messages[-1]])
    assert [message["role"] for message in plain.messages[-2:]] == ["assistant", "tool"]
    [told] = replies(checkpoint, thoughtful, send_reasoning=True)
    [untold, without] = replies(checkpoint, thoughtful, plain)
    assert untold.prompt_token_ids == without.prompt_token_ids != told.prompt_token_ids


def test_token_ids_and_logprobs_are_the_models_own(checkpoint: str) -> None:
    import torch

    turn = replies(checkpoint, asked(0))[0]
    model = LocalModel.load(checkpoint, None, None, "auto")._model
    whole = torch.tensor([[*turn.prompt_token_ids, *turn.token_ids]])
    with torch.inference_mode():
        told = model(whole).logits[0].log_softmax(-1)
    start = len(turn.prompt_token_ids)
    expected = [told[start + n - 1, token].item() for n, token in enumerate(turn.token_ids)]
    assert turn.logprobs == pytest.approx(expected, abs=1e-4)
    assert turn.token_ids[-1] == load_tokenizer(checkpoint).eos_token_id
    assert (turn.input_tokens, turn.output_tokens) == (start, len(turn.token_ids))


def test_what_waits_is_generated_together_and_comes_out_as_it_would_alone(
    checkpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    generate = LocalModel.generate
    monkeypatch.setattr(
        LocalModel, "generate", lambda self, p, *how: batches.append(len(p)) or generate(self, p, *how)
    )
    requests = [asked(n % 3) for n in range(6)]
    together = replies(checkpoint, *requests)
    assert max(batches) > 1
    for request, turn in zip(requests, together, strict=True):
        assert replies(checkpoint, request)[0].token_ids == turn.token_ids


def test_what_comes_a_little_later_is_waited_for_as_long_as_a_batch_took(
    checkpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six that come in turn, after a batch that took long, are one batch: they would be one and five."""
    batches: list[int] = []
    monkeypatch.setattr(transformers_local, "GATHER_SHARE", 20)
    generate = LocalModel.generate

    def slowly(self: LocalModel, prompts: Any, *how: Any) -> Any:
        batches.append(len(prompts))
        time.sleep(0.5)
        return generate(self, prompts, *how)

    monkeypatch.setattr(LocalModel, "generate", slowly)
    settings = {"kind": "transformers_local", "model": "tiny", "path": checkpoint, "batch_size": 6}
    chat = client_options(settings).open()

    async def later(seconds: float) -> Turn:
        await asyncio.sleep(seconds)
        return await chat.reply(asked(0))

    async def ask() -> None:
        await later(0)
        await asyncio.gather(*(later(0.05 * n) for n in range(6)))
        await chat.close()

    asyncio.run(ask())
    assert batches == [1, 6]


def test_rows_that_have_ended_leave_and_change_nothing(
    checkpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[tuple[int, int]] = []
    go_on = LocalModel._generate_part
    monkeypatch.setattr(
        LocalModel,
        "_generate_part",
        lambda self, rows, how, most: parts.append((len(rows), most)) or go_on(self, rows, how, most),
    )
    local = LocalModel.load(checkpoint, None, "cpu", "float32")
    prompts = [local.prompt(asked(n)) for n in (2, 0, 2, 2, 1)]
    for sampling, rows in (
        ({"temperature": 0}, [5, 2, 1]),
        ({"temperature": 2.0, "top_k": 5}, [5, 2, 1]),
        ({"temperature": 0, "stop": ["is"]}, [5]),
    ):
        parts.clear()
        together = local.generate(prompts, {"max_tokens": 40, **sampling}, range(5))
        assert [count for count, _ in parts] == rows
        assert parts[0][1] == 40 and [most for _, most in parts] == sorted({most for _, most in parts})[::-1]
        for seed, (prompt, reply) in enumerate(zip(prompts, together, strict=True)):
            (alone,) = local.generate([prompt], {"max_tokens": 40, **sampling}, [seed])
            assert (reply.ids, reply.text, reply.ended) == (alone.ids, alone.text, alone.ended)
            assert reply.logprobs == pytest.approx(alone.logprobs, abs=1e-4)
    assert (together[0].text, together[0].ended) == ("Odile is", True)


@pytest.mark.parametrize(("in_parts", "cut"), [(True, [False, True]), (False, [True, True])])
def test_a_long_conversation_beside_a_short_one_takes_none_of_its_room(
    checkpoint: str, in_parts: bool, cut: list[bool]
) -> None:
    model = LocalModel.load(checkpoint, None, "cpu", "float32")
    local, short = LocalModel(model._model, model.tokenizer, in_parts), model.prompt(asked(2))
    prompts = [short, replace(short, ids=(short.ids * POSITIONS)[2 - POSITIONS :])]
    together = local.generate(prompts, {"temperature": 0, "max_tokens": 40}, [None] * 2)
    assert [not reply.ended for reply in together] == cut and len(together[1].ids) == 2
    for prompt, reply in zip(prompts, together, strict=True):
        (alone,) = local.generate([prompt], {"temperature": 0, "max_tokens": 40}, [None])
        assert reply.ids == alone.ids or not in_parts


def test_a_stop_word_that_begins_before_another_row_is_full_and_ends_after_it_ends_the_reply(
    checkpoint: str,
) -> None:
    local, room = LocalModel.load(checkpoint, None, "cpu", "float32"), 2
    short = local.prompt(asked(2))
    full = replace(short, ids=(short.ids * POSITIONS)[room - POSITIONS :])
    (whole,) = local.generate([short], {"temperature": 0, "max_tokens": 40}, [None])
    word = local._decode([*whole.ids[room - 1 : room + 1]])
    told = {"temperature": 0, "max_tokens": 40, "stop": [word]}
    (alone,) = local.generate([short], told, [None])
    together = local.generate([short, full], told, [None] * 2)
    assert together[0].ids == alone.ids == whole.ids[: room + 1] != whole.ids
    assert together[0].ended and together[0].text.endswith(word) and not together[1].ended


def test_ranks_that_share_a_model_generate_a_batch_in_one_go(
    checkpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = LocalModel.load(checkpoint, None, "cpu", "float32")
    widths: list[int] = []
    generate = local._model.generate
    monkeypatch.setattr(
        local._model, "generate", lambda **how: widths.append(len(how["input_ids"])) or generate(**how)
    )
    prompts = [local.prompt(asked(n)) for n in (2, 0, 2)]
    for in_parts, expected in ((True, [3, 1]), (False, [3])):
        widths.clear()
        replies = LocalModel(local._model, local.tokenizer, in_parts).generate(
            prompts, {"temperature": 0, "max_tokens": 40}, [None] * 3
        )
        assert widths == expected and [reply.ended for reply in replies] == [True] * 3


def test_a_seed_gives_the_same_sample_in_any_company(checkpoint: str) -> None:
    hot = {"temperature": 3.0, "top_p": 0.9, "max_tokens": 20}
    seeded = [replace(asked(0), sampling={"seed": seed}) for seed in (7, 8, 7)]
    together = [turn.token_ids for turn in replies(checkpoint, *seeded, asked(2), sampling=hot)]
    alone = replies(checkpoint, seeded[0], sampling=hot)[0].token_ids
    assert together[0] == together[2] == alone != together[1]


def test_the_sampler_follows_the_distribution() -> None:
    import torch

    torch.manual_seed(7)  # for the row that has no generator of its own
    wanted = torch.tensor([0.05, 0.15, 0.3, 0.5])
    generators = [torch.Generator().manual_seed(7), None]
    sampler = SeededSampler(make_warpers({"temperature": 0.5, "top_k": 3}), generators)
    drawn = torch.stack([sampler(None, (wanted.log() / 2).repeat(2, 1)).argmax(-1) for _ in range(4000)])
    cut = wanted * torch.tensor([0.0, 1.0, 1.0, 1.0])
    for tokens in drawn.T:
        shares = tokens.bincount(minlength=4) / len(tokens)
        assert torch.allclose(shares, cut / cut.sum(), atol=0.03)


def test_a_cut_reply_says_so(checkpoint: str) -> None:
    turn = replies(checkpoint, asked(0), sampling={"temperature": 0, "max_tokens": 12})[0]
    assert (turn.finish_reason, len(turn.token_ids), turn.tool_calls) in (
        ("length", 12, ()),
        ("tool_calls", 12, turn.tool_calls),
    )
    assert all(call.raw for call in turn.tool_calls)


def test_the_agent_is_known_by_the_checkpoints_content(checkpoint: str, tmp_path: Path) -> None:
    moved = shutil.copytree(checkpoint, tmp_path / "moved")
    settings = {"kind": "transformers_local", "model": "tiny"}
    here = client_options({**settings, "path": checkpoint}).behaviour()
    assert here == client_options({**settings, "path": str(moved)}).behaviour()
    assert here["checkpoint"] == checkpoint_hash(moved)
    assert client_options(settings).behaviour()["checkpoint"] == "tiny"


@pytest.fixture(scope="module")
def adapter(checkpoint: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of an adapter over the checkpoint that makes it say something else."""
    return str(tiny_adapter(tmp_path_factory.mktemp("adapter") / "model", Path(checkpoint), scale=0.3))


def test_an_adapter_is_loaded_over_its_base_and_says_so(checkpoint: str, adapter: str) -> None:
    [base] = replies(checkpoint, asked(2))
    [alone] = replies(adapter, asked(2))
    [named] = replies(checkpoint, asked(2), lora=adapter)
    assert base.text == "Odile is user 7." and alone.token_ids == named.token_ids != base.token_ids
    told = client_options({"kind": "transformers_local", "model": adapter}).behaviour()
    assert (told["checkpoint"], told["base"]) == (
        checkpoint_hash(Path(adapter)),
        checkpoint_hash(Path(checkpoint)),
    )


def test_an_adapter_for_another_base_is_refused_before_a_weight_is_loaded(
    checkpoint: str, adapter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eops_traj.llm.local_model.load_weights", None)
    another = str(tiny_base(tmp_path / "another"))
    with pytest.raises(InputError, match="is an adapter for another base"):
        replies(another, asked(2), lora=adapter)
    with pytest.raises(InputError, match="is the name of the base"):
        replies(checkpoint, asked(2), model=checkpoint, lora=adapter)


@pytest.mark.vllm
@pytest.mark.skipif(PYTHON not in os.environ, reason=f"{PYTHON} names no Python that has vLLM")
def test_vllm_says_the_same(checkpoint: str) -> None:
    requests = [asked(n) for n in range(3)]
    small = ("--enforce-eager", "--dtype=float32", "--max-model-len=1024", "--kv-cache-memory-bytes=256M")
    cpu = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}
    here = replies(checkpoint, *requests, dtype="float32")
    there = replies(checkpoint, *requests, kind="vllm_server", args=small, env=cpu, tool_parser="hermes")
    for ours, theirs in zip(here, there, strict=True):
        assert said(ours) == said(theirs)
        assert ours.logprobs == pytest.approx(theirs.logprobs, abs=1e-4)


def said(turn: Turn) -> tuple[Any, ...]:
    calls = [(call.name, call.arguments, call.raw) for call in turn.tool_calls]
    return turn.text, calls, turn.finish_reason, turn.prompt_token_ids, turn.token_ids


def test_a_conversation_that_does_not_fit_is_a_failure_of_its_kind(checkpoint: str) -> None:
    long = Request([{"role": "user", "content": "word " * POSITIONS}])
    with pytest.raises(EndpointError) as failed:
        replies(checkpoint, long)
    assert failed.value.kind == "context"


def test_what_the_template_refuses_is_the_requests_fault(checkpoint: str, tmp_path: Path) -> None:
    template = tmp_path / "t.jinja"
    template.write_text("{{ raise_exception('no tools here') }}")
    with pytest.raises(EndpointError, match="no tools here") as failed:
        replies(checkpoint, asked(0), chat_template=str(template))
    assert failed.value.kind == "request"


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_no_model_is_an_input_error(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no tokenizer"):
        client_options({"kind": "transformers_local", "model": path}).open()


def test_unknown_sampling_is_refused_at_the_start(checkpoint: str) -> None:
    settings = {"kind": "transformers_local", "model": checkpoint, "sampling": {"presence_penalty": 1.0}}
    with pytest.raises(ConfigError, match="presence_penalty"):
        client_options(settings).open()
