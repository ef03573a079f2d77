"""What a request about a mailbox may ask for besides: one of its settings, or a number of what is in it.

Each takes the name of its owner, empty for who asks, the owner's id, and what look-ups call the mailbox.
"""

from collections.abc import Callable
from functools import partial

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import Besides, Course, Extra, Sentence, besides
from eops_traj.taskgen.scene import Row, Scene

LANGUAGES = {"British English": "en-GB", "Japanese": "ja", "German": "de", "French": "fr", "Spanish": "es"}
WINDOWS = {"allMail": "all mail", "fromNowOn": "only what arrives from now on"}
"""What POP may fetch, and how a request says it."""

_LANGUAGE = (
    """[The menus of|All menus in] {it} [should be in|are to be in|change to] {language} [from now on|as of
    today|for good].""",
    """[Display|Show] {it} in {language}, [which is easier for whoever reads there|as was agreed in
    December|since the old language helps nobody].""",
    """[On this occasion|In the same go], the display language of {it} [becomes|should become] {language}[,
    instead of what is there|, whatever it was|].""",
    """[Somebody chose|At some point somebody chose] the wrong language for {it}: [it should be|what is wanted
    is] {language}, [so set it|which you can set].""",
    """[As for the language|Concerning the language] of {it}, {language} [is the one to set|has to be set
    there|is what we use].""",
    """[The last course was|Our handbook is] in {language}, so [let {it} appear in that language|that is the
    language in which {it} should appear].""",
)
_IMAP = (
    """By IMAP, a folder of {it} [should show|is to show] {size} messages at most, [all other IMAP settings
    staying as they are|and nothing else about IMAP changes].""",
    """[Mail programs are slow with|The mail programs struggle with] large folders, so let IMAP show {size}
    messages a folder in {it}[, no more|, at the most], [without another change to IMAP|other IMAP settings
    left alone].""",
    """[Limit|Put a limit on] IMAP folders in {it}: {size} messages each, [whatever else is set for IMAP
    remains|the other values of IMAP being kept].""",
    """{size} messages [are enough for|is the limit of] an IMAP folder in {it}; [set that and no other IMAP
    value|the other IMAP values stay].""",
    """[The size of a folder|How long a folder may be] in {it} when seen by IMAP [becomes|is now] {size}
    messages, [the remaining IMAP settings untouched|with IMAP otherwise as before].""",
    """[One value of IMAP has to change in|There is one IMAP value to change in] {it}, the number of messages
    that a folder may show: {size}.""",
)
_POP = (
    """POP [may be used|is allowed] for {it} [from today|again], for {window}; what happens to fetched mail
    [is not changed|remains as it is].""",
    """[Let POP programs fetch|Programs should be able to fetch by POP] {window} of {it}, [with fetched mail
    treated as it is set now|without a change to the fate of fetched mail].""",
    """[By POP|Over POP], {window} [can be had|is to be had] from {it}, [everything else about POP being
    right|and that is all about POP].""",
    """[Open|Please open] {it} to POP for {window}, [leaving what becomes of fetched mail|and leave what
    becomes of a fetched mail as it is].""",
    """[An old program|The old scanner software] needs POP in {it}, for {window}; [nothing else is set
    there|the second POP setting stays].""",
    """[POP is off in|POP has been off for] {it}, which [is no longer right|should end]: {window} may be
    fetched, [the other POP value unchanged|and the other value stays].""",
)
_FILTERS = (
    """How many filters [does {it} have|are there in {it}] [at the moment|today]? [I have to report it|Tell me
    the number].""",
    """[For our statistics|For my list] I also need the number of filters in {it}, [as it is now|before
    anything changes].""",
    """[Tell me as well|Say in your answer] how many filters {it} [has|contains], [since people ask|for the
    record].""",
    """[Somebody claims|A colleague claims] that {it} is full of filters, so [count them for me|let me know
    how many there are].""",
    """[Count|Please count] the filters of {it} [while you look around there|on that occasion] and [give
    me|report] the figure.""",
    """[What I would like to know besides|What else I want to know] is how many filters [work|sort] in {it}.
    """,
)
_SENDERS = (
    """[Let me know|Tell me] how many addresses {it} [can send as|lists as senders], its own address [counted
    as one|included].""",
    """From how many addresses [could mail leave {it}|does {it} send, going by its list]? [Count its own
    one|Its own one counts], and pending ones, too.""",
    """[For the audit|For the yearly audit], [give|report to] me the number of sender addresses in {it}, [all
    states taken together|its own among them].""",
    """[I wonder|They ask me] how many sender addresses [stand|are listed] in {it} all in all, [the primary
    one included|with the primary one]; [add that|put it into your answer].""",
    """[I was asked for|Somebody asked for] the number of sender addresses in {it}, its own included, [so put
    it into your answer|and need it in your answer].""",
    """[Add to your report|Report] how many entries the list of senders of {it} has, [counting every one|none
    left out].""",
)
_LABELS = (
    """How many labels [of its owner's own making|besides the built-in ones] [does {it} have|are there in
    {it}]? [I need the figure|Tell me].""",
    """[Say|Tell me] how many labels somebody has created in {it}, [the built-in ones not counted|so without
    the built-in ones].""",
    """[For a comparison|For our comparison of mailboxes], I want the number of labels in {it} that [were
    created by hand|are not built in].""",
    """[Your answer|What you write back] should give the number of labels in {it}, [built-in ones aside|those
    of the system not among them].""",
    """[We argue about|We disagree on] how many labels {it} has, [apart from those of the system|not counting
    what is built in]; [settle it|the number, please].""",
    """[Count|Please count] the labels that [were made|somebody made] in {it}, [leaving out the built-in
    ones|which excludes the built-in ones], and [report the count|tell me how many].""",
)

