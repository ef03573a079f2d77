"""Whether the terms of the models and of the tasks behind a row allow that it is published."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from eops_traj.publish.episode_facts import EpisodeFacts
from eops_traj.publish.policy import PublishPolicy
from eops_traj.publish.split_export import EPISODES, DatasetPart


class Source(NamedTuple):
    """What a row is from: a model or a suite by its name, or an episode of which nothing is known."""

    field: Literal["model", "suite", "episode"]
    name: str


@dataclass(frozen=True)
class LicenceGate:
    """The terms of a policy, and the licence that the dataset is to have, an SPDX expression."""

    policy: PublishPolicy
    licence: str

    def check(
        self, part: DatasetPart, episodes: Mapping[str, EpisodeFacts]
    ) -> Iterator[tuple[int, str, str]]:
        """Yield the first row of each model and of each suite whose terms are unknown or forbid the use.

        A row's number, the field, and the reason. All the episodes behind a row count; one of which nothing
        is known stops it, too.
        """
        asked = set[Source]()
        for number, episode_ids in enumerate(part.sources):
            sources = dict.fromkeys(source for i in episode_ids for source in _sources(i, episodes))
            new = [source for source in sources if source not in asked]
            asked.update(new)
            for source in new:
                if why := self._reason(source, part.config):
                    yield number, source.field, why

    def _reason(self, source: Source, config: str) -> str | None:
        """Return why the terms of a source keep a row of a configuration in, if they do."""
        if source.field == "model":
            return self._model(source.name, config)
        if source.field == "suite":
            return self._suite(source.name)
        return f"nothing is known of episode {source.name!r} behind it, and so no terms"

    def _model(self, model: str, config: str) -> str | None:
        terms = self.policy.terms(model)
        if terms is None:
            return (
                f"the licence of {model!r} is unknown; say --model-licence '{model}=SPDX', if it allows this"
            )
        if not terms.publish:
            return f"{terms.licence} keeps the output of {model!r} from being published"
        if config != EPISODES and not terms.train:
            return f"{terms.licence} keeps others from training on what {model!r} says; leave {config} out"
        return None

    def _suite(self, suite: str) -> str | None:
        terms, vouch = self.policy.task_terms(suite), f"say --task-licence '{suite}=SPDX'"
        if terms is None:
            return f"the terms of the texts of tasks of {suite!r} are unknown; {vouch}, if they allow this"
        if terms.travels and terms.licence != self.licence:
            return (
                f"the texts of tasks of {suite!r} came under {terms.licence}, which goes with them,"
                f" and this one is to be {self.licence}; publish it under theirs, or {vouch}, if they came"
                " under other terms"
            )
        return None


def _sources(episode_id: str, episodes: Mapping[str, EpisodeFacts]) -> Iterator[Source]:
    """Yield the models and the suite of an episode."""
    facts = episodes.get(episode_id)
    if facts is None:
        yield Source("episode", episode_id)
        return
    yield from (Source("model", model) for model in facts.models)
    yield Source("suite", facts.suite)
