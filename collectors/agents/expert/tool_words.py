"""Tools and reasons in words: what a call is for, as a person would say it, to come or done."""

import re

from eops_traj.tool_effects import DOUBTFUL_VERBS, READ_VERBS, WRITE_VERBS

_MANNERS = frozenset({"batch", "bulk", "quick", "soft", "email", "calendars", "read"})
"""Words before the verb in a tool's name that say how or where."""

_PLAIN = {
    "enlist": "enter", "fetch": "look up", "find": "look up", "get": "look up", "insert": "add",
    "list": "look through", "map": "link", "modify": "change", "patch": "change", "provision": "set up",
    "put": "set", "query": "check", "resolve": "decide on", "retrieve": "look up", "search": "search",
    "import": "bring in", "enable": "turn on",
    "disable": "turn off", "untrash": "fetch back", "watch": "set a watch on",
}  # fmt: skip
_SHORT = {
    "acl": "access", "hr": "HR", "sla": "SLA", "cse": "encryption", "smime": "S/MIME", "imap": "IMAP",
    "pop": "POP",
    "freebusy": "busy times", "ci": "device", "slas": "SLAs", "teamwork": "team",
    "accessproposals": "access proposals", "cis": "devices",
}  # fmt: skip
_ORDER_WORDS = """
alert announce answer ask call close confirm decide forward give grade greet hand keep label let log make name
note open plan prepare raise reach report retire say see sort start stop suggest take tell throw track turn
use wait
"""
_AMBIGUOUS = frozenset({"has", "is", "post", "soft", "updated", "total", "order", "pin", "map"})
"""Verbs in tools' names that begin a reason as something else."""

_VERBS = WRITE_VERBS | READ_VERBS | DOUBTFUL_VERBS
_ORDERS = (_VERBS | frozenset(_ORDER_WORDS.split())) - _AMBIGUOUS
_QUESTIONS = frozenset({"who", "whom", "whose", "what", "when", "where", "which", "whether", "how"})
_LINKS = frozenset({"in", "on", "from", "to", "at", "with", "for"})
_ARTICLES = frozenset({"the", "a", "an", "its", "their", "his", "her", "your", "both"})
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|goes|gets|ends|joins|becomes|stays|changes|owns|may|can|takes|waits|runs"
    r"|stands|comes|names|solved|helped|rests|leads|plans|works|gives|starts)\b"
)
_RELATIVE = re.compile(r"\b(?:that|who|whom|whose|which|where|when|to|of|for|with|by|about)\b")
_IRREGULAR = {
    "bring": "brought", "find": "found", "fetch": "fetched", "get": "got", "give": "gave", "keep": "kept",
    "leave": "left", "let": "let", "make": "made", "pay": "paid", "put": "put", "read": "read", "say": "said",
    "see": "saw", "send": "sent", "set": "set", "take": "took", "tell": "told", "throw": "threw",
    "write": "wrote", "hide": "hid", "withdraw": "withdrew",
}  # fmt: skip
_DOUBLING = frozenset({"plan", "stop", "log", "pin", "drop", "map", "tag", "submit"})


def kind_of_reason(reason: str) -> str:
    """Classify a reason by its form: a question, an order, a thing, a statement, or none of these."""
    words = re.findall(r"[^\s,;:]+", reason)
    if not words:
        return "none"
    first = words[0].lower()
    if first in _QUESTIONS or (first in _LINKS and len(words) > 1 and words[1] in _QUESTIONS):
        return "question"
    if first in _ORDERS and words[0].islower():
        return "order"
    if _FINITE.search(_RELATIVE.split(reason, maxsplit=1)[0]):
        return "statement"
    return "thing" if first in _ARTICLES else "none"


def tool_phrase(tool: str) -> str:
    """Return what a tool does, in words: ``update_case`` is ``update the case``."""
    words = [w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", tool)]
    verbs = [i for i, word in enumerate(words) if word in _VERBS and word not in _MANNERS]
    at = verbs[0] if verbs else 0
    what = words[at + 1 :]
    for stop in ("by", "using", "for", "to", "from", "in"):
        what = what[: what.index(stop)] if stop in what[1:] else what
    shown = " ".join(_SHORT.get(word, word) for word in what if word != "details")
    return f"{_PLAIN.get(words[at], words[at])} {f'the {shown}' if shown else 'it'}"


def thing_of(tool: str) -> str:
    """Return what a tool is about: ``the case`` for ``update_case``."""
    return re.sub(r"^.*?(?=the |it$)", "", tool_phrase(tool), count=1)


def action(tool: str, reason: str, writes: bool) -> str:
    """Return what a call is to do, to follow "I will": by its reason if that can be, else by its tool."""
    kind = kind_of_reason(reason)
    if kind == "order":
        return reason
    if kind == "question" and not writes:
        return f"see {reason}"
    phrase = tool_phrase(tool)
    if kind != "thing":
        return phrase
    verb = phrase.split(" the ")[0].removesuffix(" it").replace("look through", "look up")
    return f"{'set' if verb in ('update', 'change') else verb} {reason}"


def past(words: str) -> str:
    """Return an action as done: ``open it and tell them`` is ``opened it and told them``."""
    for joined in re.finditer(r" and (?=(\w+) )", words):
        if joined[1] in _ORDERS:
            return f"{past(words[: joined.start()])} and {past(words[joined.end() :])}"
    verb, _, rest = words.partition(" ")
    if verb in _IRREGULAR:
        done = _IRREGULAR[verb]
    elif verb.endswith("e"):
        done = verb + "d"
    elif re.search(r"[^aeiou]y$", verb):
        done = verb[:-1] + "ied"
    else:
        done = verb + (verb[-1] if verb in _DOUBLING else "") + "ed"
    return f"{done} {rest}".strip()