_SHARE = 0.65
_WHOSE = ("the mailbox of {name}", "{name}'s mailbox", "the said mailbox of {name}", "{name}'s own mailbox")
_OWN = ("my mailbox", "my own mailbox", "this mailbox of mine", "the mailbox that I use")
_WINDOW_WORDS = {
    "allMail": ("all mail", "all the mail there is", "whatever mail there is"),
    "fromNowOn": ("only what arrives from now on", "new mail alone", "nothing but mail yet to come"),
}

Setting = Callable[..., Course]


def show_in(s: Scene, it: str, owner: str, box: str) -> Course:
    """Show the mailbox in another language."""
    now = s.pick("SELECT display_language AS code FROM language_settings WHERE user_id = :id", id=owner)
    language = s.rng.choice(sorted(LANGUAGES))
    if now["code"] == LANGUAGES[language]:
        raise NoMatch(f"{language} already")
    _once(s, "language", owner)
    yield Sentence(_LANGUAGE, {"it": _call(s, it), "language": language})
    s.do("get_language_settings", "the language so far", userId=box)
    yield None
    s.do("update_language_settings", language, userId=box, displayLanguage=LANGUAGES[language])


def limit_folders(s: Scene, it: str, owner: str, box: str) -> Course:
    """Folders show fewer messages by IMAP, and all else about IMAP stays."""
    size, fate = s.rng.choice(("1000", "2000", "5000")), s.rng.choice(("trash", "deleteForever"))
    _once(s, "imap", owner)
    s.arrange("UPDATE imap_settings SET expunge_behavior = :fate WHERE user_id = :id", fate=fate, id=owner)
    yield Sentence(_IMAP, {"it": _call(s, it), "size": size})
    now = s.do("get_imap_settings", "what holds for IMAP now", userId=box)
    yield None
    s.do("update_imap_settings", "the size of folders, and the rest as it was", userId=box,
         enabled=now["enabled"], autoExpunge=now["autoExpunge"], expungeBehavior=now["expungeBehavior"],
         maxFolderSize=size)  # fmt: skip
    s.rule("What IMAP expunges meets the fate that it met before",
           "SELECT enabled || expunge_behavior FROM imap_settings WHERE user_id = :id",
           expected=f"1{fate}", id=owner, category="integrity")  # fmt: skip


