"""Texts of the fallible expert: before its calls, when all is done, and where it declines or gives up."""

from collections.abc import Sequence
from random import Random

_BEFORE_LOOKUP = ("", "", "{}.", "To look up: {}.", "Checking: {}.", "Before anything is changed: {}.")
_BEFORE_WRITE = ("", "", "{}.", "Next: {}.", "Now this: {}.", "That fits. Next step: {}.")
_DONE = (
    "All done. Steps taken: {}.",
    "Done. In order: {}.",
    "Everything has been completed as you asked: {}.",
    "This has been taken care of. What I did: {}.",
    "I have completed your request. In short: {}.",
    "Finished. These were the steps: {}.",
)
_DECLINE = (
    "I can't do this: {}. Nothing was changed.",
    "I'm sorry, but I cannot carry this out, because {}. I have changed nothing.",
    "I have to decline this request: {}. No changes were made.",
    "I'm unable to go ahead with this, since {}. Nothing has been changed.",
    "This request has to be turned down. I cannot do it because {}; no changes were made.",
    "I must decline: {}. I did not make any changes.",
)
_ANNOUNCE = (
    "Good. Next, I'll do this: {}.",
    "Now I will see to the next step: {}.",
    "Let me get on with the next step, {}.",
    "Right. I'm going to do this now: {}.",
)
_ASK = (
    "I could not tell for certain which record you mean. Please confirm the details and send me its id.",
    "Before anything is changed I need more information from you. Could you confirm which one you mean?",
    "I'm not able to proceed without further details. Please provide the missing information.",
)
_GIVE_UP = (
    "I could not finish this: {}.",
    "I was unable to complete the request. The last call was refused: {}.",
    "I can't get any further here: {}.",
)
_EXCUSES = (
    "the policy does not allow this change without a written approval",
    "I don't have the permission that this needs",
    "changes of this kind are not permitted for the account in question",
    "the record is locked for changes by anyone outside its own team",
)


def before(rng: Random, reason: str, writes: bool) -> str:
    """Return the text of a turn whose call is made for this reason; often nothing."""
    return _capitalized(
        rng.choice(_BEFORE_WRITE if writes else _BEFORE_LOOKUP).format(reason) if reason else ""
    )


def done(rng: Random, reasons: Sequence[str]) -> str:
    """Return the answer that reports everything done."""
    return rng.choice(_DONE).format("; ".join(reasons) or "what the request asked for")


def decline(rng: Random, reason: str) -> str:
    """Return the answer that declines, changing nothing."""
    return rng.choice(_DECLINE).format(_clause(reason))


def excuse(rng: Random) -> str:
    """Return a refusal that has no ground."""
    return decline(rng, rng.choice(_EXCUSES))


def break_off(rng: Random, reason: str) -> str:
    """Return the text of stopping before the work is done: an announcement, a question, or none."""
    announced = rng.choice(_ANNOUNCE).format(_clause(reason) or "the look-ups")
    return rng.choice((announced, rng.choice(_ASK), ""))


def give_up(rng: Random, complaint: str) -> str:
    """Return the text of giving up after a refused call."""
    return rng.choice(_GIVE_UP).format(_clause(complaint)[:200])


def _clause(reason: str) -> str:
    """Return a reason as part of a sentence: in one piece, without the full stop."""
    return " ".join(reason.replace(". ", ", ").replace("; ", ", ").split()).rstrip(".!? ")


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
