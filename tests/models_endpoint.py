"""An endpoint that lists its models, as ``GET /v1/models`` does, and answers nothing else."""

import contextlib
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

from tests.http_server import serving_by


@contextlib.contextmanager
def models_endpoint(*models: str) -> Iterator[str]:
    """Serve the list of these models; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/v1/models" and self.headers["authorization"] == "Bearer k"
            body = json.dumps({"object": "list", "data": [{"id": name} for name in models]}).encode()
            self.send_response(200 if found else 404)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with serving_by(Handler) as url:
        yield f"{url}/v1"
