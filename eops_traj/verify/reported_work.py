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
from eops_traj.verify.claims import false_claims
from eops_traj.verify.outcome_line import split_outcome
from eops_traj.verify.refusal_features import sentences_of
from eops_traj.verify.refusal_rule import ADVERBS, DONE_VERBS, NO_REPORT, signs

_CLAUSE = re.compile(r"(?<=[.!?;:\n])\s*|,? (?=but\b|and\b|so\b|which\b|while\b)")
_NO_STATE = re.compile(
    r"\b(?:no|not|nothing|none|never|neither|nor|without|cannot|unable|already|if|unless|until|once|before"
    r"|would|could|should|must)\b|n't\b"
)
_STATE_COLUMN = re.compile(r"stat(?:e|us)|stage|phase|approval|active")
_STATES_IT = re.compile(r"\b(?:is|are|was|were|been|now|i|we)\b|['’](?:s|ve)\b|:")
_WORDS = 3
"""The most words of a state."""


def tells_state(answer: str, calls: Sequence[ToolCall]) -> bool:
    """Check whether a clause has, without a no, a state that the episode's writes brought about.

    An answer that says that nothing was changed tells none, whatever else is so.
    """
    if denies_work(answer):
        return False
    states = {state for call in calls if succeeded(call) for state in _states(call)}
    clauses = [c for c in _CLAUSE.split(answer.replace("\u2019", "'").lower()) if not _NO_STATE.search(c)]
    said = "\n".join(re.sub(r"[\W_]+", " ", clause) for clause in clauses if _STATES_IT.search(clause))
    return any(re.search(rf"\b{re.escape(state)}\b", said) for state in states)


def _states(call: ToolCall) -> Iterator[str]:
    """Yield the states that a call set, as an answer would write them: ``on hold``."""
    rows = [json.loads(change.after or "{}") for change in call.changes]
    if not call.changes and is_write(call.name):
        rows = [json.loads(call.arguments)]
    told = ((name, value) for row in rows for name, value in row.items() if isinstance(value, str))
    for value in (value for name, value in told if _STATE_COLUMN.search(name.lower())):
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


_LOOKED = "opened|completed|applied|recorded|matched|processed"
"""What is done to look something up, or to decide it: "I opened the folder and saw the hold on it."."""
_NOBODY = r"(?! (?:nobody|no-?one)\b)"
_CLAIM = re.compile(
    rf"\b(?:I|we)(?:'ve| have)? {ADVERBS}(?!(?:{_LOOKED})\b)(?:{DONE_VERBS}|e-?mailed|erased|wiped|purged"
    rf"|paid|refunded)\b{_NOBODY}"
    r"|^(?:all |it's |it is |that's )?(?:all )?(?:done|set|finished)[.!]*$|^all (?:set|done)\b"
    r"|^(?:everything|all)\b(?: \w+){0,6} (?:is|was|has been) (?:\w+ )?"
    r"(?:done|complete|completed|finished|taken care of|carried out)\b",
    re.IGNORECASE,
)
_BROUGHT_ABOUT = re.compile(
    rf"\b(?:is|are|was|were|has been|have been) {ADVERBS}(?:{DONE_VERBS})\b{_NOBODY}"
    r"(?!.{0,80}\b(?:by|in|on|at|last|earlier|yesterday)\b)",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\b(?:the|what) (?:rest|remainder|remaining|remains|other (?:half|part|things?|steps?))\b", re.IGNORECASE
)
_DENIES = re.compile(
    r"\bnothing (?:was|has been|is|had been) (?!else|more|further)\w+"
    r"|\bno (?:changes? (?:was|were|has been|have been) made|action was taken)"
    r"|\b(?:made|making) no changes?\b|\b(?:did|done|changed) nothing\b(?! else| more| further)"
    r"|\bI (?:left|leave|'ve left|have left) (?:it|them|that|this|everything|all)\b"
    r"|\b(?:I|we) (?:stopped|stop)\b|\b(?:did not|didn't|have not|haven't) (?:change|touch|do|done)\w* "
    r"(?:anything|any of it|it|this)\b",
    re.IGNORECASE,
)


_UNDONE = re.compile(
    r"\b(?:I|we) (?:(?:did not|didn't|have not|haven't) \w+|(?:saw|see|found|find|have) (?:no|nothing)\b)",
    re.IGNORECASE,
)


def denies_work(answer: str) -> bool:
    """Check whether an answer says that nothing was done, or that all was left as it is."""
    return any(map(_DENIES.search, sentences_of(split_outcome(answer)[0])))


def claims_work(answer: str, calls: Sequence[ToolCall]) -> bool:
    """Check whether an answer says that something was done where no call wrote anything, or did that.

    It speaks of itself ("I have emailed your manager"), of all that was asked for, or of a part of which it
    declines the rest. That a record "was closed" alone may be what was found.
    """
    text, _ = split_outcome(answer)
    if any(succeeded(call) and (call.changes or is_write(call.name)) for call in calls):
        return bool(false_claims(text, calls))
    clauses = [one.strip(" ,") for sentence in sentences_of(text) for one in _CLAUSE.split(sentence)]
    said = [clause for clause in clauses if not NO_REPORT.search(clause) and not clause.endswith("?")]
    brought = any("already" not in one and _BROUGHT_ABOUT.search(one) for one in said)
    return any(map(_CLAIM.search, said)) or (brought and any(map(_REST.search, clauses)))


def reports_work(answer: str, calls: Sequence[ToolCall]) -> bool:
    """Check whether an answer claims work, or reports a deed without saying that nothing was done."""
    return claims_work(answer, calls) or (reports_deed(answer) and not denies_work(answer))


def says_undone(answer: str) -> bool:
    """Check whether an answer that does not decline says the opposite of "done".

    It says that nothing was done, or what was not found or not done and nothing that was, or it asks.
    """
    text, outcome = split_outcome(answer)
    sentences = sentences_of(text)
    found = signs(sentences)
    against = found["not_found"] or found["asks"] or any(map(_UNDONE.search, sentences))
    return outcome is None and (denies_work(text) or (against and not (found["done"] or found["was_done"])))


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
