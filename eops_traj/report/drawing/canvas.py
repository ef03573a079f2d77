"""The canvas: fonts, marks that differ without colour, and files that are the same bytes at every time.

Colours are of the palette of Okabe and Ito (2008), which all kinds of sight tell apart; every series has a
marker, line style or hatch of its own besides, so that print in black and white shows as much.
"""

import contextlib
import io
import textwrap
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
LINES = ("-", "--", ":", "-.")
HATCHES = ("", "///", "...", "xx", "\\\\\\", "++", "oo")
INK, FAINT = "#222222", "#d0d0d0"
LINE_WIDTH, LINE_HEIGHT = 32, 0.15
"""Characters of a name on one line, and the inches that a line of text takes."""
MAX_NAME_LENGTH = 3 * LINE_WIDTH
"""The most characters of a name that are shown."""
MAX_AGENTS = 20
"""Agents that a drawing shows; the table under it has all."""
STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # it comes with matplotlib, so that every machine draws the same
    "font.size": 9,
    "ytick.labelsize": 8,
    "axes.titlesize": 9,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.7,
    "legend.frameon": False,
    "text.hinting": "none",  # widths that do not hang on the resolution: what fits one file fits the other
    "figure.constrained_layout.w_pad": 0.08,
    "text.parse_math": False,  # a dollar sign is a dollar sign
    "axes.formatter.use_mathtext": False,
    "svg.fonttype": "path",  # letters as outlines: the page looks the same whatever fonts there are
    "svg.hashsalt": "eops-traj",
}


@contextlib.contextmanager
def report_style() -> Iterator[None]:
    """Draw in the report's style, whatever a user's matplotlibrc says; it is as before afterwards."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcParams.update(mpl.rcParamsDefault)
        for name, value in STYLE.items():
            mpl.rcParams[name] = value  # type: ignore[index]
        yield


def new_drawing(width: float, height: float) -> "Drawing":
    """Make an empty drawing of so many inches, which makes room for all of its text."""
    from matplotlib.figure import Figure as Drawing

    return Drawing(figsize=(width, height), layout="constrained")


def drawing_bytes(drawing: "Drawing", kind: str) -> bytes:
    """Render a drawing as ``svg`` or ``png``: no date, no version, no random names inside."""
    fields = {"svg": ("Date", "Creator"), "png": ("Software",)}[kind]
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what a layout or font cannot do is seen, not heard
        drawing.savefig(buffer, format=kind, dpi=150, metadata=dict.fromkeys(fields))
    drawing.set_layout_engine("none")  # it stays as it is now laid out: a second file need not ask again
    return buffer.getvalue()


def wrap_name(name: str, width: int = LINE_WIDTH) -> str:
    """Wrap a name over as many lines as it takes; of a very long one the middle is left out."""
    name = shorten_name(name, MAX_NAME_LENGTH)
    return "\n".join(textwrap.wrap(replace_unknown_letters(name), width, break_on_hyphens=True)) or " "


def shorten_name(name: str, most: int) -> str:
    """Cut the middle out of a name that is too long; its end tells as much as its beginning."""
    half = most // 2 - 2
    return name if len(name) <= most else f"{name[:half].rstrip()} … {name[-half:].lstrip()}"


def replace_unknown_letters(text: str) -> str:
    """Put a box in the place of each character that the font lacks."""
    from matplotlib.font_manager import findfont, get_font

    letters = get_font(findfont("DejaVu Sans")).get_charmap()
    return "".join(c if ord(c) in letters else "\u25a1" for c in text)


def max_lines(names: list[str]) -> int:
    """Return the most lines that any of the wrapped names has."""
    return max((name.count("\n") + 1 for name in names), default=1)


def percent_axis(axes: "Axes", which: str = "x", label: str = "") -> None:
    """Make an axis one of shares, from 0 to 100%, with lines to read it by."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xlim if which == "x" else axes.set_ylim)(-0.04, 1.04)
    shares = [0, 0.5, 1] if which == "x" else [0, 0.25, 0.5, 0.75, 1]
    axis.set_ticks(shares, [f"{share:.0%}" if share else "0" for share in shares])
    axis.grid(True)
    axis.set_label_text(label)


def name_rows(axes: "Axes", names: list[str]) -> None:
    """Give each name a row on the y axis, the first at the top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
