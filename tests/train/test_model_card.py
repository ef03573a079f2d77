"""The card of a model shows the names of others as text."""

from pathlib import Path

import pytest
import yaml

from eops_traj.config import checked
from eops_traj.instances import load_module
from eops_traj.train.model_card import render_card
from tests.attacks.hostile_pages import card_problems
from tests.attacks.hostile_records import ATTACKS

DATA = ("format", "content_hash", "store", "selection")


def metrics(text: str) -> dict:
    """Return the result of a run whose every text is this."""
    return {
        "recipe": text, "seed": 0,
        "rows": {"kept": 1, "dropped": 0, "max_length": 9, "tokens": 9, "tokens_with_loss": 1},
        "data": {**dict.fromkeys(DATA, text), "store_version": 1}, "steps": 1, "seconds": 1.0, "device": text,
        "trained_parameters": 1, "parameters": 1, "losses": [{"step": 1, "loss": 0.5}], "best": None,
        "packages": {text: text}, "python": text, "rows_by": {"split": {text: 1}},
        "leaks": {"tasks": text, "splits": [text], "held_out": 2, "leaks": {text: 1}, "unknown": {text: 1},
            "left_out": [],
        },
    }  # fmt: skip


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS)
def test_no_name_acts_in_the_card(tmp_path: Path, text: str) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    settings = {
        "recipe": "sft",
        "data": "d",
        "output": f"o{text}".replace("\x00", ""),
        "model": f"m{text[:100]}",
    }
    config = checked(
        load_module("recipe", "sft").Config, {**settings, "max_length": 9, "learning_rate": 0.1}, "c"
    )
    card = render_card(tmp_path, config, metrics(text), f"parent{text}")
    assert card_problems(card) == ""
    assert yaml.safe_load(card.split("---\n")[1])["tags"][-1] == "sft"


def test_a_card_of_plain_names_reads_as_before(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    settings = {
        "recipe": "sft",
        "data": "d",
        "output": "runs/planner-1",
        "model": "base",
        "max_length": 9,
        "learning_rate": 0.1,
    }
    config = checked(load_module("recipe", "sft").Config, settings, "c")
    card = render_card(tmp_path, config, metrics("sn-csm_1.0"), None)
    assert (
        "# planner-1" in card and "| format | sn-csm_1.0 |" in card and "by the recipe `sn-csm_1.0`" in card
    )
    assert '```json\n{\n  "recipe": "sft"' in card


def test_it_says_what_was_compared_with_held_out_tasks_and_what_was_not(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    settings = {
        "recipe": "sft",
        "data": "d",
        "output": "o",
        "model": "m",
        "max_length": 9,
        "learning_rate": 0.1,
    }
    config = checked(load_module("recipe", "sft").Config, settings, "c")
    known = metrics("x") | {"rows_by": {"split": {"train": 7}}}
    card = render_card(tmp_path, config, known, None)
    assert "| train | 7 |" in card and "Compared with 2 held-out tasks of `x`" in card
    assert "by x 1, allowed by name; 1 of an unknown x." in card
    fewer = known | {"leaks": known["leaks"] | {"left_out": [2, 5]}}
    said = "allowed by name; 2 that did were left out; 1 of an unknown x."
    assert said in render_card(tmp_path, config, fewer, None)
    unknown = known | {"leaks": {"tasks": None}}
    assert "not compared with held-out tasks: none were known" in render_card(tmp_path, config, unknown, None)
    none = known | {"leaks": known["leaks"] | {"held_out": 0, "splits": [], "leaks": {}, "unknown": {}}}
    said = render_card(tmp_path, config, none, None)
    assert "of `x` none is held out" in said and "Compared with" not in said and "no row leaks" not in said
