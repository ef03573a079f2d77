"""Sockets to listen on, bound before anything is served; apart from the servers, which load far more."""

import os
import socket
from collections.abc import Mapping

from eops_traj.errors import InputError


def listen(host: str, ports: Mapping[str, int]) -> dict[str, socket.socket]:
    """Bind a socket for each name; port 0 is any free one. All are bound, or none."""
    bound: dict[str, socket.socket] = {}
    for name, port in ports.items():
        try:
            bound[name] = _bind(host, port)
        except OSError as error:
            for opened in bound.values():
                opened.close()
            raise InputError(f"cannot listen on {host}:{port} for {name}: {_reason(error)}") from None
    return bound


def _bind(host: str, port: int) -> socket.socket:
    """Bind a socket declared as TCP: only then does asyncio switch off delays of 40 ms a response."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(2048)
    except OSError:
        bound.close()
        raise
    return bound


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)


def socket_url(bound: socket.socket) -> str:
    """Return the URL of a bound socket for clients on this machine."""
    host, port = bound.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
