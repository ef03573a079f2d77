"""Which process something belongs to, in a word that outlives it: what it left can be told from what runs."""

import os
import socket
from pathlib import Path


def owner(process: int | None = None) -> str:
    """A process as a label names it: its machine, its number, when it started (numbers are used again)."""
    number = process or os.getpid()
    return f"{socket.gethostname()}:{number}:{_started(number)}"


def is_gone(named: str) -> bool:
    """Whether the process that a label names has ended; False for one of another machine."""
    machine, _, process = named.rpartition(":")[0].rpartition(":")
    return machine == socket.gethostname() and process.isdigit() and owner(int(process)) != named


def _started(process: int) -> str:
    """When a process started, in the kernel's ticks; without /proc, only whether it runs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        pass
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return "ended"
    except PermissionError:  # it runs, and is somebody else's
        pass
    return "running"
