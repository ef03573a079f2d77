"""What the rows of the seed refer to by id: groups, services, profiles, skills and criteria."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from eops_traj.gym.company.company import Company
from eops_traj.gym.servers.hr import seed_catalogue

SINCE = {"created_at": "2023-01-02 09:00:00", "updated_at": "2023-01-02 09:00:00"}
HERE = {"org_id": 1}


@dataclass(frozen=True)
class Frame:
    """What the work refers to: ids are places in these, counted from 1."""

    company: Company

    @cached_property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """The members of every group, by its name."""
        staff = [p.number for p in self.company.of("Human Resources")]
        ours = {name: tuple(staff[1::step]) for name, _, step, _ in seed_catalogue.GROUPS}
        return {g.name: g.members for g in self.company.groups} | ours

    @cached_property
    def profiles(self) -> dict[int, int]:
        """The id of the profile of everyone who has one: all but the three who came last."""
        managers = {p.manager for p in self.company.people}
        by_start = sorted(self.company.people, key=lambda p: (p.hired, p.number))
        late = [p for p in by_start if p.active and p.number not in managers][-3:]
        return {p.number: n for n, p in enumerate((p for p in by_start if p not in late), 1)}

    def group(self, name: str) -> int:
        """The id of a group."""
        return list(self.groups).index(name) + 1

    def skills(self, names: Iterable[str]) -> str:
        """The ids of skills, as JSON."""
        return json.dumps([seed_catalogue.SKILLS.index(name) + 1 for name in names])

    def criteria(self, name: str | None) -> int | None:
        """The id of criteria."""
        return next((n for n, row in enumerate(seed_catalogue.CRITERIA, 1) if row[0] == name), None)
