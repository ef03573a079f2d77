"""What a chat template is told besides the conversation, written into the template itself.

``enable_thinking: false`` has to hold in training, in exams, in rollouts and wherever the model is served
later. So it becomes the template's default: whoever renders with the saved tokenizer renders the same text,
and whoever passes the variable still has the last word.
"""

import json
import re
from collections.abc import Mapping

import re2

from eops_traj.errors import InputError

Value = bool | int | float | str
_TAG = re2.compile(r"(?s){[{%](.*?)[}%]}")
"""What stands between the marks of Jinja; in linear time, whatever a template is made of."""


def with_defaults(template: str, variables: Mapping[str, Value], name: str) -> str:
    """Return a chat template with defaults for some of its variables.

    Raises InputError, which names the model, for a variable that the template does not read.
    """
    unread = [variable for variable in variables if not reads(template, variable)]
    if unread:
        raise InputError(
            f"{name}: the chat template reads no {', '.join(unread)}; take it out of chat_template_kwargs"
        )
    head = "".join(_default(variable, value) for variable, value in variables.items())
    return template if template.startswith(head) else head + template


def reads(template: str, variable: str) -> bool:
    """Check whether a chat template has a variable of this name."""
    tags = _TAG.findall(template)
    return variable.isidentifier() and any(re.search(rf"\b{variable}\b", tag) for tag in tags)


def _default(variable: str, value: Value) -> str:
    literal = json.dumps(value, ensure_ascii=False)
    return f"{{%- if {variable} is not defined %}}{{%- set {variable} = {literal} %}}{{%- endif %}}"
