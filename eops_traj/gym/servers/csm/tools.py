"""The CSM tools that take more than one statement."""

import re
from collections import Counter
from typing import Any

from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_DEFAULT_LIMIT = 10
_MOST_WORDS = 200  # of a search: more of them rank nothing
_TITLE, _BODY = {1: 5, 2: 15, 3: 21}, {1: 1, 2: 4, 3: 4, 4: 3}
"""The weight of a run of so many words of the search, once in the title, each time in the body."""
_Runs = Counter[tuple[str, int]]
"""Runs of words with their weights, and how often the search has them."""


@tool
def retrieve_knowledge(call: Call) -> list[Row]:
    """(search_text, knowledge_id, kb_number, title ~, state, visibility, product_id, owner_id,
      created_before < sys_created_on, created_after > sys_created_on, limit) -> rows of knowledge

    Knowledge articles that match every filter given. With search_text the best come first, each with its
    score: the words rank articles, they drop none.
      title: Part of the title. {minLength: null}
      search_text: Words to look for in title and body. {type: string}
      limit: How many articles to show at most, 10 if not given. {type: integer}
    """
    columns = "knowledge_id, kb_number, title, state, visibility, product_id, owner_id, sys_created_on, body"
    articles = call.rows(f"SELECT {columns} FROM knowledge WHERE {{filters}} ORDER BY knowledge_id")  # noqa: S608
    words = re.findall(r"\w+", call.arguments.get("search_text", "").lower())[:_MOST_WORDS]
    if words:
        runs = _runs(words, _TITLE), _runs(words, _BODY)
        scored = [row | {"score": _score(runs, row)} for row in articles]
        articles = sorted(scored, key=_rank, reverse=True)
    return articles[: max(0, call.arguments.get("limit", _DEFAULT_LIMIT))]


@tool
def get_channel_wise_case_count(call: Call) -> Row:
    """(channel) -> row of customer_case

    How many cases came in by each channel, or by the one given.
    @allow admin, manager, agent
    """
    return _counts(call, "channel", "SELECT channel AS value FROM customer_case WHERE {filters}")


@tool
def find_stage_wise_breached_case_sla_counts(call: Call) -> Row:
    """(stage) -> row of case_sla

    How many SLAs on cases were missed, for each stage that they are in now, or for the one given.
    @allow admin, manager, agent
    """
    return _counts(call, "stage", "SELECT stage AS value FROM case_sla WHERE has_breached AND {filters}")


def _counts(call: Call, name: str, query: str) -> Row:
    """Count each value of an enumeration, absent ones too; or just that of the argument."""
    counts = Counter(row["value"] for row in call.rows(query))
    (argument,) = call.tool.arguments
    values = [call.arguments[name]] if name in call.arguments else argument.schema["enum"]
    return {value: counts[value] for value in values}


def _rank(row: Row) -> tuple[float, str]:
    """Return what articles are ordered by: the score, then the time, which real rows may lack."""
    return row["score"], str(row["sys_created_on"] or "")


def _score(runs: tuple[_Runs, _Runs], row: dict[str, Any]) -> float:
    """Score an article as the real server seems to: parts of words count, runs of words more."""
    title, body = ((row[column] or "").lower().replace("-", " ") for column in ("title", "body"))
    score = sum(weight * times for (run, weight), times in runs[0].items() if run in title)
    score += sum(weight * times * body.count(run) for (run, weight), times in runs[1].items() if body)
    return score + 0.5


def _runs(words: list[str], weights: dict[int, int]) -> _Runs:
    """Count the runs of words, each with its weight."""
    return Counter(
        (" ".join(words[start : start + length]), weight)
        for length, weight in weights.items()
        for start in range(len(words) - length + 1)
    )
