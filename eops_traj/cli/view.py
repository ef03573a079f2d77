"""``eops-traj view``: look at the episodes of a store in a browser."""

import socket
import threading
import time
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.console import StoreOption, show_lines

if TYPE_CHECKING:
    from eops_traj.view.data import EpisodeSource

PORT = 8642
HEAD_START = 1.0
"""Seconds that the first page has for itself."""


def view(
    store: StoreOption,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 is any free one.")] = PORT,
    host: Annotated[str, typer.Option(help="The address to listen on; others than this machine see all.")] = (
        "127.0.0.1"
    ),
    review: Annotated[
        str | None, typer.Option(help="Take in labels of episodes and turns, given under this name.")
    ] = None,
) -> None:
    """Look at the episodes of a store in a browser: a local web app that writes labels alone."""
    import uvicorn

    from eops_traj.gym.http.connections import Bounds, within
    from eops_traj.gym.http.sockets import listen
    from eops_traj.review.labels import check_reader
    from eops_traj.store.store import Store
    from eops_traj.view.app import make_app
    from eops_traj.view.data import EpisodeSource

    reader = None if review is None else check_reader(review)
    with Store.open(store) as opened:
        bound = listen(host, {"the viewer": port})["the viewer"]
        source = EpisodeSource(opened, reader)
        threading.Thread(target=_go_on, args=(source,), daemon=True).start()
        app = make_app(source, (host, socket.gethostname()))
        name = f"[{host}]" if ":" in host else host
        show_lines(f"http://{name}:{bound.getsockname()[1]}/  (Ctrl-C stops it)")
        settings = uvicorn.Config(
            app, http=within(Bounds()), log_config=None, log_level="warning", access_log=False, ws="none",
            server_header=False,
        )  # fmt: skip
        try:
            uvicorn.Server(settings).run([bound])
        finally:
            source.search.close()


def _go_on(source: "EpisodeSource") -> None:
    """Import what the other pages need, and read the texts, once the first page had its time."""
    from eops_traj.view.app import import_pages

    time.sleep(HEAD_START)
    import_pages()
    source.search.start()
