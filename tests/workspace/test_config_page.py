"""A config's page is the config, and names every key that its reader knows."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from eops_traj.config import CONFIGS
from eops_traj.errors import UnknownName
from eops_traj.workspace.config_models import KINDS, all_configs, find_any
from eops_traj.workspace.config_page import config_page, omitted_keys
from eops_traj.workspace.config_schema import config_schema
from tests.conftest import Ran

OWN = sorted(path for path in CONFIGS.glob("*.yaml") if path.stem.partition("_")[0] in KINDS)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_a_page_says_the_same_as_its_config_and_fits_its_schema(path: Path) -> None:
    settings = yaml.safe_load(path.read_text())
    assert yaml.safe_load(config_page(path)) == settings
    Draft202012Validator(config_schema(path.stem.partition("_")[0])).validate(settings)


def test_a_page_names_keys_of_groups_clients_and_orchestrators() -> None:
    keys = {key.path: key.default for key in omitted_keys(CONFIGS / "collect_openai.yaml")}
    assert keys["limits.tokens"] is None and keys["pace.episodes"] == 32
    assert keys["models.executor.timeout"] == 600 and "models.executor.kind" not in keys
    assert "tasks.source" not in keys and "limits.turns" not in keys
    assert {key.path for key in omitted_keys(CONFIGS / "filter_sft.yaml")} >= {"near_duplicates.words"}


def test_a_default_is_that_of_the_group_it_stands_in() -> None:
    keys = {key.path: key.default for key in omitted_keys(CONFIGS / "rebench_react.yaml")}
    assert keys["sampling.temperature"] == 0 and keys["executor.sampling.temperature"] is None


@pytest.mark.parametrize(
    ("kind", "wrong"), [("collect", "attemps: 3"), ("sft", "epoch: 1"), ("filter", "rule: []")]
)
def test_a_schema_refuses_a_key_that_the_reader_refuses(kind: str, wrong: str) -> None:
    validator = Draft202012Validator(config_schema(kind))
    assert any("attemps" in e.message or "epoch" in e.message or "rule" in e.message
               for e in validator.iter_errors(yaml.safe_load(wrong)))  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("collect_mine", "orchestrator: react", "orchestrator: needs keys with values, not 'react'"),
        ("collect_mine", "models: [a]", "models: needs keys with values, not"),
        ("collect_mine", "models: {executor: 5}", "models.executor: needs keys with values, not 5"),
        ("rebench_mine", "client: api", "client: needs keys with values, not 'api'"),
        ("filter_mine", "rules: 5", "rules: needs a list of rules, not 5"),
        ("filter_mine", "rules: [{}]", "rules: {}: give one rule"),
        ("filter_mine", "rules: [[no_error]]", "give one rule"),
        ("filter_mine", "rules: [max_turns: 5]", "max_turns: needs keys with values, not 5"),
        ("train_mine", "recipe: [sft]", "unknown recipe"),
        ("train_mine", "# caf\xe9", "not UTF-8 text"),
    ],
)
def test_a_file_of_the_wrong_shape_is_one_line(
    name: str, text: str, said: str, cli: Callable[..., Ran], tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.yaml"
    path.write_text(text, encoding="latin-1")
    ran = cli("config", "show", path)
    assert (ran.code, ran.out) == (2, "") and said in ran.err and ran.err.count("\n") == 1


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_listed(
    cli: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("configs").mkdir()
    for name, text in (("collect_a", "# caf\xe9"), ("filter_b", "# mine"), ("train_c", "# \xe9t\xe9")):
        Path("configs", f"{name}.yaml").write_text(text, encoding="latin-1")
    ran = cli("config", "list")
    assert ran.code == 1 and "collect_openai" in ran.out and "filter_b" in ran.out
    assert ran.err.count("\n") == 1 and "collect_a.yaml: not UTF-8" in ran.err and "train_c.yaml" in ran.err


def test_names_that_there_are_none_of_list_those_there_are() -> None:
    with pytest.raises(UnknownName, match="collect_openai"):
        find_any("collect_opnai")
    with pytest.raises(UnknownName, match="rebench"):
        config_schema("collects")
    assert set(all_configs()) == {path.stem for path in OWN}
