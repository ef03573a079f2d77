"""The words of what a request over several servers asks for besides."""

TITLES = (
    "[Ask|See] what [came of it|became of that]", "[Second|Another] look at [Monday's work|what was entered]",
    "[Check|Go through] the [entries|records] again", "Is it [still right|settled]?",
    "[Talk|Report] to [the director|my lead]", "[Close|Finish] the [matter|file]",
    "[Count|Sum up] what is [left|open]", "[Thank|Ring] those [concerned|who helped]",
)  # fmt: skip
MARK = (
    """{on}, all day long, my own calendar [should say|reads] "{title}", [with nobody invited|for my eyes
    only].""",
    """[As I forget such things|Since nobody will remind me], "{title}" [goes|is to go] into my main calendar
    as a whole-day entry {on}.""",
    """[Give me|I want] a whole day in my own calendar by the name of "{title}", {on}, [no guests|without
    guests].""",
    """And {on} I [need|would like] "{title}" over the whole day, [just in|only in] my main calendar.""",
    """[To come back to it|For the follow-up], enter "{title}" for me {on}; it [takes|lasts] all day and
    [concerns|invites] nobody else.""",
    """My calendar [gets|takes] one entry more, "{title}", [which lasts|lasting] the whole day {on}.""",
    """Something called "{title}" [has to|should] stand in my main calendar {on}, [the whole day|all day],
    [without anybody else|for me alone].""",
)
ENTRIES = (
    """How many entries does my main calendar [have|hold] {on}? [I may take that day off|I think of leaving
    early].""",
    """[Count|Also count] what stands in my own calendar {on}, and [tell me the number|let me know].""",
    """[I wonder|I would like to know] how full I am {on}: [the number|just the number] of entries in my main
    calendar, please.""",
    """[For the travel desk|For a trip] I need to hear how many entries there are in my own calendar {on}.""",
    """{on} I might be away, so [report|tell me] how many things my main calendar [shows|has] for that
    day.""",
    """[Somebody|A visitor] wants to see me {on}; [with how many entries|how many entries] is my main calendar
    filled then?""",
)
READERS = (
    """[By how many rules|Through how many access rules] is my main calendar [shared|open to others]? [I have
    lost track|I never looked].""",
    """[Tell me|Find out], too, how many access rules [there are on|stand on] my own main calendar[, mine
    included|].""",
    """[Security asks|Our data officer asks] each of us how many sharing rules the main calendar has, so
    [answer that for mine|give me the number for mine].""",
    """My main calendar has [some|a few] access rules; [how many exactly|what is their number]?""",
    """[Count|Have a look and count] the rules by which [others|people] get into my main calendar, and
    [report|name] the figure.""",
    """[What I also need|What is missing yet] is the number of access rules of my main calendar, [owner's
    rule included|all of them].""",
)
LABELS = (
    "Expected back", "Answers pending", "To be filed", "January matters", "From the desk", "Loose ends",
    "Replies awaited", "Follow through", "Owed to me", "Half done", "Kept for review", "Second reading",
)  # fmt: skip
LABEL = (
    """[Whatever comes back|For what is answered] I [want|need] a label "{name}" in my mail, [still|for now]
    empty.""",
    """[Make|Create] a label "{name}" in my mail, [so that I can sort the replies|for the answers].""",
    """My mailbox [lacks|does not have] a label called "{name}"; [make one|it should get one].""",
    """[Replies|The replies] will go under a label "{name}", which [has to be made|does not exist] [first|yet]
    in my mailbox.""",
    """And there should be a [new|fresh] label in my mail, "{name}", [plain|no colour], for [later|what
    follows].""",
    """[Set up|Add] "{name}" as a label of mine in the mailbox, [to be used by hand|without a filter].""",
)
UNREAD = (
    """How many unread mails are there in my inbox [at the moment|just now]? [I have been away|I dare not
    look].""",
    """[Tell me|Report] the number of unread messages in my inbox [as well|, too].""",
    """[I have not looked|I did not get round to looking] at my mail, so how many are unread in the inbox?""",
    """[While you are in my mailbox|As you see my mailbox anyway], [count|look up] what is unread in the inbox
    and [give me the number|tell me].""",
    """The number of unread mails in my inbox [belongs|goes] into your answer, [for the rota|as well].""",
    """[How bad is it|How far behind am I]: what does my inbox [count|show] as unread?""",
)
FILTERS = (
    """How many filters [sort|work on] my mail? [I inherited some|They were set up long ago].""",
    """[Count|Look up] the filters of my mailbox, [and tell me how many there are|the number is enough].""",
    """[Something sorts my mail away|Mails of mine vanish from the inbox], so I [want|ought] to know how many
    filters [there are|I have].""",
    """[Report|Add] the number of filters in my mailbox, [which I cannot find|as I never counted them].""",
    """In your answer I [expect|look for] how many mail filters I [have|own] [at present|by now].""",
    """My mailbox has filters; [what is their number|how many are there], [all told|everything counted]?""",
)
DRAFTS = (
    """How many drafts [lie|are lying] in my mailbox? [Some must be old|I mean to clear them].""",
    """[Tell me|I want to hear] how many mails of mine are [still|only] drafts, [nothing has to be sent|leave
    them as they are].""",
    """[Count my drafts|See how many drafts I have] and [report|say] it, without [touching|sending] any.""",
    """The number of drafts in my mailbox [interests me|is something I want to know] [as well|, too].""",
    """[There are|I keep] drafts that I never sent; how many [is it|are they] by now?""",
    """[For my own order|To tidy up later] I [need|want] the number of drafts in my mailbox from you.""",
)
STATES = (
    "[In the records|Busy with entries] until noon", "[Working|At work] on the [handover|hand-over]",
    "[Ask|Write to] my deputy [until Friday|this week]", "[On the phone|In calls] with [customers|the sites]",
    "[Slow|Late] to answer this week", "[Reading|Writing] only, [no calls|please do not ring]",
    "Back at my desk on [Wednesday|Thursday]",
)  # fmt: skip
STATUS = (
    """My status message in Teams [should read|is to say] "{status}".""",
    """[Beside my name|Next to my name] in Teams put "{status}" as the status message[, with no end|].""",
    """[So that nobody wonders|That people know], set my status message in Teams to "{status}".""",
    """"{status}" [goes|belongs] into my status message in Teams [as well|, too].""",
    """In Teams my status [becomes|turns into] "{status}", [the message that is|by which I mean the
    message].""",
    """[People look|Everybody looks] at the status message in Teams first, so [mine should be|let mine say]
    "{status}".""",
)
MEMBERS = (
    """How many members does the team {team} have in Teams [at present|these days]? [A room has to be
    booked|Seats have to be booked].""",
    """[Count|Look up], too, how many people are in {team} in Teams, [owners too|in any role].""",
    """[I was asked|They asked me] for the headcount of {team}, by its membership in Teams; [tell me|let me
    have it].""",
    """The team {team} in Teams [has grown|has changed]: how many members is it [now|by now]?""",
    """[Your answer should name|Name in your answer] the number of members in {team}, [the Teams one|as Teams
    has it].""",
    """[For the licences|For the seating plan], the number of people in the team {team} of Teams [is wanted|is
    needed].""",
)
CHATS = (
    """In how many group chats am I [at present|by now]? [It feels like too many|I mean to leave some].""",
    """[Tell me|Count for me] how many group chats Teams has me in, [not the chats of two|chats between two
    aside].""",
    """The number of my group chats in Teams [would help me|is a thing I want to know]; [one-to-one
    chats|chats with one person] do not count.""",
    """[Out of interest|For my own planning]: how many chats of mine in Teams are group chats?""",
    """[My lead claims|It is said] that nobody is in more group chats, so [find out|report] my number.""",
    """[Look|See] in Teams how many group chats [list me|I am part of], and [say so|put it into your
    answer].""",
)
DRIVES = (
    """How many shared drives [can I see|am I let into]? [An audit asks|The form wants a number].""",
    """[Count|Look up] the shared drives that [are open to me|show up for me], and [tell me|report] the
    number.""",
    """[There is a form|I fill in a form] that asks how many shared drives I [have access to|can open];
    [answer that|find out].""",
    """The number of shared drives that I am in [is wanted|is asked for] [as well|, too].""",
    """[As regards access|About my rights], I want to hear how many shared drives I am in.""",
    """[Add|Name] how many shared drives there are for me, [hidden ones aside|as the list shows them].""",
)
REMARKS = (
    """How many comments does "{file}" ({drive} drive) have [by now|so far]?""",
    """[Tell me|Find out] how many comments stand on the file "{file}" in the shared drive {drive}.""",
    """[Somebody promised|They promised] to comment on "{file}" in {drive}; [how many comments are there|count
    the comments for me].""",
    """I would [also|further] like the number of comments on "{file}", which lies in the drive {drive}.""",
    """"{file}" in the {drive} drive [was to be discussed|is under discussion]: how many comments [has it|did
    it get]?""",
    """[Before I open it|Without opening it], I want to know how many comments "{file}" in {drive} has.""",
)
