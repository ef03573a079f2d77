"""Scenarios of administrators about encryption identities: a new one with its key pair, and one that ends."""

from eops_traj.taskgen.expressions import ROW
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
    open_mailbox,
    pick_owner,
)
from eops_traj.taskgen.scene import Scene

_FAMILY = (
    "an address of their family at homemail.example", "a private address at familypost.example",
    "their own address outside, at letterbox.example",
)  # fmt: skip


@family("email", perturbations=("no_right", "inactive_person", "policy_forbids"), consumes="mailbox")
def give_identity(s: Scene) -> None:
    """An administrator lets somebody send encrypted mail: a key pair, and the identity that uses it."""
    look.pick_admin(s)
    row, box, who = pick_owner(s, "SELECT id FROM users WHERE id NOT IN (SELECT user_id FROM cse_identities)")
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz"
    chain = "".join(s.rng.choice(letters) for _ in range(14))
    kind = s.rng.choice(("PKCS7", "CERTIFICATE", "CMS"))
    chain = f"-----BEGIN {kind}-----MII{chain}-----END {kind}-----"
    words = look.line(s, (
        "You can [send encrypted mail|encrypt what you send] [from today on|as of"
        " now].", "Your key pair is [in place|there], [just tick|so tick] the lock.",
        "[Encrypted mail|Encryption] [works for you now|is ready for you].",
    ))  # fmt: skip
    more = perhaps(s, *about_mailbox(row))
    demote_caller(s)
    deactivate(s, row)
    address = s.phrase("policy_forbids", "the primary address",
                       s.rng.choice(_FAMILY))  # fmt: skip
    s.ask(
        """{who} [is to|has to] send encrypted mail. The key pair [comes as|is in] this chain: {chain}. [Add
        it|Store it], then set up the identity for {address} with that one pair for both purposes, and write
        '{words}' to them, subject 'Encryption'.""",
        """[Legal work|The legal work of {name}] calls for encryption. Into the mailbox of {who} goes the key
        pair {chain} and, for {address}, an identity that signs and encrypts with it; [a mail|then a mail]
        'Encryption' says '{words}'""",
        """{chain} is the [new|first] key pair of {who}. [With it|On its basis] an encryption identity has to
        exist for {address}, the same pair [serving|being used] to sign and to encrypt. [The owner|{name}]
        then hears '{words}', headed 'Encryption'.""",
        """[No identity|So far no identity] for encrypted mail exists for {who}, as far as I [know|can tell].
        If that is right, create one for {address} on the key pair that I paste here, {chain} which is new as
        well, and [send|mail] '{words}' to {name} as 'Encryption'.""",
        """'Encryption', '{words}': a mail like that [is due to|should reach] {who}, [as soon as|once] a pair
        made from {chain} is in that mailbox and the identity of {address} uses it for everything.""",
        """[From today|Starting this week], {who} encrypts. [Take|Use] {chain} for the key pair, give
        {address} an identity that depends on it alone, [check before that|after checking that] there is none
        yet, and tell {name} under 'Encryption': '{words}'""",
        """[First a key pair|A key pair first], {chain} to be precise, then an identity for {address} that
        rests on it for both signing and encrypting: [that is what|this is what] {who} lacks. [The mail about
        it|A mail], 'Encryption', [tells|says to] {name} '{words}'""",
        """[Clients of {name}|Those who write to {name}] insist on encryption. {who} therefore
        [gets|receives] the pair {chain} and an identity on {address} with no other key, [unless one is
        there|if there is none]; '{words}', headed 'Encryption', [goes out|is sent] to them.""",
        who=who, name=row["name"], chain=f"'{chain}'", address=address, words=words,
    )  # fmt: skip
    more.say()
    s.refuse("policy_forbids", "an encryption identity belongs to the primary address, not to a private one",
             names=("primary|10.3|own address",
                 "homemail|familypost|letterbox|family|private|outside|identit"))  # fmt: skip
    box = box or open_mailbox(s, row)
    identities = s.do("list_cse_identities", "whether there is one", userId=box["emailAddress"])
    s.require(
        count(identities["cseIdentities"]), "==", 0, f"{row['name']} has an encryption identity already"
    )
    s.do("email_list_cse_keypairs", "which pairs there are", userId=box["emailAddress"])
    more.look()
    pair = s.do("email_create_cse_keypair", "the new pair", userId=box["emailAddress"], pkcs7=chain)
    s.do(
        "create_cse_identity",
        "the identity on that pair",
        userId=box["emailAddress"],
        emailAddress=box["emailAddress"],
        primaryKeyPairId=pair["keyPairId"],
    )
    sending.send_message(s, row["email"], "Encryption", words, f"tell {row['name']}")
    more.write()
    s.rule("The identity of the primary address uses a pair that is on",
           """SELECT COUNT(*) FROM cse_identities i JOIN cse_keypairs k ON k.key_pair_id =
           i.primary_key_pair_id WHERE i.user_id = :id AND i.email_address = :own AND k.enablement_state =
           'enabled'""",
           id=row["id"], own=row["email"])  # fmt: skip
    sending.rule_sent(s, "Encryption")


