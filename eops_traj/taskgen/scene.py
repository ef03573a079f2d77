"""A scene: where a scenario finds its entities, words its request, and does the work step by step.

The order within a scenario is always the same: who asks (`caller`), what fits (`pick`), what is changed
beforehand (`arrange`, `twist`), the request (`ask`), then look-ups (`do`), requirements (`require`), writes
(`do`), and what the policy says of it (`rule`). Each `do` really happens, on the scene's own session, so that
a scenario reads like the work itself and cannot drift from what the tools do.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import apsw

from eops_traj.gym import registry
from eops_traj.gym.identity import default_caller
from eops_traj.plan import Condition, Measure, Plan, Ref, Require, Step, decode, holds, resolve
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.taskgen.dates import Day, day
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.result_ref import Found, planned
from eops_traj.taskgen.start_state import World
from eops_traj.tool_effects import is_write, says_error

Row = dict[str, Any]


@dataclass(frozen=True)
class Rule:
    """What the policy or the data model says of the outcome: a query that must come out as expected."""

    name: str
    server: str
    query: str
    expected: Any
    category: str


@dataclass(frozen=True)
class Given:
    """What an earlier part of a chain hands on: the found record, and how the request speaks of it."""

    record: Found
    words: str


class Declined(Exception):
    """The scenario is infeasible as twisted; `refusal` says whether the request alone shows it."""

    def __init__(self, reason: str, refusal: bool) -> None:
        super().__init__(reason)
        self.reason, self.refusal = reason, refusal


class Scene:
    """One task in the making; `rng` is the only source of chance."""

    def __init__(self, world: World, rng: Random, twist: str | None = None) -> None:
        """On a world without patches; ``twist`` is the kind by which the scenario makes itself infeasible."""
        self.rng, self.twisted = rng, twist
        self.steps: list[Step | Require] = []
        self.parts: list[str] = []
        self.rules: list[Rule] = []
        self.speaker: Row = {}
        self.facts: dict[str, Any] = {}
        self.handed: dict[str, Given] = {}
        self.twist_used = False
        self._world, self._patches = world, {name: list[str]() for name in world.patches}
        self._session: EmbeddedSession = world.open()
        self._results: dict[int, Any] = {}
        self._failed: dict[int, str] = {}
        self._replies: dict[int, str] = {}
        self._called = self._wrote = False

    def begin(self, rng: Random) -> None:
        """Start the next part of a chain, with chance of its own."""
        self.rng, self._wrote = rng, False

    # Who asks, and what fits

    def rows(self, sql: str, /, server: str | None = None, **values: Any) -> list[Row]:
        """The rows of a query on the starting state; ``:name`` takes a value. For finding, never for ids."""
        database = self._session.database(server or next(iter(self._patches)))
        cursor = database.connection.execute(sql, values)
        return [dict(zip((c[0] for c in cursor.get_description()), row, strict=True)) for row in cursor]

    def peek(self, tool: str, /, **arguments: Any) -> Any:
        """What a look-up answers the caller, as data: for finding what fits, not a step of the plan."""
        reply = self._session.call_tool(tool, arguments)
        if is_write(tool) or reply.is_error or says_error(reply.text):
            raise NoMatch(f"{tool}: {reply.text[:200]}")
        return decode(reply.text)

    def pick(self, sql: str, /, server: str | None = None, **values: Any) -> Row:
        """One of the rows, by chance. Raises NoMatch where there is none."""
        found = self.rows(sql, server, **values)
        if not found:
            raise NoMatch(sql)
        return self.rng.choice(found)

    def caller(self, sql: str, /, server: str | None = None, **values: Any) -> Row:
        """Who asks: one of these rows, which have an ``email``; every server is told who it is.

        In a chain the first part's caller stays; NoMatch where the later part cannot be asked by them.
        """
        if self.speaker:
            if self.speaker["email"] not in {row["email"] for row in self.rows(sql, server, **values)}:
                raise NoMatch(f"{self.speaker['email']} cannot ask for this")
        else:
            self.speaker = self.pick(sql, server, **values)
            headers = {}
            for name in self._patches:
                known = registry.server(name)
                value = default_caller(known, self._session.database(name), self.speaker["email"])
                if known.identity and value is not None:
                    headers[known.identity.header] = value
            self._world = World(self._world.company, self._world.patches, headers)
            self._session.identify(headers)
        return self.speaker

    def chance(self, share: float) -> bool:
        """True in this share of cases: for asks and look-ups that not every task of a family has."""
        return self.rng.random() < share

    def day(self, soonest: int, latest: int, *, weekday: bool = True) -> Day:
        """A date some days from today, and the words that a colleague would use for it."""
        return day(self.rng, soonest, latest, weekday)

    # What is changed beforehand

    def arrange(self, sql: str, /, server: str | None = None, **values: Any) -> None:
        """Change the starting state, of the task and of its twin: what the company lacks for the scenario."""
        if self._called:
            raise NoMatch("in a chain, only the first part can change the starting state")
        name = server or next(iter(self._patches))
        statement = literal(sql, values)
        self._session.database(name).connection.execute(statement)
        self._patches[name].append(statement + ";")

    def twist(self, kind: str, sql: str, /, server: str | None = None, **values: Any) -> None:
        """Change one fact of the starting state, where this is the kind of infeasible task that is wanted."""
        if self.twisted == kind:
            self.twist_used = True
            self.arrange(sql, server, **values)

    def phrase(self, kind: str, usual: str, twisted: str) -> str:
        """One phrase of the request, which reads otherwise in an infeasible task of this kind."""
        if self.twisted == kind:
            self.twist_used = True
            return twisted
        return usual

    # The request

    def ask(self, *wordings: str, **slots: Any) -> None:
        """What is asked: one of the wordings (six or more), its ``{slots}`` filled in."""
        if len(wordings) < 6:
            raise ScenarioError(f"{len(wordings)} wordings; a family has six or more")
        said = " ".join(self.rng.choice(wordings).format(**slots).split())
        self.parts.append(re.sub(r"(?<=[.?!] )the ", "The ", said))  # where a slot begins a sentence

    def given(self, kind: str) -> Given | None:
        """What an earlier part of the chain hands on, if this family is chained to one."""
        return self.handed.pop(kind, None)

    def give(self, kind: str, record: Found, words: str) -> None:
        """Hand on a record to the next part of a chain; ``words`` are how a request speaks of it there."""
        self.handed[kind] = Given(record, words)

    # The work

    def do(self, tool: str, why: str, /, **arguments: Any) -> Found:
        """Call a tool, as the next step of the plan, for this reason. A refused call is a mistake here.

        A look-up that a twist may make fail is followed by `require_ok`. One that an earlier part of the
        chain made already, with the same result, is not made again.
        """
        self._called = True
        if not self.parts:
            raise ScenarioError("ask comes before the first step")
        step = Step(tool, planned(arguments), why)
        reply = self._session.call_tool(tool, resolve(step.arguments, self._results))
        if (known := self._known(step, reply.text)) is not None:
            return Found(Ref(known), self._results)
        self.steps.append(step)
        number = len(self.steps)
        self._replies[number] = reply.text
        if reply.is_error or says_error(reply.text):
            self._failed[number] = reply.text
            if not self.twist_used:
                raise ScenarioError(f"step {number}: {step}: {reply.text[:300]}")
        else:
            self._results[number] = decode(reply.text)
        self._wrote = self._wrote or is_write(tool)
        return Found(Ref(number), self._results)

    def require(self, left: Any, operator: str, right: Any, why: str, /) -> None:
        """What must hold before anything is written, for a reason that the caller can be told.

        ``why`` says what is wrong when it does not hold: it becomes the answer that declines.
        """
        self._require(Condition(planned(left), operator, planned(right)), why)

    def require_ok(self, found: Found, why: str, /) -> None:
        """That a call answered with something; ``why`` says what is wrong when it did not."""
        self._require(Condition(Measure("ok", found.ref)), why)

    def refuse(self, kind: str, why: str, /) -> None:
        """Decline where the request, twisted to this kind, shows by itself that it must not be done."""
        if self.twisted == kind:
            raise Declined(why, refusal=True)

    def rule(
        self, name: str, sql: str, /, expected: Any = 1, server: str | None = None,
        category: str = "permission_and_process", **values: Any,
    ) -> None:  # fmt: skip
        """What the policy says of the outcome: a query of the final state, and the value it must give.

        Rows that the task creates are named by their content, never by an id: ids depend on the order.
        """
        known = {n: v.value if isinstance(v, Found) else v for n, v in values.items()}
        query = literal(" ".join(sql.split()), known)
        self.rules.append(Rule(name, server or next(iter(self._patches)), query, expected, category))

    # What came of it

    def world(self) -> World:
        """The starting state with what was arranged."""
        patches = {name: "\n".join(statements) for name, statements in self._patches.items()}
        return World(self._world.company, patches, self._world.headers)

    def plan(self) -> Plan:
        """What was done, as a plan."""
        return Plan(tuple(self.steps))

    def close(self) -> None:
        """Drop the session."""
        self._session.close()

    def _known(self, step: Step, reply: str) -> int | None:
        """The number of an earlier look-up that was the same and gave the same."""
        for number in range(len(self.steps), 0, -1):
            before = self.steps[number - 1]
            same = isinstance(before, Step) and (before.tool, before.arguments) == (step.tool, step.arguments)
            if same and not is_write(step.tool) and number in self._results:
                return number if self._replies[number] == reply else None
        return None

    def _require(self, condition: Condition, why: str) -> None:
        if self._wrote:
            raise ScenarioError(f"a requirement after a write: {condition}")
        if any(isinstance(step, Require) and step.condition == condition for step in self.steps):
            return
        self.steps.append(Require(condition, why))
        if not holds(condition, self._results, self._failed):
            if not self.twist_used:
                raise ScenarioError(f"step {len(self.steps)}: {condition} does not hold: {why}")
            raise Declined(why, refusal=False)


def literal(sql: str, values: Mapping[str, Any]) -> str:
    """The statement with its ``:names`` replaced by the values as SQL writes them."""

    def fill(match: re.Match[str]) -> str:
        if match["name"] is None:
            return match.group()
        return str(apsw.format_sql_value(values[match["name"]]))

    return re.sub(r"'[^']*'|\"[^\"]*\"|(?<![:\w]):(?P<name>[a-z_]\w*)", fill, sql)
