"""Whether the terms of the models and of the tasks behind a row allow that it is published."""

from collections.abc import Iterator
from dataclasses import dataclass

from eops_traj.publish.episode_facts import EpisodeFacts
from eops_traj.publish.policy import PublishPolicy
from eops_traj.publish.split_export import EPISODES, DatasetPart


@dataclass(frozen=True)
class LicenceGate:
    """The terms of a policy, and the licence that the dataset is to have, an SPDX expression."""

    policy: PublishPolicy
    licence: str

    def check(self, part: DatasetPart, episodes: dict[str, EpisodeFacts]) -> Iterator[tuple[int, str, str]]:
        """Yield the first row of each model and of each suite whose terms are unknown or forbid the use.

        A row's number, the field, and the reason.
        """
        reasons: dict[tuple[str, str], str | None] = {}
        for number, episode_id in enumerate(part.episodes):
            facts = episodes[episode_id]
            for field, name in [*(("model", model) for model in facts.models), ("suite", facts.suite)]:
                if (field, name) in reasons:
                    continue
                ask = self._model if field == "model" else self._suite
                reasons[field, name] = why = ask(name, part.config)
                if why:
                    yield number, field, why

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

    def _suite(self, suite: str, _config: str) -> str | None:
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
