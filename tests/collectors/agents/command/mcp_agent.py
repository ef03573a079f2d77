"""A small agent on the official client: it connects as mcp.json says, and does what a case asks for."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

from mcp import StdioServerParameters
from mcp.client import Client

CONFIG = json.loads((Path.home() / "mcp.json").read_text())["mcpServers"]["gym"]


async def work(case: int, count: int) -> None:
    server = CONFIG.get("url") or StdioServerParameters(
        command=CONFIG["command"], args=CONFIG["args"], env=dict(os.environ)
    )
    async with Client(server) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "update_case" in names and "delete_case" not in names, names
        await client.call_tool("find_case_slas", {"case_id": case})
        written = await client.call_tool("update_case", {"case_id": case, "reopen_count": count})
        assert not written.is_error, written


case, count = map(int, re.search(r"Case (\d+) .* to (\d+)", sys.stdin.read()).groups())
asyncio.run(work(case, count))
print(f"Case {case} is done.")
