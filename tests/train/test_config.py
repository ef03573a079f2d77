"""Training configs: overrides go in, and every problem comes out at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.config import CONFIGS, checked, find_config, overridden, read_settings
from eops_traj.errors import ConfigError, InputError, UnknownName
from eops_traj.instances import load_module
from eops_traj.recipes import RECIPES

COMMITTED = sorted(path.name for path in CONFIGS.glob("train_*.yaml"))
SETTINGS = {"recipe": "sft", "data": "d", "output": "o", "model": "m", "max_length": 9, "learning_rate": 0.1}
WORDS = st.text("abcdef", min_size=1, max_size=3)


def problems(settings: dict[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        checked(load_module("recipe", "sft").Config, settings, "c.yaml")
    return caught.value.problems


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_config_holds_and_starts_with_its_command(name: str) -> None:
    path = find_config("train", name.removesuffix(".yaml"))
    settings = read_settings(path)
    assert path.read_text().startswith("# eops-traj train configs/" + name)
    assert settings["recipe"] in RECIPES
    assert (
        checked(load_module("recipe", settings["recipe"]).Config, settings, name).recipe == settings["recipe"]
    )


def test_every_problem_is_reported_at_once_with_value_and_choices() -> None:
    messages = problems(
        SETTINGS | {"lerning_rate": 1, "learning_rate": "fast", "epochs": 0, "lora": {"rnk": 8}}
    )
    assert len(messages) == 4
    assert any("unknown key 'lerning_rate'; choose from recipe, data, output" in p for p in messages)
    assert any(p.startswith("learning_rate: ") and p.endswith("not 'fast'") for p in messages)
    assert "unknown key 'lora.rnk'; choose from rank, alpha, dropout, modules" in messages


def test_what_is_missing_and_what_excludes_the_other_is_said() -> None:
    assert problems({"recipe": "sft", "data": "d", "output": "o", "model": "m"}) == [
        "max_length is missing",
        "learning_rate is missing",
    ]
    assert problems(SETTINGS | {"scratch": {}, "lora": {}}) == [
        "give model or scratch, one of them; lora needs a trained model; with scratch, leave it out"
    ]


@pytest.mark.parametrize(
    ("splits", "exam", "said"),
    [
        (["train", "dev"], {}, "dev is among splits"),
        (["train"], {"split": "train"}, "train is among splits"),
        (["none"], {"split": "none"}, "none is among splits"),
    ],
)
def test_an_exam_on_what_is_trained_on_is_refused(splits: list[str], exam: dict[str, Any], said: str) -> None:
    settings = SETTINGS | {"splits": splits, "evaluate": {"tasks": "suite", **exam}}
    [problem] = problems(settings)
    assert problem.startswith("evaluate.split: ") and said in problem
    other = settings | {"evaluate": {"tasks": "suite", "split": "test"}}
    for fine in (other, settings | {"evaluate": None}):
        assert checked(load_module("recipe", "sft").Config, fine, "c").splits == tuple(splits)


@pytest.mark.parametrize("recipe", ["dpo", "kto", "grpo"])
def test_dropout_that_would_be_off_is_refused_and_none_is_recorded(recipe: str) -> None:
    settings = SETTINGS | {"recipe": recipe, "batch_size": 8}
    cls = load_module("recipe", recipe).Config
    with pytest.raises(ConfigError, match=f"lora.dropout: {recipe} trains without dropout"):
        checked(cls, settings | {"lora": {"rank": 4, "dropout": 0.05}}, "c")
    for lora in ({"rank": 4}, {"rank": 4, "dropout": 0}):
        assert checked(cls, settings | {"lora": lora}, "c").lora.dropout == 0
    asked = {"lora": {"dropout": 0.3}, "trl": {"disable_dropout": False}}
    assert checked(cls, settings | asked, "c").lora.dropout == 0.3
    tuned = checked(load_module("recipe", "sft").Config, SETTINGS | {"lora": {"rank": 4}}, "c")
    assert tuned.lora.dropout == 0.05


@given(
    path=st.lists(WORDS, min_size=1, max_size=3),
    value=st.none() | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.lists(WORDS),
)
def test_an_override_goes_where_its_dots_say(path: list[str], value: Any) -> None:
    changed = overridden({}, [f"{'.'.join(path)}={yaml.safe_dump(value, default_flow_style=True)}"], "c")
    for key in path:
        changed = changed[key]
    assert changed == value


def test_overrides_leave_the_rest_and_may_empty_a_group() -> None:
    settings = {"lora": {"rank": 8, "alpha": 1}, "seed": 0}
    assert overridden(settings, ["lora.rank=4", "seed=3"], "c") == {
        "lora": {"rank": 4, "alpha": 1},
        "seed": 3,
    }
    assert overridden(settings, ["lora=null"], "c") == {"lora": None, "seed": 0}
    assert settings["seed"] == 0


def test_overrides_that_do_not_parse_are_all_named() -> None:
    with pytest.raises(ConfigError) as caught:
        overridden({"seed": 1}, ["seed", "=1", "a..b=1", "x=[1", "seed.a=1"], "c.yaml")
    assert len(caught.value.problems) == 5 and "'seed' is not of the form key=value" in str(caught.value)


def test_an_unknown_config_lists_the_committed_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="train_tiny"):
        find_config("train", "train_huge")
    with pytest.raises(InputError, match="no train config at"):
        find_config("train", tmp_path / "none.yaml")


@pytest.mark.parametrize("text", ["a: [", "- 1", "", "\udcff"])
def test_a_config_that_is_no_mapping_is_one_clear_error(text: str, tmp_path: Path, cli: Callable) -> None:
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8", errors="surrogateescape")
    ran = cli("train", tmp_path / "c.yaml")
    assert (
        ran.code == 2
        and ran.err.startswith(f"eops-traj: {tmp_path / 'c.yaml'}: ")
        and ran.err.count("\n") == 1
    )


def test_an_unknown_recipe_lists_the_choices(tmp_path: Path, cli: Callable) -> None:
    (tmp_path / "c.yaml").write_text("recipe: magic")
    ran = cli("train", tmp_path / "c.yaml")
    assert ran.code == 2 and "unknown recipe 'magic'; choose from dpo, grpo, kto, sft" in ran.err
