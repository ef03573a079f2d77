"""What a request may want to be told besides about sites, articles, templates, and the desk as a whole."""

from functools import partial

from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import Course, Extra, Records, Sentence, question
from eops_traj.taskgen.scene import Scene

_STATES = {"in_use": "in use", "maintenance": "in maintenance"}
_STANDING = (
    """[Tell me|Let me know], too, how many devices [are|stand] at {site} {state}, [as the insurer asks|which
    the fire officer asks every year].""",
    """[Facilities|The site lead] [asked me|put to me the question] how many devices at {site} are {state},
    [which our records can tell|as far as the records go], so [add that number|report the number].""",
    """[The socket plan|The cleaning plan] for {site} needs the number of devices there that are {state}, so
    [count them|look that up].""",
    """[Besides|In addition], I am to report [on|about] {site} how many configuration items there are {state};
    [give me the number|find the number].""",
    """[Count|Add up] what is {state} at {site}, [and report it|and name the figure], [for the yearly list|for
    the space plan|for the renewal of the lease] [of that building|which is due this month].""",
    """[With the same answer|Along with it] I [expect|want] the number of devices at {site} whose status is
    {state}.""",
)
_OWNER = (
    """[Since readers ask for a summary|As there is a question about its text], I [need|should have] the
    e-mail address of [whoever owns|the person who owns] the article "{title}".""",
    """[The owner of|Whoever owns] "{title}" [should hear from me|is to be thanked] [before the next
    review|this week], so [tell me|report] the e-mail address [of that person|that is on record].""",
    """[For questions about|Since people ask about] "{title}", [find out|look up] the e-mail address of its
    owner, [whom nobody could name|which the article itself does not show].""",
    """[Add|Your answer should have] the e-mail address of the colleague who owns "{title}", [as I do not know
    it|for my invitation].""",
    """"{title}" [has an owner|is owned by somebody], [whose e-mail address|and that person's e-mail address]
    [I lack|is what I want from you], [for I am to report a mistake|as there are remarks to pass on].""",
    """[Readers of|Those who read] "{title}" [write to me|ring me], though I do not own it; [tell me|let me
    have] the owner's e-mail address.""",
)
_MADE_FROM = (
    """[The desk lead|My lead] [wants to hear|asked me] how many tickets [were ever made|have been made] from
    the template "{name}", [open ones and others|in whatever state], so [count them|tell me].""",
    """[For the record|To justify it], [count|find out the number of] tickets that [carry|came from] the
    template "{name}", [however old they are|those of last year included], [and tell me|and report it].""",
    """[It would be good to know|I should know] how many tickets [name|go back to] "{name}" as their template,
    so [tell me|report that].""",
    """[Before anybody asks|As somebody will ask], give me the number of tickets [from|made with] the template
    "{name}", open or not.""",
    """[In order to know whether "{name}" was of any use|To see what "{name}" was good for], I [want|would
    like] to hear how many tickets were made from that template.""",
    """[Your answer|The answer] [also needs|has to include] the number of tickets made with the template
    "{name}", [in any state|closed ones included].""",
)
_PRIORITY = (
    """[The board likes figures|The board asks for figures] such as how many tickets of priority {level} [we
    have on record|are on record] [in all|altogether], so [add that one|tell me that one].""",
    """[The next slide|One slide] [shows|is about] tickets of priority {level}, so [count those on record|tell
    me how many there are on record].""",
    """[Let me have|Give me], too, the number of tickets with the priority {level}, [whatever their state|open
    and closed ones].""",
    """[As background|For the background], [find out|look up] how many tickets [were given|have] the priority
    {level} [since we count|up to now].""",
    """[I am often asked|People often ask] how many {level} tickets [there were|we have had], so [add the
    figure|count them] while you are in there.""",
    """[Report|Name] the total of tickets graded {level} [in our system|that the system has], [without any
    filter|whoever reported them], [as a base line for this year|to be held against next year].""",
)
_MESSAGES = (
    """[A number that is missing in my report|What my report still needs] is how many {kind} our system has
    [ever made|in store], [queued, sent or failed|whatever came of them], so [look it up|tell me].""",
    """[Callers complain about|There is a complaint about] too many {kind}; [count|tell me the number of] all
    that there are [in the system|on record].""",
    """[Besides|Next to that] I [look for|would like] the total of {kind}, [whatever became of them|failed
    ones included], [since callers complain about too many|because of a complaint about too many].""",
    """[Our communication|The way we write to people] is under review, so [find out|report] how many {kind}
    exist [over all tickets|in all].""",
    """[Finally|Lastly], [tell me|name] the count of {kind} [on record|that are stored], [for a comparison
    with last year|which I compare with last year's].""",
    """[Add|Include] one figure [about|on] our {kind}, namely how many of them [there are|we have]
    [altogether|all told], [for the talk about communication|which I was asked for twice].""",
)
_MINUTES = (
    """[Legal|Our legal team] [wants to know|asks] how many minutes all SLA definitions for {level} [come
    to|add up to] [in sum|when added], [so work that out|and I promised the answer], [inactive ones
    included|old ones as well].""",
    """[For the contract|For legal], [add up|sum up] the target minutes of all SLA definitions for the
    priority {level} and [tell me the sum|report it].""",
    """[Besides|In addition], the sum of the target minutes over every definition for {level} [is wanted|is
    what I need].""",
    """[Take|Have] a look at the definitions for {level}, tenants' ones included, and [tell me|give me] the
    sum of all their target minutes, [old definitions included|inactive ones counted].""",
    """[Somebody did the sum of|There was a dispute about the sum of] the target minutes for {level}, and I
    [want|need] to [check|verify] it, so [tell me|report] yours.""",
    """[With that|Along with it] comes a sum: all target minutes that stand in definitions for {level}, [which
    I compare with the old list|for my comparison].""",
)
_TYPES = (("alert", "alerts"), ("update", "updates"), ("reminder", "reminders"))
_LEVELS = ("critical", "high", "moderate", "low")


