"""The servers of the gym, by name. A package is imported when its server is first asked for."""

import importlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from eops_traj.errors import UnknownName
from eops_traj.gym.own_servers import own_faults, own_servers
from eops_traj.gym.server import Server


class Servers(Mapping[str, str]):
    """The packages of servers by name: ours, and those that a user brings along.

    The user's are looked up when something other than one of ours is first asked for.
    """

    def __init__(self, ours: Mapping[str, str]) -> None:
        """Take ours."""
        self._ours = ours

    @cached_property
    def own(self) -> Mapping[str, str]:
        """Those that a user brings along. Raises FormatError for a folder without any."""
        return own_servers(self._ours)

    def __getitem__(self, name: str) -> str:
        return self._ours[name] if name in self._ours else self.own[name]

    def __iter__(self) -> Iterator[str]:
        yield from (*self._ours, *self.own)

    def __len__(self) -> int:
        return len(self._ours) + len(self.own)


OURS = {
    "csm": "eops_traj.gym.servers.csm",
    "itsm": "eops_traj.gym.servers.itsm",
    "hr": "eops_traj.gym.servers.hr",
    "teams": "eops_traj.gym.servers.teams",
    "drive": "eops_traj.gym.servers.drive",
    "calendar": "eops_traj.gym.servers.calendar",
    "email": "eops_traj.gym.servers.email",
}
SERVERS = Servers(OURS)


def server(name: str) -> Server:
    """Return the server of this name, or of this ``gym_name`` as tasks have it."""
    if name in SERVERS:
        return _load(name)
    for known in SERVERS:
        if _load(known).gym_name == name:
            return _load(known)
    raise UnknownName("server", name, SERVERS)


def check_quirks(names: Iterable[str]) -> None:
    """Check that every quirk is known. Raises UnknownName, listing the known ones."""
    known = {quirk for name in SERVERS for quirk in _load(name).known_quirks}
    for name in names:
        if name not in known:
            raise UnknownName("quirk", name, known)


def _load(name: str) -> Server:
    with own_faults(name, "__init__.py"):
        loaded: Server = importlib.import_module(SERVERS[name]).SERVER
    return loaded
