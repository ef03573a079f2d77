"""Tools as methods, which is how TRL's environments offer them.

TRL would read a tool's schema back from a method's signature and docstring, where the insides of objects and
the bounds of numbers have no place. So a method takes any arguments, and its tool's own schema stands beside
it, for `rollout_trainer` to put into the template.
"""

from collections.abc import Callable, Mapping
from typing import Any


def tool_method(tool: Mapping[str, Any]) -> Callable[..., str]:
    """Make a method that calls a tool, given in function format, through the ``_call`` of its instance."""
    name = tool["function"]["name"]

    def method(self: Any, /, **arguments: Any) -> str:
        return str(self._call(name, arguments))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = tool["function"].get("description") or name
    return method
