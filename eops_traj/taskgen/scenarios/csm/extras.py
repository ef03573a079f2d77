"""Figures that a request wants to be told besides its work: of the customer it is about, or of the desk."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from eops_traj.taskgen.expressions import add, either
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.wording import vary

_FRAMES = (
    "[Besides|In addition|On top of that], [tell me|let me know] {figure}.",
    "[Your answer|Your reply|What you write back] should [also say|tell me as well] {figure}.",
    "[One more thing I need|What I need as well|There is a question, too]: {figure}.",
    "[For my notes|For the shift report|For the file], [find out|look up|see] {figure}.",
    "[In the same go|At the same time] I would like to [hear|know|learn] {figure}.",
    "[I was asked|Somebody asked me|They ask me upstairs] {figure}, so [report it|add that].",
    "[While you have the records open|As you are there anyway], [look up|check] {figure} and tell me.",
    "[It would help|It helps me|I am supposed] to [know|learn|hear] {figure}[ as well|, too|].",
    "[Somebody in sales|Our controller|My lead] [wonders|wants to be told] {figure}; [add it|give me the"
    " number].",
)


@dataclass(frozen=True)
class Extra:
    """A figure to tell besides: in which words, by which call, and where it stands in the reply."""

    words: str
    tool: str
    read: Callable[[ResultRef], Any]
    arguments: dict[str, Any] = field(default_factory=dict)


def _in(name: str, value: str, number: str = "count") -> Callable[[ResultRef], Any]:
    return lambda rows: either(rows.where(**{name: value})[number], 0)


def _field(name: str) -> Callable[[ResultRef], Any]:
    return lambda row: row[name]


_OF_ACCOUNT = (
    Extra("how many [of their contracts have the state expired|contracts with them are in state expired"
          "|contracts in the state expired they have with us]", "count_contract_by_status",
          _in("status", "expired")),
    Extra("how many [pieces they have in use|of their pieces are in use|installed products of theirs are"
          " in use]",
          "count_installed_product_by_status", _in("status", "in_use")),
    Extra("how many [of their warranties had ended|warranties of theirs were over] by"
          " [31 December 2025|the last day of 2025|New Year's Eve 2025]",
          "installed_product_warranties_ended_count", lambda row: row["ended_count"],
          {"on_date": "2025-12-31"}),
    Extra("how many [talks with them|interactions with that customer|of their interactions] [are"
          " closed|have the"
          " status closed]", "count_interaction_by_status", _in("status", "closed")),
    Extra("how many closed [interactions that customer has|talks of theirs there are] per case on"
          " average, [to two"
          " decimals|with two decimals|in two decimals]", "avg_interactions_per_case_by_status",
          _in("status", "closed", "avg_interactions_per_case")),
    Extra("how many [cases of theirs|of that customer's cases|cases they ever had] are [closed|in state"
          " closed]",
          "count_case_by_state", _in("state", "closed")),
)  # fmt: skip
_OF_DESK = (
    *(
        Extra(f"how many cases [ever came|have come|reached us] {said}", "get_channel_wise_case_count",
              _field(channel))
        for channel, said in (("phone", "by [phone|telephone]"), ("chat", "in the chat"),
                              ("web", "through the web form"), ("social", "through social media"))
    ),
    Extra("how often [our cases are reopened|a case of ours is reopened] on average, [to two decimals|with"
          " two decimals]", "get_average_case_reopen_count", lambda row: row["avg_reopen_count"]),
    *(
        Extra(f"how many minutes [our SLA definitions|the definitions we have] for {one}"
              " allow on average, [old|inactive] ones [included|not left out]",
              "average_target_mins_per_priority",
              lambda rows: rows[0]["avg_target_mins"], {"priority_list": [one.split()[0]]})
        for one in ("high cases", "critical cases", "moderate cases", "low cases")
    ),
    *(
        Extra(f"how many minutes [all|the] SLA definitions for {one} cases [add up to|come to in total|allow"
              " taken together]", "total_sum_of_target_mins_per_priority", lambda row: row["sum"],
              {"priority": one})
        for one in ("low", "moderate", "high", "critical")
    ),
    *(
        Extra(f"how many cases a month [our {one} entitlements allow|we owe under {one} entitlements]"
              " [altogether|all together|in sum]", "total_sum_of_max_cases_per_support_level",
              lambda row: row["sum"], {"support_level": one})
        for one in ("standard", "premium", "enterprise")
    ),
    *(
        Extra(f"how many contracts in the state {one} [an account|a customer] has on average,"
              " [counting|among] those that have any, [to two decimals|with two decimals]",
              "avg_contracts_per_account_by_status",
              _in("status", one, "avg_contracts_per_account"))
        for one in ("active", "expired", "suspended")
    ),
    *(
        Extra(f"how many pieces {said} [an account has|there are to an account] on average, [leaving out"
              " accounts|not counting those] with none, [to two decimals|in two decimals]",
              "avg_installed_per_account_by_status", _in("status", one, "avg_installed_per_account"))
        for one, said in (("in_use", "in use"), ("repair", "in repair"), ("retired", "that are retired"))
    ),
    Extra("how many [messages|notifications] [a case has|we sent per case] on average, cases without any"
          " [left out|aside], [to two decimals|with two decimals]", "avg_notifications_by_case",
          lambda row: row["avg_count"]),
    *(
        Extra(f"how many {said}", "find_stage_wise_breached_case_sla_counts",
              _field(stage))
        for stage, said in (("completed", "SLAs were completed [late|after they were breached]"),
                            ("canceled", "breached SLAs [were canceled|ended as canceled]"))
    ),
    Extra("how many [of our messages|notifications of ours] [ever failed|have failed so far|did not go out]",
          "count_notifications_by_status", _in("status", "failed")),
    *(
        Extra(f"how many cases of {one} priority [we have had|we had|there have been] [in all|altogether]",
              "get_count_of_cases_priority_wise", _in("priority", one))
        for one in ("critical", "high", "moderate", "low")
    ),
    *(
        Extra(f"how many [active groups we have|of our active groups are] for {said}", "list_user_groups",
              lambda rows: add(count(rows), 0), {"active": 1, "type": one})
        for one, said in (("field", "field work"), ("support", "support"), ("vendor", "vendors"))
    ),
)  # fmt: skip
_COUNTED_BY = {
    "cases": ("count_case_by_state", "get_channel_wise_case_count", "get_average_case_reopen_count",
              "get_count_of_cases_priority_wise", "avg_interactions_per_case_by_status"),
    "messages": ("avg_notifications_by_case", "count_notifications_by_status"),
    "talks": ("count_interaction_by_status", "avg_interactions_per_case_by_status"),
    "pieces": ("count_installed_product_by_status", "installed_product_warranties_ended_count",
               "avg_installed_per_account_by_status"),
    "contracts": ("count_contract_by_status", "avg_contracts_per_account_by_status",
                  "total_sum_of_max_cases_per_support_level"),
    "targets": ("average_target_mins_per_priority", "total_sum_of_target_mins_per_priority"),
    "clocks": ("find_stage_wise_breached_case_sla_counts",),
    "groups": ("list_user_groups",),
}  # fmt: skip
"""The tools that count something."""


def ask_more(s: Scene, *changed: str, account: bool = True, share: float = 0.2) -> Extra | None:
    """Let the request, just worded, want a figure besides, in this share of cases.

    It must be the same before and after the work, so it counts nothing of what the family has ``changed``.
    """
    avoid = {tool for what in changed for tool in _COUNTED_BY[what]}
    if not s.chance(share):
        return None
    pool = [e for e in (*_OF_ACCOUNT * account, *_OF_DESK) if e.tool not in avoid]
    tool = s.rng.choice(sorted({e.tool for e in pool}))
    extra = s.rng.choice([e for e in pool if e.tool == tool])
    figure = vary(s.rng, extra.words)
    s.add_words(vary(s.rng, s.rng.choice(_FRAMES)).format(figure=figure))
    return replace(extra, words=figure)


def answer_more(s: Scene, extra: Extra | None, account: ResultRef | None = None) -> None:
    """Look the figure up, if one is wanted, and tell it; ``account`` has an ``account_id``."""
    if extra is None:
        return
    arguments = dict(extra.arguments)
    if extra.tool in {one.tool for one in _OF_ACCOUNT} and account is not None:
        arguments["account_id"] = account["account_id"]
    found = s.do(extra.tool, "what is to be told besides", **arguments)
    s.answer(extra.words, extra.read(found))
