"""The model of the detector: what it is made of, what it weighs, and what it is measured at."""

import io
import subprocess
import sys
from collections.abc import Mapping

import numpy as np
import pytest

from benchmarks.refusals.measure import measure
from benchmarks.refusals.rows import read_rows
from benchmarks.refusals.train import SMALLEST, data_digest, pack, train
from eops_traj.verify.refusal_features import END, OPENING, features
from eops_traj.verify.refusal_text import MODEL, declines, log_odds


@pytest.mark.parametrize(("name", "count"), [("train", 2_000), ("held_out", 600), ("sealed", 140)])
def test_there_are_enough_answers_and_none_is_in_two_files(name: str, count: int) -> None:
    rows = read_rows(name)
    others = {row.text for other in {"train", "held_out", "sealed"} - {name} for row in read_rows(other)}
    assert len(rows) >= count and not others & {row.text for row in rows}


def test_precision_and_recall_on_held_out_answers() -> None:
    precision, recall, wrong = measure(read_rows("held_out"))
    assert precision >= 0.97 and recall >= 0.97
    assert not [row for row in wrong if row.kind == "policy"]


def test_the_model_is_of_the_data_that_lies_here_and_of_what_is_seen_of_it() -> None:
    with np.load(MODEL, allow_pickle=False) as arrays:
        assert str(arrays["data"]) == data_digest()
    assert MODEL.stat().st_size < 1_000_000


def weights_of(model: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Return the weights of a packed model by the names of its features."""
    return dict(zip(model["names"].tobytes().decode().split("\n"), map(float, model["weights"]), strict=True))


@pytest.mark.slow
def test_training_again_gives_the_same_model() -> None:
    """The last bits of a weight are the processor's, and so is which of the smallest weights are left out."""
    pytest.importorskip("sklearn")
    again, kept = (np.load(io.BytesIO(data)) for data in (pack(*train()), MODEL.read_bytes()))
    assert str(again["data"]) == str(kept["data"])
    first, second = weights_of(again), weights_of(kept)
    both = first.keys() & second.keys()
    assert all(abs(first[name] - second[name]) < 2e-3 * max(1, abs(second[name])) for name in both)
    alone = [abs((first | second)[name]) for name in first.keys() ^ second.keys()]
    assert len(alone) < len(second) / 1000 and all(weight < SMALLEST + 2e-3 for weight in alone)
    assert abs(float(again["bias"]) - float(kept["bias"])) < 1e-3


def test_it_reads_without_the_library_that_trained_it() -> None:
    code = """
import sys
for name in ("sklearn", "scipy"):
    sys.modules[name] = None
from eops_traj.verify.refusal_text import declines
assert declines("I can't do that: the case is closed.") and not declines("I closed the case.")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_same_answer_gives_the_same_odds() -> None:
    answer = "I checked the case. It's closed, so I can't edit it."
    first = log_odds(answer)
    log_odds.cache_clear()
    assert log_odds(answer) == first > 0 > log_odds("I checked the case and closed it.")


def test_names_and_numbers_do_not_count() -> None:
    assert features("I told Anna Berg about CS-0000412.") == features("I told Omar Haddad about CS-0009999.")


def test_the_middle_of_a_long_answer_is_not_read() -> None:
    start, end = "I opened the case. " * 60, " Nothing else was changed." * 30
    assert len(start) > OPENING and len(end) > END
    assert features(start + "I refuse. " * 50 + end) == features(start + "I agree. " * 50 + end)


def with_word(at: int, length: int) -> set[str]:
    """The words that are read of a text of so many characters with ``zebra`` at a place."""
    return set(features(("a " * length)[: at - 1] + " zebra" + (" a" * length)[: length - at - 5])["words"])


def test_what_is_read_of_a_long_answer_is_its_first_900_and_its_last_500_characters() -> None:
    assert "w:zebra" in with_word(897, 1400) and "w:zebra" not in with_word(897, 1401)
    assert "w:zebra" in with_word(895, 3000) and "w:zebra" not in with_word(896, 3000)
    assert "w:zebra" in with_word(2500, 3000) and "w:zebra" not in with_word(2499, 3000)


def test_an_apostrophe_may_be_curly_and_a_curly_quotation_is_one() -> None:
    assert features("I can\u2019t do this.") == features("I can't do this.")
    assert features("I wrote \u2018it\u2019s done\u2019.") != features("I wrote 'it's done'.")
    assert not declines("I posted \u2018I cannot do this, the request is declined.\u2019 in General.")


def test_a_quotation_is_not_the_answers_own_word() -> None:
    assert not declines('I posted "I cannot do this, the request is declined." in General.')
