"""Upload to the Hub: a folder becomes a dataset repository, private unless asked otherwise.

The token is HF_TOKEN from the environment, the address HF_ENDPOINT where it is set. The same call resumes an
upload that breaks off: the Hub knows files by their hash, and is sent only those that it lacks.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from eops_traj.errors import InputError, WorkError

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    CommitOperation = CommitOperationAdd | CommitOperationDelete

SHARD = re.compile(r"([^/]+)/([^/]+)-\d{5}-of-\d{5}\.parquet")
"""A shard of a publication, with the configuration and the split by which its certificate is named."""
DATA = (".arrow", ".csv", ".jsonl", ".parquet")
"""The endings of data files of others, beside which nothing is published."""
REFUSED = (401, 403)


def check_name(name: str) -> None:
    """Raise InputError for a name that is no ``ORG/NAME``."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils._validators import validate_repo_id

    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise InputError(f"hub:{name} is not of the form hub:ORG/NAME: {_one_line(error)}") from error
    if name.count("/") != 1:
        raise InputError(f"hub:{name} is not of the form hub:ORG/NAME")


def connect() -> "HfApi":
    """Return the client of the Hub that the environment names. Raises InputError where there is no token."""
    from huggingface_hub import HfApi

    token = os.environ.get("HF_TOKEN")
    if not token:
        raise InputError("publishing to the Hub takes a token with write access, in HF_TOKEN")
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT"), token=token)


def upload(
    api: "HfApi", folder: Path, name: str, files: Mapping[str, str], *, public: bool, message: str
) -> str:
    """Upload files of a folder as a dataset, and return its address.

    ``files`` are their SHA-256 by their paths: nothing else is uploaded. Raises InputError where the Hub does
    not let this token write there, or has the dataset public although it should be private; WorkError where
    a file is not what it should be, or the upload broke off.
    """
    _make_repository(api, name, public)
    stale = _published(api, name).difference(files)
    additions = [_addition(folder, path, sha256) for path, sha256 in files.items()]
    try:
        operations: list[CommitOperation] = [*additions, *_deletions(stale)]
        done = api.create_commit(name, operations, commit_message=message, repo_type="dataset")
    except Exception as error:  # the library raises httpx's, the Hub's, xet's and plain ones
        raise WorkError(
            f"the upload to {name} broke off: {_one_line(error)}. The same command goes on with it"
        ) from error
    return str(done.commit_url)


def _addition(folder: Path, path: str, sha256: str) -> "CommitOperationAdd":
    """Return the upload of a file: of what is hashed here, which the Hub compares with what it receives."""
    from huggingface_hub import CommitOperationAdd

    large = path.endswith(".parquet")
    addition = CommitOperationAdd(path, folder / path if large else (folder / path).read_bytes())
    if addition.upload_info.sha256.hex() != sha256:
        raise WorkError(f"{folder / path} was changed after it was checked; publish it again")
    return addition


def _deletions(stale: Collection[str]) -> "list[CommitOperationDelete]":
    """Return the removal of what an earlier publication left, in the same commit as the new one."""
    from huggingface_hub import CommitOperationDelete

    return [CommitOperationDelete(path) for path in sorted(stale)]


def _published(api: "HfApi", name: str) -> set[str]:
    """Return the shards of an earlier publication and their certificates; a shard without one is not ours.

    Raises InputError where there is data, and none of it is ours: the name may be a mistake, and the new card
    would hide it.
    """
    there = _paths(api, name)
    certified = {path: f"certificates/{m[1]}-{m[2]}.json" for path in there if (m := SHARD.fullmatch(path))}
    ours = {part for pair in certified.items() if pair[1] in there for part in pair}
    data = sorted(path for path in there if PurePosixPath(path).suffix in DATA)
    if data and not ours:
        more = f" and {len(data) - 1} more" if len(data) > 1 else ""
        raise InputError(
            f"{name} holds data that eops-traj did not publish: {data[0]}{more}; choose another name, or"
            " remove it there first"
        )
    return ours


def _paths(api: "HfApi", name: str) -> set[str]:
    """Return the paths of a repository's files; none where there is no repository yet."""
    from huggingface_hub.errors import RepositoryNotFoundError

    with _plain_errors(api, name):
        try:
            return set(api.list_repo_files(name, repo_type="dataset"))
        except RepositoryNotFoundError:
            return set()


def check_access(api: "HfApi", name: str) -> None:
    """Check that the Hub accepts the token, and has no data of others under the name.

    This is before hours are spent on data. Raises as :func:`upload` does.
    """
    with _plain_errors(api, name):
        api.whoami()
    _published(api, name)


def _make_repository(api: "HfApi", name: str, public: bool) -> None:
    """Create the repository, or check that the existing one is as public as it should be."""
    with _plain_errors(api, name):
        api.create_repo(name, repo_type="dataset", private=not public, exist_ok=True)
        private = api.repo_info(name, repo_type="dataset").private
    if private == public:
        raise InputError(
            f"{name} is there and {'private' if private else 'public'}; change that on the Hub, or choose"
            f" {'no --public' if private else '--public'}"
        )


@contextmanager
def _plain_errors(api: "HfApi", name: str) -> Iterator[None]:
    """Turn errors of a request into plain ones."""
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.utils import httpx  # type: ignore[attr-defined]  # httpx2 since version 2

    try:
        yield
    except HfHubHTTPError as error:
        status = error.response.status_code
        if status in REFUSED:
            why = f"the Hub ({api.endpoint}) does not let HF_TOKEN write to {name} ({status})"
            raise InputError(why) from error
        raise WorkError(f"the Hub ({api.endpoint}) refuses {name}: {_one_line(error)}") from error
    except (OSError, httpx.HTTPError) as error:
        raise WorkError(f"the Hub ({api.endpoint}) does not answer: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    """Format an error and its causes in a line."""
    text = " ".join(str(error).split())[:200]
    return f"{text} ({_one_line(error.__cause__)})" if error.__cause__ else text