def about_site(site: str) -> tuple[Extra, ...]:
    """Return questions about the site of this name; its record is ``site``."""
    return tuple(
        question(f"how many devices at {site} are {said}", _STANDING, partial(_standing, state=state),
                 site=site, state=said)
        for state, said in _STATES.items()
    )  # fmt: skip


def about_article(title: str) -> tuple[Extra, ...]:
    """Return a question about the article of this title; its record is ``article``."""
    return (question(f"who owns {title}", _OWNER, _owner, title=title),)


def about_template(name: str) -> tuple[Extra, ...]:
    """Return a question about the template of this name; its record is ``template``."""
    return (question(f"how many tickets came from {name}", _MADE_FROM, _made_from, name=name),)


def about_desk(*, minutes: bool = True) -> tuple[Extra, ...]:
    """Return questions about the desk as a whole: tickets, messages, and what is promised in ``minutes``."""
    return tuple(extra for extra in (_priority, _messages, *(_minutes,) * minutes))


def _priority(s: Scene) -> Course:
    """Tell how many tickets of a priority there are."""
    level = s.rng.choice(_LEVELS)
    yield Sentence(_PRIORITY, {"level": level})
    found = s.do("get_count_of_incident_priority_wise", "the tickets of that priority", priority_list=[level])
    s.answer(f"how many tickets have the priority {level}", found[level])


def _messages(s: Scene) -> Course:
    """Tell how many notifications of a type there are."""
    kind, plural = s.rng.choice(_TYPES)
    yield Sentence(_MESSAGES, {"kind": plural})
    found = s.do("count_notifications_by_type", f"how many {plural} there are", type=[kind])
    s.answer(f"how many {plural} there are", found["metrics"][kind])


def _minutes(s: Scene) -> Course:
    """Tell what is promised for a priority."""
    level = s.rng.choice(_LEVELS)
    yield Sentence(_MINUTES, {"level": level})
    found = s.do("total_sum_of_target_mins_per_priority", "what is promised for it", priority=[level])
    s.answer(f"how many minutes all SLA definitions for {level} come to", found["metrics"][level])


def _standing(s: Scene, records: Records, state: str) -> object:
    found = s.do("find_configuration_items", "what stands there", status=state,
                 location_id=records["site"]["location_id"])  # fmt: skip
    return count(found["configuration_items"])


def _owner(s: Scene, records: Records) -> object:
    return s.do("get_user", "who owns it", user_id=records["article"]["owner_id"])["email"]


def _made_from(s: Scene, records: Records) -> object:
    template = records["template"]["incident_template_id"]
    return count(s.do("list_incidents", "what came from it", incident_template=template)["incidents"])
