"""An adapter is known by its content and its base's, and goes with no other base."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import FormatError, InputError
from eops_traj.hashing import digest
from eops_traj.provenance.adapter import find_base, model_parts, read_adapter, template_identity
from eops_traj.provenance.checkpoint import checkpoint_hash
from tests.adapters import resettled, tiny_adapter, tiny_base


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base, an adapter over it, and another base of the same shapes."""
    folder = tmp_path_factory.mktemp("made")
    base = tiny_base(folder / "base")
    tiny_adapter(folder / "adapter", base)
    shutil.copytree(base, folder / "other")
    content = bytearray((base / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "other" / "model.safetensors").write_bytes(content)
    return folder


@pytest.fixture
def adapter(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made / "adapter", tmp_path / "adapter")


def traced(adapter: Path, parent: str | None, **config: Any) -> Path:
    """Give an adapter a lineage file."""
    lineage = {
        "checkpoint": "c",
        "parent": parent,
        "data": None,
        "recipe": "sft",
        "config": {"lora": {"rank": 4}, **config},
    }
    (adapter / "lineage.json").write_text(json.dumps(lineage))
    return adapter


def test_a_folder_of_an_adapter_is_the_adapter_over_its_base(made: Path, adapter: Path) -> None:
    parts = model_parts(str(adapter))
    assert parts.base == str(made / "base") and parts.adapter and parts.speaker == str(adapter)
    assert parts.identity() == {
        "checkpoint": checkpoint_hash(adapter),
        "base": checkpoint_hash(made / "base"),
    }
    named = model_parts("mine", str(made / "base"), str(adapter))
    assert named.identity() == parts.identity() != model_parts(str(made / "base")).identity()
    assert set(model_parts("org/model").identity()) == {"checkpoint"}


def test_a_runs_output_stands_for_its_model(made: Path, adapter: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    adapter.rename(tmp_path / "run" / "model")
    parts = model_parts(str(tmp_path / "run"))
    assert parts.adapter and parts.adapter.folder == tmp_path / "run" / "model"
    whole = shutil.copytree(made / "base", tmp_path / "whole" / "model")
    assert model_parts(str(whole.parent)).identity() == model_parts(str(made / "base")).identity()
    assert model_parts("mine", str(whole.parent), str(tmp_path / "run")).base == str(whole)


@pytest.mark.parametrize(
    ("change", "same"),
    [({"lora_alpha": 9}, False), ({"use_rslora": True}, False), ({"lora_dropout": 0.3}, True),
     ({"base_model_name_or_path": "elsewhere"}, True), ({"peft_version": "1"}, True)],
)  # fmt: skip
def test_settings_that_shape_the_answers_count(adapter: Path, change: dict[str, Any], same: bool) -> None:
    before = checkpoint_hash(adapter)
    assert (checkpoint_hash(resettled(adapter, **change)) == before) is same


def test_the_order_of_modules_does_not_count(adapter: Path) -> None:
    modules = json.loads((adapter / "adapter_config.json").read_text())["target_modules"]
    before = checkpoint_hash(adapter)
    assert len(modules) > 2 and checkpoint_hash(resettled(adapter, target_modules=modules[::-1])) == before


def test_the_template_is_the_speakers(made: Path, adapter: Path) -> None:
    own = template_identity(model_parts(str(adapter)))
    assert own == template_identity(model_parts(str(made / "base")))
    (adapter / "chat_template.jinja").write_text("{{ messages }}")
    assert template_identity(model_parts(str(adapter))) == {"chat_template": digest("{{ messages }}")} != own
    assert template_identity(model_parts("org/model")) == {}


def test_the_hash_in_the_lineage_decides(made: Path, adapter: Path) -> None:
    base, other = made / "base", made / "other"
    traced(adapter, checkpoint_hash(base))
    assert model_parts("mine", str(base), str(adapter)).base == str(base)
    with pytest.raises(InputError, match=r"for another base: it was trained over checkpoint \w{12}, "):
        model_parts("mine", str(other), str(adapter))
    resettled(adapter, base_model_name_or_path=str(other))  # whatever the name says
    with pytest.raises(InputError, match="adapter for another base"):
        model_parts(str(adapter))


def test_an_adapter_of_an_adapter_has_its_base(made: Path, adapter: Path, tmp_path: Path) -> None:
    traced(adapter, checkpoint_hash(made / "base"))
    second = shutil.copytree(adapter, tmp_path / "second")
    traced(second, checkpoint_hash(adapter), lora=None, model=str(adapter))
    assert model_parts("mine", str(made / "base"), str(second)).adapter
    with pytest.raises(InputError, match="adapter for another base"):
        model_parts("mine", str(made / "other"), str(second))
    traced(second, checkpoint_hash(second), lora=None, model=str(second))  # its own parent: no end, no answer
    assert model_parts("mine", str(made / "base"), str(second)).adapter


def test_without_a_lineage_the_name_decides(made: Path, adapter: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(made / "base", tmp_path / "copy")
    assert model_parts("mine", str(copy), str(adapter)).base == str(copy)
    with pytest.raises(InputError, match=r"adapter for another base: for '.*base', not for '.*other'"):
        model_parts("mine", str(made / "other"), str(adapter))
    with pytest.raises(InputError, match=r"'org/other', the base of .*, is not on this machine"):
        model_parts("mine", "org/other", str(adapter))
    with pytest.raises(InputError, match="is an adapter; the base of"):
        model_parts("mine", str(made / "adapter"), str(adapter))


@pytest.mark.parametrize(
    ("sizes", "problem"),
    [({"hidden": 48}, r"model\.layers\.0\.\w+\.\w+ has the shape \(48, \d+\) and not \(32, 32\)"),
     ({"intermediate": 40}, r"_proj has the shape"), ({"layers": 1}, r"it has no model\.layers\.1\.")],
)  # fmt: skip
def test_a_name_that_says_nothing_leaves_it_to_the_shapes(
    made: Path, adapter: Path, tmp_path: Path, sizes: dict[str, int], problem: str
) -> None:
    resettled(adapter, base_model_name_or_path="org/gone")
    assert model_parts("mine", str(made / "other"), str(adapter)).base == str(made / "other")
    another = tiny_base(tmp_path / "another", **sizes)
    with pytest.raises(InputError, match=f"adapter for another base than .*: .*{problem}"):
        model_parts("mine", str(another), str(adapter))


def test_a_run_is_found_where_it_is_now(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "base", tmp_path / "moved" / "runs" / "base")
    folder = shutil.copytree(made / "adapter", tmp_path / "moved" / "runs" / "lora" / "model")
    traced(folder, checkpoint_hash(made / "base"), output="runs/lora", model="runs/base")
    resettled(folder, base_model_name_or_path="runs/base")
    adapter = read_adapter(folder.parent)
    assert find_base(adapter) == str(tmp_path / "moved" / "runs" / "base")


def test_the_bases_name_is_not_the_adapters(made: Path, adapter: Path) -> None:
    resettled(adapter, base_model_name_or_path="org/base")
    with pytest.raises(InputError, match="model 'org/base' is the name of the base"):
        model_parts("org/base", str(made / "base"), str(adapter))


def test_what_is_no_adapter_is_refused(made: Path, adapter: Path) -> None:
    with pytest.raises(InputError, match=r"is no adapter: it has no adapter_config\.json"):
        model_parts("mine", str(made / "base"), str(made / "other"))
    for n, changes in enumerate(
        ({"peft_type": "IA3"}, {"r": None}, {"rank_pattern": [3]}, {"base_model_name_or_path": ""})
    ):
        copy = shutil.copytree(made / "adapter", adapter / str(n))
        with pytest.raises(FormatError, match=r"adapter_config\.json: "):
            read_adapter(resettled(copy, **changes))
    (adapter / "adapter_model.safetensors").rename(adapter / "x.safetensors")
    with pytest.raises(InputError, match=r"it has no adapter_model\.safetensors"):
        read_adapter(adapter)


@pytest.mark.parametrize(
    "content", [b"", b"\xff" * 64, b"\x02" + b"\x00" * 7 + b"[]", b"\x04" + b"\x00" * 7 + b"null"]
)
def test_a_broken_file_of_weights_is_one_line(made: Path, adapter: Path, content: bytes) -> None:
    resettled(adapter, base_model_name_or_path="org/gone")
    (adapter / "adapter_model.safetensors").write_bytes(content)
    with pytest.raises(FormatError, match="no safetensors file"):
        model_parts("mine", str(made / "base"), str(adapter))
