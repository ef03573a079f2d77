"""The policy of publishing: what looks personal but is made up, the licences of models and of texts."""

from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import Field, field_validator

from eops_traj.config import Settings, checked, find_config, read_settings
from eops_traj.errors import ConfigError, InputError

DEFAULT = "publish_default"


def to_spdx(licence: str) -> str:
    """Return the licence as SPDX spells it; ``LicenseRef-NAME`` names one of one's own.

    Raises InputError for a text that is no SPDX expression.
    """
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        return str(canonicalize_license_expression(licence))
    except InvalidLicenseExpression as error:
        raise InputError(
            f"{licence!r} is no SPDX licence; choose one such as Apache-2.0, CC-BY-4.0, CC0-1.0 or MIT, or"
            " LicenseRef-NAME for terms of your own"
        ) from error


def card_fields(licence: str) -> dict[str, str]:
    """Return the keys of a card's front matter: the Hub has a lower-case list, and ``other`` for the rest."""
    if " " in licence or licence.startswith("LicenseRef-"):
        return {
            "license": "other",
            "license_name": licence.removeprefix("LicenseRef-").lower().replace(" ", "-"),
        }
    return {"license": licence.lower()}


class AllowedData(Settings):
    """Data that has the shape of personal data and is none."""

    email_domains: tuple[str, ...] = ()
    """Domains whose addresses belong to no one, those below them included."""
    phones: tuple[str, ...] = ()
    """Patterns (fnmatch) of numbers in international form, as ``+12125550100``."""


def _spdx(licence: str) -> str:
    try:
        return to_spdx(licence)
    except InputError as error:
        raise ValueError("no SPDX expression") from error


class ModelTerms(Settings):
    """The uses of a model's output that its licence allows."""

    pattern: str
    """A pattern (fnmatch) of model names, in which case does not count."""
    licence: str
    publish: bool
    train: bool
    note: str | None = None

    @field_validator("licence")
    @classmethod
    def _known(cls, licence: str) -> str:
        return _spdx(licence)


class TaskTerms(Settings):
    """The terms under which the texts of tasks came: requests, policies and what is in their databases."""

    suite: str
    """A pattern (fnmatch) of suites, in which case does not count."""
    licence: str
    travels: bool = False
    """Whether a dataset that holds these texts has to be under the same licence."""
    note: str | None = None

    @field_validator("licence")
    @classmethod
    def _known(cls, licence: str) -> str:
        return _spdx(licence)


class PublishPolicy(Settings):
    """The policy file."""

    allow: AllowedData = AllowedData()
    models: tuple[ModelTerms, ...] = Field(min_length=1)
    tasks: tuple[TaskTerms, ...] = ()

    def task_terms(self, suite: str) -> TaskTerms | None:
        """Return the terms of the texts of a suite; None where there are none for it."""
        name = suite.lower()
        return next((terms for terms in self.tasks if fnmatchcase(name, terms.suite.lower())), None)

    def terms(self, model: str) -> ModelTerms | None:
        """Return the terms of a model; None where there are none for it."""
        name = model.lower()
        return next((terms for terms in self.models if fnmatchcase(name, terms.pattern.lower())), None)

    def with_models(self, licences: dict[str, str]) -> "PublishPolicy":
        """Return this policy with licences that the caller vouches for, by the exact name of a model."""
        vouched = tuple(
            ModelTerms(
                pattern=_exact_pattern(name),
                licence=licence,
                publish=True,
                train=True,
                note="as the publisher says",
            )
            for name, licence in licences.items()
        )
        return self.model_copy(update={"models": (*vouched, *self.models)})

    def with_tasks(self, licences: dict[str, str]) -> "PublishPolicy":
        """Return this policy with licences of task texts that the caller vouches for, by suite."""
        vouched = tuple(
            TaskTerms(suite=_exact_pattern(name), licence=licence, note="as the publisher says")
            for name, licence in licences.items()
        )
        return self.model_copy(update={"tasks": (*vouched, *self.tasks)})


def load_policy(config: str | Path = DEFAULT) -> PublishPolicy:
    """Load the policy of a file, or a committed one by its name.

    Raises ConfigError with every problem, InputError or UnknownName where there is no such file.
    """
    path = find_config("publish", config)
    return checked(PublishPolicy, read_settings(path), str(path))


def vouched_licences(pairs: list[str], option: str) -> dict[str, str]:
    """Parse each ``NAME=SPDX`` of an option. Raises ConfigError with all that are not of that form."""
    licences, problems = dict[str, str](), []
    for text in pairs:
        name, _, licence = text.rpartition("=")
        try:
            licences[name] = to_spdx(licence)
        except InputError as error:
            problems.append(str(error))
        if not name:
            problems.append(f"{text!r} is not of the form NAME=SPDX")
    if problems:
        raise ConfigError(option, problems)
    return licences


def _exact_pattern(name: str) -> str:
    """Return a pattern that matches this name and no other."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
