"""Uploading to the Hub: a folder becomes a dataset repository, private unless asked otherwise.

The token is HF_TOKEN from the environment, the address HF_ENDPOINT where it is set. An upload that breaks off
is gone on with by the same call: the Hub knows files by their hash, and is sent only those that it lacks.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from eops_traj.errors import InputError, WorkError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

STALE = ("*-of-*.parquet", "certificates/*.json")
"""Files of an earlier publication, which go in the same commit where the new one has none of that name."""
REFUSED = (401, 403)


def check_name(name: str) -> None:
    """Raises InputError for what is no ``ORG/NAME``."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils._validators import validate_repo_id

    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise InputError(f"hub:{name} is not of the form hub:ORG/NAME: {_line(error)}") from error
    if name.count("/") != 1:
        raise InputError(f"hub:{name} is not of the form hub:ORG/NAME")


def hub() -> "HfApi":
    """The Hub, as the environment has it. Raises InputError where there is no token."""
    from huggingface_hub import HfApi

    token = os.environ.get("HF_TOKEN")
    if not token:
        raise InputError("publishing to the Hub takes a token with write access, in HF_TOKEN")
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT"), token=token)


def upload(api: "HfApi", folder: Path, name: str, *, public: bool, message: str) -> str:
    """Upload a folder as a dataset, and return its address.

    Raises InputError where the Hub does not let this token write there, or has the dataset public although
    it should be private; WorkError where the upload broke off.
    """
    _make_repository(api, name, public)
    try:
        done = api.upload_folder(
            repo_id=name,
            folder_path=folder,
            repo_type="dataset",
            commit_message=message,
            delete_patterns=list(STALE),
        )
    except Exception as error:  # the library raises httpx's, the Hub's, xet's and plain ones
        raise WorkError(
            f"the upload to {name} broke off: {_line(error)}. The same command goes on with it"
        ) from error
    return str(done.commit_url)


def greet(api: "HfApi", name: str) -> None:
    """Ask the Hub who we are, before hours are spent on data. Raises as :func:`upload` does."""
    with _plainly(api, name):
        api.whoami()


def _make_repository(api: "HfApi", name: str, public: bool) -> None:
    """Make the repository, or make sure that the one there is as public as it should be."""
    with _plainly(api, name):
        api.create_repo(name, repo_type="dataset", private=not public, exist_ok=True)
        private = api.repo_info(name, repo_type="dataset").private
    if private == public:
        raise InputError(
            f"{name} is there and {'private' if private else 'public'}; change that on the Hub, or choose"
            f" {'no --public' if private else '--public'}"
        )


@contextmanager
def _plainly(api: "HfApi", name: str) -> Iterator[None]:
    """What goes wrong with a request, in words."""
    import httpx
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except HfHubHTTPError as error:
        status = error.response.status_code
        if status in REFUSED:
            told = f"the Hub ({api.endpoint}) does not let HF_TOKEN write to {name} ({status})"
            raise InputError(told) from error
        raise WorkError(f"the Hub ({api.endpoint}) refuses {name}: {_line(error)}") from error
    except (OSError, httpx.HTTPError) as error:
        raise WorkError(f"the Hub ({api.endpoint}) does not answer: {_line(error)}") from error


def _line(error: BaseException) -> str:
    """An error and what it comes from, in a line."""
    told = " ".join(str(error).split())[:200]
    return f"{told} ({_line(error.__cause__)})" if error.__cause__ else told
