"""Scenarios of administrators about certificates: expired ones, new ones, and the one that signs."""

from eops_traj.taskgen.errors import NoMatch
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
    open_second_mailbox,
    pick_owner,
)
from eops_traj.taskgen.scene import Scene

NOW = "1767225600000"  # the beginning of 2026, as the policy gives it
EXPIRED = f"""SELECT u.id, u.name, u.email, u.role, c.id AS certificate, c.issuer_cn AS issuer
FROM users u JOIN smime_info c ON c.user_id = u.id AND c.send_as_email = u.email
WHERE u.active AND c.expiration < '{NOW}' AND NOT c.is_default
ORDER BY u.id"""
_NONE_LEFT = (
    "every|all|each|none|any|both|neither|only|no certificate|no valid|no unexpired|no current|not one"
    "|newest|latest|longest|best|even"
)
"""It is so of whatever there is: that one certificate has expired is another reason."""
_TO_ADD = "add|new|import|install|insert|upload|put in|enter|accept|past|future|2024|before|already|you"
"""It is the one that was to come: what is there may have expired too."""


@family("email", perturbations=("no_right", "inactive_person", "missing_entity", "policy_forbids"), ood=True)
def drop_certificates(s: Scene) -> None:
    """An administrator has expired certificates removed from two mailboxes."""
    me = look.pick_admin(s)
    rows = [row for row in s.rows(EXPIRED) if row["id"] != me["id"]]
    if len(rows) < 2:
        raise NoMatch("fewer than two expired certificates")
    one, two = s.rng.sample(rows, 2)
    aide = s.pick(
        f"""{look.PEOPLE}{look.NO_AUTOMATION}{look.UNIQUE_NAME} AND u.department = 'Security'
        AND u.id NOT IN (:me, :one, :two)"""
        " ORDER BY u.id",
        me=me["id"], one=one["id"], two=two["id"],
    )  # fmt: skip
    words = look.line(
        s,
        (
            f"{one['issuer']} is history in two mailboxes.",
            f"Two old certificates of {one['issuer']} are gone.",
            f"One step closer to being rid of {one['issuer']}.",
        ),
    )
    more = perhaps(s, *about_mailbox(two))
    demote_caller(s)
    deactivate(s, two)
    s.perturb("missing_entity",
              "UPDATE smime_info SET issuer_cn = 'Corvane Mail CA 2024' WHERE id = :id AND user_id = :user",
              id=two["certificate"], user=two["id"])  # fmt: skip
    s.perturb("policy_forbids",
              "UPDATE smime_info SET expiration = '1798761600000' WHERE id = :id AND user_id = :user",
              id=two["certificate"], user=two["id"])  # fmt: skip
    s.ask(
        """The certificates that '{issuer}' issued have [run out|expired]. [Remove|Delete] them from {one}
        and from {two}, for the primary address, if they have really expired and are not the default; [both,
        or leave both|either both or none]. [Then|Afterwards] {aide} gets a mail 'Certificates':
        '{words}'""",
        """[An auditor will ask|The auditors ask] about '{issuer}', and I want [to have an answer|a clean
        answer]: its expired certificate [is gone|has been taken] from the mailbox of {one} and from that of
        {two} (primary address, never the default), all of it or nothing. Tell {aide} under 'Certificates':
        '{words}'""",
        """{one} and {two} still [carry around|have] a certificate of '{issuer}' for their own address, [out
        of date by now|which has lapsed]. Delete the two. Should one [not be out of date|still be valid], or
        be missing, I have the wrong list, so stop. A mail, subject 'Certificates', text '{words}',
        [goes to|is for] {aide}.""",
        """[Look at|Check] the certificates of {one} and {two}. Each has one by '{issuer}' that should have
        expired; if that [is so|holds] for both, and neither is the default, [out with them|delete the pair].
        {aide} [hears|is told] '{words}' by a mail called 'Certificates'.""",
        """'Certificates', a mail to {aide}, [will say|says] '{words}' To make that true, what '{issuer}'
        issued for {one} and for {two}, to their own addresses, [has to be removed|must go], [provided
        that|as long as] it has expired with both and signs for neither by default.""",
        """[It is one job|This is one job], not two halves: the mailboxes of {one} and {two} each [lose|give
        up] the lapsed certificate by '{issuer}', for the address they own, but only what has expired and is
        no default. [Close with|Last comes] '{words}' to {aide}, subject 'Certificates'.""",
        issuer=one["issuer"],
        one=addressed(s, one),
        two=addressed(s, two),
        aide=addressed(s, aide),
        words=words,
    )
    more.say()
    certificates = []
    for row, find_box in ((one, open_mailbox), (two, open_second_mailbox)):
        box, known = find_box(s, row), reasons.known_as(row["name"])
        matches = s.do("list_smime_configs", f"certificates of {row['name']}", userId=box["emailAddress"],
                       sendAsEmail=row["email"])["smimeInfo"]  # fmt: skip
        s.require(count(matches.every(issuerCn=one["issuer"])), "==", 1,
                  f"{row['name']} has no certificate of {one['issuer']}",
                  names=(known, "certificate", reasons.MISSING))  # fmt: skip
        old = matches.where(issuerCn=one["issuer"])
        s.require(old["expiration"], "<", NOW, f"the certificate of {row['name']} has not expired",
                  names=(known, "expir|unexpired|valid|still good|run out|out of date|2027"))  # fmt: skip
        s.require(old["isDefault"], "==", False, f"the certificate of {row['name']} is the default",
                  names=(known, "default|signed"))  # fmt: skip
        certificates.append((row, box, old))
    more.look()
    for row, box, old in certificates:
        s.do("get_smime_config", "once more before it goes", userId=box["emailAddress"],
             sendAsEmail=row["email"], id=old["id"])  # fmt: skip
        s.do("delete_smime_config", f"remove that of {row['name']}", userId=box["emailAddress"],
             sendAsEmail=row["email"], id=old["id"])  # fmt: skip
    sending.send_message(s, aide["email"], "Certificates", words, f"tell {aide['name']}")
    more.write()
    s.rule(
        "Both can still sign: each has a default certificate that has not expired, and no expired one",
        """SELECT COUNT(*) FROM smime_info WHERE user_id IN (:one, :two) AND is_default AND expiration >
        :now AND user_id NOT IN (SELECT user_id FROM smime_info WHERE expiration < :now)""",
        expected=2, one=one["id"], two=two["id"], now=NOW,
    )  # fmt: skip
    sending.rule_sent(s, "Certificates")


