"""Where attempts are made and judged: a task's trial, with the end state that its gold run leaves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eops_traj.gym import registry
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.current_call import seeded_ids
from eops_traj.gym.engine.database import Database
from eops_traj.plan import Call, run
from eops_traj.sandbox.open import open_task
from eops_traj.taskgen.attacks.attempt import Attempt, Doing, as_planned, attempt
from eops_traj.taskgen.attacks.end_state import EndState, Masks
from eops_traj.taskgen.gold_run import LATER
from eops_traj.taskgen.server_rules import rules_of
from eops_traj.taskgen.trial import Trial, VerifierFilter, in_strict_label
from eops_traj.tool_effects import is_read, is_write, says_error


@dataclass(frozen=True)
class Arena:
    """A task under attack."""

    trial: Trial

    @cached_property
    def servers(self) -> tuple[str, ...]:
        """The names of the task's servers in the gym."""
        return tuple(registry.server(server.name).name for server in self.trial.task.servers)

    @cached_property
    def gold(self) -> Attempt:
        """The plan, played as it stands."""
        return self.play()

    @cached_property
    def masks(self) -> Masks:
        """What another time and other ids change in the gold run's rows."""
        at = clock.steady(clock.START + LATER)
        other = open_task(self.trial.task, self.trial.root, clock=at, ids=seeded_ids(1))
        run(self.trial.plan, other)
        masks = Masks.of(self.gold.session, other, self.servers)
        other.close()
        return masks

    @cached_property
    def gold_state(self) -> EndState:
        """The end state of the gold run."""
        return self.state(self.gold)

    @cached_property
    def databases(self) -> list[Database]:
        """The task's databases at the start, to find values in; read only."""
        session = self.trial.open()
        return [session.database(name) for name in self.servers]

    @cached_property
    def writes(self) -> list[Call]:
        """The calls of the gold run that change something or are named as if they did."""
        return [call for call, _ in self.trial.gold[1].calls if is_write(call.tool)]

    def told(self, before: int) -> str:
        """Return what the agent is told before a step: request, policy, and the look-ups until then."""
        calls = self.trial.gold[1].calls
        replies = [reply.text for call, reply in calls if call.number < before and is_read(call.tool)]
        return "\n".join([self.trial.task.user_prompt, self.trial.task.system_prompt, *replies])

    def play(self, doing: Doing = as_planned) -> Attempt:
        """Play the plan on a fresh session."""
        return attempt(self.trial.plan, self.trial.open(), doing)

    def state(self, made: Attempt, *, harmless: bool = True) -> EndState:
        """Return the end state of an attempt."""
        return self.masks.end_state(made.session, self.servers, harmless=harmless)

    def passes(
        self, made: Attempt, answer: str | None = None, counts: VerifierFilter = in_strict_label
    ) -> bool:
        """Check whether an attempt passes strictly; with the gold answer where none is given."""
        told = self.answer(made) if answer is None else answer
        return self.trial.passes(made.session, made.calls, told, counts)

    def answer(self, made: Attempt, order: Sequence[int] | None = None) -> str:
        """Return the answer that a truthful agent gives after an attempt, its steps in this order."""
        return self.trial.answer(made.planned, order)

    def close(self) -> None:
        """Close the sessions that are kept."""
        if "gold" in self.__dict__:
            self.gold.session.close()
        for database in self.__dict__.get("databases", ()):
            database.close()
        self.trial.close()

    def properties(self, tool: str) -> Mapping[str, Any]:
        """Return the JSON Schemas of a tool's arguments."""
        properties: Mapping[str, Any] = self.schema(tool).get("properties", {})
        return properties

    def schema(self, tool: str) -> Mapping[str, Any]:
        """Return the JSON Schema of a tool; of no argument for an unknown one."""
        for server in self.servers:
            if tool in registry.server(server).tools:
                schema: Mapping[str, Any] = registry.server(server).tools[tool].input_schema
                return schema
        return {}

    def effects(self, tool: str) -> dict[str, str]:
        """Return the arguments of a tool that act outside of the tables, with what leaving them out means."""
        listed = (rules_of(server).effects.get(tool, ()) for server in self.servers)
        pairs = (name.partition("=") for names in listed for name in names)
        return {name.split(".")[0]: default for name, _, default in pairs}

    def tools_beside(self, tool: str) -> Iterator[str]:
        """Yield the other writing tools of the server that has a tool."""
        for server in self.servers:
            tools = registry.server(server).tools
            if tool in tools:
                yield from (name for name in tools if name != tool and is_write(name))


def refused(made: Attempt) -> bool:
    """Check whether a call of an attempt was refused, or the plan stopped."""
    errors = (reply.is_error or says_error(reply.text) for _, reply in made.done)
    return made.ending.kind == "stopped" or any(errors)
