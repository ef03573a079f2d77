"""vLLM as the engine of online training: what TRL is told, and whether it is there at all.

TRL takes either a server on a GPU of its own (``server``), whose weights it replaces after each step, or an
engine beside the model that is trained (``colocate``). A server has to be started with
``VLLM_SERVER_DEV_MODE=1`` and ``--weight-transfer-config``, or it takes no weights.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import httpx

from eops_traj.errors import InputError
from eops_traj.train.rollout_config import VllmOptions


def check_vllm(mode: str | None, options: VllmOptions, max_length: int) -> None:
    """Check that vLLM is installed and, in mode ``server``, that one answers, takes weights and has the room.

    Raises InputError otherwise; nothing is loaded for it.
    """
    if mode is None:
        return
    if find_spec("vllm") is None:
        raise InputError(f"use_vllm={mode} needs vllm, which is not installed here: pip install 'trl[vllm]'")
    if mode == "server":
        _check_server(options, max_length)


def _check_server(options: VllmOptions, max_length: int) -> None:
    url = options.url.rstrip("/")
    models = _get(f"{url}/v1/models", options.timeout)
    if models is None:
        raise InputError(f"{url} is no vLLM server: it has no /v1/models")
    if not (served := models.get("data")):
        raise InputError(f"{url} is no vLLM server: it serves no model")
    if _get(f"{url}/server_info?config_format=json", options.timeout) is None:
        raise InputError(
            f"the vLLM server at {url} takes no weights: start it with VLLM_SERVER_DEV_MODE=1 in its"
            """ environment and --weight-transfer-config '{"backend": "nccl"}'"""
        )
    room = served[0].get("max_model_len")
    if room is not None and room < max_length:
        raise InputError(f"the vLLM server at {url} takes {room} tokens; max_length is {max_length}")


def _get(url: str, timeout: float) -> Any:
    """Return what a server answers; None where it knows no such address.

    Raises InputError where nothing answers, or not in JSON.
    """
    try:
        answer = httpx.get(url, timeout=timeout)
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        return answer.json()
    except httpx.HTTPStatusError as error:
        raise InputError(f"{url} answers {answer.status_code}: {answer.reason_phrase}") from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise InputError(f"no vLLM server answers at {url}: {error}") from error


def vllm_arguments(mode: str | None, options: VllmOptions, max_length: int) -> Mapping[str, Any]:
    """Return the engine in TRL's terms; nothing where transformers generates."""
    if mode is None:
        return {}
    return {
        "use_vllm": True,
        "vllm_mode": mode,
        "vllm_server_base_url": options.url if mode == "server" else None,
        "vllm_server_timeout": options.timeout,
        "vllm_group_port": options.group_port,
        "vllm_gpu_memory_utilization": options.memory,
        "vllm_tensor_parallel_size": options.tensor_parallel,
        "vllm_enable_sleep_mode": options.sleep,
        "vllm_max_model_length": max_length,
    }
