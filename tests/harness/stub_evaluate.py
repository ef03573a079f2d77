"""A stand-in for the benchmark's script: its options, its use of the gym, and its result files.

In the place of a model it reads a script: the file that `llm_api_endpoint` names has, for each request, the
calls to make and the answer. It needs nothing but Python. What is written here is told of the real one by
its result files and by what it sends; the wording of its prompts and the model are left out.
"""

import argparse
import json
import random
import string
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TRIES = 5
ACCEPT = {"Accept": "application/json, text/event-stream"}
HELLO = {
    "protocolVersion": "2024-11-05",
    "capabilities": {"tools": {}},
    "clientInfo": {"name": "stand-in", "version": "1.0.0"},
}
VERIFIER_KEYS = {"verifier_type", "validation_config", "name", "description", "gym_name"}
TASK_KEYS = {
    "system_prompt", "user_prompt", "verifiers", "number_of_runs", "gym_servers_config", "mcp_endpoint",
    "selected_tools", "restricted_tools", "reset_database_between_runs", "context",
}  # fmt: skip


def send(url, body, method="POST", headers=()):
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json", **dict(headers)}, method=method
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def rpc(server, method, params):
    headers = {**ACCEPT, **server.get("context", {})}
    if "database_id" in server:
        headers["x-database-id"] = server["database_id"]
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return send(server["mcp_server_url"] + "/mcp", body, headers=headers)


class Run:
    def __init__(self, config, script):
        self.config, self.script, self.databases = config, script, []
        self.servers = [dict(server) for server in config["gym_servers_config"]]

    def execute(self):
        try:
            return self.work()
        finally:
            for server, name in self.databases:
                try:
                    send(server + "/api/delete-database", {"database_id": name}, "DELETE")
                except urllib.error.HTTPError as error:
                    assert error.code == 404, error

    def work(self):
        for server in self.servers:  # before there is a database
            assert rpc(server, "initialize", HELLO)["result"]["serverInfo"]
            ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            send(server["mcp_server_url"] + "/mcp", ready, headers=ACCEPT)
        for server in self.servers:
            sql = Path(server["seed_database_file"]).read_text(encoding="utf-8")  # line ends are made equal
            mark = "".join(random.choices(string.ascii_lowercase + string.digits, k=9))
            server["database_id"] = f"db_{int(time.time() * 1000)}_{mark}"
            seed = {"database_id": server["database_id"], "name": "n", "description": "d", "sql_content": sql}
            send(server["mcp_server_url"] + "/api/seed-database", seed)
            self.databases.append((server["mcp_server_url"], server["database_id"]))
        owners = {}
        for server in self.servers:
            for tool in rpc(server, "tools/list", {})["result"]["tools"]:
                owners.setdefault(tool["name"], server)
        start, flow, results = time.time(), [], []
        flow.append({"type": "system_message", "content": self.config["system_prompt"]})
        flow.append({"type": "user_message", "content": self.config["user_prompt"]})
        for name, arguments in self.script["calls"]:
            flow.append(self.reply("", [{"name": name, "args": arguments}]))
            server = owners[name]
            answer = rpc(server, "tools/call", {"name": name, "arguments": arguments})
            result = {"success": True, "result": answer["result"], "error": None}
            named = {"tool_name": name, "result": result, "gym_server": server["mcp_server_name"]}
            flow.append({"type": "tool_result", **named})
            results.append({"arguments": arguments, **named})
        time.sleep(self.script.get("seconds", 0))
        if self.script.get("flaky", 0) > 0:
            self.script["flaky"] -= 1
            raise RuntimeError("try again")
        if "error" in self.script:
            raise RuntimeError(self.script["error"])
        flow.append(self.reply(self.script["answer"], []))
        verified = dict(self.verify(n, v) for n, v in enumerate(self.config["verifiers"], 1))
        verified = {name: result for name, result in verified.items() if result is not None}
        passed = sum(result["passed"] for result in verified.values())
        return {
            "run_number": 1,
            "started_at": "2026-01-05T09:00:00+00:00",
            "execution_time_ms": int((time.time() - start) * 1000),
            "model_response": self.script["answer"],
            "conversation_flow": flow,
            "tools_used": list(dict.fromkeys(result["tool_name"] for result in results)),
            "tool_results": results,
            "verification_results": verified,
            "verification_summary": {
                "total": len(verified),
                "passed": passed,
                "failed": len(verified) - passed,
                "pass_rate": passed / len(verified),
            },
            "overall_success": passed == len(verified),
        }

    def reply(self, text, calls):
        read = self.script.get("input_tokens", 10)
        usage = {"input_tokens": read, "output_tokens": 2, "total_tokens": read + 2}
        return {
            "type": "ai_message",
            "content": text,
            "usage_metadata": usage,
            "response_metadata": {"finish_reason": "tool_calls" if calls else "stop"},
            "tool_calls": calls,
        }

    def verify(self, number, verifier):
        name, check = verifier.get("name") or f"verifier_{number}", verifier["validation_config"]
        named = verifier.get("gym_name") or self.servers[0]["mcp_server_name"]
        server = next((s for s in self.servers if s["mcp_server_name"] == named), None)
        if server is None:
            return name, None
        body = {"query": check["query"], "database_id": server["database_id"]}
        rows = send(server["mcp_server_url"] + "/api/sql-runner", body)["data"]
        actual = rows
        if len(rows) == 1:
            actual = next(iter(rows[0].values())) if len(rows[0]) == 1 else rows[0]
        expected, kind = check["expected_value"], check.get("comparison_type", "equals")
        passed = {
            "equals": lambda: actual == expected,
            "greater_than": lambda: actual > expected,
            "less_than": lambda: actual < expected,
            "contains": lambda: expected in str(actual),
        }[kind]()
        return name, {
            "passed": self.script.get("told", passed),
            "expected": expected,
            "actual": actual,
            "comparison_type": kind,
            "query": check["query"],
            "details": f"{actual} {kind} {expected}",
        }


