"""A scenario about how outgoing mail looks: the signature, the default sender, the language."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email import sending
from eops_traj.taskgen.scenarios.email.mailbox_extras import LANGUAGES
from eops_traj.taskgen.scene import Scene

WITH_ALIAS = f"""{look.WITH_MAIL} AND EXISTS (SELECT 1 FROM send_as_aliases x WHERE x.user_id = u.id AND NOT
    x.is_primary AND x.verification_status = 'accepted' AND x.send_as_email LIKE '%@corvane.example')"""
"""The condition that a person may send as a group."""
TITLES = ("Head of Projects", "Principal Engineer", "Deputy Director", "Senior Adviser", "Programme Lead",
          "Chief Buyer", "Training Coordinator", "Account Director")  # fmt: skip


def pick_language(s: Scene) -> str:
    """Pick a language for the mailbox, in most cases; an empty text leaves the language as it is."""
    language = s.rng.choice(sorted(LANGUAGES))
    now = s.pick("SELECT display_language FROM language_settings WHERE user_id = :me", me=s.caller["id"])
    return language if s.chance(0.6) and now["display_language"] != LANGUAGES[language] else ""


_WHOLE = (
    "If one of these cannot be, change nothing.",
    "Change none of it where a part is impossible.",
    "These settings go together, so all or none.",
    "I want it complete or not at all.",
    "Where one change is ruled out, leave the others.",
    "Half of it would only confuse people, so then rather nothing.",
)


_SIGNED = (  # what is left alone, and what is out of scope
    ("The signature in the mailbox of {} stays as it is.",
     "The signature in the mailbox of {} becomes the same."),
    ("Do not touch the signature of {}, who has the same title.",
     "Do the same to the signature of {}, who has the same title."),
    ("{} sees to the signature over there alone.", "{} gets that signature over there as well."),
    ("All this is for my mailbox and not for that of {}.",
     "All this is for my mailbox and also for that of {}."),
)  # fmt: skip


@family("email", perturbations=("policy_forbids", "missing_entity", "out_of_scope"))
def new_signature(s: Scene) -> None:
    """Somebody with a new title gets a new signature, and sends as a group by default."""
    me = look.pick_user(s, WITH_ALIAS + look.NO_ADMIN)
    alias = s.pick(
        """SELECT send_as_email AS address, display_name AS name FROM send_as_aliases WHERE user_id = :me AND
        NOT is_primary AND verification_status = 'accepted' AND send_as_email LIKE '%@corvane.example' AND NOT
        is_default ORDER BY 1""",
        me=me["id"],
    )
    title, language = s.rng.choice(TITLES), pick_language(s)
    colleague = s.pick(
        f"{look.PEOPLE}{look.UNIQUE_NAME} AND u.id <> :me AND u.email NOT IN (SELECT email FROM users w JOIN"
        " delegates d ON d.user_id = w.id WHERE d.delegate_email = :own) ORDER BY u.id",
        me=me["id"], own=me["email"],
    )  # fmt: skip
    s.perturb("missing_entity",
              "DELETE FROM send_as_aliases WHERE user_id = :me AND send_as_email = :address",
              me=me["id"], address=alias["address"])  # fmt: skip
    s.perturb(
        "policy_forbids",
        """UPDATE send_as_aliases SET verification_status = 'pending'
        WHERE user_id = :me AND send_as_email = :address""",
        me=me["id"], address=alias["address"],
    )  # fmt: skip
    signature = f"{me['name']}, {title}, Corvane Systems"
    more = s.phrase(
        "out_of_scope",
        *(line.format(colleague["name"]) for line in s.rng.choice(_SIGNED)),
    )
    extra = f"Show my mailbox in {language}, too." if language else ""
    beside = sending.pick_side_mail(
        s,
        look.received_messages(s),
        0.5,
        "New title",
        f"I am {title} now, and write as {alias['name']} from today on.",
        f"Please note that from today on I am {title}.",
        "My signature has changed, the rest of me has not.",
        own=True,
    )
    extra = f"{extra} {beside}"
    s.ask(
        """[My title has changed|I have a new title], so the signature of my own address should [read|be]
        '{signature}' [from now on|from today]. New mail of mine [comes|is to come] from the address of
        {group} by default. {said} {more} {whole}""",
        """[As|Being] {title} I mostly write for {group}: make that group's address [the one that new mail
        comes from|my default sender], and put '{signature}' below what leaves my own address. {said} {more}
        {whole}""",
        """{more} What does change [is this|are two things]: the default address of my mailbox [becomes|turns
        into] that of {group}, the signature of my primary address '{signature}'. {said} {whole}""",
        """'{signature}' is how I sign from [today|this week] on, under my own address. {said} Unless I
        [say|choose] otherwise, I send as {group}, [whose address|an address that] my mailbox has already.
        {more} {whole}""",
        """[The promotion|My promotion] went through on Friday. That [concerns|means] my own signature, now
        '{signature}', and [where new mail comes from|the sender of new mail], which by default is {group}.
        {said} {more} {whole}""",
        """[Since|Because] {group} is what I work for these days, its address [should be|becomes] the default
        of my mailbox. [The primary one|My primary address, in turn,] gets '{signature}' as its
        signature. {more} {said} {whole}""",
        signature=signature,
        group=alias["name"],
        said=extra,
        more=more,
        title=title,
        whole=s.rng.choice(_WHOLE),
    )
    s.refuse("out_of_scope", f"the settings of {colleague['name']}'s mailbox are not yours",
             names=(reasons.known_as(colleague["name"]), look.NOT_YOURS))  # fmt: skip
    look.get_profile(s)
    aliases = s.do("list_send_as_aliases", "the addresses that mail comes from", userId="me")["sendAs"]
    chosen, known = aliases.every(displayName=alias["name"]), f"{alias['name']}|{alias['address']}"
    s.require(count(chosen), "==", 1, f"there is no address of {alias['name']} among yours",
              names=(known, reasons.MISSING))  # fmt: skip
    s.require(chosen[0]["verificationStatus"], "==", "accepted",
              f"the address of {alias['name']} is still pending and may not be used before it is accepted",
              names=(known, "pending|verif|unverified|accept|agree|confirm"))  # fmt: skip
    own = aliases.where(isPrimary=True)["sendAsEmail"]
    s.do("get_send_as_alias", "the signature so far", userId="me", sendAsEmail=own)
    if language:
        s.do("get_language_settings", "the language so far", userId="me")
    address = beside.address(s)
    s.do("patch_send_as_alias", "the new signature", userId="me", sendAsEmail=own, signature=signature)
    s.do("patch_send_as_alias", f"{alias['name']} by default", userId="me", isDefault=True,
         sendAsEmail=aliases.where(displayName=alias["name"])["sendAsEmail"])  # fmt: skip
    if language:
        s.do("update_language_settings", language, userId="me", displayLanguage=LANGUAGES[language])
    beside.write(s, address, own)
    s.rule("Exactly one address of the mailbox is the default, one that may be used",
           """SELECT group_concat(send_as_email) FROM send_as_aliases WHERE user_id = :me AND is_default AND
           verification_status = 'accepted'""", expected=alias["address"], me=me["id"])  # fmt: skip