def open_pop(s: Scene, it: str, owner: str, box: str) -> Course:
    """Programs may fetch by POP, and what happens to fetched mail stays."""
    window, fate = s.rng.choice(sorted(WINDOWS)), s.rng.choice(("archive", "markRead", "trash"))
    _once(s, "pop", owner)
    s.arrange("UPDATE pop_settings SET disposition = :fate WHERE user_id = :id", fate=fate, id=owner)
    yield Sentence(_POP, {"it": _call(s, it), "window": s.rng.choice(_WINDOW_WORDS[window])})
    now = s.do("get_pop_settings", "what holds for POP now", userId=box)
    yield None
    s.do("update_pop_settings", "what may be fetched, and the rest as it was", userId=box,
         accessWindow=window, disposition=now["disposition"])  # fmt: skip
    s.rule("What POP has fetched meets the fate that it met before",
           "SELECT disposition FROM pop_settings WHERE user_id = :id",
           expected=fate, id=owner, category="integrity")  # fmt: skip


def count_filters(s: Scene, it: str, owner: str, box: str) -> Course:
    """Tell the number of filters."""
    yield Sentence(_FILTERS, {"it": _call(s, it)})
    found = s.do("list_filters", "how many there are", userId=box)["filter"]
    s.answer("how many filters there are", count(found))


def count_senders(s: Scene, it: str, owner: str, box: str) -> Course:
    """Tell the number of addresses that the mailbox sends as."""
    yield Sentence(_SENDERS, {"it": _call(s, it)})
    found = s.do("list_send_as_aliases", "how many there are", userId=box)["sendAs"]
    s.answer("how many addresses it sends as", count(found))


def count_labels(s: Scene, it: str, owner: str, box: str) -> Course:
    """Tell the number of labels that are not the system's."""
    yield Sentence(_LABELS, {"it": _call(s, it)})
    found = s.do("list_labels", "how many there are", userId=box)["labels"]
    s.answer("how many labels there are", count(found.every(type="user")))


def _call(s: Scene, name: str) -> str:
    """Return words for the mailbox of somebody, or one's own where no name is given."""
    words = _WHOSE if name else _OWN
    return s.rng.choice(words).format(name=name)


def _once(s: Scene, what: str, owner: str) -> None:
    """Note that a setting is asked for. Raises NoMatch where an earlier part of a chain has set it."""
    asked = s.facts.setdefault("settings asked for", set())
    if (what, owner) in asked:
        raise NoMatch(f"{what} is set already")
    asked.add((what, owner))


_EXTRAS: dict[str, Setting] = {
    "language": show_in, "imap": limit_folders, "pop": open_pop,
    "filters": count_filters, "senders": count_senders, "labels": count_labels,
}  # fmt: skip


def perhaps(s: Scene, *extras: Extra) -> Besides:
    """Draw some of these extras, in the greater part of requests; in the others there is none."""
    return besides(s, *(extras if s.chance(_SHARE) else ()))


def about_mailbox(row: Row, *but: str) -> tuple[Extra, ...]:
    """Return what may be done besides in somebody's mailbox; ``but`` this, which the work is about."""
    told = {"it": row["name"], "owner": row["id"], "box": row["email"]}
    return tuple(partial(extra, **told) for name, extra in _EXTRAS.items() if name not in but)


def about_own(me: Row, *but: str) -> tuple[Extra, ...]:
    """Return what may be done besides in the caller's own mailbox; ``but`` this, which the work is about."""
    told = {"it": "", "owner": me["id"], "box": "me"}
    return tuple(partial(extra, **told) for name, extra in _EXTRAS.items() if name not in but)
