"""Pages from templates; every value is escaped unless :mod:`.formatting` made it."""

import functools
from typing import Any
from urllib.parse import quote

import jinja2
from starlette.responses import HTMLResponse

from eops_traj.tool_effects import succeeded
from eops_traj.untrusted.terminal import LINES, visible
from eops_traj.view import cause_lines, formatting

KEPT = f"{LINES}\r\u200c\u200d"
"""Lines as they come, and what joins letters and emoji."""
NO_STORE = {"Cache-Control": "no-store"}


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("eops_traj.view"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(formatting.FILTERS, quoted=functools.partial(quote, safe=""))
    environment.filters.update(
        link_turns=cause_lines.link_turns,
        split_row=cause_lines.split_row,
        mark_conditions=cause_lines.mark_conditions,
    )
    environment.globals.update(columns=formatting.changed_columns)
    environment.tests.update(succeeded=succeeded)
    return environment


def render_page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template with these values; characters no page can hold, or nobody sees, are escaped."""
    page = _environment().get_template(template).render(values)
    return HTMLResponse(visible(page, KEPT), status, NO_STORE)
