"""Scenarios about figures: counts that are written down and reported."""

from eops_traj.taskgen.expressions import joined
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import TAKEN
from eops_traj.taskgen.scenarios.itsm.lookups import MANAGERS, NO_RIGHT, caller_email, find_caller
from eops_traj.taskgen.scenarios.itsm.record_extras import about_desk
from eops_traj.taskgen.scene import Scene

_TITLES = (
    "Figures of the first week",
    "Service desk in numbers, January",
    "Where we stand, 5 January",
    "Numbers for the steering group",
    "Desk report, start of the year",
    "Counts for the works council",
)
_LEVELS = ("critical", "high", "moderate", "low", "planning")
_STATES = {"failed": "could not be delivered", "queued": "are still queued", "sent": "have the status sent"}


@family("itsm", perturbations=("policy_forbids", "no_right"))
def figures_as_article(s: Scene) -> None:
    """Counts of tickets, missed targets and notifications become the draft of an internal article."""
    s.pick_caller(MANAGERS)
    title = s.rng.choice(_TITLES)
    one, two = s.rng.sample(_LEVELS, 2)
    state = s.rng.choice(list(_STATES))
    more = besides(s, *about_desk()[1:])
    s.perturb("policy_forbids", """UPDATE knowledge SET title = :title, owner_id = (SELECT user_id FROM users
        WHERE email = :me) WHERE knowledge_id = (SELECT knowledge_id FROM knowledge WHERE state = 'published'
        ORDER BY 1 LIMIT 1)""", title=title, me=caller_email(s))  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """The steering group [wants figures|asked for figures]: how many tickets of the priority {one}
        and how many of {two} we have on record, how many SLAs run on after their target was missed, and
        how many notifications {state}. Write just these four numbers, in this order and with "/" between
        them, into a draft called "{title}", internal, [mine|owned by me], and tell them to me.""",
        """A draft "{title}" [in the knowledge base|among our articles] should hold four numbers,
        separated by "/" and in the following order: tickets with priority {one}, tickets with priority
        {two}, SLAs in the stage breached, notifications that {state}. It is internal and [I am its
        owner|belongs to me]; repeat the numbers in your answer.""",
        """[How do we stand?|Where do we stand?] Count all tickets of the priority {one}, then all of the
        priority {two}; count the SLAs whose stage is breached; count the notifications that {state}. The
        article "{title}", a draft of mine for internal use, gets the four results as its text, in the
        form 1/2/3/4, and I [want to see them too|get them from you as well].""",
        """For Thursday I need "{title}", an internal article in the state of a draft with me as the
        owner. Its body is a line of four counts joined by "/": tickets of priority {one}, those of
        priority {two}, SLAs that are breached, notifications that {state}. [Give me|Also give me] the
        same counts here.""",
        """[Every January|At the start of each year] we note four counts in an article of our own. This
        year's is called "{title}" (internal, draft, owner me), and its text consists of the numbers
        alone with "/" in between: tickets graded {one}, tickets graded {two}, breached SLAs, and
        notifications that {state}. I would like to [read them in your reply|have them in your reply].""",
        """Put four numbers in a row, a "/" [after each but the last|between any two]: tickets of
        priority {one}, of priority {two}, SLAs breached and not completed, notifications that {state}.
        This row, and nothing else, is the body of a new internal draft "{title}" in my name; [then tell
        me|let me know] the four.""",
        title=title, one=one, two=two, state=_STATES[state],
    )  # fmt: skip
    more.say()
    s.indirect("counts that nobody told", hidden=[])
    me = find_caller(s)
    known = s.do("retrieve_knowledge_articles", "whether it is there already", title=title)["knowledges"]
    s.require(count(known.every(title=title)), "==", 0, f"there is an article {title} already",
              names=(f"{title}|article", TAKEN))  # fmt: skip
    tickets = s.do("get_count_of_incident_priority_wise", "the tickets", priority_list=[one, two])
    missed = s.do("find_stage_wise_breached_incident_sla_counts", "the missed targets", stages=["breached"])
    told = s.do("count_notifications_by_status", "the notifications", status=[state])
    numbers = [tickets[one], tickets[two], missed["counts"]["breached"], told["metrics"][state]]
    more.look()
    s.do("create_knowledge_article", "write them down", title=title, body=joined(numbers, "/"), state="draft",
         visibility="internal", owner_id=me["user_id"])  # fmt: skip
    for what, number in zip((f"tickets of priority {one}", f"tickets of priority {two}", "breached SLAs",
                             f"notifications that {_STATES[state]}"), numbers, strict=True):  # fmt: skip
        s.answer(f"the number of {what}", number)


