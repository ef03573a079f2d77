"""A small agent that needs no library: JSON-RPC over HTTP, as the address in its environment has it.

``plain_agent.py [FOLDER]``: before it writes, it waits for a file in the folder, which it takes away.
"""

import contextlib
import json
import os
import re
import sys
import time
import urllib.request
from pathlib import Path

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def call(name, **arguments):
    params = {"name": name, "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    request = urllib.request.Request(os.environ["EOPS_TRAJ_MCP_URL"], body, HEADERS)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)["result"]


def took_file(folder):
    for file in Path(folder).iterdir():
        with contextlib.suppress(FileNotFoundError):  # another agent has it
            file.unlink()
            return True
    return False


case, count = map(int, re.search(r"Case (\d+) .* to (\d+)", sys.stdin.read()).groups())
call("find_case_slas", case_id=case)
until = time.monotonic() + 600
while sys.argv[1:] and not took_file(sys.argv[1]) and time.monotonic() < until:
    time.sleep(0.02)
call("update_case", case_id=case, reopen_count=count)
print(f"Case {case} is done.")
