"""Templates are made once while there is room, and are the same whether they were packed or not."""

from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from eops_traj.gym import registry, server
from eops_traj.gym.engine.database import Template
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.engine.template_cache import TemplateCache

SCHEMA = Schema("CREATE TABLE t (a PRIMARY KEY)", {})


class Maker:
    """Makes templates of a thousand bytes, and notes of which keys."""

    def __init__(self, cache: TemplateCache) -> None:
        self.cache = cache
        self.made: list[Hashable] = []

    def ask(self, key: str) -> bytes:
        """Ask the cache, check what comes, and return its image."""

        def make() -> Template:
            self.made.append(key)
            return Template(SCHEMA, key.encode() * 1000)

        template = self.cache.get(key, make)
        assert template.image == key.encode() * 1000 and template.schema is SCHEMA
        return template.image


def test_more_than_are_kept_whole_are_made_once_all_the_same() -> None:
    maker = Maker(TemplateCache(whole=2))
    for key in "abcdeabcdeedcba":
        maker.ask(key)
    assert maker.made == [*"abcde"]


def test_the_last_that_were_asked_for_are_kept_as_they_are() -> None:
    maker = Maker(TemplateCache(whole=2))
    first, second = maker.ask("a"), maker.ask("b")
    assert maker.ask("a") is first
    maker.ask("c")
    assert maker.ask("a") is first and maker.ask("b") is not second


@pytest.mark.parametrize(("room", "again"), [(2, "cba"), (3, "ba"), (4, "a"), (5, "")])
def test_what_has_no_room_is_made_anew_the_least_recently_asked_for_first(room: int, again: str) -> None:
    packed = TemplateCache(whole=1)
    Maker(packed).ask("a"), Maker(packed).ask("b")
    maker = Maker(TemplateCache(whole=1, packed_bytes=room * packed._bytes))
    for key in "abcde":
        maker.ask(key)
    for key in "dcba":
        maker.ask(key)
    assert maker.made == [*"abcde", *again]


def test_what_was_unpacked_last_is_forgotten_last() -> None:
    packed = TemplateCache(whole=1)
    Maker(packed).ask("a"), Maker(packed).ask("b")
    maker = Maker(TemplateCache(whole=1, packed_bytes=2 * packed._bytes))
    for key in "abcab":  # with c there is one too many, and a was asked for since
        maker.ask(key)
    assert maker.made == [*"abcb"]


def test_threads_may_ask_at_once() -> None:
    maker = Maker(TemplateCache(whole=2, packed_bytes=60))
    with ThreadPoolExecutor(8) as threads:
        assert len(list(threads.map(maker.ask, "abcdefgh" * 50))) == 400
    cache = maker.cache
    assert (
        len(cache._whole) == 2
        and cache._bytes == sum(len(image) for _, image in cache._packed.values()) <= 60
    )


def test_companies_are_kept_and_no_text_which_may_have_megabytes() -> None:
    registry.server("hr").template(3), registry.server("hr").template("-- nothing")
    keys: list[Any] = [*server._COMPANIES._whole]
    seeds = [seed for _, seed in keys]
    assert 3 in seeds and all(isinstance(seed, int) for seed in seeds)
