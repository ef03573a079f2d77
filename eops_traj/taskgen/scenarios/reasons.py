"""What an answer that declines has to say, in the words in which people say it.

Each constant is a group of alternatives, as `Scene.require` takes them: one of them has to begin a word of
the answer. Whose or what it is about stands in a group of its own.
"""

MISSING = (
    "there is no|there's no|there are no|there isn't|there is not|isn't there|not there|not found|not find"
    "|couldn't find|can't find|cannot find|unable to find|didn't find|don't find|failed to find|find no"
    "|find any|find nothing|finds no|found no|found none|no such|no match|no longer there|not exist"
    "|doesn't exist|don't exist|didn't exist|no longer exist|none exist|nonexist|missing|not locate"
    "|couldn't locate|can't locate|cannot locate|unable to locate|not be found|not be located|fewer than"
    "|zero|not have|no document|no item|not appear|none is called|nothing called|came back empty"
    "|comes back empty|is empty|contains nothing|not see|couldn't see|isn't one|not one you|lacks|no file"
    "|no folder|no drive|no shared drive|no mail|no email|no messages from|no message from|no label"
    "|no filter|no draft|no certificate|no address|no alias|no identity|no encryption|no comment|no remark"
    "|no channel|no team|no case|no ticket|no request|not in|not among|not listed|not a member|isn't in"
    "|isn't a member|not part of|not one of|does not belong"
)
"""It is not there."""
SEVERAL = (
    "several|more than|multiple|ambiguous|not exactly one|not unique|another|a second|too many|extra"
    "|additional|more mail|more message|more email|different number|not the only|not clear which|same name"
    "|the name of just one"
)
"""There is more of it than the request says."""
CONTRADICTORY = (
    "contradict|conflict|both|at once|at the same time|incompatible|mutually|exclude|opposite|and also"
    "|inconsistent|cannot be|can't be"
)
"""Two wishes of the request cannot be had together."""
_COUNTED = (
    "{0} mail|{0} message|{0} email|{0} match|{0} such|{0} of them|{0} instead|are {0}|found {0}|has {0}"
)
LEFT = (
    "left|leaver|no longer|inactive|not active|isn't active|deactivated|disabled|former|departed|gone"
    "|suspended|not employed|closed|not enabled|isn't enabled|switched off|turned off|shut"
)
"""Somebody has left, and the account is closed."""
TAKEN = (
    "busy|taken|not free|isn't free|aren't free|occupied|booked|conflict|clash|overlap|unavailable|engaged"
    "|not available|isn't available|aren't available|another meeting|another event|another appointment"
    "|site visit|something else|no time|has a|have a"
)
"""Somebody has something else at that time."""
NO_RIGHT = (
    "permission|permit|right|role|allowed|authori|privilege|entitled|insufficient|may not|capabilit|can share"
    "|canShare|lack|only comment|only read|read access|commenter|reader|writer|admin|organizer|fileOrganizer"
    "|manager|denied|no access|belongs to|not yours|isn't yours|only view|view only"
)
"""The role of who asks is too low."""


def so_many(count: int, word: str) -> str:
    """Return the alternatives by which an answer may say how many mails there are."""
    return "|".join(_COUNTED.format(number) for number in (count, word))


def known_as(name: str) -> str:
    """Return the alternatives by which an answer may name a person: first or last name."""
    return "|".join(dict.fromkeys((name.split()[0], name.split()[-1])))
