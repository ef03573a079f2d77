"""Secrets in a text, by their shape: one pass tells whether there is any, a pass a shape tells which."""

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

from eops_traj.privacy.broken_keys import broken_keys
from eops_traj.privacy.disguises import forms_of
from eops_traj.privacy.linear import Anywhere, group_of, linear, utf8
from eops_traj.privacy.secret_shapes import SHAPES
from eops_traj.privacy.texts import leaves, texts

CACHED_LEAVES, CACHED_TEXTS = 1 << 10, 1 << 16
"""Strings of rows, and texts in them, whose kinds are cached."""


class Secret(NamedTuple):
    """A secret in a text, by its place in bytes."""

    begin: int
    end: int
    kind: str


def may_hold_secret(text: bytes) -> bool:
    """Check whether anything has the shape of a secret, before a last word on it: 15 ns a byte."""
    return _all_shapes().stands_in(text)


def secrets(text: bytes) -> Iterator[Secret]:
    """Yield the secrets of a text in UTF-8, kind by kind; those of two kinds may overlap."""
    if may_hold_secret(text):
        for kind, (_, is_secret) in SHAPES.items():
            for match in linear(SHAPES[kind].pattern).finditer(text):
                group = group_of(match)
                if is_secret(match[group].decode("utf-8", "replace")):
                    yield Secret(match.start(group), match.end(group), kind)


def secret_places(text: bytes) -> list[tuple[int, int]]:
    """Return the places of the secrets of a text, in order; those that overlap are one."""
    places: list[tuple[int, int]] = []
    for begin, end in sorted((secret.begin, secret.end) for secret in secrets(text)):
        if places and begin < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((begin, end))
    return places


def secret_kinds(value: Any) -> list[str]:
    """Return the kinds of secrets in a JSON value's texts and keys, in disguise too; never the secrets."""
    return sorted({kind for _, leaf in leaves(value) for kind in _leaf_kinds(leaf)})


@functools.lru_cache(maxsize=CACHED_LEAVES)
def _leaf_kinds(leaf: str) -> frozenset[str]:
    """Return the kinds in a string, opened where it is JSON; cached, since rows repeat policies and tools."""
    return frozenset(kind for _, text in texts(leaf) for kind in text_kinds(text))


@functools.lru_cache(maxsize=CACHED_TEXTS)
def text_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of secrets in a text: as it is, decoded, and with breaks and spaces taken out."""
    plain = {secret.kind for form in (text, *forms_of(text)) for secret in secrets(utf8(form))}
    return tuple(sorted(plain | set(broken_keys(text))))


@functools.cache
def _all_shapes() -> Anywhere:
    return Anywhere([pattern for pattern, _ in SHAPES.values()])
