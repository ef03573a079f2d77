"""A server of the standard library, in a thread of its own, for stand-ins that answer as a test wants."""

import contextlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@contextlib.contextmanager
def serving_by(
    handler: type[BaseHTTPRequestHandler], server_class: type[ThreadingHTTPServer] = ThreadingHTTPServer
) -> Iterator[str]:
    """Answer by a handler, which prints nothing; yield the address."""

    class Quiet(handler):  # type: ignore[valid-type,misc]
        def log_message(self, *_: Any) -> None:
            pass

    server = server_class(("127.0.0.1", 0), Quiet)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
