import pytest

from eops_traj.review.agreement import Agreement, agreement
from eops_traj.schema import Label


def labels(*units: str) -> list[Label]:
    """A label for each letter of each unit, the reader by its place; a blank where none was given."""
    values = {"r": "right", "w": "wrong", "u": "unsure"}
    return [
        Label(
            label_id=f"{n}{place}", episode_id=f"e{n}", reader=f"reader {place}", value=values[letter],
            created_at="2026-01-02T03:04:05",
        )
        for n, unit in enumerate(units)
        for place, letter in enumerate(unit)
        if letter != " "
    ]  # fmt: skip


def test_nothing_labelled_twice_has_no_figure() -> None:
    assert agreement(labels("r ", " w")) == Agreement(0, 0, None, None)


def test_one_label_alone_leaves_nothing_to_chance() -> None:
    assert agreement(labels("rr", "rr")) == Agreement(2, 2, 1.0, None)


@pytest.mark.parametrize(
    ("units", "share", "alpha"),
    [
        (("rr", "ww", "uu"), 1.0, 1.0),
        (("rw", "wr"), 0.0, -0.5),
        (("rr", "rw"), 0.5, 0.0),
        (("rrr", "rrw", "ww "), 10 / 14, 1 - 7 * 2 / 30),
    ],
)
def test_known_figures(units: tuple[str, ...], share: float, alpha: float) -> None:
    """The last by hand: of 8 labels 5 are right and 3 wrong; one unit, of three labels, is of two minds."""
    figures = agreement(labels(*units))
    assert (figures.share, figures.alpha) == (pytest.approx(share), pytest.approx(alpha))
