"""Scenarios about articles: what settled a case, and figures of the month as a draft."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING
from eops_traj.taskgen.scenarios.hr.case_extras import about, add_task, count_tasks, tell_manager
from eops_traj.taskgen.scenarios.hr.group_extras import sent
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEMOTE_CALLER,
    MANAGERS,
    WITH_PROFILE,
    find_case,
    find_profile,
    id_text,
    my_email,
    notify,
    require_manager,
)
from eops_traj.taskgen.scene import Scene

_NOTES = ("Answer is in the article", "Employee read the article and has no question left",
          "Article sent, waits for a yes", "The article covers all of it")  # fmt: skip


@family("hr", perturbations=("policy_forbids", "missing_entity", "no_right"))
def propose_answer(s: Scene) -> None:
    """An article is the answer to a case: its link says that it was applied, and the person has to accept."""
    s.pick_caller(MANAGERS)
    row = s.pick(f"""SELECT c.*, k.title FROM hr_case c JOIN hr_case_knowledge l USING (hr_case_id) JOIN
        knowledge k USING (knowledge_id) WHERE c.status IN ('work_in_progress', 'closed_complete', 'ready')
        AND c.assigned_to IS NOT NULL AND k.state = 'published' AND {WITH_PROFILE} AND (SELECT COUNT(*) FROM
        knowledge o WHERE instr(o.title, k.title)) = 1 AND NOT EXISTS (SELECT 1 FROM notification n WHERE
        n.hr_case_id = c.hr_case_id AND n.status = 'awaiting_acceptance')""")  # fmt: skip
    linked = s.chance(0.5)
    s.arrange(
        "UPDATE hr_case SET status = 'work_in_progress' WHERE hr_case_id = :case", case=row["hr_case_id"]
    )
    if linked:
        s.arrange("UPDATE hr_case_knowledge SET used_as = 'suggested' WHERE hr_case_id = :case",
                  case=row["hr_case_id"])  # fmt: skip
    else:
        s.arrange("DELETE FROM hr_case_knowledge WHERE hr_case_id = :case", case=row["hr_case_id"])
    note = s.rng.choice(_NOTES)
    more = besides(s, *about(row["number"], row, tell_manager, count_tasks, add_task))
    s.perturb("policy_forbids", "UPDATE hr_case SET status = 'closed_complete' WHERE number = :number",
              number=row["number"])  # fmt: skip
    s.perturb(
        "missing_entity",
        "UPDATE knowledge SET title = 'Article ' || knowledge_id WHERE title = :title",
        title=row["title"],
    )
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.branches("whether the article is linked already")
    s.duty("to change the use of an article, its link is removed and made anew")
    s.ask(
        """[The answer to|What answers] {number} is [the article|our article] "{title}", which the employee
        [has tried|followed step by step]. [Whatever the case says of it now|However it may be linked at
        present], it [was applied|has been applied], and since [the employee has to accept that|that has to
        be accepted first], the case [waits for acceptance|goes on to await acceptance], note "{note}", and
        [they get the proposal|the proposal goes to them].""",
        """[With "{title}" we could help|"{title}" helped] in {number}. [Show the article there|Have the
        article there] as applied, [not merely suggested|and in no other use], and [let the case await
        acceptance|put the case into awaiting acceptance]; "{note}" [is the note|goes into its note], [and
        the employee is asked|and a notification asks the employee] whether [that will do|this settles
        it].""",
        """[I believe we are done with|We may be done with] {number}, [if the employee agrees|provided the
        employee says yes]. [Put it to them|Send them what we propose] and have the case await their
        acceptance under the note "{note}". [What we used is|We used] "{title}", and the case [should list
        it as applied|should have it linked as applied], [once|a single time].""",
        """"{note}": [with this note|that being the note], {number} [passes|changes] from the works to
        awaiting acceptance, and [the person behind it gets|the person behind it is sent] the solution as a
        proposal. [Correct the link to|See to the link to] "{title}" [on that occasion|as well]: the article
        [has been tried|was tried], so [applied is the word|it counts as applied].""",
        """{number} [asks for nothing|wants nothing] that "{title}" does not [answer|say]. [Following
        it|Working by it] [has helped|helped], [hence "applied"|which makes it "applied"] as its use on the
        case [instead of|in place of] anything that stands there. [Then propose it|Then we propose it] to
        the employee as the solution, leave "{note}", and [wait for the yes|let the case wait for
        acceptance].""",
        """[Mark|Please mark] "{title}" as applied on {number}, [as it did the trick|because it worked],
        whether or not it is [there already|linked already]. [Afterwards|After that] the ball is in the
        employee's court: [state awaiting acceptance|the case awaits acceptance], work note "{note}",
        [solution proposal sent|and the proposal in their mail].""",
        number=row["number"], title=row["title"], note=note,
    )  # fmt: skip
    more.say()
    require_manager(s)
    case = find_case(s, row, None, "work_in_progress")
    articles = s.do("retrieve_knowledge_articles", "the article", title=row["title"], state="published")
    s.require(
        count(articles.every(title=row["title"])),
        "==",
        1,
        f"there is no published article {row['title']}",
        names=(f"{row['title']}|article", MISSING),
    )
    article = articles.where(title=row["title"])
    profile = find_profile(s, case["opened_for"], "where to write to")
    links = s.do("find_hr_case_knowledge_links", "whether it is linked", hr_case_id=case["hr_case_id"],
                 knowledge_id=article["knowledge_id"])  # fmt: skip
    more.look(case=case)
    s.do_each(
        links, "remove_knowledge_link_to_hr_case", "the old link goes", hr_case_kb_id=ROW["hr_case_kb_id"]
    )
    s.do("link_knowledge_to_hr_case", "it was applied", hr_case_id=case["hr_case_id"],
         knowledge_id=article["knowledge_id"], used_as="applied")  # fmt: skip
    s.do("update_hr_case", "it awaits acceptance", hr_case_id=id_text(case["hr_case_id"]),
         status="awaiting_acceptance", worknotes=note)  # fmt: skip
    notify(
        s, case, profile["personal_email"], "solution_proposal", "awaiting_acceptance", "they have to accept"
    )
    more.write()


_MONTHS = (
    "HR figures, first week of January",
    "State of our cases, 5 January",
    "Numbers for the board, January",
    "Our work in figures, new year",
)


@family("hr", perturbations=("no_right", "out_of_scope"))
def write_figures(s: Scene) -> None:
    """Counts of cases and notifications go into a new internal article, as a draft of the asker's."""
    s.pick_caller(MANAGERS)
    title = s.rng.choice(_MONTHS)
    kind, kind_words = s.rng.choice((("alert", "alerts"), ("report", "reports"), ("reminder", "reminders")))
    status, status_words = s.rng.choice(
        (
            ("cancelled", "cancelled cases"),
            ("suspended", "suspended cases"),
            ("closed_incomplete", "cases that failed"),
        )
    )
    more = besides(s, sent)
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.indirect("four counts")
    hidden = s.rng.choice(("confidential", "restricted", "secret", "private", "personal"))
    for_whom = s.phrase("out_of_scope", "internal", hidden)
    s.ask(
        """[The board meets on Thursday|Thursday is the day of the board], and I need four numbers in an
        article of mine, "{title}", a draft, {visibility}: cases of critical priority, cases of high
        priority, {kind} sent, and notifications [about|that told of] {status}. [Its text is|As its text
        take] "Critical: 1, high: 2, {kind}: 3, {status}: 4" [with the counts in the place of 1 to 4|where 1
        to 4 stand for the counts].""",
        """[Set up|Please set up] "{title}" as a draft article under my name, {visibility}, [and let it
        say|which says] "Critical: 1, high: 2, {kind}: 3, {status}: 4". [The digits are placeholders|Those
        digits are only placeholders]: [the first two|one and two] count the cases of these priorities,
        [three|the third] the notifications of that type, [four|the last] the notifications [about|on]
        {status}.""",
        """[I should like to know|I am asked] how many critical cases we have, how many high ones, how many
        {kind} were sent, and how many notifications [were about|told of] {status}. [Collect that|Put it
        together] in a draft, {visibility}, called "{title}" and owned by me; form: "Critical: 1, high: 2,
        {kind}: 3, {status}: 4", [real numbers in that order|with the real numbers in this order].""",
        """"{title}" [shall be|is to be] the name of an article, {visibility}, [still a draft|only a draft],
        mine. [In it I want|It has] a single line, "Critical: 1, high: 2, {kind}: 3, {status}: 4", with [1
        and 2|the first two] replaced by the cases of that priority, 3 by the {kind} among our notifications
        and 4 by the notifications [concerning|about] {status}.""",
        """[Last month|In December] I counted by hand, [which took a day|and it took me a day]. [Do it for me
        this time|This time please do it]: critical cases, high cases, notifications of the type {kind},
        notifications about {status}. [The result is|Make of it] an article "{title}" ({visibility}, draft, I
        am the owner) that reads "Critical: 1, high: 2, {kind}: 3, {status}: 4" [with your four
        numbers|but with what you counted].""",
        """[Our reporting starts|We start our reporting] from an article each month. [This one|The new one] is
        "{title}", {visibility}, a draft, owner: me. [Fill its body with|Its body is] "Critical: 1, high: 2,
        {kind}: 3, {status}: 4", [only correct|only with the true figures], [meaning|that is] the cases of
        either priority, {kind} by type, and {status} by the status that notifications name.""",
        title=title, kind=kind_words, status=status_words, visibility=for_whom,
    )  # fmt: skip
    more.say()
    s.refuse("out_of_scope", f"an article is internal or external, there is no {hidden} one",
             names=(f"{hidden}|visib", "internal|external|no such|not a value|not possible"))  # fmt: skip
    user = require_manager(s)
    cases = s.do("get_count_of_case_priority_wise", "both priorities", priority_list=["critical", "high"])
    by_type = s.do("count_notifications_by_type", "what was sent", type=[kind])
    by_status = s.do("count_notifications_by_status", "what it told of", status=[status])
    more.look()
    s.do(
        "create_knowledge_article", "the draft", title=title, state="draft", visibility="internal",
        owner_id=user["user_id"],
        body=text(f"Critical: {{}}, high: {{}}, {kind_words}: {{}}, {status_words}: {{}}",
                  cases["critical"], cases["high"], by_type[kind], by_status[status]),
    )  # fmt: skip
    counts = [cases["critical"], cases["high"], by_type[kind], by_status[status]]
    s.rule(
        "The article has the four counts in the order that was asked for",
        "SELECT COUNT(*) FROM knowledge WHERE title LIKE :title AND body LIKE :body",
        title=f"%{title}",
        body="%Critical: {}, high: {}, {}: {}, {}: {}%".format(
            *(one.value for one in counts[:2]), kind_words, counts[2].value, status_words, counts[3].value
        ),
    )  # fmt: skip