def read(path):
    config = json.loads(path.read_text())
    for key in config:
        if key not in TASK_KEYS:
            raise TypeError(f"__init__() got an unexpected keyword argument {key!r}")
    for verifier in config["verifiers"]:
        if extra := verifier.keys() - {
            "verifier_type",
            "validation_config",
            "name",
            "description",
            "gym_name",
        }:
            raise TypeError(f"__init__() got an unexpected keyword argument {extra}")
    return config


def sample(path, options, folder):
    out = folder / f"results_{path.name}"
    if out.exists():
        return
    config = read(path)
    llm = json.loads(Path(options.llm_config).read_text())
    script = json.loads(Path(llm["llm_api_endpoint"]).read_text())[config["user_prompt"]]
    if "crash" in script:
        raise RuntimeError(script["crash"])
    for _ in range(TRIES):
        try:
            run = Run(config, script).execute()
        except Exception as error:  # noqa: BLE001 - as that script does
            run = {"run_number": 1, "error": str(error), "overall_success": False}
        if "error" not in run:
            break
    servers = [
        {"name": s["mcp_server_name"], "url": s["mcp_server_url"],
         "seed_database_file": s["seed_database_file"], "uses_cloning": True}
        for s in config["gym_servers_config"]
    ]  # fmt: skip
    model = f"{llm['llm_provider']}/{llm['llm_model']}"
    head = {"model": model, "number_of_runs": 1, "user_prompt": config["user_prompt"]}
    head |= {"gym_servers": servers, "total_gyms": len(servers), "total_tools_available": 1}
    result = {"benchmark_config": head, "runs": [run], "statistics": {"total_runs": 1}}
    with out.open("w") as file:
        json.dump(result, file, indent=2)


def main():
    parser = argparse.ArgumentParser()
    for name in ("configs_folder", "llm_config", "output_folder", "planner_llm_config", "hf_dataset"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--concurrency", type=int, default=10)
    parser.add_argument("--num_runs", default=3)
    parser.add_argument("--orchestrator", default="react")
    options = parser.parse_args()
    paths = list(Path(options.configs_folder).glob("*.json"))
    for number in range(int(options.num_runs)):
        folder = Path(options.output_folder) / f"run_{number + 1}"
        folder.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(options.concurrency) as pool:
            done = [pool.submit(sample, path, options, folder) for path in paths]
        for future in done:  # a task that failed is named nowhere else, and the script ends well
            if future.exception():
                print("Task exception was never retrieved:", repr(future.exception()), file=sys.stderr)


if __name__ == "__main__":
    main()