def _pem(s: Scene) -> str:
    """Return what a certificate is in PEM, without the lines around it, as people paste it."""
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz"
    return f"MII{''.join(s.rng.choice(letters) for _ in range(14))}"


_TWO = f"""{SILENT_OWNERS} AND 2 = (SELECT COUNT(*) FROM smime_info c WHERE c.user_id = u.id
    AND c.send_as_email = u.email) ORDER BY u.id"""
"""People with an old certificate and a new one."""


@family("email", perturbations=("no_right", "inactive_person", "policy_forbids"))
def sign_with_newest(s: Scene) -> None:
    """An administrator lets a mailbox sign with its longest-lived certificate, and the expired ones go."""
    me = look.pick_admin(s)
    row = s.pick(_TWO, me=me["id"])
    s.arrange(
        "UPDATE smime_info SET is_default = (expiration < :now) WHERE user_id = :id", now=NOW, id=row["id"]
    )
    newest = s.rows("SELECT id FROM smime_info WHERE user_id = :id ORDER BY expiration DESC", id=row["id"])[0]
    words = look.line(
        s,
        (
            "Your mail is [signed properly|properly signed] [again|once more].",
            "[From now on|Starting now] your mail [carries|bears] a valid signature.",
            "The old certificate of yours is gone, the new one signs.",
        ),
    )
    more = perhaps(s, *about_mailbox(row))
    demote_caller(s)
    deactivate(s, row)
    s.perturb("policy_forbids", "UPDATE smime_info SET expiration = '1759276800000' WHERE user_id = :id AND"
              " expiration > :now", id=row["id"], now=NOW)  # fmt: skip
    s.indirect("the certificate that lasts longest", hidden=[newest["id"]])
    s.covers("all expired certificates of an address")
    s.duty("the default certificate is deleted only after another one is the default")
    s.ask(
        """[Partners report|Two partners tell us] that mail of {who} fails their check of signatures. [Of the
        certificates|Among the certificates] for the primary address, let the one that lasts longest sign,
        and [delete|remove] any that had expired [by New Year|before 2026]. {name} reads '{words}' in a mail
        called 'Signed mail'.""",
        """{who} [still signs|goes on signing] with a certificate [past its end|that has lapsed]. The
        longest-lived one of their own address [takes over|should take over]; whatever is expired is then
        deleted, [in the order|in the one order] that our rules allow. 'Signed mail' to {name}: '{words}'""",
        """[Our mail gateway|The gateway] flags what {who} signs. [Choose|Find] the certificate with the
        latest expiry for their primary address and make it the default. [After that|Then] the expired ones
        [may go|go], and '{words}' is sent to {name} with 'Signed mail' as the subject.""",
        """'Signed mail' is how the note to {who} is [called|headed], and it reads '{words}' It
        [presupposes|takes] two things: the certificate of their own address that runs the longest is the
        default, [and|and that] no expired one is left.""",
        """[A renewal|The renewal] of certificates left {who} half done: the new one is [there|in place], the
        old one signs. [Turn that round|Put that right] for the primary address, the one with the furthest
        end being the default, then drop every expired one and write '{words}' to {name}, 'Signed mail'.""",
        """[Nothing should|No mail may] leave the mailbox of {who} with an expired signature. [Make|Let]
        whichever certificate of their address ends last sign from now on, get rid of those that ended
        [already|in the past], and send {name} '{words}' as 'Signed mail'.""",
        who=addressed(s, row), name=row["name"], words=words,
    )  # fmt: skip
    more.say()
    box = open_mailbox(s, row)
    listed = s.do("list_smime_configs", "which there are, and when they end", userId=box["emailAddress"],
                  sendAsEmail=row["email"])["smimeInfo"]  # fmt: skip
    best = listed.largest("expiration")
    s.require(best["expiration"], ">", NOW, f"every certificate of {row['name']} has expired",
              names=("certificate", "expir|run out|lapsed|ended|out of date", _NONE_LEFT))  # fmt: skip
    more.look()
    s.do("set_default_smime_config", "the one that lasts longest signs", userId=box["emailAddress"],
         sendAsEmail=row["email"], id=best["id"])  # fmt: skip
    s.do_each(listed.every(("expiration", "<", NOW)), "delete_smime_config", "it has expired",
              userId=box["emailAddress"], sendAsEmail=row["email"], id=ROW["id"])  # fmt: skip
    sending.send_message(s, row["email"], "Signed mail", words, f"tell {row['name']}")
    more.write()
    s.rule(
        "A certificate that has not expired signs, and no other is left",
        "SELECT group_concat(id) FROM smime_info WHERE user_id = :id",
        expected=newest["id"],
        id=row["id"],
    )
    sending.rule_sent(s, "Signed mail")


