"""Why a scenario cannot be played."""


class NoMatch(Exception):
    """The company of this seed has no entity that fits the scenario; another seed may."""


class ScenarioError(Exception):
    """A scenario that does not do what it says: a mistake in it, not in the seed."""
