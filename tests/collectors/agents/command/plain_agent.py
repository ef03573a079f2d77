"""A small agent that needs no library: JSON-RPC over HTTP, as the address in its environment has it.

``plain_agent.py [SECONDS]``: how long it thinks before it writes.
"""

import json
import os
import re
import sys
import time
import urllib.request

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def call(name, **arguments):
    params = {"name": name, "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    request = urllib.request.Request(os.environ["EOPS_TRAJ_MCP_URL"], body, HEADERS)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)["result"]


case, count = map(int, re.search(r"Case (\d+) .* to (\d+)", sys.stdin.read()).groups())
call("find_case_slas", case_id=case)
time.sleep(float(sys.argv[1]) if sys.argv[1:] else 0)
call("update_case", case_id=case, reopen_count=count)
print(f"Case {case} is done.")
