"""Errors of a scenario that cannot be played."""


class NoMatch(Exception):
    """The company of this seed has no entity that fits the scenario; another seed may."""


class ScenarioError(Exception):
    """A scenario contradicts itself or fails: a mistake in it, not in the seed."""
