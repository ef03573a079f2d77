# ruff: noqa: E501 - a wording with its alternatives reads better in one piece
"""The genres in which people send requests: most say plainly what they want; some write a mail, a ticket or notes.

A genre takes the parts of a request, in order, and the name of who asks, and returns the text. What it adds
says nothing about the matter, and is worded in many ways (`eops_traj.taskgen.wording`).
"""

from collections.abc import Callable, Sequence
from random import Random

from eops_traj.taskgen.wording import vary

Genre = Callable[[Random, Sequence[str], str], str]

_GREETINGS = (
    "Hi,", "Hello,", "Good morning,", "Morning all,", "Hi team,", "Hello there,", "Dear colleagues,", "Hey,",
    "Hi everyone,", "Dear all,", "Good morning team,", "Hello team,",
)  # fmt: skip
_THANKS = (
    "Thanks,", "Thank you,", "Many thanks,", "Cheers,", "Best,", "Regards,", "Kind regards,", "Best wishes,",
    "With thanks,", "All the best,",
)  # fmt: skip
_LINKS = (
    "Next:", "Then:", "After that:", "Second:", "And also:", "With that in place:", "On top of it:", "Further:",
    "Last:", "Moving on:", "Plus:", "Following on from there:",
)  # fmt: skip
_CHAT = (
    "[Got|Have you] a [minute|moment|second]?", "[Small|Quick|Little] [one|job|favour] [for you|from me][| today]:",
    "[Ping|Hello again] from [me|my side].", "[One thing|Something] [before lunch|before the stand-up|for this morning]:",
    "[Are you|You] there? [Here is one|I have something].", "[New week, new|Another] [request|job]:",
    "[Need|I could use] [your help|a hand|some help] [here|on this one].", "Me again.",
)  # fmt: skip
_SPOKEN = (
    "[Right|Okay|So], [let me explain|let me talk you through it|this is how it stands].",
    "[I am dictating this|Voice note] [on my way in|between two meetings|from the car].",
    "[Well|So], [bear with me|it goes like this|listen].",
    "[As I was just saying|As mentioned] [on the phone|at the desk|in the corridor]:",
    "[Take this down|Write this down], [please|if you would].", "[Okay, here goes|Here we go].",
)  # fmt: skip
_FORWARDED = (
    "[I wrote this|This went out] [on Friday|last week|before the holidays] and [nobody picked it up|it got stuck|"
    "it seems to have been lost], so [here it is again|once more]:",
    "[Forwarding|Sending on] [my own note|what I wrote] [from last week|from Friday], [unanswered so far|still open]:",
    "[Resending|Repeating] this, [the first one bounced|it went to the wrong queue|it never got a reply]:",
    "[See below|My note below] [stands|still holds], [nothing has changed since|no word of it is different]:",
    "[Second try|Another try], [since the first mail|as the first one] [had the wrong address|ended up in a shared folder]:",
)  # fmt: skip
_TICKET = (
    "[Type|Category]: [request|service request|change of records]",
    "[Source|Channel]: [self-service|portal|desk]", "[Kind of work|Nature]: [routine|administration|housekeeping]",
    "[Status|Stage]: [new|to be done|open]", "[Handled by|For]: [the assistant|whoever is on duty]",
)  # fmt: skip
_RAISED = ("Requester", "Raised by", "From", "Contact", "Asked by", "Entered by")
_DETAILS = ("Details", "Description", "What is needed", "Work to do", "Request", "Text")
_NOTES = (
    "[Actions|To do|Follow-ups|Agreed] [from|after] [this morning's|Friday's|the weekly|the nine o'clock] "
    "[stand-up|review|round|meeting|call]:",
    "[Notes|Minutes] [of|from] [the hand-over|the planning round|our weekly|the morning call], [my part|what is left]:",
    "[What we settled|What came out of it|Left over] [this morning|on Friday|at the review]:",
    "[On my list|My list] [for today|after the meeting]:", "[Open points|Points to close] [from|of] [the round|the call]:",
)  # fmt: skip
_AS_A_WHOLE = (
    "[Treat|Take|Handle] [this|all of it|it] as one [piece|job|package]: [everything|the whole lot] or [nothing|none].",
    "If [any|one] [bit|piece|part] [turns out impossible|cannot be done|is ruled out], [leave|do not touch] the [rest|others]"
    "[ either| too|].",
    "[Half of it|A part of this|Doing half] [is of no use to us|helps nobody|is worse than nothing], so [check|"
    "make sure] [first|beforehand] that [all|the whole] [of it is possible|works|can go ahead].",
    "[Should [something here|a step|anything in this] [prove impossible|not be allowed|fall through]|In case [something"
    " here|a step|anything in this] [proves impossible|is not allowed|falls through]], [change|alter] nothing [at all|whatsoever] and [tell me|let me know|report back].",
    "[Keep|I want] it all-or-nothing: where [one step|a single part] [is barred|fails|may not be done], [the "
    "others wait|none of the rest happens].",
    "[Nothing|No part] of [this|it] [should|may] [happen|go ahead] [unless|if not] [every part|all of it|each step] [can|may].",
    "[The steps|These points] [belong|go] together; [one|any] that is [not possible|off limits] [stops|rules out] them all.",
    "[Begin|Start] only [once|when] [you know|it is clear] that [every point|each of these] [is open to you|can be settled].",
    "[A half-done|A partly finished] [job|change] would [confuse everybody|cost us more|have to be undone], so [rather|better] "
    "[leave it|do none] if [something|a rule] [stands in the way|forbids a part].",
    "[Do not split|Please never split] [them|these]: [a no|a refusal] [to one|on any point] [is a no to|counts for] all.",
    "[Where|If] the rules [exclude|speak against] [a part|one item], [hold off|stay away] from [everything else|the whole].",
    "[My boss|Our lead|The department] will [only accept|sign off on] the [complete set|whole lot], [not|never] [bits|fragments] of it.",
    "[Verify|Look] [up front|before you write anything] [whether|that] [none|no part] is [blocked|out of bounds], [else|otherwise] "
    "[drop|skip] the lot.",
    "[Either it all goes through|It is done in full], or [we keep|everything keeps] [the old state|its present state].",
    "[I would rather|Better to] [wait|have nothing done] than [end up|be left] with [one half|a part] of it.",
    "[Undoing|Cleaning up] [half a job|a broken attempt] [took us|cost] [hours|a day] [last time|once]: [first|so] [see|find out] "
    "[if|whether] it [all holds|can be completed], and [stay out|leave off] if not.",
)  # fmt: skip


