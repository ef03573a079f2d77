"""A scenario about programs that fetch mail; no training shows it."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email.mailbox_extras import LANGUAGES, WINDOWS
from eops_traj.taskgen.scenarios.email.signatures import pick_language
from eops_traj.taskgen.scene import Scene

DISPOSITION_WORDS = {
    "leaveInInbox": "stays in the inbox",
    "archive": "is archived",
    "markRead": "is marked as read",
}


_REACHED = (  # what is said besides, and what contradicts the rest
    ("Any program may reach it by IMAP.", "Any program may reach it by IMAP, and none may."),
    ("IMAP itself stays on for it.", "IMAP itself stays on for it, and is switched off."),
    ("At the same time other programs may go on by IMAP.",
     "At the same time other programs may go on by IMAP, and may not."),
    ("What else is set for IMAP stays.", "What else is set for IMAP stays, but none of it remains."),
)  # fmt: skip


@family("email", perturbations=("missing_entity", "conflicting_demands", "out_of_scope"), ood=True)
def programs(s: Scene) -> None:
    """Somebody has the mailbox set up for programs: IMAP, POP, and a topic that hears of changes."""
    me = look.pick_user(
        s,
        f"{look.WITH_MAIL}{look.NO_ADMIN} AND EXISTS (SELECT 1 FROM labels b WHERE b.user_id = u.id AND"
        " b.type = 'user')",
    )
    label = s.pick(
        "SELECT id, name FROM labels b WHERE user_id = :me AND type = 'user' AND 1 = (SELECT COUNT(*) FROM"
        " labels c WHERE c.user_id = b.user_id AND c.name LIKE b.name || '%') ORDER BY name",
        me=me["id"],
    )
    topic = f"projects/corvane-mail/topics/{s.rng.choice(('changes', 'desk', 'intake', 'ledger', 'archive'))}"
    size, window, left = (
        s.rng.choice(("1000", "2000", "5000")),
        s.rng.choice(sorted(WINDOWS)),
        s.rng.choice(sorted(DISPOSITION_WORDS)),
    )
    sent = s.rng.choice(("archive", "trash"))
    colleague = s.pick(
        f"{look.PEOPLE}{look.UNIQUE_NAME} AND u.id <> :me AND u.id NOT IN (SELECT d.user_id FROM delegates d"
        " WHERE d.delegate_email = :own) ORDER BY u.id",
        me=me["id"], own=me["email"],
    )  # fmt: skip
    s.perturb("missing_entity", "UPDATE labels SET name = name || ' 2024' WHERE user_id = :me AND id = :id",
              me=me["id"], id=label["id"])  # fmt: skip
    whose = s.phrase("out_of_scope", "my mailbox", f"the mailbox of {colleague['name']}")
    spare = s.phrase("conflicting_demands", *s.rng.choice(_REACHED))
    gone = {"archive": "archived", "trash": "put into the trash"}[sent]
    language = pick_language(s)
    spare += f" Show the mailbox in {language}, too." if language else ""
    s.ask(
        """[A new mail program|The mail program I got last week] needs other settings in {whose}. [By
        IMAP|Over IMAP] a folder shows {size} messages at most, and what is expunged there is {gone}. {spare}
        By POP {window} may be fetched, and what is fetched {left}. The topic {topic} [hears|is to hear] of
        changes under the label {label}; without that label, none of it.""",
        """{whose_start}, [settings for programs|how programs get at it]: POP for {window}, after which the
        message {left}; IMAP with no more than {size} messages a folder, expunged ones being {gone}. {spare}
        [Besides|In addition] {topic} is told whatever happens under {label}. [One goes with the others|None
        without the others].""",
        """[My telephone shows|The phone shows] far too much. Let IMAP in {whose} show {size} messages a
        folder at most; what it expunges [is to be|must be] {gone}. {spare} The old reader at home fetches
        {window} by POP, and then the message {left}. And have {topic} told about the label {label}, [without
        which|or else] the rest is pointless.""",
        """[Our ledger|An application of ours] wants to be told of changes under the label {label} in
        {whose}, by way of {topic}. If that is possible, [these follow|do this as well]: POP may fetch
        {window} and what it fetched {left}; IMAP folders hold {size} messages at most and expunged mail is
        {gone}. {spare}""",
        """[Three things|A few things] in {whose} only [work|make sense] together. Watch the label {label}
        for {topic}. Let POP take {window}, so that each message fetched {left}. Have IMAP show {size}
        messages a folder and let what it expunges be {gone}. {spare}""",
        """{spare} [Otherwise|Apart from that] programs should find {whose} like this: at most {size}
        messages in an IMAP folder, expunged mail {gone}, {window} to be had by POP, where a fetched message
        {left}, and {topic} watching the label {label}. [It is all or nothing|I need all of that or
        none].""",
        whose=whose, whose_start=whose[0].upper() + whose[1:], size=size, gone=gone, spare=spare,
        window=WINDOWS[window], left=DISPOSITION_WORDS[left], topic=topic, label=label["name"],
    )  # fmt: skip
    s.refuse("out_of_scope", f"the settings of {colleague['name']}'s mailbox are not yours",
             names=(reasons.known_as(colleague["name"]), look.NOT_YOURS))  # fmt: skip
    s.refuse("conflicting_demands", "IMAP cannot be left as it is and turned off at once",
             names=("IMAP", f"forbid|disab|off|no program|block|{reasons.CONTRADICTORY}"))  # fmt: skip
    look.get_profile(s)
    labels = s.do("list_labels", f"the id of {label['name']}", userId="me")["labels"]
    watched = look.find_label_id(s, label["name"], labels, "nothing can be told of it")
    imap = s.do("get_imap_settings", "what holds for IMAP now", userId="me")
    s.do("get_pop_settings", "what holds for POP now", userId="me")
    if language:
        s.do("get_language_settings", "the language so far", userId="me")
        s.do("update_language_settings", language, userId="me", displayLanguage=LANGUAGES[language])
    s.do("update_imap_settings", "IMAP", userId="me", enabled=imap["enabled"],
         autoExpunge=imap["autoExpunge"], expungeBehavior=sent, maxFolderSize=size)  # fmt: skip
    s.do("update_pop_settings", "POP", userId="me", accessWindow=window, disposition=left)
    s.do("watch_user_mailbox", f"tell {topic}", userId="me", topicName=topic, labelIds=[watched],
         labelFilterBehavior="include")  # fmt: skip
    s.answer("that the watch ends after seven days", "seven days", "7 days", "a week", "one week",
             "12 January", "January 12", "12 Jan", "Jan 12", "2026-01-12")  # fmt: skip
    s.rule(
        "The mailbox has one watch, for the label that was named, and IMAP is still on",
        """SELECT COUNT(*) FROM watches w JOIN labels b ON b.user_id = w.user_id AND b.id = w.label_ids ->>
        0 JOIN imap_settings i ON i.user_id = w.user_id WHERE w.user_id = :me AND b.name = :label AND
        i.enabled AND w.label_filter_behavior = 'include'""",
        me=me["id"], label=label["name"],
    )  # fmt: skip
    s.rule("Programs fetch and expunge mail as it was asked for",
           """SELECT COUNT(*) FROM pop_settings p JOIN imap_settings i USING (user_id) WHERE p.user_id = :me
           AND p.access_window = :window AND p.disposition = :left AND i.expunge_behavior = :sent AND
           i.max_folder_size = :size""",
           me=me["id"], window=window, left=left, sent=sent, size=size, category="integrity")  # fmt: skip
