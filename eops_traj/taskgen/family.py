"""Families of scenarios: functions of a `Scene`, which the decorator `family` registers.

A family belongs to a domain and lives in the domain's package of `eops_traj.taskgen.scenarios`. It finds
entities that fit, words the request, and does the work as an agent would; its steps are the gold plan::

    @family("csm", perturbations=("inactive_person",), produces="case")
    def hand_over(s: Scene) -> None:
        ...
"""

import importlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

from eops_traj.errors import UnknownName
from eops_traj.gym.registry import SERVERS
from eops_traj.taskgen.errors import ScenarioError

if TYPE_CHECKING:
    from eops_traj.taskgen.scene import Scene

HYBRID = "hybrid"
"""The domain of tasks that work on several servers."""
PERTURBATIONS = {
    "no_right": "the caller's role lacks the right",
    "inactive_person": "someone it is about has left or is suspended",
    "missing_entity": "what it is about does not exist",
    "two_namesakes": "two people, or two records, go by the name that is given",
    "policy_forbids": "the policy forbids it: no approval, the wrong state, an expired entitlement",
    "conflicting_demands": "the request contradicts itself",
    "out_of_scope": "the data or the action is out of scope",
    "impossible_date": "a date that cannot be kept",
}
"""The kinds of infeasible task: what is changed, in one place, to make a feasible one infeasible."""


@dataclass(frozen=True)
class Family:
    """A family of scenarios: its function, its perturbations, and how it chains with others."""

    name: str
    domain: str
    servers: tuple[str, ...]
    play: Callable[["Scene"], None]
    perturbations: tuple[str, ...]
    produces: str | None
    consumes: str | None
    ood: bool

    @property
    def intent(self) -> str:
        """Its purpose: the first line of its function's docstring."""
        return (self.play.__doc__ or "").strip().split("\n")[0]


Play = Callable[["Scene"], None]
_FAMILIES: defaultdict[str, dict[str, Family]] = defaultdict(dict)


def domains() -> tuple[str, ...]:
    """Return the domains: each server of the gym is one, and there is the one of tasks on several."""
    return (*SERVERS, HYBRID)


def family(
    domain: str,
    *,
    servers: tuple[str, ...] = (),
    perturbations: tuple[str, ...] = (),
    produces: str | None = None,
    consumes: str | None = None,
    ood: bool = False,
) -> Callable[[Play], Play]:
    """Register a scenario function as a family of a domain, under the function's name.

    ``servers`` are those it works on, in routing order (the domain's own where not given). ``perturbations``
    are the kinds of PERTURBATIONS that can make it infeasible. In a chain, the kind of record that it
    ``produces`` is handed to a family that ``consumes`` it. An ``ood`` family is never seen in training.
    """
    for kind in perturbations:
        if kind not in PERTURBATIONS:
            raise UnknownName("twist", kind, PERTURBATIONS)

    def register(play: Play) -> Play:
        name = play.__name__
        if name in _FAMILIES[domain]:
            raise ScenarioError(f"two families of {domain} are named {name}")
        _FAMILIES[domain][name] = Family(
            name, domain, servers or (domain,), play, perturbations, produces, consumes, ood
        )
        return play

    return register


def _import_scenarios(domain: str) -> ModuleType | None:
    """Import a domain's scenarios, with every module that they list; None where it has none.

    A server of one's own has them in its own package, as ``scenarios``.
    """
    own = SERVERS.own
    name = f"{own[domain]}.scenarios" if domain in own else f"eops_traj.taskgen.scenarios.{domain}"
    if find_spec(name) is None:
        return None
    package = importlib.import_module(name)
    for name in getattr(package, "MODULES", ()):
        importlib.import_module(f"{package.__name__}.{name}")
    return package


def families(of: Iterable[str] | None = None) -> tuple[Family, ...]:
    """Return every family of these domains, by default of all, in the order of their modules in the list.

    What was imported first does not matter. Raises UnknownName for a domain that there is none of.
    """
    selected: list[Family] = []
    for domain in domains() if of is None else of:
        if domain not in domains():
            raise UnknownName("domain", domain, domains())
        modules = _module_names(_import_scenarios(domain))
        found = _FAMILIES[domain].values()
        selected += sorted(found, key=lambda one: modules.get(one.play.__module__, -1))
    return tuple(selected)


def _module_names(package: ModuleType | None) -> dict[str, int]:
    """Return the modules that a package of scenarios lists, by their whole names, with their places."""
    names = getattr(package, "MODULES", ())
    return {f"{package.__name__}.{name}": place for place, name in enumerate(names)} if package else {}


def asides(domain: str) -> tuple[str, ...]:
    """Return the sentences beside the point that a domain's requests may contain."""
    asides: tuple[str, ...] = getattr(_import_scenarios(domain), "ASIDES", ())
    return asides
