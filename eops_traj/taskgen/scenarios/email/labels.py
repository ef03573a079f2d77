"""Scenarios about labels of one's own: one that is given up, one that looks different, and the emptiest."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email.mail_extras import about_mail
from eops_traj.taskgen.scenarios.email.mailbox_extras import about_own, perhaps
from eops_traj.taskgen.scene import Scene

_USED = """EXISTS (SELECT 1 FROM filters f WHERE f.user_id = l.user_id AND f.action_json ->>
    '$.addLabelIds[0]' = l.id) AND (SELECT COUNT(*) FROM message_labels m WHERE m.user_id = l.user_id AND
    m.label_id = l.id AND m.message_id NOT IN (SELECT message_id FROM message_labels WHERE label_id IN
    ('TRASH', 'SPAM'))) BETWEEN 1 AND 9"""
_ALONE = """1 = (SELECT COUNT(*) FROM labels c WHERE c.user_id = l.user_id AND c.name LIKE l.name || '%')"""
WITH_USED = f""" AND EXISTS (SELECT 1 FROM labels l WHERE l.user_id = u.id AND l.type = 'user' AND {_USED})
    AND 2 <= (SELECT COUNT(*) FROM labels l WHERE l.user_id = u.id AND l.type = 'user')"""
"""The condition that a label of several is filled by a filter."""
_UNSORTED = (
    "What is still to come [needs no label|does without a label].",
    "New mail of that kind [stays|can stay] without a label.",
    "From now on such mail [need not be sorted|is no longer sorted].",
)
"""What becomes of new mail: the rules let a filter be pointed elsewhere, too."""
NAMES = ("Side files", "Kept for now", "Desk drawer", "Second look", "Blue folder", "Notebook", "Old shelf",
         "Open matters", "Working papers")  # fmt: skip


@family("email", perturbations=("missing_entity", "conflicting_demands"))
def give_up_label(s: Scene) -> None:
    """Somebody gives up a label: what lies under it moves, its filter goes, and then the label."""
    me = look.pick_user(s, look.WITH_MAIL + WITH_USED)
    old = s.pick(
        f"SELECT id, name FROM labels l WHERE user_id = :me AND type = 'user' AND {_USED} AND {_ALONE}"
        " ORDER BY name",
        me=me["id"],
    )
    new = s.pick(
        f"SELECT id, name FROM labels l WHERE user_id = :me AND type = 'user' AND id <> :old AND {_ALONE}"
        " ORDER BY name",
        me=me["id"],
        old=old["id"],
    )
    more = perhaps(s, *about_own(me, "labels", "filters"), *about_mail())
    s.perturb("missing_entity", "UPDATE labels SET name = 'Basement' WHERE user_id = :me AND id = :id",
              me=me["id"], id=new["id"])  # fmt: skip
    after = look.phrase(
        s,
        "conflicting_demands",
        "[It need not stay in my list.|I do not want to see it in my list any more.|It is no longer needed in"
        " my list.]",
        "[It has to stay in my list all the same.|I want to see it in my list still.|It is needed in my"
        " list.]",
    )  # fmt: skip
    after += f" {look.line(s, _UNSORTED)}"
    s.covers("all mail under a label")
    s.duty("filters that fill a label go before the label does")
    s.ask(
        """I [have no more use|do not see any use] for the label {old}. [Whatever lies under it|All that it
        holds] should be found under {new} [instead|in future], and then the label {old} itself is deleted.
        {after} Each mail keeps [its other|all its other] labels.""",
        """[Two labels|Having two labels] for one thing [are|is] one too many: delete {old}, once all that it
        marks [carries|has] the label {new}. {after} [Mind whatever|Think of what] still fills it by
        itself.""",
        """The label {new} [takes in|absorbs] {old}. Every mail [that has|under] the second one gets the
        first, after which the second is removed [from the mailbox|for good]. {after}""",
        """[After the move|Since we moved], {old} means nothing to me, so [I want|let] its mails under {new}
        and the label deleted, [as the rules|in the way our rules] want it where sorting depends on it.
        {after}""",
        """[Put|Bring] everything labelled {old} under {new}. {after} [That is the order|This order matters]:
        mails first, what sorts new ones next, and the label {old} last of all, when it is deleted.""",
        """{old}, a label of mine, [goes out of service|has served its time]. {after} What it marks moves to
        {new}, [which I have|which exists] already, and [no mail|not one mail] may be lost on the way; then
        delete it.""",
        old=old["name"], new=new["name"], after=after,
    )  # fmt: skip
    more.say()
    s.refuse(
        "conflicting_demands",
        "a label cannot be deleted and stay in the list",
        names=("label", "delet|remov", f"stay|keep|kept|remain|list|{reasons.CONTRADICTORY}"),
    )
    look.get_profile(s)
    labels = s.do("list_labels", "the ids of both", userId="me")["labels"]
    old_id = look.find_label_id(s, old["name"], labels, "it cannot be given up")
    new_id = look.find_label_id(s, new["name"], labels, "its mail has nowhere to go")
    s.do("get_label", "how much it holds", userId="me", id=old_id)
    mails = s.do("list_messages", "what lies under it", userId="me", labelIds=[old_id])["messages"]
    look.read_each(s, mails, "what it is")
    filters = s.do("list_filters", "whether a filter uses it", userId="me")["filter"]
    more.look()
    s.do(
        "batch_modify_messages",
        "all of it goes under the other label",
        userId="me",
        ids=mails.every()["id"],
        addLabelIds=[new_id],
    )
    s.do_each(filters.every(("action.addLabelIds", "==", [old_id])), "delete_filter", "it fills that label",
              userId="me", id=ROW["id"])  # fmt: skip
    s.do("delete_label", "nothing uses it any more", userId="me", id=old_id)
    more.write()
    s.rule("No filter uses a label that is not there",
           """SELECT COUNT(*) FROM filters f WHERE f.user_id = :me AND f.action_json ->>
           '$.addLabelIds[0]' NOT IN (SELECT id FROM labels WHERE user_id =
           :me)""", expected=0, me=me["id"], category="integrity")  # fmt: skip


@family("email", perturbations=("missing_entity", "policy_forbids"), produces="label")
def restyle_label(s: Scene) -> None:
    """Somebody has a label renamed and shown less often, in the colours that it has."""
    coloured = "l.type = 'user' AND l.text_color IS NOT NULL"
    me = look.pick_user(
        s,
        f"{look.WITH_MAIL} AND u.id IN (SELECT l.user_id FROM labels l WHERE {coloured} AND {_ALONE})",
    )
    label = s.pick(
        f"SELECT id, name FROM labels l WHERE user_id = :me AND {coloured} AND {_ALONE} ORDER BY name",
        me=me["id"],
    )
    new = s.rng.choice([name for name in NAMES if name not in look.label_names(s)])
    hidden = s.chance(0.5)
    more = perhaps(s, *about_own(me, "labels"), *about_mail())
    s.perturb(
        "missing_entity",
        "UPDATE labels SET name = 'Basement' WHERE user_id = :me AND id = :id",
        me=me["id"],
        id=label["id"],
    )
    which = s.phrase("policy_forbids", label["name"], "Important")
    shown = s.rng.choice(
        ("the list of labels leaves it out altogether", "it is hidden in the list of labels") if hidden else
        ("the list of labels shows it only while something under it is unread",
         "it appears among the labels just when it has unread mail")
    )  # fmt: skip
    s.ask(
        """The label {old} [should go by|gets] another name, {new}, and {shown}. Its colours [and whether
        mails show it|as well as its place beside mails] stay [what they are|the same], as do the mails under
        it.""",
        """[For a clearer view|So that I see clearer], rename my label {old} to {new} and [see to it|make
        sure] that {shown}. [It has colours, which|The colours it has] are to be kept.""",
        """{new} is [a better name|what I would rather call the label] for {old}. [On that occasion|While it
        is being renamed], arrange that {shown}; [colours|the pair of colours] and mails are not touched.""",
        """[Two things about|Two wishes for] the label {old}: it is called {new} from now on, and {shown}.
        [Everything else about it|What remains], its colours above all, I want [back as it
        was|unchanged].""",
        """[My project|The project] has a new name, so {old} among my labels turns into {new}.
        [Further|Besides], {shown}. [Do not lose|Keep] the colours, I find it by them.""",
        """[I look for|Looking for] {old} less and less. [So let|Let] that label be renamed {new} and [have
        it that|changed so that] {shown}, in its present colours.""",
        """{old} [does not say|no longer says] what I keep there, {new} would. [Change the name of that
        label|Give that label the new name], and arrange it so that {shown}, [with colours and mails|its
        colours and mails] as they are.""",
        """[In the list on the left|On the left-hand side], {old} takes up room. [Let it be that|I would like
        it so that] {shown}; [its name|as a name it] [becomes|takes] {new}, while the colours [remain|are not
        lost].""",
        old=which, new=new, shown=shown,
    )  # fmt: skip
    more.say()
    s.refuse("policy_forbids", "the system's own labels are neither renamed nor deleted",
             names=("Important|label", "system|own label|built-in|5.2|renamed"))  # fmt: skip
    look.get_profile(s)
    labels = s.do("list_labels", "its id", userId="me")["labels"]
    label_id = look.find_label_id(s, label["name"], labels, "there is nothing to rename")
    s.require(count(labels.every(name=new)), "==", 0, f"there is a label {new} already")
    now = s.do("get_label", "its colours, and where it is shown", userId="me", id=label_id)
    more.look()
    made = s.do("update_label", "rename it, and keep its colours", userId="me", id=label_id, name=new,
         messageListVisibility=now["messageListVisibility"],
         labelListVisibility="labelHide" if hidden else "labelShowIfUnread", color=now["color"])  # fmt: skip
    s.produce("label", made, new)
    more.write()
    s.rule("The label has its colours still",
           """SELECT COUNT(*) FROM labels WHERE user_id = :me AND name = :new AND text_color IS NOT NULL AND
           background_color IS NOT NULL""", me=me["id"], new=new)  # fmt: skip


@family("email", perturbations=("conflicting_demands",), produces="label")
def drop_emptiest(s: Scene) -> None:
    """Somebody has the own label with the fewest mails removed, whichever it is, with its filter."""
    counted = """(SELECT COUNT(*) FROM message_labels m WHERE m.user_id = l.user_id AND m.label_id = l.id)"""
    of_mine = f"SELECT {counted} FROM labels l WHERE l.user_id = u.id AND l.type = 'user'"
    me = look.pick_user(
        s, f"""{look.WITH_MAIL} AND 2 <= (SELECT COUNT(*) FROM labels l WHERE l.user_id = u.id AND l.type =
        'user') AND 1 = (SELECT COUNT(*) FROM labels l WHERE l.user_id = u.id AND l.type = 'user' AND
        {counted} = (SELECT MIN(n) FROM ({of_mine.replace(counted, counted + " AS n")})))"""
    )  # fmt: skip
    least = s.rows(
        f"SELECT name FROM labels l WHERE user_id = :me AND type = 'user' ORDER BY {counted} LIMIT 1",
        me=me["id"],
    )[0]
    new = s.rng.choice([name for name in NAMES if name not in look.label_names(s)])
    more = perhaps(s, *about_own(me, "labels", "filters"), *about_mail())
    fate = look.phrase(
        s,
        "conflicting_demands",
        "[The label need not be filled any more.|New mail does without that label.|Filling it may end.]",
        "[The label has to be filled as before.|New mail still gets that label.|Filling it may not end.]",
    )  # fmt: skip
    s.indirect("the label with the fewest mails", hidden=[least["name"]])
    s.duty("filters that fill a label go before the label does")
    s.branches("whether a filter fills it")
    s.ask(
        """[Of the labels|Among the labels] that I made myself, [the one|whichever] with the fewest mails
        under it [is not worth keeping|can go]. {fate} Delete it, [and with it|together with] the filter
        behind it if there is one; [in exchange|instead] I get an empty label {new}.""",
        """[I allow myself|There is room for] one label less. [Count|Find out] how many mails lie under each
        of my own, [drop|delete] the emptiest, and make one called {new}. {fate} If something sorts mail
        under it automatically, [that ends too|that has to end first].""",
        """{new} is to be a new label of mine, and [for balance|in return] my own label with the smallest
        number of mails is removed. {fate} [Do not forget|Think of] a filter that may still point to it.""",
        """[The least used|The emptiest] of my own labels, by the number of mails it marks, [should|has to]
        disappear, filter and all. {fate} [After that|Then] add {new} to my labels.""",
        """[There are too many labels|I have too many labels], some with [next to|almost] nothing under them.
        The one with the lowest count among those I created is to be deleted, what feeds it as well, and
        {new} is to be [created|added]. {fate}""",
        """Compare my own labels by how many mails they [hold|have]: the one at the bottom [is given
        up|goes]. {fate} [Whatever filter|Any filter that] uses it cannot stay either. {new}, a label without
        any mail so far, takes its place.""",
        """[How|I wonder how] much mail each label of mine [has|holds]; the smallest number decides, and its
        label is [taken away|deleted], along with any filter that depends on it. {fate} [For what is to
        come|For future use], a label by the name of {new} is made.""",
        """{fate} [It is my labels|My own labels are what] I want to thin out: the one marking fewer mails
        than every other is dropped, [after|not before] the filter that may feed it, and {new} [joins the
        rest|is added to the others].""",
        new=new, fate=fate,
    )  # fmt: skip
    more.say()
    s.refuse("conflicting_demands", "a label cannot be deleted and go on being filled",
             names=("label", "delet|remov|drop|disappear|gone|go away|given up|contradict|conflict",
                    f"fill|filter|go on|{reasons.CONTRADICTORY}"))  # fmt: skip
    look.get_profile(s)
    labels = s.do("list_labels", "which are my own", userId="me")["labels"]
    s.require(count(labels.every(name=new)), "==", 0, f"there is a label {new} already")
    sizes = s.do_each(
        labels.every(type="user"), "get_label", "how many mails it has", userId="me", id=ROW["id"]
    )
    filters = s.do("list_filters", "which labels filters use", userId="me")["filter"]
    emptiest = sizes.smallest("messagesTotal")
    more.look()
    s.do_each(
        filters.every(("action.addLabelIds", "==", [emptiest["id"]])),
        "delete_filter",
        "it fills that label",
        userId="me",
        id=ROW["id"],
    )
    s.do("delete_label", "the one with the fewest mails", userId="me", id=emptiest["id"])
    made = s.do("create_label", "the new one", userId="me", name=new)
    s.produce("label", made, new)
    more.write()
    s.rule(
        "No filter uses a label that is not there",
        """SELECT COUNT(*) FROM filters f WHERE f.user_id = :me AND f.action_json ->> '$.addLabelIds[0]'
           NOT IN (SELECT id FROM labels WHERE user_id =
           :me)""",
        expected=0,
        me=me["id"],
        category="integrity",
    )
