"""What an answer that declines has to say where records of a service desk are concerned (CSM, ITSM, HR).

Groups of alternatives like those of `eops_traj.taskgen.scenarios.reasons`, but narrow: two obstacles of one
record (somebody has left, or is in another group) must not pass for each other.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

INACTIVE = (
    "inactive|no longer active|not active|isn't active|not currently active|no longer an active|not an active"
    "|isn't an active|no active|deactivated|disabled|switched off|active is false|active: false"
    "|active=false|active = false|active flag|left the company|has left|no longer work|no longer employed"
    "|no longer with|no longer here|former|not in use|isn't in use|no longer in use"
)
NAMESAKES = (
    "two|2|more than one|several|multiple|ambiguous|same name|share|namesake|not unique|not the only"
    "|which one|which of|another person|different people|not exactly one"
)
MISSING = (
    "there is no|there's no|there are no|no case|no ticket|no incident|no change with|no problem"
    "|no product|no device|no installed|no piece|no unit|no group|no user|no service|no template"
    "|no location|no site|no article|no such|not found|not find|couldn't find|can't find|find no|find any"
    "|found no|finds no|unable to find|unable to locate|not locate|couldn't locate|can't locate|not exist"
    "|doesn't exist|don't exist|no longer exist|nonexistent|not in the system|not in our"
    "|isn't in the system|isn't in our|not listed|not registered|no record|no match|not match|no result"
    "|unknown|not on record|not on file|missing|not appear|doesn't appear|not be found|came back empty"
    "|comes back empty|none is called|nothing called|not see|couldn't see|isn't among|not among|zero"
)
TAKEN = "already|exist|taken|in use|not unique|isn't unique|not new|not free|isn't free|duplicate|same name"
EXPIRED = (
    "expired|expiry|run out|ran out|has ended|ended|over since|lapsed|no longer valid|no longer in force"
    "|no longer hold|no longer cover|no longer under|not under|isn't under|out of warranty|not valid"
    "|not in force|not hold|doesn't hold|not current|past its|end date|valid until|valid only until"
    "|out of date"
)
NOT_MEMBER = (
    "not a member|isn't a member|no longer a member|not currently a member|not an active member|no member"
    "|only members|membership|not belong|doesn't belong|no longer belong|not in|isn't in|no longer in"
    "|not part|isn't part|not on|isn't on|outside"
)
RETIRED = (
    "retired|disposed|scrapped|decommissioned|discontinued|out of use|not in use|isn't in use"
    "|no longer in use|no longer offered|not offered|no longer sold|not sold|not in stock|isn't in stock"
    "|no longer in stock|not in_stock|withdrawn|unavailable|not available"
)
OTHER_ORGANIZATION = "organi|tenant|ORG_"
BEFORE = "before|earlier|prior|preced|after|later|past|backward|reverse"
_RIGHT = (
    "role|permission|permit|rights|right to|right for|no right|the right|not authori|isn't authori"
    "|aren't authori|no authori|unauthori|authority|authorized|authorised|privilege|not allowed"
    "|isn't allowed|aren't allowed|allowed to|no access|have access|access level|access is|access was"
    "|sufficient access|insufficient|only|reserve|restricted|entitle|not an|not a|isn't an|isn't a"
    "|aren't an|aren't a|neither|lack|must come|has to come"
)
_TAKES = (
    "need", "needs", "need to be", "require", "requires", "takes", "must be", "has to be", "have to be",
    "at least", "up to",
)  # fmt: skip
"""What says so of a role alone: "it needs a manager", but not "I need your manager's answer"."""
_WHOSE = (
    "you|your|caller|requester|requestor|requesting|asker|asking|who asks|reserve|restricted|require|entitle"
    "|takes the role|takes a|must come|has to come|only admin|only an admin|only a manager or"
    "|only managers and|only managers or|only agents|only staff|only by"
)
_MONTHS = tuple(f"{date(2026, number, 1):%B}" for number in range(1, 13))
_COMPLETE = "closed|already complete|been completed|was completed|is complete"
_SPELLINGS = {"canceled": "cancelled", "cancelled": "canceled", "closed_complete": _COMPLETE}


def no_right(*roles: str) -> tuple[str, ...]:
    """Return the groups for a missing right: rights, whose they are, and the role that is held or needed.

    The role that is held comes first.
    """
    needed = [name for role in roles[1:] for name in (role, f"a{'n' * (role[0] in 'aeiou')} {role}")]
    taken = [f"{takes} {name}" for name in needed for takes in _TAKES]
    required = [
        f"{role} {ending}" for role in roles[1:] for ending in ("required", "is required", "is needed")
    ]
    return "|".join((_RIGHT, *taken, *required)), _WHOSE, "|".join((*roles, "your role", "role for"))


def spell_out(*states: str) -> str:
    """Return states as people list them: ``in progress, pending or resolved``."""
    words = [state.replace("_", " ").replace("work in", "in") for state in states]
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def on_day(iso: str) -> str:
    """Return the alternatives by which an answer may name a day."""
    when = date.fromisoformat(iso)
    return f"{iso}|{_in_words(when.day, f'{when:%B}')}"


def on_no_day(words: str, year: int) -> str:
    """Return the alternatives by which an answer may name a day that no year has: ``31 June``."""
    number, month = words.split()
    return f"{year}-{_MONTHS.index(month) + 1:02d}-{number}|{_in_words(int(number), month)}"


def _in_words(number: int, month: str) -> str:
    ordinals = [f"{number}{ending}" for ending in ("", "st", "th")]
    first = [f"{one} {of}{month[:3]}" for one in ordinals for of in ("", "of ")]
    return "|".join([*first, *(f"{name} {one}" for name in (month, month[:3]) for one in ordinals)])


def named(person: Mapping[str, Any]) -> str:
    """Return the alternatives by which an answer may name a person: the whole name, or the last."""
    return f"{person['first_name']} {person['last_name']}|{person['last_name']}"


def in_state(state: str, *needed: str) -> str:
    """Return the group for a record that is in this state and in none of those needed."""
    others = [f"{no} {name}" for name in needed for no in ("not", "isn't", "no longer")]
    words = [state, state.replace("_", " "), _SPELLINGS.get(state, state), *others]
    return "|".join(dict.fromkeys(words))
