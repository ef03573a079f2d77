"""What an answer reports as done or announces, where the classifier of refusals alone would get it wrong.

An answer that states what was brought about ("CS0001 is closed") does not decline, whatever else it could
not do; one that only states what forbids the request ("Her balance is 2 days") does, although no word of it
refuses. Neither can be told from the words alone, so both are held against what the episode did.
"""

import json
import re
from collections.abc import Iterator, Sequence

from eops_traj.schema import ToolCall
from eops_traj.tool_effects import is_write, succeeded
from eops_traj.verify.outcome_line import split_outcome
from eops_traj.verify.refusal_features import sentences_of
from eops_traj.verify.refusal_rule import signs

_CLAUSE = re.compile(r"(?<=[.!?;:\n])\s*|,? (?=but\b|and\b|so\b|which\b|while\b)")
_NO_STATE = re.compile(
    r"\b(?:no|not|nothing|none|never|neither|nor|without|cannot|unable|already|if|unless|until|once|before"
    r"|would|could|should|must)\b|n't\b"
)
_WORDS = 3
"""The most words of a state."""


def tells_state(answer: str, calls: Sequence[ToolCall]) -> bool:
    """Check whether a clause has, without a no, a state that the episode's writes brought about."""
    states = {state for call in calls if succeeded(call) for state in _states(call)}
    clauses = [c for c in _CLAUSE.split(answer.replace("\u2019", "'").lower()) if not _NO_STATE.search(c)]
    said = "\n".join(re.sub(r"[\W_]+", " ", clause) for clause in clauses)
    return any(re.search(rf"\b{re.escape(state)}\b", said) for state in states)


def _states(call: ToolCall) -> Iterator[str]:
    """Yield the short texts that a call set, as an answer would write them: ``on hold``."""
    rows = [json.loads(change.after or "{}") for change in call.changes]
    if not call.changes and is_write(call.name):
        rows = [json.loads(call.arguments)]
    for value in (value for row in rows for value in row.values() if isinstance(value, str)):
        words = re.sub(r"[\W_]+", " ", value).strip().lower()
        if len(words) > 2 and words.count(" ") < _WORDS and words.replace(" ", "").isalpha():
            yield words


def reports_deed(answer: str) -> bool:
    """Check whether an answer says that something was done, by its outcome line or in a sentence of it.

    What was done "already" is what was found, and no deed.
    """
    text, outcome = split_outcome(answer)
    found = signs([sentence for sentence in sentences_of(text) if "already" not in sentence.lower()])
    return (outcome is not None and not outcome.declined) or found["done"] or found["was_done"]


def announces(text: str) -> bool:
    """Check whether a text ends with a sentence that announces a step: ``I'll look that up now.``

    What follows the last break is all that can be one, and it is read once: the time is linear.
    """
    body = text.rstrip().rstrip(".!:\u2026")
    *_, last_break = _BREAK.finditer(body)
    return bool(_ANNOUNCEMENT.search(body, last_break.start()))


_BREAK = re.compile(r"\A|[!?\n]|\.(?!\S)| (?:if|when|once|unless)\b", re.IGNORECASE)
_ANNOUNCEMENT = re.compile(
    r"(?:^|[.!?\n][^\S\n]*)(?:now,? |next,? |first,? )?"
    r"(?:let me(?! know)|i'll|i will|i'm going to|i am going to)",
    re.IGNORECASE,
)
