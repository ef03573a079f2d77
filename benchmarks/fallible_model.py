"""A scripted model that errs, behind a real endpoint: whoever asks the same is given the same replies.

A request is known by its form, not by its wording: with tools it is an executor's, of one user message alone
a planner's, of a system and a user message a judge's, and longer without tools a request for a memory. Its
task is known by a mark in the request, ``[T07]``, which the planner's subtasks and the judge's question bear
too.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.endpoint import Answer, ReceivedRequest, completion

MARK = re.compile(r"\[T(\d+)\]")
PART = re.compile(r"Part (\d) of \[T")
OVERFLOW = "This model's maximum context length is 8192 tokens; your messages have 9000."
NO_SUCH_TOOL = "no_such_tool"
QUESTION = "Does the answer fit"
"""What the judge of a verifier of the benchmark is asked; without it, a strict verifier of ours asks."""
STRICT = "strict judge"
DECLINED = "I must not do this, and have changed nothing."

Calls = Sequence[tuple[str, Any]]
Replies = list[Answer]


def mark(number: int) -> str:
    """Return the mark of a task by which its requests are known."""
    return f"[T{number:02}]"


def text(answer: str | None) -> Answer:
    return Answer(completion(answer))


def each(calls: Calls) -> Replies:
    """Return a reply for each call."""
    return [Answer(completion(None, call)) for call in calls]


def _spoiled(calls: Calls, random: Random) -> Calls:
    """Return the calls with one argument of one of them changed."""
    places = [n for n, (_, arguments) in enumerate(calls) if arguments]
    if not places:
        return calls
    place = random.choice(places)
    name, arguments = calls[place]
    key = random.choice(sorted(arguments))
    value = arguments[key]
    other = value + 1 if isinstance(value, int) and not isinstance(value, bool) else f"{value} x"
    return [*calls[:place], (name, {**arguments, key: other}), *calls[place + 1 :]]


def _unreadable(calls: Calls, answer: str) -> Replies:
    """The last call's arguments are cut off: nothing is left of the reply."""
    name, arguments = calls[-1]
    return [
        *each(calls[:-1]),
        Answer(completion("One more.", (name, json.dumps(arguments)[:-2]))),
        text(answer),
    ]


def _beside(calls: Calls, answer: str) -> Replies:
    """The first call comes with one whose arguments cannot be read."""
    return [Answer(completion(None, calls[0], (calls[-1][0], '{"a'))), *each(calls[1:]), text(answer)]


def _written(calls: Calls, answer: str) -> Replies:
    """The last call is written as text."""
    name, arguments = calls[-1]
    said = json.dumps({"name": name, "arguments": arguments})
    return [*each(calls[:-1]), text(f"<tool_call>\n{said}\n</tool_call>"), text(answer)]


def _failing(calls: Calls, answer: str) -> Replies:
    """The endpoint refuses the request after the first call."""
    return [*each(calls[:1]), Answer({"error": {"message": OVERFLOW}}, status=400)]


