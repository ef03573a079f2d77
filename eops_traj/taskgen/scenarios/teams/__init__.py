"""Scenarios of Teams, by what they are about."""

MODULES = (
    "accounts", "handover", "channels", "closing", "groups", "webinars", "publishing", "town_halls",
    "members", "notices", "rooms", "tabs", "circles", "directory", "tags", "calls", "chats",
    "chat_messages", "posts", "reactions", "teams",
)  # fmt: skip
"""The modules with families, in the order in which a suite draws from them."""

ASIDES = (
    "[My director|Our director] knows about this and [agrees|has no objection].",
    "It came up in [Friday's meeting|the meeting on Friday], where nobody had time to do it [at "
    "once|there and then].",
    "[A colleague|Somebody] tried it last week and [got stuck|gave up] halfway, so [have a look|look] at "
    "what is there first.",
    "The same was done for [another department|other colleagues] in the autumn, and [it went well|nobody "
    "complained].",
    "What I describe was agreed with the people concerned [before the holidays|in December].",
    "If something about it is [unclear|doubtful], our rules for Teams [decide|settle it].",
    "[The help desk|Our help desk] sent me here, as this is no matter for a ticket [of theirs|with them].",
    "Some of it may look [odd|strange], but it follows from the [new|latest] plan of departments.",
    "There is a list of open points for the first week of January, and this is [one of them|on it].",
    "Two colleagues [have asked|asked] me about it since the office opened [this morning|today].",
    "[The auditors|Our auditors] will look at it in February, so it should be [correct|right] and complete.",
    "Last year we did this by hand, which [took hours|nobody wants to repeat].",
    "[Later today|This afternoon] I am with customers and [can answer no questions|cannot be reached].",
    "Nothing of it is [secret|confidential], but it need not be [discussed|talked about] either.",
    "It has been waiting since [the freeze before Christmas|mid-December], when changes were [on "
    "hold|stopped].",
    "[As far as I know|To my knowledge] no other request about this is open.",
    "The person who usually does it is [on leave|away] until [next week|Monday next week].",
    "I checked the spelling of names [twice|again], since two of them are easily confused [here|at Corvane].",
    "[Our works council|The works council] has seen it and has [nothing against it|no remarks].",
    "When you report back, [short|a few] sentences [are enough|will do].",
    "We [have promised|promised] it to the people concerned for the first [week of|days in] January.",
    "The [request|idea] is not mine alone, [others stand|the whole group stands] behind it.",
    "A [note|page] in our handbook describes how such things are [usually|normally] done, and I follow it.",
    "[In the past|Before] we were too generous with such changes, hence the [exact|precise] wording.",
    "Please [go by|rely on] what the system shows and not by what people [remember|say].",
    "[The old arrangement|What we had so far] grew over years and [suits|pleases] nobody any more.",
    "It is part of a [larger|longer] cleanup that [runs|goes on] until the end of March.",
    "I would do it myself if I [knew|could remember] the order of the steps.",
    "[Everyone|Everybody] who needs to know in advance has [been told|heard of it].",
    "Our [group|department] has a new budget year, and this is the first thing [we use it for|on the list].",
    "[There were questions|Somebody asked] whether it is allowed, [which|and that] is for you to check.",
    "It has [nothing to do|no connection] with the outage [of last week|before the holidays].",
    "The [last|previous] attempt was [undone|taken back] because a step had been [left out|forgotten].",
    "I am [sending|putting] this to you rather than to the owners' list, [where it would get lost|which "
    "few people read].",
    "Should anybody ask, the decision was [taken|made] by [us in the department|the department].",
    "[We start|The work starts] as soon as this is in place, not [earlier|before].",
    "My notes on it are [brief|short], but nothing [that matters|of importance] is missing.",
    "A similar wish from the [London|Tokyo] office may follow [later this month|in a few weeks].",
    "[Half of|A part of] my group [works|is] at home this week, so all of this [happens|goes on] in Teams.",
    "The slides for the [kick-off|next meeting] already [mention|refer to] it as done.",
    "[None of this|Nothing of it] touches the accounts of [customers|suppliers].",
    "It is better to have it done [properly|right] than [quickly|fast].",
)
"""Sentences of the context, for the requests of this domain."""
