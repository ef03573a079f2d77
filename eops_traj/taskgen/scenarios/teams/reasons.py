"""What an answer that declines has to name: the words of reasons that several families of Teams share.

Each is a group of alternatives as `Scene.require` takes it. They are narrow enough that an answer with
another reason, which may well speak of the same people and things, has none of them.
"""

from eops_traj.taskgen.scene import Row

DISABLED = (
    "disabled|deactivated|inactive|not active|isn't active|no longer active|no longer work|no longer with"
    "|no longer enabled|no longer employed|not enabled|isn't enabled|not currently|has left|have left"
    "|left the company|left Corvane|left us|already left|former|switched off|turned off|has gone|is gone"
    "|suspended|accountEnabled"
)
"""The account of somebody is disabled."""

ENABLED = (
    "still enabled|is enabled|still active|is active|currently enabled|currently active|remains enabled"
    "|remains active|not disabled|isn't disabled|not been disabled|not yet disabled|not yet been disabled"
    "|be disabled first|disabled first|disabled before|first be disabled|enabled account|active account"
    "|enabled: true|enabled is true|enabled = true|accountEnabled|can still log in"
)
"""The account of somebody is not disabled yet."""

SEVERAL = (
    "two people|two colleague|two user|two account|two employee|two person|two active|two match|two entr"
    "|two different|two of|two with|two are|two such|2 people|2 users|2 accounts|2 matches|2 results"
    "|2 entries|two persons|2 colleagues|more than one person|more than one colleague|more than one user"
    "|more than one account|more than one employee|more than one match|more than one entr"
    "|more than one result|more than one record|more than one hit|more than one profile"
    "|more than one candidate|more than one of|more than one with|more than one by|more than one named"
    "|more than one called|matches more than one|match more than one|fits more than one|fit more than one"
    "|found more than one|is more than one|are more than one|to more than one|belongs to both|not a unique"
    "|isn't a unique|several"
    "|multiple|namesake|ambig|not unique|isn't unique|same name|same full name|same display name"
    "|share the name|share that name|share a name|shares|both named|both called|both bear|both are"
    "|which one|which of|cannot tell|can't tell"
)
"""More than one person goes by a name."""

NOT_OWNER = (
    "not an owner|not own|not the owner|not one of the owners|not one of its owners|not among"
    "|isn't an owner|aren't an owner|isn't one of|aren't one of|doesn't own|don't own|no owner"
    "|not as owner|not as an owner|not have the role|not hold|not list|only owner|only an owner"
    "|only the owners|only its owners|only a member|only as a member|just a member|are a plain|is a plain"
    "|are an ordinary|is an ordinary|are a regular|is a regular|are a member|are listed as|is listed as"
    "|role of member|role member|role is member|owners only|owners alone|consent of an owner"
    "|consent of one of|owner's consent|consent from an owner|no ownership|without ownership"
    "|lacks ownership|lack ownership|lacks the owner|lack the owner|reserved for owner|owned by"
    "|must be an owner|must own|has to own|needs to own|rather than an owner|rather than owner"
    "|member, not|member and not"
)
"""The one who asks does not own the team."""

PLAIN_MEMBER = (
    "plain member|ordinary member|regular member|normal member|only a member|just a member|is a member"
    "|as a member|role of member|role member|no admin|not an admin|not a user admin|isn't an admin"
    "|without admin|without an admin|without any admin|lacks an admin|lacks the admin|lack an admin"
    "|lack the admin|only admin|only an admin|only a user admin|only user admin|only global admin"
    "|only a global admin|only the global administrator or|only the global administrator can"
    "|needs an admin|needs a user|requires an admin|requires a user|requires user admin|takes a user"
    "|reserved for|members may not|members cannot|members can't|member may not|member cannot|member can't"
    "|must be an admin|must be a user"
)
"""The one who asks has no administrator role."""

MISSING = (
    "no such|no team|no group|no account|no channel|no open channel|no user|no one|nobody|no person"
    "|no security|isn't a team|isn't a group|isn't a channel|isn't an account|isn't an open|isn't any"
    "|is not any|not any|not find|couldn't find|can't find|cannot find|unable to find|find no|found no"
    "|found nothing|finds no|not found|wasn't found|isn't found|not exist|doesn't exist|no longer exist"
    "|nonexistent|non-existent|not there|isn't there|unknown|missing|locate|no match|no result|no entry"
    "|no record|not in the directory|not among|another organi|other organi|different organi|outside"
    "|has been deleted|already deleted|deleted already|is deleted already|not appear|returned no"
    "|returned nothing|not exactly one|zero"
)
"""It is not there."""

TAKEN = (
    "already|taken|in use|same name|same short name|duplicate|another team|another channel|another group"
    "|another webinar|existing|exists|no two|not free|isn't free|not available|isn't available"
    "|unavailable|unique|clash|used by|is used"
)
"""Something else has the name."""

_MEMBERS_ALONE = (
    "only members|only team members|only its members|members only|must be a member|must be members"
    "|have to be members|has to be a member|no membership|without membership|lacks membership"
    "|lack membership|membership is missing"
)
NOT_IN_TEAM = (
    "not a member|isn't a member|no member|not belong|doesn't belong|not in|isn't in|not part|isn't part"
    "|not one of|not among|not on|isn't on|no longer a member|outside|not yet a member"
    "|not currently a member|not list|doesn't list|not include|doesn't include|not contain|doesn't contain"
    f"|missing from|{_MEMBERS_ALONE}"
)
"""Somebody does not belong to the team."""

NO_EMPLOYEE = "contractor|no employee|not an employee|isn't an employee|not employed|employeeType"
"""Somebody is a contractor, who owns nothing."""

BACKWARDS = (
    "before it begins|before it starts|before its|before the start|before the beginning|before it has"
    "|before it would|before they|before beginning|before starting|ends before|end before|ending before"
    "|end is before|end time is before|end time before|end date is before|end date before"
    "|end falls before|end lies before|earlier than|prior to|precede|after the end|after it ends"
    "|after its end|begins after|starts after|backwards|negative"
)
"""The end is before the beginning."""


NO_CHAT = f"{MISSING}|no chat|no group chat|not in|isn't in|aren't in|not part|not a member|not take part"
"""The one who asks is in no such chat."""

UNAPPROVED = (
    "sideload|not approved|isn't approved|unapproved|approved apps|only apps|not an approved|rejected"
    "|not from the store|no approved"
)
"""An app must not be shown in tabs."""


def known_as(row: Row) -> str:
    """Return the alternatives by which an answer may name a person: names, address, and the title."""
    name = str(row["name"])
    forms = (name, name.split()[0], name.split()[-1], row.get("email"), row.get("title"))
    return "|".join(dict.fromkeys(str(form) for form in forms if form))


def several(names: str) -> str:
    """Return the alternatives by which an answer may say that more than one goes by these names."""
    counted = (f"{number} {name}" for name in names.split("|") for number in ("two", "2", "more than one"))
    return "|".join((SEVERAL, *counted))


def asks(caller: Row) -> str:
    """Return the alternatives by which an answer says that it is the one who asks who must be a member.

    "You" alone says nothing: an answer has it in "what you asked for", whoever it goes on to name.
    """
    return (
        f"{known_as(caller)}|you are|you're|you aren't|you were|you do not|you don't|you no longer|you must"
        "|you have to|you need|you would|you lack|your account|your user|your membership|list you"
        "|include you|includes you|contain you|among you|caller|requester|requestor|requesting|asker"
        f"|who asks|this account|signed-in|I am not|I'm not|I do not|I don't|{_MEMBERS_ALONE}"
    )