KINDS: dict[str, Callable[[Calls, str, Random], Replies]] = {
    "gold": lambda calls, answer, _: [*each(calls), text(answer)],
    "wrong argument": lambda calls, answer, random: [*each(_spoiled(calls, random)), text(answer)],
    "unknown tool": lambda calls, answer, _: [*each([*calls[:1], (NO_SUCH_TOOL, {})]), text(answer)],
    "unreadable arguments": lambda calls, answer, _: _unreadable(calls, answer),
    "all at once": lambda calls, answer, _: [Answer(completion("At once.", *calls)), text(answer)],
    "ends early": lambda calls, answer, _: [*each(calls[: len(calls) // 2]), text(answer)],
    "declines": lambda calls, answer, _: [text(DECLINED)],
    "unreadable beside readable": lambda calls, answer, _: _beside(calls, answer),
    "call as text": lambda calls, answer, _: _written(calls, answer),
    "thinks aloud": lambda calls, answer, _: [*each(calls), text(f"<think>Is that all?</think>\n{answer}")],
    "says nothing": lambda calls, answer, _: [*each(calls), text(None)],
    "context full": lambda calls, answer, _: _failing(calls, answer),
    "never ends": lambda calls, answer, _: each(calls[:1]),
}
"""How a task is worked; the last reply of each is given for good."""


@dataclass(frozen=True)
class Asked:
    """A request as it is compared: whose it is, of how many messages, and all of it but the wording."""

    task: str
    kind: str
    tools: bool
    messages: int
    body: Mapping[str, Any] = field(compare=False)


@dataclass
class FallibleModel:
    """The model: the replies by task, and what it was asked; one serves one collection."""

    scripts: Mapping[str, Replies]
    decomposing: bool = False
    asked: dict[str, list[Asked]] = field(default_factory=lambda: defaultdict(list))

    def __call__(self, request: ReceivedRequest) -> Answer:
        """Answer a request, and keep it."""
        messages = request.body["messages"]
        task = max(MARK.findall(json.dumps(messages)), default="")
        kind = kind_of(request.body)
        self.asked[task].append(Asked(task, kind, "tools" in request.body, len(messages), request.body))
        if not task:  # the question by which a collection checks the endpoint before it starts
            return text("Yes.")
        times = Counter(one.kind for one in self.asked[task])
        replies: dict[str, Callable[[], Answer]] = {
            "planner": lambda: self._plan(int(task), times["planner"]),
            "judge": lambda: text(judgement(int(task))),
            STRICT: lambda: text(judgement(int(task))),
            "memory": lambda: text(memory(int(task))),
            "executor": lambda: self._act(task, messages, times["executor"]),
        }
        return replies[kind]()

    def _plan(self, task: int, time: int) -> Answer:
        if not self.decomposing:
            return text("" if task % 6 == 5 else f"First look, then act, as {mark(task)} asks.")
        return text(decomposition(task, time))

    def _act(self, task: str, messages: Sequence[Mapping[str, Any]], time: int) -> Answer:
        if time == 1 and int(task) % 8 == 7:
            return Answer({"error": {"message": "busy elsewhere"}}, status=500)
        replies = self.scripts[task]
        found = PART.search(str(messages[1]["content"]))
        if found:
            half = (len(replies) + 1) // 2
            first = [*replies[:half], text(f"Part 1 of {mark(int(task))} is done.")]
            replies = first if found[1] == "1" else replies[half:] or replies
        made = sum(message["role"] == "assistant" for message in messages)
        return replies[min(made, len(replies) - 1)]


def kind_of(body: Mapping[str, Any]) -> str:
    """Return whose request it is, from its form."""
    roles = [message["role"] for message in body["messages"]]
    if "tools" in body:
        return "executor"
    judge = "judge" if QUESTION in str(body["messages"][-1]["content"]) else STRICT
    return {("user",): "planner", ("system", "user"): judge}.get(tuple(roles), "memory")


def decomposition(task: int, time: int) -> str:
    """Return a planner's reply: a plan, in fences or bare; none at first, or never one."""
    parts = [
        {
            "id": n,
            "title": f"Part {n} of {mark(task)}",
            "description": f"Do part {n}.",
            "dependencies": before,
        }
        for n, before in ((1, []), (2, [1]))
    ]
    if task % 10 == 9:
        parts[0]["dependencies"] = [2]  # on one that comes later: no plan, however often it is asked for
    plan = json.dumps({"strategic_plan": "In two parts.", "rationale": "Looking first.", "subtasks": parts})
    if task % 7 == 3 and time == 1:
        return "I shall look first and then act."
    return f"Here it is:\n```json\n{plan}\n```" if task % 2 else plan


def memory(task: int) -> str:
    """Return what is to be remembered: an object, in fences or bare, or nothing that can be read."""
    noted = json.dumps({f"found_{mark(task)}": task})
    return (noted, f"```json\n{noted}\n```", "There is nothing to note.", "[1, 2]")[task % 4]


def judgement(task: int) -> str:
    """Return a judge's reply: a score that passes or not, bare or in fences, or none that can be read."""
    score = json.dumps({"score": 9 if task % 3 else 4, "reasoning": "As the answer has it."})
    return (score, score, f"```json\n{score}\n```", "I would give it 9 of 10.", '{"score": "8"}')[task % 5]