def plain(rng: Random, parts: Sequence[str], name: str) -> str:
    """Say it in one go, as most do."""
    pieces = [parts[0]]
    for part in parts[1:]:
        pieces += [rng.choice(_LINKS), part] if rng.random() < 0.3 else [part]
    return " ".join(pieces)


def paragraphs(rng: Random, parts: Sequence[str], name: str) -> str:
    """Give each part a paragraph of its own."""
    return "\n\n".join(parts)


def mail(rng: Random, parts: Sequence[str], name: str) -> str:
    """Write a mail: a greeting, and a name below."""
    return f"{rng.choice(_GREETINGS)}\n\n{paragraphs(rng, parts, name)}\n\n{rng.choice(_THANKS)}\n{name}"


def chat(rng: Random, parts: Sequence[str], name: str) -> str:
    """Write into a chat: a word before, no name."""
    return f"{vary(rng, rng.choice(_CHAT))} {plain(rng, parts, name)}"


def spoken(rng: Random, parts: Sequence[str], name: str) -> str:
    """Say it aloud, for somebody to take down."""
    return f"{vary(rng, rng.choice(_SPOKEN))} {plain(rng, parts, name)}"


def forwarded(rng: Random, parts: Sequence[str], name: str) -> str:
    """Send an earlier note of one's own again, quoted."""
    quoted = "\n>\n".join(f"> {part}" for part in parts)
    return f"{vary(rng, rng.choice(_FORWARDED))}\n\n{quoted}"


def ticket(rng: Random, parts: Sequence[str], name: str) -> str:
    """Fill in a form."""
    fields = [vary(rng, rng.choice(_TICKET)), f"{rng.choice(_RAISED)}: {name}"]
    rng.shuffle(fields)
    return "\n".join([*fields, f"{rng.choice(_DETAILS)}: {plain(rng, parts, name)}"])


def notes(rng: Random, parts: Sequence[str], name: str) -> str:
    """List the points of a meeting."""
    return "\n".join([vary(rng, rng.choice(_NOTES)), *(f"- {part}" for part in parts)])


GENRES: dict[Genre, int] = {
    plain: 58, paragraphs: 10, mail: 7, chat: 5, spoken: 4, forwarded: 5, ticket: 6, notes: 5,
}  # fmt: skip
"""Each genre with its share, in hundredths."""


def choose_genre(rng: Random) -> Genre:
    """Choose a genre, the common ones more often."""
    return rng.choices(list(GENRES), list(GENRES.values()))[0]


def as_a_whole(rng: Random) -> str:
    """Ask for all parts or none: otherwise a part of a request might rightly be done, and the rest not."""
    return vary(rng, rng.choice(_AS_A_WHOLE))
