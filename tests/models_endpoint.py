"""An endpoint that lists its models, as ``GET /v1/models`` does, and answers nothing else."""

import contextlib
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

from tests.http_server import serving_by


@contextlib.contextmanager
def models_endpoint(*models: str) -> Iterator[str]:
    """Serve the list of these models to who has the key; yield the address."""
    body = json.dumps({"object": "list", "data": [{"id": name} for name in models]})
    with models_page(200, body, key="Bearer k") as url:
        yield url


@contextlib.contextmanager
def models_page(status: int, text: str, key: str | None = None) -> Iterator[str]:
    """Answer so where models are listed, if the key is right; yield the address."""
    body = text.encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/v1/models" and self.headers["authorization"] == key
            self.send_response(status if found else 404)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with serving_by(Handler) as url:
        yield f"{url}/v1"
