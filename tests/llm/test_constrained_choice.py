"""A model with random weights, held to plans: whatever it would rather say, what it writes begins a plan."""

from typing import Any

import pytest

from eops_traj.llm.base import Request
from eops_traj.llm.local_model import GeneratedReply, LocalModel
from eops_traj.plan import PlanBeginnings
from tests.recipes.runs import planner

MESSAGES = [{"role": "user", "content": "Find Odile."}]
TOOLS = [{"function": {"name": "find_user", "parameters": {"properties": {"name": {}, "email": {}}}}}]
BEGINNINGS = PlanBeginnings(TOOLS)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    return LocalModel.load(str(planner(tmp_path_factory.mktemp("model"))), None, "cpu", "float32")


def generated(model: LocalModel, *languages: PlanBeginnings | None, **sampling: Any) -> list[GeneratedReply]:
    prompts = [model.prompt(Request(MESSAGES, language=language)) for language in languages]
    seeds = [n for n, _ in enumerate(languages)]
    return model.generate(prompts, {"temperature": 0, "max_tokens": 40, **sampling}, seeds)


def begins(text: str) -> bool:
    """Check whether a text begins a plan, sign by sign."""
    return all(BEGINNINGS.allow_next(text[:n], sign) for n, sign in enumerate(text))


def test_only_what_a_plan_can_begin_with_is_written(model: LocalModel) -> None:
    free, held = generated(model, None, BEGINNINGS)
    assert not begins(free.text)
    assert held.text and begins(held.text)
    assert generated(model, None)[0].ids == free.ids  # its company changes nothing


def test_samples_are_held_to_it_too_and_keep_the_models_own_probabilities(model: LocalModel) -> None:
    replies = generated(model, *[BEGINNINGS] * 4, temperature=1.0)
    assert all(begins(reply.text) for reply in replies) and len({r.ids for r in replies}) > 1
    assert all(len(reply.logprobs) == len(reply.ids) and max(reply.logprobs) < 0 for reply in replies)


def test_a_model_that_begins_with_thoughts_is_left_free(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request(MESSAGES, language=BEGINNINGS)
    assert model.prompt(request).language is BEGINNINGS
    thinks = f"{model.tokenizer.chat_template}{{% if add_generation_prompt %}}<think>{{% endif %}}"
    monkeypatch.setattr(model.tokenizer, "chat_template", thinks)
    assert model.prompt(request).thinking and model.prompt(request).language is None


class OneOf:
    """The language of a few texts."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def allow_next(self, text: str, more: str) -> bool:
        return any(each.startswith(text + more) for each in self.texts)

    def is_whole(self, text: str) -> bool:
        return text in self.texts

    def grammar(self) -> str:
        return ""


def said(model: LocalModel, *texts: str) -> GeneratedReply:
    prompt = model.prompt(Request(MESSAGES, language=OneOf(*texts)))
    return model.generate([prompt], {"temperature": 0, "max_tokens": 12}, [None])[0]


def test_rows_are_held_to_theirs_after_others_have_ended(model: LocalModel) -> None:
    texts = ("f", "find", "find a group", "find a group and more")
    prompts = [model.prompt(Request(MESSAGES, language=OneOf(text))) for text in texts]
    replies = model.generate(prompts, {"temperature": 0, "max_tokens": 40}, [None] * len(texts))
    assert [(reply.text, reply.ended) for reply in replies] == [(text, True) for text in texts]


def test_a_reply_ends_where_it_is_whole_and_nowhere_before(model: LocalModel) -> None:
    assert said(model, "find", "finds é").text in ("find", "finds é") and said(model, "find").ended


def test_characters_of_several_tokens_are_let_through_where_any_may_stand(model: LocalModel) -> None:
    refusal = PlanBeginnings([])
    prompt = model.prompt(Request(MESSAGES, language=refusal))
    [reply] = model.generate([prompt], {"temperature": 1.0, "max_tokens": 60}, [3])
    assert any(ord(sign) > 127 for sign in reply.text)


def test_a_row_that_can_say_nothing_allowed_goes_on_freely(model: LocalModel) -> None:
    prompt = model.prompt(Request(MESSAGES))
    [free] = model.generate([prompt], {"temperature": 0, "max_tokens": 12}, [None])
    assert said(model).ids == free.ids
