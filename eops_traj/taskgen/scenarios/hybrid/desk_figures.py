"""Figures of the desks that a request over several servers may want to be told besides.

Each is one that the work of the families does not change.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from eops_traj.taskgen.expressions import add, either
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import Course, Extra, Sentence
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.wording import plainest

_FRAMES = (
    "[Besides|In addition|On top of that], [tell me|let me know] {figure}.",
    "[Your answer|Your reply|What you write back] should [say|tell me], too, {figure}.",
    "[One more thing I need|What I need as well|Another question is this]: {figure}.",
    "[For my notes|For the shift report|For the minutes], [find out|look up|see] {figure}.",
    "[In the same go|At the same time] I would like to [hear|know|learn] {figure}.",
    "[I was asked|They asked me upstairs|Our controller asks] {figure}, so [report it|add that].",
    "[While you have those records open|As you are in that system], [look up|check] {figure} and tell me.",
    "[It would help|I am supposed] to [know|hear] {figure}[ as well|], [so include it|so answer that].",
    "[The auditor|A colleague|My lead] [wonders|wants to be told] {figure}; [add it|give me the number].",
    "[Nobody could tell me|It is written nowhere] {figure}, [which I want from you|so look it up for me].",
    "[We argue about|There are two opinions on] {figure}; [what does the system say|what is right]?",
    "[Put|Write] into your answer, too, {figure}[; I have to report it|; they count on me for it|].",
    "[A form|The yearly form|A questionnaire] on my desk asks {figure}, and [you can see that|I cannot say].",
)


@dataclass(frozen=True)
class _Choice:
    """A figure: in which words it is asked for, with which arguments, and where it stands in the reply."""

    said: str
    read: Callable[[ResultRef], Any]
    arguments: Mapping[str, Any] = field(default_factory=dict)


def _figure(tool: str, *choices: _Choice) -> Extra:
    """Make the question for one of several figures that a tool tells."""

    def ask(s: Scene) -> Course:
        one = s.rng.choice(choices)
        yield Sentence([frame.replace("{figure}", one.said) for frame in _FRAMES])
        found = s.do(tool, "what is to be told besides", **one.arguments)
        s.answer(plainest(one.said), one.read(found))

    return ask


def _rows(name: str = "") -> Callable[[ResultRef], Any]:
    return lambda found: count((found[name] if name else found).every())


def _where(fields: Mapping[str, Any], number: str = "count") -> Callable[[ResultRef], Any]:
    return lambda rows: either(rows.where(**fields)[number], 0)


CSM = (
    _figure("total_sum_of_target_mins_per_priority", *(
        _Choice(f"how many minutes [all|the] definitions of SLAs for {one} cases [add up to|come to]",
                lambda row: row["sum"], {"priority": one})
        for one in ("low", "moderate", "high", "critical"))),
    _figure("total_sum_of_max_cases_per_support_level", *(
        _Choice(f"how many cases a month [our {one} entitlements|entitlements of level {one}] allow in sum",
                lambda row: row["sum"], {"support_level": one})
        for one in ("standard", "premium", "enterprise"))),
    _figure("count_contract_by_status", *(
        _Choice(f"how many [contracts with us|of all contracts] {said}", _where({"status": one}))
        for one, said in (("expired", "have the state expired"), ("active", "have the state active"),
                          ("suspended", "have the state suspended")))),
    _figure("list_user_groups", *(
        _Choice(f"how many active groups {said}", lambda rows: add(count(rows), 0),
                {"active": 1, "type": one})
        for one, said in (("field", "do field work"), ("support", "there are for support"),
                          ("vendor", "belong to vendors")))),
)  # fmt: skip
"""Of the desk for customers."""

ITSM = (
    _figure("find_services", *(
        _Choice(f"how many services {said}", _rows("services"), {"status": one})
        for one, said in (("repair_in_progress", "are under repair"), ("retired", "are retired"),
                          ("operational", "are operational")))),
    _figure("find_service_offerings", *(
        _Choice(f"how many [service offerings|offerings of services] {said}", _rows("service_offerings"),
                {"status": one})
        for one, said in (("operational", "are operational"), ("retired", "are retired")))),
    _figure("find_locations",
            _Choice("how many locations [are active|we run that are active]", _rows("locations"),
                    {"active": True})),
    _figure("retrieve_knowledge_articles", *(
        _Choice(f"how many knowledge articles {said}", _rows("knowledges"), {"state": one})
        for one, said in (("draft", "are drafts"), ("retired", "are retired"),
                          ("review", "wait for their review")))),
    _figure("list_problems", *(
        _Choice(f"how many problems of {one} priority [there are|we have on record], closed ones too",
                _rows("problems"), {"priority": one})
        for one in ("critical", "high", "moderate"))),
)  # fmt: skip
"""Of the IT desk."""

HR = (
    _figure("list_skills", _Choice("how many active skills [our list has|there are to choose from]", _rows(),
                                   {"active": True})),
    _figure("retrieve_knowledge_articles", *(
        _Choice(f"how many articles of HR {said}", _rows(), {"state": one})
        for one, said in (("published", "are published"), ("draft", "are still drafts"),
                          ("retired", "are retired")))),
    _figure("list_surveys", _Choice("how many surveys [HR has set up|there are in HR]", _rows())),
    _figure("list_user_groups", _Choice("how many active groups HR works with", _rows(), {"active": True})),
)  # fmt: skip
"""Of HR."""
