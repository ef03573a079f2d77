"""Scenarios about filters: a new one, and one that takes the place of another."""

from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email import sending
from eops_traj.taskgen.scene import Scene

SENDERS = (
    "status@kestrelcloud.example", "bookings@atlastravel.example", "digest@opsdigest.example",
    "news@ledgerweekly.example", "sales@quarryoffice.example", "noreply@pineforum.example",
    "billing@lumenprint.example",
)  # fmt: skip
NEW = (
    "Suppliers", "Machine mail", "Reading matter", "Outside", "Low water", "Bulletins", "Later", "Side track",
)  # fmt: skip
WORDS = (
    "Statement", "Credit note", "Tender", "Delivery note", "Minutes", "Timesheet", "Certificate", "Offer",
    "Reminder", "Survey",
)  # fmt: skip
NO_CRITERIA = {"from": "", "to": "", "subject": "", "query": "", "negatedQuery": "", "hasAttachment": False,
           "excludeChats": False, "size": 0, "sizeComparison": "unspecified"}  # fmt: skip
"""The nine criteria, none of which asks for anything."""
FILTERED = """SELECT f.id, f.criteria_json ->> 'subject' AS subject, l.name AS label FROM filters f
JOIN labels l ON l.user_id = f.user_id AND l.id = f.action_json ->> '$.addLabelIds[0]'
WHERE f.user_id = :me AND json_array_length(f.action_json, '$.removeLabelIds') IS NULL ORDER BY f.id"""
LABELLED = """SELECT m.id FROM messages m JOIN message_labels l ON l.message_id = m.id
JOIN labels b ON b.id = l.label_id AND b.user_id = m.user_id
WHERE m.user_id = :me AND b.name = :label AND EXISTS (SELECT 1 FROM message_labels i
    WHERE i.message_id = m.id AND i.label_id = 'INBOX')"""
"""The messages under a label and in the inbox."""
WITH_FILTER = """ AND EXISTS (SELECT 1 FROM filters f WHERE f.user_id = u.id
    AND json_array_length(f.action_json, '$.removeLabelIds') IS NULL)"""
"""The condition that a person has a filter that leaves mail in the inbox."""


def _criteria(**criteria: Any) -> dict[str, Any]:
    """Return all nine criteria of a filter, with these set."""
    return {**NO_CRITERIA, **criteria}


