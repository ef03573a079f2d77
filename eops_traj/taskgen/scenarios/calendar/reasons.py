"""What an answer that declines has to name: the words of reasons that several families of calendars share.

Each is a group of alternatives as `Scene.require` takes it. They are narrow enough that an answer with
another reason, which may well speak of the same people and things, has none of them.
"""

from eops_traj.taskgen.scene import Row

LEFT = (
    "has left|have left|left the company|left Corvane|already left|inactive|not active|isn't active"
    "|not an active|no longer active|no longer work|no longer with|no longer here|no longer employed"
    "|deactivated|disabled|former|has gone|is gone|is_active"
)
"""Somebody has left the company."""

CLOSED = "closed|holiday|Founders|closure|not open on|aren't open on|nobody works|no one works"
"""The company is closed on a day."""

NO_TIME = "no time|no free|no common|no slot|no gap|not one time|not a single|no half hour"
"""A time was searched for, and there is none."""

BUSY = (
    f"{NO_TIME}|"
    "taken|busy|not free|isn't free|aren't free|not available|isn't available|unavailable|occupied|booked"
    "|clash|conflict|overlap|something else|another appointment|another meeting|another event"
    "|other appointment|other meeting|dentist|double"
)
"""Somebody has something else at a time."""

SEVERAL = (
    "two events|two entries|two of|two with|two such|two called|two named|are two|two calendars|two that"
    "|two fit|two match|two different|find two|found two|two meetings called|two meetings named"
    "|two meetings with|two meetings titled|two meetings on|2 meetings|2 events|2 entries|2 calendars"
    "|more than one|several|multiple|ambig|not unique|isn't unique|same name|same title|both called"
    "|both named|both titled|which one|which of|cannot tell|can't tell|twice"
)
"""More than one thing goes by a title."""

MISSING = (
    "there is no|there's no|there isn't|there is not|no such|no meeting|no event|no calendar|no talk"
    "|no instance|no invitation|isn't any|not any|not find|couldn't find|can't find|cannot find"
    "|unable to find|find no|found no|found nothing|not found|wasn't found|isn't found|not exist"
    "|doesn't exist|no longer|not there|isn't there|unknown|missing|locate|no match|no result|not on your"
    "|isn't on your|not in your|isn't in your|not appear|already cancel|been cancel|is cancel"
    "|cancelled already|canceled already|already called off|taken off|returned no|returned nothing"
    "|shows no|saw no|see no|not see|not come up|doesn't come up|came back empty|none is called"
)
"""It is not there."""

NOT_OWNER = (
    "not an owner|not own|not the owner|isn't an owner|aren't an owner|aren't the owner|don't own"
    "|doesn't own|no owner|only owner|only an owner|only the owner|only its owner|writer|owner's right"
    "|owner role|role of owner|role owner|lacks owner|lacks the owner|lack owner|lack the owner"
    "|must be an owner|rather than owner"
)
"""The one who asks does not own a calendar."""

READ_ONLY = "only read|reader|read only|read it|read access|reading|not write|no write|write access|writer"
"""The one who asks may only read a calendar."""

NOT_ORGANIZER = (
    "not the organi|not its organi|not organi|isn't the organi|aren't the organi|don't organi"
    "|doesn't organi|only the organi|only its organi|organized by|organised by|organizes|organises"
    "|somebody else|someone else|another person|organizer is|organiser is|not yours|belongs to"
)
"""Somebody else organizes a meeting."""

MEETING = "meeting|event|appointment|entry|organizer|organiser|organizes|organises|organized by|organised by"
"""It is about a meeting, of which the one who asks has named only one."""

TAKEN = (
    "already|taken|in use|same name|same title|same id|same uid|duplicate|another calendar|another event"
    "|existing|exists|twice|used by|is used"
)
"""Something else has the name, or the id."""

BACKWARDS = (
    "before it begins|before it starts|before its|before the start|before the beginning|before the first"
    "|ends before|end before|ending before|end is before|end date is before|end date before"
    "|end falls before|end lies before|earlier than|prior to|precede|after the end|after it ends"
    "|after its end|begins after|starts after|backwards|negative|past|1 December|1st December|December 1"
    "|December 1st|1st of December|2025"
)
"""The end is before the beginning."""

PAST = (
    "past|last year|2025|already over|gone by|before today|earlier than today|seven days|7 days|too late|ago"
)
"""A day is gone already."""


def known_as(row: Row) -> str:
    """Return the alternatives by which an answer may name a person: names and address."""
    name = str(row["name"])
    return "|".join((name, name.split()[0], name.split()[-1], str(row["email"])))
