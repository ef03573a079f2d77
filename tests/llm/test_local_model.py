"""A causal model of this process."""

import json
from pathlib import Path
from typing import Any

import pytest

from eops_traj.llm.base import Request
from eops_traj.llm.local_model import LocalModel
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
