"""Roll tasks out with verifiers, named as a user names them: the taskset `eops-traj`.

    python verifiers_rollouts.py TASKS MODEL_URL [ROLLOUTS]

Runs in an environment that has verifiers and what our package needs, and our package on its path. The model
is any server of chat completions. Prints one JSON object a line: which task, reward, label, and how many
sandboxes are open.
"""

import asyncio
import json
import sys

import verifiers.v1 as vf


async def main(tasks, model_url, rollouts):
    taskset = {"id": "eops-traj", "tasks": tasks, "splits": ["none"]}
    config = vf.resolve_env_config({"taskset": taskset})
    env = vf.load_environment(config)
    context = vf.ModelContext(
        client=vf.EvalClientConfig(base_url=model_url, api_key_var="NO_KEY"),
        model="m-1",
        sampling=vf.SamplingConfig(),
    )
    async with env.serving():
        slots = [slot for task in env.taskset for slot in env.slots(task, rollouts)]
        episodes = await asyncio.gather(*(env.run_slot(slot, context) for slot in slots))
        left = len(env.taskset.service.pool)
    for episode in episodes:
        (trace,) = episode.traces
        kept = trace.model_dump_json()
        told = {
            "task_id": trace.task.data.id,
            "key": trace.task.key,
            "ok": episode.ok,
            "reward": trace.reward,
            "label": trace.info.get("label"),
            "metric": trace.metrics.get(f"label/{trace.info.get('label')}"),
            "turns": trace.num_turns,
            "gives_away": [word for word in ("SELECT COUNT", "feasible", "expected_value") if word in kept],
            "errors": [error.message for error in [*episode.errors, *trace.errors]],
            "left": left,
            "harness": type(env._harnesses["agent"]).__name__,
        }
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1))
