"""A scenario of administrators: people who may send as a group."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.email import admin
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scene import Scene

GROUPS = """SELECT send_as_email AS address, MIN(display_name) AS name FROM send_as
WHERE NOT is_primary AND send_as_email LIKE '%@corvane.example' GROUP BY 1 ORDER BY 1"""


@family("email", twists=("no_right", "inactive_person", "out_of_scope"), takes="mailbox")
def group_alias(s: Scene) -> None:
    """An administrator lets two people send as the group that they have joined, and tells one of them."""
    me = look.admin(s)
    group = s.pick(GROUPS)
    senders = f"SELECT user_id FROM send_as WHERE send_as_email = '{group['address']}'"
    outside = f"SELECT id FROM users WHERE id NOT IN ({senders})"
    owner, known, box = admin.mailbox(s, outside)
    rows = [
        row
        for row in s.rows(
            f"{admin.OWNERS}{look.ALONE}{look.QUIET} AND u.id IN ({outside}) ORDER BY u.id", me=me["id"]
        )
        if row["id"] != owner["id"]
    ]
    second = look.choose(s, rows)
    default = s.chance(0.3)
    words = s.rng.choice((
        f"You can send as {group['name']} from today on.",
        f"The address of {group['name']} is among your senders now. Use it for the group's matters only.",
        f"{group['name']} and you share an address now.",
    ))  # fmt: skip
    admin.demoted(s)
    admin.gone_from(s, second)
    address = s.phrase("out_of_scope", group["address"], "office@founders-circle.example")
    new = f"For {second['name']} it should also be the default." if default else "Nobody's default changes."
    s.ask(
        """two people have joined {group} and have to be able to send as {address}: {box}, and {second}. The
        name beside it is '{group}', and mail to that address counts as theirs. {new} Both or none. Then
        tell {name} by mail, subject 'New sender': '{words}'""",
        """please give an alias to {box} and likewise to {second}. The address is {address}, shown as
        '{group}', treated as their own. {new} A mail goes to {name}, subject 'New sender', '{words}' If one
        of the two fails, give it to neither.""",
        """could you let {person} send as {group}? The address is {address}, the name shown is '{group}',
        and it is to be treated as an alias. The same for {box}. {new} It is a pair, so not one alone.
        {name} gets a mail on it: 'New sender', '{words}'""",
        """alias {address}, name '{group}', treated as one's own. For: {box}; and {second}. {new} Together
        or not at all. Mail to {name} with the subject 'New sender': '{words}'""",
        """{group} has grown by two, and neither can send as the group yet. They are: {box}, and {second}.
        Make it possible with {address}, '{group}' as the name, as an alias of theirs. {new} Do both or
        leave it. When it is done, write to {name}: 'New sender', '{words}'""",
        """before anyone sends in the name of {group} from a private address: set up {address} as an alias,
        named '{group}' and treated as their own, for {second} and for {box}. {new} Not for one without the
        other, please. Subject 'New sender', '{words}' goes to {name}.""",
        group=group["name"],
        address=address,
        box=box,
        second=f"that of {second['name']} ({second['email']})",
        person=f"{second['name']} ({second['email']})",
        new=new,
        name=second["name"],
        words=words,
    )
    s.refuse("out_of_scope", "an alias outside the company needs a written agreement")
    if known is None:
        known = admin.opened(s, owner)
    boxes = [known, admin.opened(s, second)]
    for row, box_ in zip((owner, second), boxes, strict=True):
        listed = s.do("list_send_as_aliases", f"what {row['name']} sends as", userId=box_["emailAddress"])[
            "sendAs"
        ]
        s.require(
            count(listed.every(sendAsEmail=group["address"])), "==", 0, f"{row['name']} has the alias already"
        )
    for row, box_ in zip((owner, second), boxes, strict=True):
        last = default and row is second
        s.do("create_send_as_alias", f"{row['name']} sends as {group['name']}", userId=box_["emailAddress"],
             sendAsEmail=group["address"], displayName=group["name"], treatAsAlias=True,
             **({"isDefault": True} if last else {}))  # fmt: skip
        s.do(
            "get_send_as_alias",
            "whether it is accepted",
            userId=box_["emailAddress"],
            sendAsEmail=group["address"],
        )
    look.send(s, second["email"], "New sender", words, f"tell {second['name']}")
    s.rule(
        "Both have the accepted alias, and each mailbox has exactly one default address",
        """SELECT COUNT(*) FROM send_as a WHERE a.send_as_email = :address AND a.user_id IN (:one, :two) AND
        a.verification_status = 'accepted' AND 1 = (SELECT COUNT(*) FROM send_as d WHERE d.user_id =
        a.user_id AND d.is_default)""",
        expected=2,
        address=group["address"],
        one=owner["id"],
        two=second["id"],
    )
    look.sent_once(s, "New sender")