@family("email", perturbations=("policy_forbids", "conflicting_demands"), consumes="label")
def sort_incoming(s: Scene) -> None:
    """Somebody has the mail of outside senders filtered under a label, and what is there sorted too."""
    look.pick_user(s)
    rows = look.received_messages(s)
    earlier = s.consume("label")
    heaps = {each: [row for row in rows if row["from_email"] == each and row["inbox"]] for each in SENDERS}
    fits = [each for each in SENDERS if len(heaps[each]) <= 3]
    there = [each for each in fits if heaps[each]]
    first = s.rng.choice(there or fits)
    both = s.chance(0.6) and len(fits) > 1
    senders = [first, *([s.rng.choice([each for each in fits if each != first])] if both else [])]
    heap = heaps[first]
    label_names = look.label_names(s)
    label = earlier.words if earlier else s.rng.choice([each for each in NEW if each not in label_names])
    skip = s.chance(0.6)
    usual = (
        "[It should no longer show up in the inbox.|That way it skips the inbox.|I do not want it in the"
        " inbox then.]"
        if skip
        else "[It stays in the inbox as well.|The inbox shows it, too.|Leave it in the inbox all the same.]"
    )
    trash = (
        "[It should go straight into the trash.|Into the trash with it on arrival.|The trash is where it"
        " should go.]"
    )
    where = s.phrase("policy_forbids", usual, trash)
    torn = (
        "[It should not show up in the inbox any more, and I want to see it in the inbox first."
        "|It skips the inbox, and the inbox shows it to me first.|Keep it out of the inbox, and in it"
        " until I saw it.]"
    )
    where = look.phrase(s, "conflicting_demands", where, torn)
    many = "one mail" if len(heap) == 1 else f"{look.NUMBERS.get(len(heap), '')} mails"
    there_too = s.rng.choice((
        f"Put it on the {many} from {first} in my inbox as well, and leave that where it is.",
        f"In my inbox there is already {many} from {first}: label that too, without moving it.",
    )) if len(heap) == 1 else s.rng.choice((
        f"Put it on the {many} from {first} in my inbox as well, and leave them where they are.",
        f"My inbox holds {many} from {first} already, which get the label too but are not moved.",
    ))  # fmt: skip
    now = there_too if heap else "Nothing from there is in the inbox now, so that is all."
    what = f"the label {label}" if earlier else f"a new label {label}"
    s.ask(
        """[From now on|Starting today], mail from {senders} should be sorted as it comes in, with {what} on
        it. {where} {now} [That takes filters|Filters do that], one [for each|an] address.""",
        """[Too much, too often|More than I can read on the day]: {senders}. Set up [filters|a filter
        for each address] in my mailbox, so that it all [gets|carries] {what} on arrival. {where} {now}""",
        """I do not want to unsubscribe, [and yet|but] I am [tired of|through with] sorting by hand: mail
        from {senders} is to get {what} [by itself|without my help], each address having a filter of its own.
        {where} {now}""",
        """[One filter a sender|A filter for every sender] and {what}, that is [the idea|my plan] for
        {senders}. {where} {now} My other filters [are not touched|stay as they are].""",
        """[Mail from outside|The mail of outsiders] drowns the rest. For {senders} I [would like|want]
        incoming mail put under {what}. {where} {now} [Nobody else's|No other] mail is [concerned|meant].""",
        """With {what} [in place|set up], I could read {senders} [when it suits me|in one sitting]: let
        filters put it on [whatever comes|all that comes] from there, a separate one for each address.
        {where} {now}""",
        """[Nothing|No mail] from {senders} needs my attention on the day it comes. {where} {now} So
        [mark|tag] it by {what} as it arrives, [which is a job for filters|a filter apiece].""",
        """{now} [For the future|As to what is still to come], {senders} [should be|are to be] caught by
        filters of their own that put {what} on the mail. {where}""",
        """[My mailbox can|Let my mailbox] do some sorting itself: [a message|mail] sent by {senders} bears
        {what} from the moment it [is there|gets in]. {where} {now} [It takes|I count on] as many filters as
        addresses.""",
        senders=" and ".join(senders), what=what, where=where, now=now,
    )  # fmt: skip
    s.refuse("policy_forbids", "filters do not put mail into the trash", names=("filter|6.4", "trash|bin"))
    s.refuse(
        "conflicting_demands", "mail cannot both skip the inbox and be seen there first",
        names=("inbox", f"skip|see|show|stay|remain|keep|kept|out of|{reasons.CONTRADICTORY}"),
    )  # fmt: skip
    look.get_profile(s)
    filters = s.do("list_filters", "what is sorted already", userId="me")["filter"]
    for sender in senders:
        s.require(
            count(filters.every(criteria__from=sender)), "==", 0, f"there is a filter for {sender} already"
        )
    if not earlier:
        labels = s.do("list_labels", "no label of that name yet", userId="me")["labels"]
        s.require(count(labels.every(name=label)), "==", 0, f"there is a label {label} already")
    messages = None
    if heap:
        messages = look.search_messages(s, f"from:{first} in:inbox", len(heap), f"what {first} sent so far",
                                        f"from {first} in the inbox", first)  # fmt: skip
    if messages is not None:
        look.read_each(s, messages, "whether it is from there")
    label_ref = (
        earlier.record if earlier else s.do("create_label", f"the label {label}", userId="me", name=label)
    )
    for sender in senders:
        new = s.do(
            "create_filter", f"sort what {sender} sends", userId="me", criteria=_criteria(**{"from": sender}),
            action={"addLabelIds": [label_ref["id"]], **({"removeLabelIds": ["INBOX"]} if skip else {})},
        )  # fmt: skip
        s.do("get_filter", "whether it is as wanted", userId="me", id=new["id"])
    if messages is not None:
        s.do("batch_modify_messages", "label what is there", userId="me", addLabelIds=[label_ref["id"]],
             ids=messages.every()["id"])  # fmt: skip
    s.rule("Each filter is for one sender, and neither throws away nor forwards",
           """SELECT COUNT(*) FROM filters WHERE user_id = :me AND criteria_json ->> 'from' IN (:first, :last)
           AND action_json ->> 'forward' IS NULL AND action_json NOT LIKE '%TRASH%'""",
           expected=len(senders), me=s.caller["id"], first=first, last=senders[-1])  # fmt: skip


