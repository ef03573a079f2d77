"""The start state of a task: which company on which servers, what was changed beforehand, who is asking."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from eops_traj.gym import registry
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.current_call import seeded_ids
from eops_traj.sandbox.embedded import EmbeddedSession, open_on_templates


@dataclass(frozen=True)
class StartState:
    """The company's number, its servers with the SQL that is run on each, and the headers."""

    company: int
    patches: Mapping[str, str]
    headers: Mapping[str, str] = field(default_factory=dict)

    def open(self, *, later: timedelta = timedelta(), ids: int = 0) -> EmbeddedSession:
        """Open a session on it; another time of day or other random ids show what depends on them."""
        servers = {registry.server(name): patch for name, patch in self.patches.items()}
        templates = {server: server.template(self.company, patch) for server, patch in servers.items()}
        return open_on_templates(templates, self.headers, clock.steady(clock.START + later), seeded_ids(ids))
