"""An agent that plays a script: ``scripted_agent.py FILE`` has the calls and the answer of each request."""

import json
import os
import sys
import urllib.request
from pathlib import Path

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
scripts = json.loads(Path(sys.argv[1]).read_text())
script = scripts[(Path.home() / "request.txt").read_text()]
for name, arguments in script["calls"]:
    params = {"name": name, "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    request = urllib.request.Request(os.environ["EOPS_TRAJ_MCP_URL"], body, HEADERS)
    with urllib.request.urlopen(request, timeout=60) as reply:
        assert "result" in json.load(reply)
print(script["answer"])
