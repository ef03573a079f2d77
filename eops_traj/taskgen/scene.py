"""A scene: where a scenario finds its entities, words its request, and does the work step by step.

The order within a scenario is always the same: the caller (`pick_caller`), entities that fit (`pick`),
changes beforehand (`arrange`, `perturb`), the request (`ask`), look-ups (`do`), requirements (`require`),
writes (`do`), and the rules of the policy (`rule`). Each `do` really happens, on the scene's own session, so
that a scenario reads like the work itself and cannot drift from what the tools do.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import apsw

from eops_traj.gym import registry
from eops_traj.gym.engine.changesets import RowChange
from eops_traj.gym.identity import default_caller
from eops_traj.plan import (
    Condition,
    Measure,
    Plan,
    Progress,
    Ref,
    Require,
    Step,
    decode,
    evaluate,
    in_order,
    renumber,
)
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.taskgen.dates import Day, day
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.expressions import Holds
from eops_traj.taskgen.hoisting import joined_text, looking_first, says_the_same
from eops_traj.taskgen.result_ref import ResultRef, plan_argument
from eops_traj.taskgen.speech import Say, Speech
from eops_traj.taskgen.start_state import StartState
from eops_traj.taskgen.traits import Traits
from eops_traj.taskgen.twin_world.tape import TapedRandom
from eops_traj.taskgen.wording import vary
from eops_traj.tool_effects import is_write, says_error

Row = dict[str, Any]
Wish = tuple[str, str]
"""What a perturbation changes: the server, and the SQL."""


@dataclass(frozen=True)
class Rule:
    """A rule of the policy or the data model: a query of the final state, and the value it must give."""

    name: str
    server: str
    query: str
    expected: Any
    category: str


@dataclass(frozen=True)
class ProducedRecord:
    """A record that an earlier part of a chain hands on, and the words by which the request names it."""

    record: ResultRef
    words: str


@dataclass(frozen=True)
class AskedFact:
    """What the final answer has to tell, in words, and the values of which it has to hold one."""

    what: str
    values: tuple[Any, ...]


class Declined(Exception):
    """The perturbed scenario is infeasible; `refusal` says whether the request alone shows it.

    ``names`` is what an answer that declines has to say: of each entry one of its alternatives (``a|b``).
    """

    def __init__(self, reason: str, refusal: bool, names: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.reason, self.refusal, self.names = reason, refusal, tuple(names)


class Scene(Traits):
    """One task while it is drafted; `rng` is the only source of chance."""

    def __init__(
        self,
        state: StartState,
        rng: Random,
        perturbation: str | None = None,
        part: int = 0,
        wishes: Sequence[Wish] = (),
        speech: Speech | None = None,
    ) -> None:
        """Open a state without patches; ``perturbation`` is the kind that makes the scenario infeasible.

        In a chain it acts in the part of this number. What it changes before a later part is known from the
        same chain played without it: its ``wishes``, which are granted before the first call. The request is
        worded by ``speech``.
        """
        super().__init__()
        self.rng, self.perturbation = rng, perturbation
        self.speech = speech or Speech("")
        self._part, self.perturbed_part, self._to_grant = -1, part, list(wishes)
        self.wishes: dict[tuple[int, str], list[Wish]] = {}
        self._usual: EmbeddedSession | None = None
        self.steps: list[Step | Require] = []
        self.parts: list[str] = []
        self.sayings: list[list[Say | str]] = []  # of each part: what says it, or the words that stay
        self.whole = False
        self.rules: list[Rule] = []
        self.asked: list[AskedFact] = []
        self.caller: Row = {}
        self.facts: dict[str, Any] = {}
        self.produced: dict[str, ProducedRecord] = {}
        self.perturbed = False
        self.perturbed_rows: list[tuple[str, RowChange]] = []
        self._state, self._patches = state, {name: list[str]() for name in state.patches}
        self._own = next(iter(self._patches))
        self._session: EmbeddedSession = state.open()
        self._results: dict[int, Any] = {}
        self._failed: dict[int, str] = {}
        self._replies: dict[int, str] = {}
        self._called = self._wrote = self._declines = False

    def begin(self, rng: Random, server: str | None = None) -> None:
        """Start the next part of a chain, with its own source of chance; queries go to its own ``server``."""
        self.rng, self._wrote, self._part = rng, False, self._part + 1
        self._own = server or self._own

    # The caller, and entities that fit

    def rows(self, sql: str, /, server: str | None = None, **values: Any) -> list[Row]:
        """Return a query's rows on the start state; ``:name`` takes a value. For finding, never for ids."""
        name = server or self._own
        database = (self._usual or self._session).database(name)
        if isinstance(self.rng, TapedRandom):
            return self.rng.tape.rows(database, name, sql, values)
        cursor, names, rows = database.connection.execute(sql, values), list[str](), list[Row]()
        for row in cursor:
            names = names or [name for name, _ in cursor.get_description()]  # told while there are rows
            rows.append(dict(zip(names, row, strict=True)))
        return rows

    def peek(self, tool: str, /, **arguments: Any) -> Any:
        """Return a look-up's answer to the caller, as data: for finding what fits, not a step of the plan."""
        reply = (self._usual or self._session).call_tool(tool, arguments)
        if is_write(tool) or reply.is_error or says_error(reply.text):
            raise NoMatch(f"{tool}: {reply.text[:200]}")
        return decode(reply.text)

    def pick(self, sql: str, /, server: str | None = None, **values: Any) -> Row:
        """Pick one of the rows at random. Raises NoMatch where there is none."""
        rows = self.rows(sql, server, **values)
        if not rows:
            raise NoMatch(sql)
        return self.rng.choice(rows)

    def pick_some(self, sql: str, count: int, /, server: str | None = None, **values: Any) -> list[Row]:
        """Pick several of the rows at random. Raises NoMatch where there are fewer."""
        rows = self.rows(sql, server, **values)
        if len(rows) < count:
            raise NoMatch(f"{len(rows)} rows, {count} are wanted: {sql}")
        return self.rng.sample(rows, count)

    def pick_caller(self, sql: str, /, server: str | None = None, **values: Any) -> Row:
        """Pick the caller from these rows, which have an ``email``, and identify them to every server.

        In a chain the first part's caller stays, as a row of the later part's query, whose columns it
        reads. Raises NoMatch where they are not among its rows.
        """
        if self.caller:
            own = [row for row in self.rows(sql, server, **values) if row["email"] == self.caller["email"]]
            if not own:
                raise NoMatch(f"{self.caller['email']} cannot ask for this")
            self.caller = self.rng.choice(own)
        else:
            self.caller = self.pick(sql, server, **values)
            headers = {}
            for name in self._patches:
                known = registry.server(name)
                value = default_caller(known, self._session.database(name), self.caller["email"])
                if known.identity and value is not None:
                    headers[known.identity.header] = value
            self._state = replace(self._state, headers=headers)
            self._session.identify(headers)
        return self.caller

    def chance(self, share: float) -> bool:
        """Return True in this share of cases: for asks and look-ups that not every task of a family has."""
        return self.rng.random() < share

    def day(self, soonest: int, latest: int, *, weekday: bool = True) -> Day:
        """Pick a date some days from today, with the words that a colleague would use for it."""
        return day(self.rng, soonest, latest, weekday)

    # Changes beforehand

    def arrange(self, sql: str, /, server: str | None = None, **values: Any) -> None:
        """Change the start state of the task and of its twin: add what the scenario needs in the company."""
        if self._called:
            raise NoMatch("in a chain, only the first part can change the starting state")
        self._patch(server or self._own, fill_values(sql, values))

    def _patch(self, server: str, statement: str) -> tuple[RowChange, ...]:
        database = self._session.database(server)
        _, changes = database.record(lambda: database.connection.execute(statement))
        self._patches[server].append(statement + ";")
        return changes

    def perturb(self, kind: str, sql: str, /, server: str | None = None, **values: Any) -> None:
        """Change one fact of the start state, if the task is to be infeasible in this way."""
        wish = (server or self._own, fill_values(sql, values))
        self.wishes.setdefault((self._part, kind), []).append(wish)
        if self._acts(kind) and not self._called:
            self._grant(wish)

    def _acts(self, kind: str) -> bool:
        return self.perturbation == kind and self._part == self.perturbed_part

    def _grant(self, wish: Wish) -> None:
        self.perturbed = True
        self.perturbed_rows += [(wish[0], change) for change in self._patch(*wish)]

    def _grant_wishes(self) -> None:
        """Change the facts of a later part before the first call; what fits is still found without that."""
        if self._to_grant:
            self._usual = self._session.fork()
        while self._to_grant:
            self._grant(self._to_grant.pop(0))

    def phrase(self, kind: str, usual: str, perturbed: str) -> str:
        """Choose a phrase of the request: ``perturbed`` if the task is to be infeasible in this way."""
        if self._acts(kind):
            self.perturbed = True
            return perturbed
        return usual

    # The request

    def ask(self, *wordings: str, **slots: Any) -> None:
        """Add one of the wordings (six or more) to the request, its ``{slots}`` filled in.

        A wording may hold alternatives, ``[a|b]``, of which one is chosen (`eops_traj.taskgen.wording`).
        """
        if len(wordings) < 6:
            raise ScenarioError(f"{len(wordings)} wordings; a family has six or more")

        def say(rng: Random) -> str:
            part = " ".join(vary(rng, rng.choice(wordings)).format(**slots).split())
            return re.sub(r"(?<=[.?!] )the ", "The ", part)  # where a slot begins a sentence

        self.sayings.append([say])
        self.parts.append(self.speech.part(say))

    def say_more(self, say: Say) -> None:
        """Let the part of the request that was just asked go on."""
        self.sayings[-1].append(say)
        self.parts[-1] += f" {self.speech.part(say)}"

    def add_words(self, words: str) -> None:
        """Let the part of the request that was just asked go on with these words."""
        self.sayings[-1].append(words)
        self.parts[-1] += f" {words}"

    def as_one(self) -> None:
        """Ask for everything or nothing, in words that are chosen when the request is composed."""
        self.whole = True

    def consume(self, kind: str) -> ProducedRecord | None:
        """Take the record that an earlier part of the chain hands on, if there is one."""
        return self.produced.pop(kind, None)

    def produce(self, kind: str, record: ResultRef, words: str) -> None:
        """Hand on a record to the next part of a chain, whose request names it by ``words``."""
        self.produced[kind] = ProducedRecord(record, words)

    # The work

    def do(self, tool: str, why: str, /, **arguments: Any) -> ResultRef:
        """Call a tool, as the next step of the plan, for this reason. A refused call is a mistake here.

        A look-up that a perturbation may make fail is followed by `require_ok`. A look-up of an earlier part
        of the chain that gave the same result is not repeated.
        """
        return self._step(Step(tool, plan_argument(arguments), why))

    def do_each(
        self, rows: Any, tool: str, why: str, /, *, when: Holds | None = None, **arguments: Any
    ) -> ResultRef:
        """Call a tool for each row of a list, in which `expressions.ROW` is the row at hand.

        With ``when`` only for the rows for which it holds. The result is the list of the calls' results.
        """
        condition = when.condition if when else None
        return self._step(Step(tool, plan_argument(arguments), why, plan_argument(rows), condition))

    def do_when(self, when: Holds, tool: str, why: str, /, **arguments: Any) -> ResultRef:
        """Call a tool where a condition holds; else the step has no result (`expressions.either`)."""
        return self._step(Step(tool, plan_argument(arguments), why, None, when.condition))

    def _step(self, step: Step) -> ResultRef:
        """Carry a step out, call by call, and add it to the plan."""
        self._grant_wishes()
        self._called = True
        if not self.parts:
            raise ScenarioError("ask comes before the first step")
        number = len(self.steps) + 1
        so_far = Progress(self._results, {})
        replies = so_far.run(number, step, self._session)
        self._follow(step, number)
        reply = joined_text(replies)
        if step.plain and (earlier := self._find_same_lookup(step, reply)) is not None:
            self._results.pop(number, None)
            return ResultRef(Ref(earlier), self._results)
        self.steps.append(step)
        self._replies[number] = reply
        if number in so_far.failed:
            self._failed[number] = so_far.failed[number]
            self._judge_failure(step, number, so_far.failed[number])
        self._wrote = self._wrote or is_write(step.tool)
        return ResultRef(Ref(number), self._results)

    def _follow(self, step: Step, number: int) -> None:
        """Carry the step out where nothing is perturbed too, for finding what fits there."""
        if self._usual:
            before = {n: result for n, result in self._results.items() if n != number}
            Progress(before).run(number, step, self._usual)

    def _judge_failure(self, step: Step, number: int, refusal: str) -> None:
        if is_write(step.tool) and self.perturbed:
            raise NoMatch(f"{step.tool} is refused before the part that is perturbed: {refusal[:200]}")
        if not self.perturbed:
            raise ScenarioError(f"step {number}: {step}: {refusal[:300]}")

    def require(self, left: Any, operator: str, right: Any, why: str, /, names: Sequence[str] = ()) -> None:
        """Require a condition before anything is written.

        ``why`` says what is wrong when it does not hold: it becomes the answer that declines. ``names`` is
        what any such answer has to say, whoever words it: of each entry one of its alternatives, which are
        separated by ``|`` and found at the beginning of a word, in any case (``contractor|not an employee``).
        """
        self._require(Condition(plan_argument(left), operator, plan_argument(right)), why, names)

    def require_ok(self, result: ResultRef, why: str, /, names: Sequence[str] = ()) -> None:
        """Require that a call answered with something; ``why`` says what is wrong when it did not."""
        self._require(Condition(Measure("ok", result.ref)), why, names)

    def refuse(self, kind: str, why: str, /, names: Sequence[str] = ()) -> None:
        """Decline where the request, perturbed in this way, shows by itself that it must not be done."""
        if self._acts(kind):
            raise Declined(why, refusal=True, names=names)

    def answer(self, what: str, /, *values: Any) -> None:
        """Ask that the final answer holds one of these values (of results, or texts), as the request wants.

        What the policy demands of every answer stands in `eops_traj.taskgen.server_rules`, not here.
        """
        self.asked.append(AskedFact(what, tuple(plan_argument(value) for value in values)))

    def rule(
        self, name: str, sql: str, /, expected: Any = 1, server: str | None = None,
        category: str = "permission_and_process", **values: Any,
    ) -> None:  # fmt: skip
        """Add a rule of the policy: a query of the final state, and the value it must give.

        Rows that the task creates are named by their content, never by an id: ids depend on the order.
        """
        plain = {n: v.value if isinstance(v, ResultRef) else v for n, v in values.items()}
        query = fill_values(" ".join(sql.split()), plain)
        self.rules.append(Rule(name, server or self._own, query, expected, category))

    # The outcome

    def start_state(self) -> StartState:
        """Return the start state with the changes arranged beforehand."""
        patches = {name: "\n".join(statements) for name, statements in self._patches.items()}
        return replace(self._state, patches=patches)

    def look_first(self) -> None:
        """Put what can be looked up at the start, and what is required of it, before the first write.

        Of a scene that declined nothing else is left. Raises NoMatch where it declined for what was written.
        """
        with self.start_state().open() as session:
            first = looking_first(self.steps, self._results, self._replies, session)
        if self._declines and len(self.steps) not in first:
            raise NoMatch("what forbids it depends on an earlier part")
        rest = [] if self._declines else [n for n in range(1, len(self.steps) + 1) if n not in first]
        numbers = {old: new for new, old in enumerate([*first, *rest], 1)}
        self.steps = list(in_order(self.plan(), list(numbers)).steps)
        self.asked = [
            replace(fact, values=tuple(renumber(list(fact.values), numbers))) for fact in self.asked
        ]

    def plan(self) -> Plan:
        """Return the steps taken, as a plan."""
        return Plan(tuple(self.steps))

    def reply(self, step: int) -> str:
        """Return what a step was answered; empty for one that calls nothing."""
        return self._replies.get(step, "")

    def close(self) -> None:
        """Close the sessions."""
        self._session.close()
        if self._usual:
            self._usual.close()

    def _find_same_lookup(self, step: Step, reply: str) -> int | None:
        """Return the number of an earlier look-up with the same arguments and the same reply."""
        for number in range(len(self.steps), 0, -1):
            earlier = self.steps[number - 1]
            same = isinstance(earlier, Step) and (earlier.tool, earlier.arguments) == (
                step.tool,
                step.arguments,
            )
            if same and not is_write(step.tool) and number in self._results:
                return number if says_the_same(self._replies[number], reply) else None
        return None

    def _require(self, condition: Condition, why: str, names: Sequence[str]) -> None:
        if self._wrote:
            raise ScenarioError(f"a requirement after a write: {condition}")
        if any(isinstance(step, Require) and step.condition == condition for step in self.steps):
            return
        self.steps.append(Require(condition, why))
        if not evaluate(condition, self._results, self._failed):
            if not self.perturbed:
                raise ScenarioError(f"step {len(self.steps)}: {condition} does not hold: {why}")
            self._declines = True
            raise Declined(why, refusal=False, names=names)


def fill_values(sql: str, values: Mapping[str, Any]) -> str:
    """Replace the ``:names`` of a statement with the values as SQL literals."""

    def fill(match: re.Match[str]) -> str:
        if match["name"] is None:
            return match.group()
        return str(apsw.format_sql_value(values[match["name"]]))

    return re.sub(r"'[^']*'|\"[^\"]*\"|(?<![:\w]):(?P<name>[a-z_]\w*)", fill, sql)