@family("itsm", perturbations=("policy_forbids", "missing_entity", "no_right"))
def compare_promises(s: Scene) -> None:
    """What is promised for two priorities is compared on average, and the pausing of one SLA is changed."""
    s.pick_caller(MANAGERS)
    one, two = s.rng.sample(("high", "moderate", "low"), 2)  # of critical, one is not in force, and counted
    name = s.rng.choice(("Moderate Response", "Low Response"))
    hours = s.rng.choice(("24x7", "7-19 Weekdays", "6-22 Daily"))
    more = besides(s, *about_desk())
    s.perturb("missing_entity", "UPDATE sla_definition SET name = 'Archived ' || name WHERE name = :name",
              name=name)  # fmt: skip
    s.perturb("policy_forbids", "UPDATE sla_definition SET active = 0 WHERE name = :name", name=name)
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """From this week on the SLA "{name}" counts the hours {hours}, [with everything else as it
        was|and nothing else of it changes]. For the letter to our tenants I also need the average
        target, in minutes, over all SLAs of priority {one}, and likewise that of priority {two}.""",
        """[What we promise on average|How long our promises are on average], in minutes, for {one}
        tickets and for {two} ones is what I have to explain on Wednesday, so tell me both. In the same
        context "{name}" has another schedule from now on, {hours}, which has to be entered, target and
        metric [as before|unchanged].""",
        """The desk [has new hours|keeps new hours], and "{name}" must follow with the schedule {hours},
        in which nothing but the schedule is new. While you are in there, work out two averages for me:
        the target minutes of the SLAs for {one}, and those of the SLAs for {two}.""",
        """"{name}" [still has the old schedule|goes by the old schedule], while the new one is {hours},
        which is all that changes about it. Two figures go with my note to the board, namely the mean of
        the targets we have for priority {one} and the mean for priority {two}, [in minutes|both in
        minutes].""",
        """[Two averages and one correction|One correction and two averages] are needed, all about SLAs.
        The schedule of "{name}" becomes {hours}, and for the overview of our promises I have to know how
        many minutes the targets come to on average, first for {one}, then for {two}.""",
        """Our tenants [compare us with others|ask how we compare], so I would like to have the average
        of all target minutes for {one} and for {two} priority. As part of the same review "{name}" is
        put on the schedule {hours}, and it stays the same [in all other respects|otherwise].""",
        name=name, hours=hours, one=one, two=two,
    )  # fmt: skip
    more.say()
    find_caller(s)
    terms = s.do("find_sla_definition_by_name", "the SLA that gets other hours", name=name)
    s.require_ok(
        terms,
        f"there is no SLA called {name}",
        names=(
            name,
            "no SLA|no such|not found|not exist|there is no|could not find|couldn't find|cannot find|no def",
        ),
    )
    s.require(terms["active"], "==", True, f"{name} is no longer in force",
              names=(name, "inactive|not active|no longer|not in force|ended|deactivated"))  # fmt: skip
    means = s.do("average_target_mins_per_priority", "what is promised on average",
                 priority=[one, two])["metrics"]  # fmt: skip
    more.look()
    s.do("update_sla_definition", "other hours", sla_def_id=terms["sla_def_id"], schedule=hours)
    for priority in (one, two):
        s.answer(f"the average target for {priority}", means[priority])
