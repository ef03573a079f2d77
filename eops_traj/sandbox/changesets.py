"""Changesets: the one between two states, and those of several servers as one value of the store."""

from collections.abc import Mapping

import apsw

from eops_traj.errors import FormatError
from eops_traj.gym.engine import changes


def between(before: bytes, after: bytes) -> bytes:
    """What leads from one state to another, where each is given by its changeset since the same seed."""
    if before == after:
        return b""
    undone = [apsw.Changeset.invert(before)] if before else []
    return changes.join([*undone, *([after] if after else [])])


def pack(changesets: Mapping[str, bytes]) -> bytes:
    """The changesets of an episode in one value: for each server a line ``name length``, then the bytes."""
    return b"".join(
        f"{name} {len(changeset)}\n".encode() + changeset
        for name, changeset in sorted(changesets.items())
        if changeset
    )


def unpack(packed: bytes) -> dict[str, bytes]:
    """The changesets that `pack` put together, by server. Raises FormatError for anything else."""
    found: dict[str, bytes] = {}
    rest = packed
    while rest:
        line, _, rest = rest.partition(b"\n")
        name, _, length = line.decode(errors="replace").rpartition(" ")
        if not name or not length.isdecimal() or int(length) > len(rest):
            raise FormatError("the changeset is damaged")
        found[name], rest = rest[: int(length)], rest[int(length) :]
    return found
