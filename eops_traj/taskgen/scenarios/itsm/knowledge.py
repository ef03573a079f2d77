"""Scenarios about knowledge: an article withdrawn from tickets, and one written from a solution."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, MISSING, in_state
from eops_traj.taskgen.scenarios.itsm.group_extras import about_person
from eops_traj.taskgen.scenarios.itsm.lookups import (
    MANAGERS,
    NO_RIGHT,
    OPEN,
    OPEN_STATES,
    OWN_TITLE,
    caller_email,
    find_caller,
)
from eops_traj.taskgen.scenarios.itsm.record_extras import about_article, about_desk
from eops_traj.taskgen.scene import Scene


@family("itsm", perturbations=("policy_forbids", "missing_entity", "no_right"))
def withdraw_article(s: Scene) -> None:
    """An article no longer holds: open tickets that suggest it get another, and it is retired."""
    s.pick_caller(MANAGERS)
    old = s.pick(f"""SELECT k.* FROM knowledge k WHERE k.state = 'published' AND k.org_id = 'ORG_001' AND
        {OWN_TITLE} AND EXISTS (SELECT 1 FROM incident_knowledge l JOIN incident i USING (incident_id) WHERE
        l.knowledge_id = k.knowledge_id AND l.used_as = 'suggested' AND i.status IN {OPEN})""")  # fmt: skip
    new = s.pick(f"""SELECT k.* FROM knowledge k WHERE k.state = 'published' AND k.org_id = 'ORG_001' AND
        knowledge_id <> :old AND {OWN_TITLE} AND (k.visibility = 'external' OR NOT EXISTS (SELECT 1 FROM
        incident_knowledge l JOIN incident i USING (incident_id) WHERE l.knowledge_id = :old AND l.used_as =
        'suggested' AND i.status IN {OPEN} AND i.org_id <> 'ORG_001'))""",
        old=old["knowledge_id"])  # fmt: skip
    more = besides(s, *about_article(new["title"]), *about_desk())
    s.perturb("policy_forbids", "UPDATE knowledge SET state = 'draft' WHERE title = :title",
              title=new["title"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE knowledge SET title = 'Notes ' || kb_number WHERE title = :title",
              title=old["title"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """"{old}" [does more harm than good|is misleading by now] and is to be withdrawn. Every open
        ticket on which it is suggested gets "{new}" suggested in its place, unless that is on it
        already, and after that the old article [is retired|becomes retired].""",
        """The screens in "{old}" [are not ours any more|show a version we no longer have], and what
        people should read instead is "{new}". Exchange the one for the other as a suggestion wherever a
        ticket is open, [then retire the former|and retire the former], so that it is not found again.""",
        """[Callers try|People try] what "{old}" says and then ring again, which is why I want it off all
        open tickets that merely suggest it and "{new}" there in the same role. See also that nobody can
        link the old one again, [by retiring it|which is what retiring does].""",
        """"{new}" has [replaced|made superfluous] "{old}", which may be retired as soon as the open
        tickets have been served: whichever of them suggests the old article [suggests the new one from
        now on|should suggest the new one], and none suggests both.""",
        """There should not be a single open ticket by tonight on which we still [recommend|suggest]
        "{old}". Remove those links, suggest "{new}" on the same tickets as far as it is missing there,
        and [retire the text|let the article retire] without changing a word of it.""",
        """Since the update "{old}" is wrong [in its second step|from the second step on], and so it has
        to be retired. Tickets that are still open and have it as a suggestion lose it and get "{new}"
        suggested, [one link for one link|link by link], whoever works on them.""",
        old=old["title"], new=new["title"],
    )  # fmt: skip
    more.say()
    s.covers("all open tickets that suggest an article")
    s.duty("what is closed or canceled is not changed")
    find_caller(s)
    texts = []
    for row in (old, new):
        found = s.do("retrieve_knowledge_articles", "the article", title=row["title"])["knowledges"]
        fits = found.every(title=row["title"])
        s.require(count(fits), "==", 1, f"there is no article called {row['title']}",
                  names=(row["title"], MISSING))  # fmt: skip
        texts.append(fits[0])
    s.require(texts[1]["state"], "==", "published", f"{new['title']} is not published",
              names=(f"{new['title']}|article", in_state("draft", "published")))  # fmt: skip
    links = s.do("find_incident_knowledge_links", "where it is suggested", used_as="suggested",
                 knowledge_id=texts[0]["knowledge_id"])["incident_knowledges"]  # fmt: skip
    have = s.do("find_incident_knowledge_links", "where the other one is already",
                knowledge_id=texts[1]["knowledge_id"])["incident_knowledges"]  # fmt: skip
    tickets = s.do("list_incidents", "which tickets are open")["incidents"]
    still = tickets.every(("status", "in", OPEN_STATES))["incident_id"]
    ends = links.every(("incident_id", "in", still))
    more.look(article=texts[1])
    s.do_each(ends, "remove_knowledge_link_to_incident", "no longer suggested",
              incident_kb_id=ROW["incident_kb_id"])  # fmt: skip
    s.do_each(ends, "link_knowledge_to_incident", "but this one is", incident_id=ROW["incident_id"],
              knowledge_id=texts[1]["knowledge_id"], used_as="suggested",
              when=holds(count(have.every(incident_id=ROW["incident_id"])), "==", 0))  # fmt: skip
    s.do("update_knowledge_article", "it is retired", knowledge_id=texts[0]["knowledge_id"], state="retired")


_LESSONS = (
    "Lesson from the first week of January", "What helped when nothing else did", "Fix of the month",
    "From the desk: a fix that held", "Short way to the solution", "Read this before you escalate",
)  # fmt: skip


@family("itsm", perturbations=("policy_forbids", "inactive_person", "missing_entity", "no_right"))
def write_up_solution(s: Scene) -> None:
    """How a ticket was resolved becomes the draft of an article, owned by whoever resolved it."""
    s.pick_caller(MANAGERS)
    row = s.pick("""SELECT i.* FROM incident i JOIN users u ON u.user_id = i.resolved_by WHERE i.org_id =
        'ORG_001' AND i.status IN ('resolved', 'closed') AND i.resolution_notes IS NOT NULL AND u.active AND
        u.email <> :me""", me=caller_email(s))  # fmt: skip
    title = f"{s.rng.choice(_LESSONS)} ({row['number'][-3:]})"
    audience = s.rng.choice(("internal", "external"))
    state = s.phrase("policy_forbids", "as a draft", "as a published article")
    more = besides(s, *about_person("whoever resolved it"), *about_desk())
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=row["resolved_by"])
    s.perturb("missing_entity", "UPDATE incident SET number = 'INC-9' || substr(number, 6) WHERE number = "
              ":number", number=row["number"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """What solved {number} [should not be forgotten|is worth keeping]. Write it down {state} with
        the title "{title}", {audience}; its text is what stands in the ticket's resolution notes, [word
        for word|as it stands], and it is owned by the person who resolved the ticket.""",
        """The next time somebody reports [what was in {number}|such a thing as {number}], the desk
        should find "{title}". Enter that {state}, {audience}, in the name of whoever resolved the
        ticket, and take its resolution notes [as the body|for the body] without polishing them.""",
        """"{title}" [is the heading of|is what I would call] an {audience} article to be entered {state}.
        Its body already exists, namely the resolution notes of {number}, "{headline}", and its owner exists
        as well, [since somebody resolved that ticket|being the one who resolved that ticket].""",
        """{number} was resolved [so neatly|in such a simple way] that others can learn from it. Make its
        resolution notes the body of an article "{title}", {audience}, to be entered {state}, and [let
        the solver own it|the owner is the solver].""",
        """[We talk too little about|We hardly ever share] solutions. For a start, the resolution notes
        of {number} go into our knowledge base {state}: title "{title}", {audience}, owner the colleague
        who resolved it, [body as in the ticket|text as in the ticket].""",
        """Whoever resolved "{headline}", {number}, [agreed to|is willing to] look after an article about
        it. Set it up for them {state}, called "{title}", {audience}, and copy the ticket's resolution
        notes [into it|into its body] as they are.""",
        number=row["number"], title=title, audience=audience, state=state, headline=row["short_description"],
    )  # fmt: skip
    more.say()
    s.refuse("policy_forbids", "an article is written as a draft and published by someone else later",
             names=("draft|review|someone other|somebody else|someone else|owner", "publish"))  # fmt: skip
    s.indirect("whoever resolved the ticket, and how", hidden=[row["resolved_by"], row["resolution_notes"]])
    find_caller(s)
    incident = s.do("find_incident_by_number", "how it was resolved", number=row["number"])
    s.require_ok(incident, f"there is no ticket {row['number']}", names=(row["number"], MISSING))
    solver = s.do("get_user", "who resolved it", user_id=incident["resolved_by"])
    s.require(solver["active"], "==", True, f"whoever resolved {row['number']} is no longer active",
              names=("resolved|solver|owner", INACTIVE))  # fmt: skip
    known = s.do("retrieve_knowledge_articles", "whether it is there already", title=title)["knowledges"]
    s.require(count(known.every(title=title)), "==", 0, f"there is an article called {title} already")
    more.look(person=solver)
    s.do("create_knowledge_article", "the draft", title=title, body=incident["resolution_notes"],
         state="draft", visibility=audience, owner_id=solver["user_id"])  # fmt: skip