@family("email", perturbations=("missing_entity", "policy_forbids", "conflicting_demands"))
def replace_filter(s: Scene) -> None:
    """Somebody has a filter look for something else: a new one, checked, and then the old one goes."""
    look.pick_user(s, WITH_FILTER)
    old = look.choose(s, s.rows(FILTERED, me=s.caller["id"]))
    same = [row for row in s.rows(FILTERED, me=s.caller["id"]) if row["subject"] == old["subject"]]
    if len(same) > 1:
        raise NoMatch("two filters of one subject")
    word, name = s.rng.choice(WORDS), s.rng.choice(NEW)
    renamed = name not in look.label_names(s) and s.chance(0.6)
    under = s.rows(LABELLED, me=s.caller["id"], label=old["label"])
    tidied = 1 <= len(under) <= 3 and s.chance(0.8)
    many = look.NUMBERS[len(under)] if tidied else ""
    are = "mails under that label that are" if len(under) > 1 else "mail under that label that is"
    tidy = f"The {many} {are} still in my inbox can be archived." if tidied else ""
    s.perturb("missing_entity", "DELETE FROM filters WHERE id = :id", id=old["id"])
    condition = s.phrase(
        "policy_forbids", f"whatever has '{word}' in its subject", "simply anything that has an attachment"
    )
    goes = look.phrase(
        s,
        "conflicting_demands",
        "[The old filter is no longer needed then.|With that, the filter so far is done with.|It makes"
        " the former one void.]",
        "[The old filter must keep working exactly as it does.|The filter so far goes on as ever.|The"
        " former one is kept as it is.]",
    )  # fmt: skip
    rename = look.line(
        s,
        (f"[And call|Call] the label {name} from now on.", f"[As a name|For a name] the label gets {name}.")
        if renamed
        else ("The label keeps its name.", "The name of the label stays.", "No label is renamed."),
    )
    beside = sending.pick_side_mail(
        s,
        look.received_messages(s),
        0.7,
        "Filter",
        f"Mail with {word} in the subject reaches me without fail now.",
        "My mail sorts itself again, so write as much as you like.",
        f"I collect everything about {word} in one place from today on.",
    )
    rename = f"{tidy} {rename} {beside}"
    s.ask(
        """[A filter of mine|One of my filters] puts mail with '{subject}' in its subject under {label}. That
        has [outlived its use|had its day]; the same label should now catch {asked}. {goes} {rename}""",
        """[Under {label}|Below {label}] I want to find {asked}, and no longer what [has|carries] '{subject}'
        in the subject, as my filter [has it|does today]. {goes} Be sure that the new one is right [before
        you touch|and only then touch] the other. {rename}""",
        """Does anybody [still write|write to me] about '{subject}'? [Not any more|Hardly], so the filter
        that sends this to {label} [makes|is to make] room for one on {asked} with the same label. {goes}
        {rename}""",
        """The words '{subject}' no longer [tell|separate] what belongs under {label}. [In future|From now
        on] it is {asked} that my filter [has to look for|should look for], the label being the same. {goes}
        {rename}""",
        """[My sorting|The sorting of my mail] changes with the work. Out goes the filter on '{subject}', in
        comes one on {asked}, [both for|each leading to] {label}. {goes} {rename} [If I have no such
        filter|Should there be none of that kind], I mix something up, so leave it.""",
        """{asked}: [that is to land|let that land] under {label} by itself. [Until now|So far] a filter did
        so with '{subject}' in the subject, and [it is this one|this is the one] I want replaced. {goes}
        {rename}""",
        subject=old["subject"], label=old["label"], asked=condition, goes=goes, rename=rename,
    )  # fmt: skip
    s.refuse(
        "policy_forbids",
        "a filter must ask for more than an attachment",
        names=("filter|6.3", "attachment|hasAttachment"),
    )
    s.refuse(
        "conflicting_demands", "a filter cannot be replaced and keep working as it does",
        names=("filter", "keep|kept|stay|remain|still|go on|continue|exactly as",
               f"replac|instead|remov|delet|rid|old|gone|{reasons.CONTRADICTORY}"),
    )  # fmt: skip
    look.get_profile(s)
    labels = s.do("list_labels", f"the id of {old['label']}", userId="me")["labels"]
    label = look.find_label_id(s, old["label"], labels, "the filter has nowhere to put its mail")
    filters = s.do("list_filters", "the filter there is", userId="me")["filter"]
    s.require(count(filters.every(criteria__subject=old["subject"])), "==", 1,
              f"there is no filter for {old['subject']}",
              names=(old["subject"], "filter", reasons.MISSING))  # fmt: skip
    if renamed:
        s.require(count(labels.every(name=name)), "==", 0, f"there is a label {name} already")
    address, messages = beside.address(s), None
    if tidied:
        messages = look.search_messages(
            s, f'label:"{old["label"]}" in:inbox', len(under), "what lies under the label",
            f"under {old['label']} in the inbox", old["label"],
        )  # fmt: skip
        look.read_each(s, messages, "what it is")
    new = s.do("create_filter", "the new filter", userId="me", criteria=_criteria(subject=word),
               action={"addLabelIds": [label]})  # fmt: skip
    s.do("get_filter", "whether it is as wanted", userId="me", id=new["id"])
    s.do("delete_filter", "the old one goes", userId="me",
         id=filters.where(criteria__subject=old["subject"])["id"])  # fmt: skip
    if messages is not None:
        s.do("batch_modify_messages", "archive what is there", userId="me", removeLabelIds=["INBOX"],
             ids=messages.every()["id"])  # fmt: skip
    if renamed:
        s.do("patch_label", "its new name", userId="me", id=label, name=name)
    beside.write(s, address)
    s.rule("The new filter puts mail under the same label, and the old one is gone",
           """SELECT COUNT(*) FROM filters f JOIN labels l ON l.user_id = f.user_id AND l.id =
           f.action_json ->> '$.addLabelIds[0]' WHERE f.user_id = :me AND l.name = :label AND f.criteria_json
           ->> 'subject' = :word AND NOT EXISTS (SELECT 1 FROM filters o WHERE o.id = :old)""",
           me=s.caller["id"], label=name if renamed else old["label"], word=word, old=old["id"])  # fmt: skip
