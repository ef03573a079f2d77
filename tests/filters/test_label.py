from pathlib import Path

import pytest

from eops_traj.errors import ConfigError
from eops_traj.filter.config import parse_rules
from eops_traj.filter.explain import explain
from eops_traj.review.labels import make_label
from eops_traj.store.store import Store
from tests.episodes import episode
from tests.filters.labelled import selected

SAID: dict[str, list[tuple[str, str, int | None]]] = {
    "agreed": [("ana", "right", None), ("bo", "right", None)],
    "disputed": [("ana", "right", None), ("bo", "wrong", None)],
    "turned": [("ana", "wrong", None), ("ana", "right", None)],
    "of a turn": [("ana", "right", 0)],
    "unlabelled": [],
}


@pytest.fixture
def store(tmp_path: Path):
    """A store of five episodes with the labels above."""
    with Store.open(tmp_path / "store", create=True) as opened:
        episodes = [episode(name) for name in SAID]
        opened.append(episodes)
        opened.flush()
        for one in episodes:
            for reader, value, turn in SAID[one.episode_id]:
                opened.append(labels=[make_label(one, reader, value, turn=turn)])
        yield opened


@pytest.mark.parametrize(
    ("parameters", "kept"),
    [
        ({"one_of": "right"}, {"agreed", "turned"}),
        ({"one_of": ["right", "wrong"]}, {"agreed", "turned", "disputed"}),
        ({"one_of": "right", "readers": "ana"}, {"agreed", "turned", "disputed"}),
        ({"one_of": "right", "unlabelled": True}, {"agreed", "turned", "of a turn", "unlabelled"}),
        ({"one_of": "unsure", "readers": "cy", "unlabelled": True}, set(SAID)),
    ],
)
def test_episodes_are_kept_by_what_readers_said(store, parameters, kept):
    rules = parse_rules({"rules": [{"label": parameters}]}, "here")
    assert set(selected(store, "s", rules).kept()) == kept


def test_the_reason_says_who_said_what(store):
    selection = selected(store, "s", parse_rules({"rules": [{"label": {"one_of": "right"}}]}, "here"))
    details = {row.episode_id: row.detail for row in selection.rows}
    assert details["disputed"] == "wrong by bo" and details["of a turn"] == "no reader labelled it"
    assert explain(store, selection, "disputed")[-1].detail == "wrong by bo"


def test_another_word_is_refused():
    with pytest.raises(ConfigError, match="unknown label 'fine'; choose from right, unsure, wrong"):
        parse_rules({"rules": [{"label": {"one_of": "fine"}}]}, "here")
