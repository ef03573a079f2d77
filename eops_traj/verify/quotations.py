"""Quotations: what a text has between quotation marks, straight or curly, double or single."""

import re

QUOTED = re.compile(
    r"[\u201c\"]([^\u201c\u201d\"\n]{1,500})[\u201d\"]"
    r"|(?<!\w)[\u2018']([^'\u2019\n]{1,300}(?:['\u2019]\w[^'\u2019\n]{0,300}){0,8})[\u2019'](?!\w)"
)
"""The text is in the first group or the second. An apostrophe within a word ends no quotation; lengths have
bounds, since anybody may have written the text."""


def quotations(text: str) -> list[str]:
    """Return the passages in quotation marks."""
    return [double or single for double, single in QUOTED.findall(text)]
