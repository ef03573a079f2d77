"""What may be published: the policy file, with what looks personal but is made up, and the models' terms."""

from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator

from eops_traj.config import checked, find_config, read_settings
from eops_traj.errors import ConfigError, InputError
from eops_traj.publish.licences import spdx

DEFAULT = "publish_default"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Allow(_Part):
    """What has the shape of personal data and is none."""

    email_domains: tuple[str, ...] = ()
    """Domains whose addresses belong to nobody, those below them included."""
    phones: tuple[str, ...] = ()
    """Patterns (fnmatch) of numbers in international form, as ``+12125550100``."""


class Terms(_Part):
    """What the licence of a model allows to be done with its output."""

    pattern: str
    """A pattern (fnmatch) of model names, in which case does not count."""
    licence: str
    publish: bool
    train: bool
    note: str | None = None

    @field_validator("licence")
    @classmethod
    def _known(cls, licence: str) -> str:
        try:
            return spdx(licence)
        except InputError as error:
            raise ValueError("no SPDX expression") from error


class Policy(_Part):
    """What may be published."""

    allow: Allow = Allow()
    models: tuple[Terms, ...] = Field(min_length=1)

    def terms(self, model: str) -> Terms | None:
        """The terms of a model; None where nobody said anything of it."""
        name = model.lower()
        return next((terms for terms in self.models if fnmatchcase(name, terms.pattern.lower())), None)

    def with_models(self, said: dict[str, str]) -> "Policy":
        """This policy with licences that the caller vouches for, by the exact name of a model."""
        vouched = tuple(
            Terms(
                pattern=_exact(name), licence=licence, publish=True, train=True, note="as the publisher says"
            )
            for name, licence in said.items()
        )
        return self.model_copy(update={"models": (*vouched, *self.models)})


def load_policy(config: str | Path = DEFAULT) -> Policy:
    """The policy of a file, or a committed one by its name.

    Raises ConfigError with every problem, InputError or UnknownName where there is no such file.
    """
    path = find_config("publish", config)
    return checked(Policy, read_settings(path), str(path))


def model_licences(given: list[str]) -> dict[str, str]:
    """``NAME=SPDX`` as names with licences. Raises ConfigError with all that are not of that form."""
    found, problems = dict[str, str](), []
    for text in given:
        name, _, licence = text.rpartition("=")
        try:
            found[name] = spdx(licence)
        except InputError as error:
            problems.append(str(error))
        if not name:
            problems.append(f"{text!r} is not of the form NAME=SPDX")
    if problems:
        raise ConfigError("--model-licence", problems)
    return found


def _exact(name: str) -> str:
    """A pattern that matches this name and no other."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