_OVER = (  # days long past, as they are written in a request
    "1 April 2024 (1711929600000)", "1 July 2024 (1719792000000)", "1 October 2024 (1727740800000)",
    "1 January 2025 (1735689600000)",
)  # fmt: skip


@family("email", perturbations=("no_right", "inactive_person", "impossible_date"), consumes="mailbox")
def add_certificate(s: Scene) -> None:
    """An administrator adds a certificate to a mailbox, which signs with it from then on."""
    look.pick_admin(s)
    row, box, who = pick_owner(s)
    issuer = f"Corvane Mail CA {s.rng.choice((2026, 2027))}"
    day, expiry = s.rng.choice(
        (
            ("1 January 2028", "1830297600000"),
            ("1 July 2027", "1814400000000"),
            ("1 January 2029", "1861920000000"),
            ("1 April 2028", "1838160000000"),
        )
    )
    ends = s.phrase("impossible_date", f"{day} ({expiry})", s.rng.choice(_OVER))
    pem = _pem(s)
    more = perhaps(s, *about_mailbox(row))
    demote_caller(s)
    deactivate(s, row)
    s.duty("a certificate is made the default only when it is there")
    s.ask(
        """{who} [has been issued|received] a certificate for the primary address: issuer '{issuer}', valid
        until {ends}, and [this is the chain|the chain reads] {pem}. [Add it|Put it in], and [make sure that
        it signs|let it sign] from now on; [older ones|whatever is there] may stay.""",
        """[The chain|The PEM] {pem} belongs to {who}, for their own address. '{issuer}' issued it, [it
        ends|its end is] {ends}. [Enter|Upload] it in that mailbox and have outgoing mail [signed by it|carry
        its signature], without deleting anything.""",
        """'{issuer}' [delivered|has delivered] what {who} ordered, a certificate up to {ends}. [Here it
        is|It follows]: {pem}. It should be added for the primary address and [become|be] the one that
        signs.""",
        """[As of this week|From this week], {who} signs with a new certificate of '{issuer}'. [Expiry|It
        expires]: {ends}. Chain: {pem}. [Install it|Set it up] for their own address, then choose it as the
        default and leave the others [in place|be].""",
        """For the primary address of {who}, [take in|add] this: {pem}. [Its issuer is|It comes from]
        '{issuer}', its last moment {ends}. [Mail from there|What is sent from there] has to be signed with
        it and no longer with [anything older|another].""",
        """{who} cannot [write to|exchange mail with] a ministry without a certificate by '{issuer}'. It has
        come: {pem}, which [runs|is good] until {ends}. Put it under the primary address and [let it
        be|make it] the default there; nothing else [changes|is removed].""",
        """[Two facts about|This much about] the certificate that {who} [was given|now has]: '{issuer}'
        stands behind it, and {ends} is when it [ends|runs out]. In PEM it is {pem} and it [belongs to|is
        meant for] their primary address, where it signs [henceforth|from today]; [leave others|others are
        left].""",
        """[Signing with|To sign with] an old certificate will not do for {who}. {pem} replaces it as the
        default of the primary address, once added there; '{issuer}' is the issuer, {ends} the expiry.""",
        who=who, issuer=issuer, ends=ends, pem=f"'{pem}'",
    )  # fmt: skip
    more.say()
    s.refuse("impossible_date", "a certificate whose expiry lies in the past is not added",
             names=("expir|end|valid|date|202", "past|passed|expired|already|future|2024|2025|over",
                    _TO_ADD))  # fmt: skip
    box = box or open_mailbox(s, row)
    s.do("list_smime_configs", "what is there already", userId=box["emailAddress"], sendAsEmail=row["email"])
    more.look()
    new = s.do(
        "insert_smime_config",
        "the new certificate",
        userId=box["emailAddress"],
        sendAsEmail=row["email"],
        issuerCn=issuer,
        expiration=expiry,
        pem=pem,
    )
    s.do("set_default_smime_config", "it signs from now on", userId=box["emailAddress"],
         sendAsEmail=row["email"], id=new["id"])  # fmt: skip
    more.write()
    s.rule(
        "One certificate signs, the new one",
        """SELECT group_concat(issuer_cn || ' ' || expiration) FROM smime_info WHERE user_id = :id AND
        is_default""",
        expected=f"{issuer} {expiry}",
        id=row["id"],
    )
