"""Scenarios of administrators about single senders of a mailbox: withdrawn, chased, or set up anew."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email import sending
from eops_traj.taskgen.scenarios.email.mailbox_extras import about_mailbox, perhaps
from eops_traj.taskgen.scenarios.email.mailboxes import (
    SILENT_OWNERS,
    addressed,
    deactivate,
    demote_caller,
    hand_on,
    open_mailbox,
)
from eops_traj.taskgen.scene import Scene

_MEMBERS = f"""SELECT u.id, u.name, u.email, a.send_as_email AS address, a.display_name AS team
FROM ({SILENT_OWNERS}) u JOIN send_as_aliases a ON a.user_id = u.id AND NOT a.is_primary AND NOT a.is_default
    AND a.verification_status = 'accepted' AND a.send_as_email LIKE '%@corvane.example' ORDER BY u.id, 4"""
"""People with the address of a group."""
_PARTNERS = ("harwick-partners", "northgate-alliance", "belmont-forum", "delta-circle", "osaka-guild")


@family("email", perturbations=("no_right", "inactive_person", "missing_entity"))
def retire_alias(s: Scene) -> None:
    """An administrator takes the address of a group from somebody who has left it."""
    me = look.pick_admin(s)
    row = s.pick(_MEMBERS, me=me["id"])
    if s.chance(0.6):
        s.arrange("UPDATE send_as_aliases SET is_default = (send_as_email = :address) WHERE user_id = :id",
                  id=row["id"], address=row["address"])  # fmt: skip
    words = look.line(s, (
        f"You [no longer send|cannot send any more] as {row['team']}.",
        f"The address of {row['team']} [has been taken out of|is no longer in] your mailbox.",
        f"As you [have left|left] {row['team']}, [new mail of yours|what you write] comes from your own"
        f" address.",
    ))  # fmt: skip
    more = perhaps(s, *about_mailbox(row, "senders"))
    demote_caller(s)
    deactivate(s, row)
    s.perturb("missing_entity", """UPDATE send_as_aliases SET display_name = 'Facilities', send_as_email =
              'facilities@corvane.example' WHERE user_id = :id AND send_as_email = :address""",
              id=row["id"], address=row["address"])  # fmt: skip
    s.branches("whether the address is the default one")
    s.duty("another address is made the default before the default one is deleted")
    s.ask(
        """{who} left {team} [at the end of the year|on 31 December] and should stop sending in its name.
        Take the group's address [out of|off] that mailbox, and if new mail comes from it by default, it [has
        to come|comes] from their own address [first|before that]. [Then|Afterwards] a mail 'Sender removed'
        says '{words}'""",
        """[Customers answer|Some customers still answer] to {team} and reach {who}, who is [no longer in
        it|not part of it any more]. The group's address [must go|goes] from there; mind the default sender,
        which falls back on the personal one where needed. 'Sender removed' is the subject of the note to
        {name}: '{words}'""",
        """[Only members|None but its members] may write as {team}, so {who} [loses|has to give up] that
        sender. [Should it be|Where it is] the default, make the mailbox's own address the default in its
        place. Tell {name} by mail, under 'Sender removed', '{words}'""",
        """[A change in|The list of] {team}: {who} is out. What [is left|remains] to do is to withdraw the
        address of the group, [without leaving|never leaving] the mailbox with no default of its own, and to
        send {name} '{words}' with 'Sender removed' as the subject.""",
        """'{words}' [should be true|has to be true] when {who} reads it in a mail called 'Sender removed'.
        The group in question is {team}; look whether its address [serves as|is] the default over there, [put
        that right|give that role to the personal one] if so, and delete it.""",
        """The lead of {team} [wants|has asked me to have] {who} off the list of those who send as the group.
        [Both cases are possible|It may or may not be so] that the address is also their default one; in that
        case their own takes over, and then the alias goes. Close with 'Sender removed' to {name}:
        '{words}'""",
        who=addressed(s, row), name=row["name"], team=row["team"], words=words,
    )  # fmt: skip
    more.say()
    box = open_mailbox(s, row)
    aliases = s.do("list_send_as_aliases", "what the mailbox sends as", userId=box["emailAddress"])["sendAs"]
    found = aliases.every(displayName=row["team"], isPrimary=False)
    s.require(
        count(found),
        "==",
        1,
        f"{row['name']} has no address of {row['team']}",
        names=(reasons.known_as(row["name"]), f"{row['team']}|{row['address']}", reasons.MISSING),
    )
    own = aliases.where(isPrimary=True)
    more.look()
    s.do_when(holds(found[0]["isDefault"], "==", True), "patch_send_as_alias",
              "the own address is the default again", userId=box["emailAddress"],
              sendAsEmail=own["sendAsEmail"], isDefault=True)  # fmt: skip
    s.do("delete_send_as_alias", f"no longer a sender of {row['team']}", userId=box["emailAddress"],
         sendAsEmail=found[0]["sendAsEmail"])  # fmt: skip
    sending.send_message(s, row["email"], "Sender removed", words, f"tell {row['name']}")
    more.write()
    s.rule("The mailbox has one default address, which is its own",
           "SELECT group_concat(send_as_email) FROM send_as_aliases WHERE user_id = :id AND is_default",
           expected=row["email"], id=row["id"], category="integrity")  # fmt: skip
    sending.rule_sent(s, "Sender removed")


@family("email", perturbations=("no_right", "inactive_person", "missing_entity"), ood=True)
def chase_senders(s: Scene) -> None:
    """An administrator has the owners of all pending senders of a mailbox asked once more."""
    me = look.pick_admin(s)
    row = s.pick(f"{SILENT_OWNERS} ORDER BY u.id", me=me["id"])
    one, two = s.rng.sample(_PARTNERS, 2)
    s.arrange(
        """INSERT INTO send_as_aliases (user_id, send_as_email, display_name, verification_status) VALUES
        (:id, :one, :name, 'pending'), (:id, :two, :name, 'pending'), (:id, :three, :name, 'accepted')""",
        id=row["id"], name=row["name"], one=f"contact@{one}.example", two=f"contact@{two}.example",
        three="board@corvane-foundation.example",
    )  # fmt: skip
    words = look.line(s, (
        "The owners of your outside addresses [were asked again|had another request] [this morning|today].",
        "I have reminded those who still have to agree to your senders.",
        "You cannot send from all your addresses yet, but the owners have had a reminder.",
    ))  # fmt: skip
    more = perhaps(s, *about_mailbox(row, "senders"))
    demote_caller(s)
    deactivate(s, row)
    s.perturb("missing_entity", """UPDATE send_as_aliases SET verification_status = 'accepted' WHERE
              user_id = :id AND verification_status = 'pending'""", id=row["id"])  # fmt: skip
    s.covers("all senders of a mailbox that await an answer")
    s.ask(
        """{who} [complains|tells me] that some outside addresses still cannot be used as senders. [For each
        of those|Wherever one is] pending, ask its owner again; [accepted ones|those accepted] are left in
        peace. A mail called 'Your senders' [then brings|follows with] '{words}' to {name}.""",
        """[Which senders of|Of the senders of] {who} [are|which are] waiting for somebody's agreement? [All
        of them|Every one of these] should get the request for verification once more, nobody else.
        [Write|Then write] '{words}' to {name}, the subject being 'Your senders'.""",
        """[Partners take their time|Our partners are slow]: aliases of {who} have been pending [since the
        autumn|for months]. Repeat the request for verification for whatever is pending [there|in that
        mailbox], and let {name} know, under 'Your senders', '{words}'""",
        """'Your senders', a mail to {who}, [should read|is to say] '{words}' That takes a new
        [request|reminder] to the owner of every address [in that mailbox|over there] whose verification has
        not come through.""",
        """[Nothing has come back|No answer came] for the new sender addresses in the mailbox of {who}, as
        far as they are pending. [Have|I want to have] the owners asked again, each of them, and {name} told
        '{words}' in a message with the heading 'Your senders'.""",
        """[Ask again|Please ask again] wherever an address that {who} wants to send as is unverified [to
        this day|until today]. Not the verified ones, [mind you|of course]. Then 'Your senders' goes to
        {name}, with the text '{words}'""",
        who=addressed(s, row), name=row["name"], words=words,
    )  # fmt: skip
    more.say()
    box = open_mailbox(s, row)
    aliases = s.do("list_send_as_aliases", "which are pending", userId=box["emailAddress"])["sendAs"]
    pending = aliases.every(verificationStatus="pending")
    s.require(count(pending), ">=", 1, f"no sender of {row['name']} is pending",
              names=(reasons.known_as(row["name"]),
                     "none is pending|no pending|nothing pending|not pending|no sender|no alias|no address"
                     "|verified|accepted"))  # fmt: skip
    more.look()
    s.do_each(pending, "verify_send_as_alias", "ask its owner once more", userId=box["emailAddress"],
              sendAsEmail=ROW["sendAsEmail"])  # fmt: skip
    sending.send_message(s, row["email"], "Your senders", words, f"tell {row['name']}")
    more.write()
    sending.rule_sent(s, "Your senders")


@family("email", perturbations=("no_right", "inactive_person", "policy_forbids"), produces="mailbox")
def set_up_sender(s: Scene) -> None:
    """An administrator sets everything of a sender: name, reply address, signature and relay."""
    me = look.pick_admin(s)
    row = s.pick(_MEMBERS, me=me["id"])
    host = f"relay{s.rng.randint(2, 9)}.corvane.example"
    port, way = s.rng.choice(((587, "STARTTLS"), (465, "SSL")))
    short = s.rng.choice(("Corvane Desk", "Corvane Contact", "Corvane Answers", "Corvane Line"))
    slogan = s.rng.choice(
        ("simply the best", "always near you", "we make it work", "first in relays", "call us first")
    )
    signature = s.phrase(
        "policy_forbids",
        f"{row['name']}, {row['team']}, Corvane Systems",
        f"{row['name']}, {row['team']}, Corvane Systems: {slogan}",
    )
    more = perhaps(s, *about_mailbox(row, "senders"))
    demote_caller(s)
    deactivate(s, row)
    s.indirect("the address of a group, known by its name", hidden=[row["address"]])
    s.ask(
        """The address of {team} in the mailbox of {who} [gets a relay of its own|moves to another relay]:
        {host}, port {port}, by {way}. [While at it|On that occasion], its name becomes '{short}', answers go
        to {reply}, and the signature [reads|is] '{signature}'. Whether it is the default stays as it is.""",
        """[Our relay changes|The relay changes] over, first of all for {who}, under the alias of {team}.
        [Set|It is to be set] to {host} on {port} with {way}; the sender is called '{short}', replies reach
        {reply}, and below new mail stands '{signature}'. [Default or not|The default], leave that alone.""",
        """[Mail that|Whatever] {who} [sends|writes] as {team} should leave through {host} ({way}, port
        {port}), [carry|show] the name '{short}', be answered to {reply}, and end with '{signature}'. [All
        other properties|The rest] of that sender keep their values.""",
        """For {team} we [tidy|standardise] the senders one by one, and {who} [comes next|is next]. Name
        shown: '{short}'; reply address: {reply}; signature: '{signature}'; relay: {host}, {way}, port
        {port}. Nothing else about the alias [is to change|changes].""",
        """'{signature}' is how mail of {who} in the name of {team} [shall close|is to end] from today. [It
        also|The same alias also] needs '{short}' as its display name, {reply} for the replies, and {host} as
        the relay, which listens on {port} and wants {way}.""",
        """[One sender|A sender] of {who} is [out of order|only half configured], the one that belongs to
        {team}. Give it the relay {host} (port {port}, {way}), the name '{short}', {reply} for answers and
        '{signature}' as the signature; keep whether it is the default and [counts|is treated] as theirs.""",
        """[Replies should land|Answers should arrive] at {reply} when {who} writes for {team}. [The sender of
        that team|That sender] has no relay so far: {host}, {way}, port {port} it is. [People see|Readers
        find] '{short}' as the name and '{signature}' at the end. [What else it has|Its other properties] I
        leave.""",
        """[Through|By way of] {host}, on port {port} with {way}, mail as {team} [is to travel|has to go]
        once {who} has the new setting. That comes with '{short}' for a name, '{signature}' underneath, and
        {reply} as the place for [answers|whatever comes back]; [do not alter|keep] the rest.""",
        who=addressed(s, row), team=row["team"], host=host, port=port, way=way, short=short,
        reply=row["email"], signature=signature,
    )  # fmt: skip
    more.say()
    s.refuse("policy_forbids", "a signature holds name, title and company, and no slogans",
             names=("signature|9.6", f"slogan|{slogan}|name, title"))  # fmt: skip
    box = open_mailbox(s, row)
    aliases = s.do("list_send_as_aliases", "which address is the group's", userId=box["emailAddress"])[
        "sendAs"
    ]
    found = aliases.every(displayName=row["team"], isPrimary=False)
    s.require(
        count(found),
        "==",
        1,
        f"{row['name']} has no address of {row['team']}",
        names=(reasons.known_as(row["name"]), row["team"], reasons.MISSING),
    )
    alias = s.do("get_send_as_alias", "how it is set now", userId=box["emailAddress"],
                 sendAsEmail=found[0]["sendAsEmail"])  # fmt: skip
    more.look()
    s.do(
        "update_send_as_alias",
        "set all of it",
        userId=box["emailAddress"],
        sendAsEmail=alias["sendAsEmail"],
        displayName=short,
        replyToAddress=row["email"],
        signature=signature,
        isDefault=alias["isDefault"],
        treatAsAlias=alias["treatAsAlias"],
        verificationStatus=alias["verificationStatus"],
        smtpMsa={"host": host, "port": port, "securityMode": way.lower()},
    )
    more.write()
    s.rule("The sender goes through the relay that was named, and is still accepted",
           """SELECT COUNT(*) FROM send_as_aliases WHERE user_id = :id AND send_as_email = :address AND
           smtp_host = :host AND smtp_port = :port AND verification_status = 'accepted'""",
           id=row["id"], address=row["address"], host=host, port=port)  # fmt: skip
    hand_on(s, box, row)
