"""Scenarios of administrators about addresses of groups: who may send as a group, and who no longer may."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email import sending
from eops_traj.taskgen.scenarios.email.mailbox_extras import about_mailbox, perhaps
from eops_traj.taskgen.scenarios.email.mailboxes import (
    OWNERS,
    addressed,
    deactivate,
    demote_caller,
    open_mailbox,
    open_second_mailbox,
    pick_mailbox,
)
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.wording import vary

GROUPS = """SELECT send_as_email AS address, MIN(display_name) AS name FROM send_as_aliases
WHERE NOT is_primary AND send_as_email LIKE '%@corvane.example' GROUP BY 1 ORDER BY 1"""


_FOREIGN = (
    "office@founders-circle.example", "info@lumen-print.example", "desk@harborline.example",
    "contact@quarryoffice.example",
)  # fmt: skip


@family("email", perturbations=("no_right", "inactive_person", "out_of_scope"), consumes="mailbox")
def group_alias(s: Scene) -> None:
    """An administrator lets two people send as the group that they have joined, and tells one of them."""
    me = look.pick_admin(s)
    group = s.pick(GROUPS)
    senders = f"SELECT user_id FROM send_as_aliases WHERE send_as_email = '{group['address']}'"
    outside = f"SELECT id FROM users WHERE id NOT IN ({senders})"
    owner, mailbox, box_words = pick_mailbox(s, outside)
    rows = [
        row
        for row in s.rows(
            f"{OWNERS}{look.UNIQUE_NAME}{look.NO_AUTOMATION} AND u.id IN ({outside}) ORDER BY u.id",
            me=me["id"],
        )
        if row["id"] != owner["id"]
    ]
    second = look.choose(s, rows)
    default = s.chance(0.3)
    words = look.line(s, (
        f"You [can|may] [send|write] as {group['name']} [from today on|starting today].",
        f"The address of {group['name']} is [among your senders now|one of your senders]. Use it for [the"
        f" group's matters only|matters of the group].",
        f"{group['name']} and you [share|have] an address [now|from now on].",
    ))  # fmt: skip
    more = perhaps(s, *about_mailbox(second, "senders"))
    demote_caller(s)
    deactivate(s, second)
    address = s.phrase("out_of_scope", group["address"], s.rng.choice(_FOREIGN))
    new = (
        f"For {second['name']} it [should also be|becomes] the default." if default
        else "[Nobody's default changes|The default addresses stay what they are]."
    )  # fmt: skip
    new = vary(s.rng, new)
    s.ask(
        """Two people have joined {group} and [cannot write|are unable to write] in its name yet: {box}, and
        {second}. Give both the alias {address}, shown as '{group}' and treated as their own, or [give it to
        neither|leave both without]. {new} [Afterwards|Then] {name} reads '{words}' in a mail named 'New
        sender'.""",
        """{group} has grown. [What is lacking|What is still missing] is the sender {address} for {second} as
        well as for {box}, with '{group}' as the name shown and mail to it counting as theirs; [it is a
        pair|they come as a pair], so never for one alone. {new} Write '{words}' to {name}, subject 'New
        sender'.""",
        """[Before anyone sends|So that nobody sends] in the name of {group} from a private address, add
        {address} to {box} and to {second}, [named|under the name] '{group}', treated as an alias of theirs.
        {new} [Should one fail|If it fails for one], the other waits too. A mail 'New sender' with '{words}'
        goes to {name}.""",
        """{person} starts in {group} [this week|today], and so does the owner of {box}.
        [Either both or none|Both, or else none] get {address} as an alias with the name '{group}' that
        counts as their own. {new} 'New sender' is what the mail to {name} is called, and '{words}' what it
        says.""",
        """[Replies from|Answers by] {group} should carry one address, {address}, whoever writes them. That
        goes for {second} and {box} from [now|today] on: alias '{group}', mail to it treated as theirs, [the
        two together|in one go] or not at all. {new} {name} [hears|learns] '{words}' under 'New sender'.""",
        """[Make|Please make] it possible that {box} sends as {group}, and {second} likewise; {address} is
        the address, '{group}' the name beside it, and what comes there is theirs. {new} [One without the
        other is no help|It makes no sense for just one]. Then 'New sender', a mail to {name}: '{words}'""",
        group=group["name"],
        address=address,
        box=box_words,
        second=f"the mailbox of {addressed(s, second)}",
        person=addressed(s, second),
        new=new,
        name=second["name"],
        words=words,
    )
    more.say()
    s.refuse(
        "out_of_scope", "an alias outside the company needs a written agreement, quoted in the request",
        names=("alias|address|send",
               "outside|external|founders-circle|lumen-print|harborline|quarryoffice|agreement"
               "|company address|9.4"),
    )  # fmt: skip
    if mailbox is None:
        mailbox = open_mailbox(s, owner)
    boxes = [mailbox, open_second_mailbox(s, second)]
    for row, box in zip((owner, second), boxes, strict=True):
        aliases = s.do("list_send_as_aliases", f"what {row['name']} sends as", userId=box["emailAddress"])[
            "sendAs"
        ]
        s.require(count(aliases.every(sendAsEmail=group["address"])), "==", 0,
                  f"{row['name']} has the alias already",
                  names=(reasons.known_as(row["name"]), "already"))  # fmt: skip
    more.look()
    for row, box in zip((owner, second), boxes, strict=True):
        last = default and row is second
        s.do("create_send_as_alias", f"{row['name']} sends as {group['name']}", userId=box["emailAddress"],
             sendAsEmail=group["address"], displayName=group["name"], treatAsAlias=True,
             **({"isDefault": True} if last else {}))  # fmt: skip
        s.do("get_send_as_alias", "whether it is accepted", userId=box["emailAddress"],
             sendAsEmail=group["address"])  # fmt: skip
    sending.send_message(s, second["email"], "New sender", words, f"tell {second['name']}")
    more.write()
    s.rule(
        "Both have the accepted alias, and each mailbox has exactly one default address",
        """SELECT COUNT(*) FROM send_as_aliases a WHERE a.send_as_email = :address AND a.user_id IN
        (:one, :two) AND a.verification_status = 'accepted' AND 1 = (SELECT COUNT(*) FROM
        send_as_aliases d WHERE d.user_id = a.user_id AND d.is_default)""",
        expected=2, address=group["address"], one=owner["id"], two=second["id"],
    )  # fmt: skip
    sending.rule_sent(s, "New sender")
