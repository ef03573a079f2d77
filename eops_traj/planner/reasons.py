"""Reasons in few words, out of what an agent said along with its calls, or in the end."""

import re

from eops_traj.verify.refusal_text import declines

LONGEST = 160
_CAUSE = re.compile(r"(?:\bbecause\b|\bsince\b|\bas\b(?= )|:)\s+(?P<cause>.{8,})", re.IGNORECASE)
_UNCHANGED = re.compile(
    r"\b(?:nothing|no (?:\w+ )?changes?|not)\b.*\b(?:changed?|made|changes)\b", re.IGNORECASE
)


def because(text: str) -> str:
    """Why a call is made: the last sentence before it, in one line; empty where nothing was said."""
    sentences = _sentences(text)
    return _short(sentences[-1]) if sentences else ""


def refused(answer: str) -> str:
    """Why a request was declined: the ground that the answer gives, else its first sentence that declines."""
    sentences = [s for s in _sentences(answer) if not (_UNCHANGED.search(s) and len(s) < 60)]
    grounds = [found["cause"] for s in sentences if declines(s) and (found := _CAUSE.search(s))]
    said = [*grounds, *(s for s in sentences if declines(s)), *sentences, "it cannot be done"]
    return _short(said[0].replace("; ", ", "))


def _sentences(text: str) -> list[str]:
    """The sentences and lines of a text, without markup."""
    plain = re.sub(r"[*_`#>]+", "", text)
    pieces = (" ".join(piece.split()).strip(" -•") for piece in re.split(r"(?<=[.!?])\s+|\n+", plain))
    return [piece for piece in pieces if piece]


def _short(sentence: str) -> str:
    """A sentence without its full stop, cut at a word where it is long."""
    said = sentence.rstrip(".:;! ")
    return said if len(said) <= LONGEST else said[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:")