@family("email", perturbations=("no_right", "inactive_person", "missing_entity"))
def end_identity(s: Scene) -> None:
    """An administrator ends an encryption identity, and every key pair of the mailbox is turned off."""
    me = look.pick_admin(s)
    row = s.pick(
        f"{SILENT_OWNERS} AND u.id IN (SELECT user_id FROM cse_identities) ORDER BY u.id", me=me["id"]
    )
    words = look.line(
        s,
        (
            "You no longer send encrypted mail. Old mail opens again as soon as you need it.",
            "Your encryption has been switched off, nothing is destroyed.",
            "The lock is off in your mailbox.",
        ),
    )
    more = perhaps(s, *about_mailbox(row))
    demote_caller(s)
    deactivate(s, row)
    s.perturb("missing_entity", "DELETE FROM cse_identities WHERE user_id = :id", id=row["id"])
    s.covers("all key pairs of a mailbox that are on")
    s.duty("the identity goes first, and key pairs are turned off, never destroyed to make room")
    s.ask(
        """{who} has [changed|moved] to a department that sends nothing encrypted. [End|Remove] the identity
        and see that no key pair [of theirs|in that mailbox] stays on; they may be wanted again, so they [are
        kept|must exist]. A mail 'No encryption' tells {name} '{words}'""",
        """[Encrypted mail|Sending encrypted] is over for {who}. The identity goes, [its keys and any others
        there are|every key there, used or not, is] turned off, but not [done away with|destroyed].
        [Then|After that] '{words}' goes to {name}, the subject being 'No encryption'.""",
        """'No encryption', '{words}', is what {who} should [read|find] when it is done: [no identity|the
        identity gone] and all key pairs off that are still on [today|now], in an order in which no identity
        is left with a dead key.""",
        """[We pay|Our licence counts] for each person who encrypts, and {who} [has not done so|did not] for
        a year. Take away the identity, switch off every active pair, [keep the pairs themselves|without
        deleting a pair], and write '{words}' to {name} under 'No encryption'.""",
        """[Nothing bad|No incident] is behind it, but {who} [gives up|asked to give up] encryption. So the
        identity has to be removed and each key pair that is turned on, turned off. {name} [gets|is sent]
        '{words}', titled 'No encryption'.""",
        """[However many|No matter how many] key pairs of {who} are on, none should be by [noon|tonight], and
        the identity that uses one should [be gone|no longer exist]. [Tell|Inform] {name} in a mail named 'No
        encryption': '{words}'""",
        who=addressed(s, row), name=row["name"], words=words,
    )  # fmt: skip
    more.say()
    box = open_mailbox(s, row)
    identity = s.do("get_cse_identity", "which identity there is", userId=box["emailAddress"],
                    cseEmailAddress=row["email"])  # fmt: skip
    s.require_ok(identity, f"there is no encryption identity of {row['name']}",
                 names=(reasons.known_as(row["name"]), "identit", reasons.MISSING))  # fmt: skip
    pairs = s.do("email_list_cse_keypairs", "which pairs are on", userId=box["emailAddress"])["cseKeyPairs"]
    more.look()
    s.do(
        "delete_cse_identity", "it ends", userId=box["emailAddress"], cseEmailAddress=identity["emailAddress"]
    )
    s.do_each(
        pairs.every(enablementState="enabled"),
        "email_disable_cse_keypair",
        "nothing uses it any more",
        userId=box["emailAddress"],
        keyPairId=ROW["keyPairId"],
    )
    sending.send_message(s, row["email"], "No encryption", words, f"tell {row['name']}")
    more.write()
    s.rule("No pair is on, and none is destroyed",
           """SELECT COUNT(*) || ' ' || SUM(enablement_state = 'enabled') FROM cse_keypairs WHERE user_id =
           :id""",
           expected="2 0", id=row["id"])  # fmt: skip
    sending.rule_sent(s, "No encryption")
