"""Families of scenarios: functions of a `Scene`, which the decorator `family` enters into a visible list.

A family belongs to a domain and lives in the domain's package of `eops_traj.taskgen.scenarios`. It finds
entities that fit, words the request, and does the work as an agent would; what it did is the gold plan::

    @family("csm", twists=("inactive_person",), gives="case")
    def hand_over(s: Scene) -> None:
        ...
"""

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from eops_traj.errors import UnknownName
from eops_traj.taskgen.errors import ScenarioError

if TYPE_CHECKING:
    from eops_traj.taskgen.scene import Scene

DOMAINS = ("teams", "csm", "email", "itsm", "calendar", "hr", "drive", "hybrid")

TWISTS = {
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
    """A family of scenarios: its function, what can make it infeasible, and how it chains with others."""

    name: str
    domain: str
    servers: tuple[str, ...]
    play: Callable[["Scene"], None]
    twists: tuple[str, ...]
    gives: str | None
    takes: str | None
    ood: bool

    @property
    def intent(self) -> str:
        """What it is for: the first line of its function's docstring."""
        return (self.play.__doc__ or "").strip().split("\n")[0]


Play = Callable[["Scene"], None]
_FAMILIES: dict[str, dict[str, Family]] = {domain: {} for domain in DOMAINS}


def family(
    domain: str,
    *,
    servers: tuple[str, ...] = (),
    twists: tuple[str, ...] = (),
    gives: str | None = None,
    takes: str | None = None,
    ood: bool = False,
) -> Callable[[Play], Play]:
    """Enter a scenario function as a family of a domain, under the function's name.

    ``servers`` are those it works on, in routing order (the domain's own where not given). ``twists`` are
    the kinds of TWISTS that it knows how to make itself infeasible by. In a chain, what it ``gives`` is
    handed to a family that ``takes`` it. An ``ood`` family is never seen in training.
    """
    for twist in twists:
        if twist not in TWISTS:
            raise UnknownName("twist", twist, TWISTS)

    def enter(play: Play) -> Play:
        name = play.__name__
        if name in _FAMILIES[domain]:
            raise ScenarioError(f"two families of {domain} are named {name}")
        _FAMILIES[domain][name] = Family(name, domain, servers or (domain,), play, twists, gives, takes, ood)
        return play

    return enter


def _scenarios(domain: str) -> ModuleType:
    """The package of a domain's scenarios, with every module that it lists."""
    package = importlib.import_module(f"eops_traj.taskgen.scenarios.{domain}")
    for name in getattr(package, "MODULES", ()):
        importlib.import_module(f"{package.__name__}.{name}")
    return package


def families(domains: Iterable[str] = DOMAINS) -> tuple[Family, ...]:
    """Every family of these domains. Raises UnknownName for a domain that is not one of DOMAINS."""
    found: list[Family] = []
    for domain in domains:
        if domain not in DOMAINS:
            raise UnknownName("domain", domain, DOMAINS)
        _scenarios(domain)
        found += _FAMILIES[domain].values()
    return tuple(found)


def asides(domain: str) -> tuple[str, ...]:
    """Sentences that stand beside the point, which a domain's requests may carry."""
    asides: tuple[str, ...] = _scenarios(domain).ASIDES
    return asides
