import logging
import sys
import unicodedata

import pytest

from eops_traj.untrusted.terminal import LINES, VisibleLogs, visible

FORBIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of controls, formats, surrogates, and separators of lines and paragraphs."""


def test_no_character_that_acts_gets_through():
    few = range(0x40000, sys.maxunicode + 1, 61)  # of planes without a letter, all of them alike but the tags
    everything = "".join(map(chr, (*range(0x40000), *range(0xE0000, 0xE1000), *few)))
    left = {unicodedata.category(character) for character in set(visible(everything))}
    assert not left & FORBIDDEN


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]8;;http://x\x07link", r"\x1b]8;;http://x\x07link"),
        ("\x9b2J", r"\x9b2J"),
        ("evil\u202etxt.exe", r"evil\u202etxt.exe"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("one\ntwo\r\n", r"one\ntwo\r\n"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("Zoë, 東京 \N{NO-BREAK SPACE}✓ \\x1b", "Zoë, 東京 \N{NO-BREAK SPACE}✓ \\x1b"),
    ],
)
def test_what_acts_is_shown(text, shown):
    assert visible(text) == shown


def test_lines_are_kept_where_asked_for():
    assert visible("a\n\tb\r\x1b", LINES) == "a\n\tb\\r\\x1b"


def test_logs_are_shown(capsys):
    log, handler = logging.Logger("one"), logging.StreamHandler()
    handler.addFilter(VisibleLogs())
    log.addHandler(handler)
    try:
        raise ValueError("\x1b[2J")
    except ValueError:
        log.exception("reply %s", "\x07")
    printed = capsys.readouterr().err
    assert "\x1b" not in printed and "\x07" not in printed
    assert r"reply \x07" in printed and r"ValueError: \x1b[2J" in printed
