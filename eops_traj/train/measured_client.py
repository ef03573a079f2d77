"""The client of a planner that is measured: sampled as the measurement says, whatever its kind."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eops_traj.llm.options import Sampling

PLACES = ("model", "path", "lora")
"""The settings of a client that say which model it is."""
NEUTRAL = {"top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0}
"""The sampling that changes nothing: a checkpoint brings settings of its own, each side its own."""
IN_PROCESS = "transformers_local"
CHECKPOINT_CLIENTS = (IN_PROCESS, "vllm_server")
"""The clients that load a checkpoint, and with it such settings and a chat template."""


def kind_of(client: Mapping[str, Any]) -> str:
    """Return the kind of a client; without one the checkpoint is loaded into this process."""
    return str(client.get("kind", IN_PROCESS))


def client_problems(client: Mapping[str, Any], template: Path | None) -> list[str]:
    """Return what of a client's settings is the measurement's own, so that both sides are asked alike."""
    served = [client, *_members(client)]
    own = [name for name in ("sampling", "chat_template") if any(name in each for each in served)]
    problems = [f"client.{name}: {name} is the measurement's own, for both sides" for name in own]
    bodies = [body for each in served if isinstance(body := each.get("extra_body"), dict)]
    if hidden := sorted({name for body in bodies for name in body if name in Sampling.model_fields}):
        problems.append(f"client.extra_body: give {', '.join(hidden)} as sampling of the measurement")
    if template and kind_of(client) not in CHECKPOINT_CLIENTS:
        problems.append(f"chat_template: with {kind_of(client)} the endpoint's own is used")
    return problems


def sampling_problems(sampling: Sampling, attempts: int) -> list[str]:
    """Return why samples would not be fair, or not be samples."""
    given, problems = sampling.given(), []
    if {"max_tokens", "max_completion_tokens"} & given.keys():
        problems.append("sampling: the cap of a reply is max_new_tokens")
    if "temperature" not in given:
        problems.append("sampling: give the temperature, which endpoints choose differently")
    if attempts > 1 and not sampling.temperature:
        problems.append(f"attempts: {attempts} samples at temperature 0 are one; give sampling.temperature")
    return problems


def reply_sampling(sampling: Sampling, cap: int) -> dict[str, Any]:
    """Return how replies are sampled: each from its own seed, where chance has a part."""
    seeded = {"seed": 0} if sampling.temperature else {}
    return {**seeded, **sampling.given(), "max_tokens": cap}


def planner_client(
    model: str, client: Mapping[str, Any], sampling: Mapping[str, Any], template: Path | None, batch_size: int
) -> dict[str, Any]:
    """Return the client of a planner, as a collect config has it."""
    kinds = {kind_of(client)} | {str(member.get("kind")) for member in _members(client)}
    neutral = NEUTRAL if kinds <= {*CHECKPOINT_CLIENTS, "pool"} else {}
    batched = {"batch_size": batch_size} if kind_of(client) == IN_PROCESS else {}
    templated = {"chat_template": str(template)} if template else {}
    return {
        "model": model, **batched, **client, "kind": kind_of(client), **templated,
        "sampling": {**neutral, **sampling},
    }  # fmt: skip


def _members(client: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the clients of a pool."""
    members = client.get("members")
    return [each for each in members if isinstance(each, dict)] if isinstance(members, list | tuple) else []
