"""What is asked for in a request, in kinds: whether another wording asks for more, or for less."""

import re
from collections.abc import Iterable

from eops_traj.taskgen.reword.forbidden import SENTENCE, allowed_now
from eops_traj.tasks.language import words_of

_KINDS = {
    "make": "create creates add adds open raise register registers log record make set book schedule draft"
    " build start new enter enrol hire put write",
    "remove": "delete deletes remove removes erase drop wipe trash purge discard withdraw revoke strip take"
    " away empty clear out",
    "end": "close closes resolve complete finish cancel cancels archive end ends retire deactivate disable"
    " shut terminate stop expire",
    "tell": "notify notifies inform tell tells alert alerts email e-mail mail mails message messages ping"
    " announce post posts send sends forward write reply answer note word call know hear told comment invite"
    " share publish",
    "change": "update change changes edit rename move moves set raise lower put mark turn switch correct"
    " replace reassign transfer hand assign give extend escalate bring promote merge map link",
    "allow": "share grant give permit allow let access invite add unlock open",
}
_ENDING = re.compile(r"(?:ies|es|s|ied|ed|ing|e|y)$")
_KIND_OF: dict[str, set[str]] = {}
for _kind, _listed in _KINDS.items():
    for _verb in _listed.split():
        _KIND_OF.setdefault(_ENDING.sub("", _verb), set()).add(_kind)
_BIDDING = {",", ";", ":", "please", "then", "also", "and", "you", "kindly", "just", "so", "first"}
"""Words after which a verb bids, as it does at the start of a sentence."""
_BESIDES = re.compile(
    r"\b(?:also|in addition|additionally|furthermore|moreover|on top of (?:that|this)|besides"
    r"|while you are at it|as well|another thing|one more thing|plus|and finally|p\.?s\.?)\b",
    re.IGNORECASE,
)
_FEW = 3
_SMALL_WORDS = """
    the and for with that this from have has had are was were will would could should can may must
    not but you your our their them they its it's into onto out who what when where which while then
    than there here please just only one also all any each both his her him she about after before
    until over under upon been being does did doing done make made let get got want wants need needs
    thank thanks kind best regards hello dear cheers
"""
_SMALL = frozenset(_SMALL_WORDS.split())


def asks_more(request: str, text: str, tools: Iterable[str]) -> str | None:
    """Return a sentence that asks for something else than the request; None where there is none.

    ``tools`` are those of the gold plan: what they do may be said even where the request has no verb for it.
    """
    known = stems(request)
    allowed = _kinds(request) | _kinds(" ".join(tools).replace("_", " "))
    besides = len(_BESIDES.findall(request))
    for sentence in SENTENCE.split(text):
        if _bidden(sentence) - allowed and not _bidden(sentence) & allowed:
            return sentence
        besides -= len(_BESIDES.findall(sentence))
        own = stems(sentence)
        new = len(own - known) / max(len(own), 1)
        if _kinds(sentence) and len(own) >= _FEW and new > (0.6 if besides < 0 else 0.8):
            return sentence
    return None


def asks_less(request: str, text: str) -> str | None:
    """Return a sentence of the request of which next to nothing is in the other wording; None without one.

    One that forbids something is such a sentence where the other wording does not forbid it, too.
    """
    told = stems(text)
    for sentence in SENTENCE.split(request):
        own = stems(sentence)
        if len(own) >= _FEW and len(own & told) < 0.2 * len(own):
            return sentence
    return allowed_now(request, text, stems, _kinds)


def stems(text: str) -> set[str]:
    """Return the words that mean something, by their first five letters: ``assigned`` is ``assign`` too."""
    return {word[:5] for word in words_of(text) if len(word) > 2 and word not in _SMALL}


def _kinds(text: str) -> set[str]:
    """Return the kinds of work that the verbs of a text are of; a verb of several kinds is of each."""
    return {kind for word in words_of(text) for kind in _kinds_of(word)}


def _bidden(sentence: str) -> set[str]:
    """Return the kinds of work that a sentence bids somebody to do: its verbs where imperatives stand."""
    words = words_of(sentence)
    return {
        kind
        for before, word in zip([",", *words], words, strict=False)
        if before in _BIDDING
        for kind in _kinds_of(word)
    }


def _kinds_of(word: str) -> set[str]:
    return set() if word == "not" else _KIND_OF.get(_ENDING.sub("", word), set())  # "not" is no "note"
