"""Roll tasks out with NeMo Gym's own agent and environment server, against a gym that is served elsewhere.

    python nemo_gym_rollouts.py GYM_URL MODEL_URL ROWS

Runs in an environment that has nemo-gym and nothing of ours. ROWS is a dataset as `gym rows` writes it; the
model is any server of the Responses API. Prints one JSON object a line: which way, which task, reward, label.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from environment_servers.single_agent_turn.app import (
    SingleAgentTurnEnvironmentServer,
    SingleAgentTurnEnvironmentServerConfig,
)
from nemo_gym.config_types import BaseServerConfig
from nemo_gym.server_utils import ServerClient
from nemo_gym.task_materialization import materialize_task
from omegaconf import OmegaConf
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig

GYM, MODEL, AGENT, TURN = "eops_gym", "policy_model", "simple_agent", "single_agent_turn"


def address(url):
    parts = urlsplit(url)
    return {"host": parts.hostname, "port": parts.port, "entrypoint": "elsewhere"}


def free_port():
    import socket

    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


async def serve(app, port):
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    return server, running


async def main(gym_url, model_url, rows):
    own = {name: {"host": "127.0.0.1", "port": free_port(), "entrypoint": "app.py"} for name in (AGENT, TURN)}
    servers = {
        GYM: {"resources_servers": {GYM: address(gym_url)}},
        MODEL: {"responses_api_models": {MODEL: address(model_url)}},
        AGENT: {"responses_api_agents": {AGENT: own[AGENT]}},
        TURN: {"environment_servers": {TURN: own[TURN]}},
    }
    os.environ["NEMO_GYM_CONFIG_DICT"] = json.dumps(
        servers
    )  # as its launcher tells the servers that it starts
    client = ServerClient(
        head_server_config=BaseServerConfig(host="127.0.0.1", port=1),
        global_config_dict=OmegaConf.create(servers),
    )
    refs = {
        "resources_server": {"type": "resources_servers", "name": GYM},
        "agent_server": {"type": "responses_api_agents", "name": AGENT},
        "model_server": {"type": "responses_api_models", "name": MODEL},
    }
    agent = SimpleAgent(
        config=SimpleAgentConfig(
            name=AGENT,
            resources_server=refs["resources_server"],
            model_server=refs["model_server"],
            **own[AGENT],
        ),
        server_client=client,
    )
    turn = SingleAgentTurnEnvironmentServer(
        config=SingleAgentTurnEnvironmentServerConfig(
            name=TURN,
            resources_server=refs["resources_server"],
            agent_server=refs["agent_server"],
            resources_tool_transports=["direct_http"],
            cleanup_timeout_seconds=10,
            **own[TURN],
        ),
        server_client=client,
    )
    running = [
        await serve(server.setup_webserver(), own[server.config.name]["port"]) for server in (agent, turn)
    ]
    verified = []
    for number, row in enumerate(rows):
        run = await client.post(server_name=AGENT, url_path="/run", json=row)
        result = await run.json()
        verified.append(result)
        print(json.dumps({"way": "agent", **shown(row, result)}), flush=True)
        task = materialize_task(row, taskset=GYM, task_index=number)
        episode = {"episode_id": {"rollout_id": f"rollout-{number}"}, "task": task}
        run = await client.post(server_name=TURN, url_path="/run", json=episode)
        body = await run.json()
        if not body.get("result"):
            raise SystemExit(json.dumps(body)[:3000])
        print(json.dumps({"way": "environment", **shown(row, body["result"])}), flush=True)
    metrics = await client.post(
        server_name=AGENT, url_path="/aggregate_metrics", json={"verify_responses": verified}
    )
    print(json.dumps({"way": "metrics", **(await metrics.json())["key_metrics"]}), flush=True)
    for server, task in running:
        server.should_exit = True
        await task


def shown(row, result):
    return {
        "task_id": row["task_id"],
        "case": row["case"],
        "reward": result["reward"],
        "label": result["label"],
    }


if __name__ == "__main__":
    lines = Path(sys.argv[3]).read_text(encoding="utf-8").splitlines()
    asyncio.run(main(sys.argv[1], sys.argv[2], [json.loads(line) for line in lines]))
