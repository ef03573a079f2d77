"""Pages from templates; every value is escaped unless :mod:`.pretty` made it."""

import functools
from typing import Any
from urllib.parse import quote

import jinja2
from starlette.responses import HTMLResponse

from eops_traj.view import formatting

HEADERS = {"Cache-Control": "no-store"}


@functools.cache
def _environment() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("eops_traj.view"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    found.filters.update(formatting.FILTERS, quoted=functools.partial(quote, safe=""))
    found.globals.update(columns=formatting.columns)
    return found


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of a template with these values."""
    return HTMLResponse(_environment().get_template(template).render(values), status, HEADERS)
