"""What this machine has: extras, GPU, vLLM, Docker, endpoints, disk; and what to run next in a folder."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from eops_traj.optional import EXTRAS, is_installed

SECONDS = 2.0
"""How long an endpoint, a driver or an engine is given to answer."""
KEYS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "AZURE_API_KEY",
    "OPENROUTER_API_KEY",
    "HF_TOKEN",
)
"""Variables that hold keys; whether one is set is told, and never what it holds."""
LOCAL = {"vLLM": "http://localhost:8000/v1", "Ollama": "http://localhost:11434/v1"}
"""Where servers of models listen on this machine if nothing else was said."""
FREE_GIGABYTES = 5.0
_NO_SUCH_PAGE = (404, 405)
"""What a server answers that has no list of models, and may have a model."""


class Readiness(NamedTuple):
    """One thing that is there or not, and what it is for or how to get it."""

    what: str
    ready: bool
    detail: str


class Endpoint(NamedTuple):
    """An endpoint that answered, and the models that it lists."""

    url: str
    models: tuple[str, ...]
    key: str = ""
    """The variable that holds the key it was asked with; empty where it was asked with none."""


def machine(environment: Mapping[str, str]) -> list[Readiness]:
    """Look at what this machine has. Nothing is written, and no model is asked for a reply."""
    return [_python(), *_extras(), _gpu(), _vllm(environment), _docker(), _disk(), *_keys(environment)]


def endpoints(environment: Mapping[str, str]) -> tuple[list[Readiness], list[Endpoint]]:
    """Ask the endpoints of the environment, and those usual on this machine, which models they have.

    The key goes to the environment's endpoint alone: who else listens on this machine is not known.
    """
    places = {name: (url, "") for name, url in LOCAL.items()}
    if own := environment.get("OPENAI_BASE_URL"):
        key = environment.get("OPENAI_API_KEY", "").strip()  # as clients read it
        places = {"OPENAI_BASE_URL": (own.rstrip("/"), key), **places}
    rows, there = list[Readiness](), list[Endpoint]()
    for name, (url, key) in places.items():
        found = _problem(url, key) or list_models(url, key)
        told = found if isinstance(found, str) else _models_text(url, found)
        rows.append(Readiness(f"endpoint {name}", not isinstance(found, str), told))
        there += [] if isinstance(found, str) else [Endpoint(url, found, "OPENAI_API_KEY" if key else "")]
    return rows, there


def _problem(url: str, key: str) -> str:
    """Say why an endpoint cannot be asked, and nothing secret of it; nothing where it can be."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "it is no address"
    if parts.username or parts.password or parts.query:
        return "its address holds a user, password or query, which no client takes; use OPENAI_API_KEY"
    if not (key.isascii() and key.isprintable()):
        return "OPENAI_API_KEY is no key: it has characters that no header can hold"
    return ""


def next_command(folder: Path, there: list[Endpoint]) -> str:
    """Return the command to run next in a folder, by what is in it and which endpoint answers."""
    if not (folder / "suite").is_dir():
        return "eops-traj init work && cd work"
    if not (folder / "store").is_dir():
        return "eops-traj collect collect_expert --store store"
    usable = [endpoint for endpoint in there if endpoint.models]
    if not usable:
        return "eops-traj score --store store --by model"
    url, (model, *_), key = usable[0]
    command = ("eops-traj", "collect", "collect_openai", "--store", "store")
    settings = [f"models.executor.base_url={url}", f"models.executor.model={model}"]
    settings += [f"models.executor.api_key_env={key}"] * bool(key)
    return shlex.join((*command, *settings, "--limit", "5"))  # the endpoint's words are to be no shell's


def list_models(url: str, key: str) -> tuple[str, ...] | str:
    """Return the names of the models that an endpoint lists, or say why it is of no use."""
    import httpx

    headers = {"authorization": f"Bearer {key}"} if key else {}
    try:
        answer = httpx.get(f"{url}/models", headers=headers, timeout=SECONDS)
        listed = answer.json()["data"] if answer.is_success else []
        models = tuple(str(model["id"]) for model in listed)
    except (httpx.HTTPError, httpx.InvalidURL):
        return f"nothing answers at {url}"
    except (ValueError, KeyError, TypeError):
        return f"{url} answers, but with no list of models"
    known = answer.is_success or answer.status_code in _NO_SUCH_PAGE
    return models if known else f"{url} answers {_status(answer.status_code)}"


def _status(code: int) -> str:
    refused = (
        ": it wants a key, or another; OPENAI_BASE_URL and OPENAI_API_KEY hold both"
        if code in (401, 403)
        else ""
    )
    return f"{code}{refused}"


def _models_text(url: str, models: tuple[str, ...]) -> str:
    named = ", ".join(models[:3]) + (", ..." if len(models) > 3 else "")
    return f"{url} has {named}" if models else f"{url} answers, and lists no models"


def _python() -> Readiness:
    version = ".".join(map(str, sys.version_info[:3]))
    return Readiness("Python", sys.version_info >= (3, 11), version)


def _extras() -> Iterator[Readiness]:
    for extra, modules in EXTRAS.items():
        missing = [module for module in modules if not is_installed(module)]
        detail = f"pip install 'eops-traj[{extra}]'" if missing else ", ".join(modules)
        yield Readiness(f"extra {extra}", not missing, detail)


def _gpu() -> Readiness:
    names = _output("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader")
    return Readiness("GPU", bool(names), "; ".join(names) if names else "none; small models train on the CPU")


def _vllm(environment: Mapping[str, str]) -> Readiness:
    python = environment.get("EOPS_TRAJ_VLLM")
    if python:
        there = Path(python).is_file()
        return Readiness("vLLM", there, python if there else f"EOPS_TRAJ_VLLM={python} is no file")
    program = shutil.which("vllm")
    return Readiness("vLLM", program is not None, program or "EOPS_TRAJ_VLLM names the Python that has it")


def _docker() -> Readiness:
    version = _output("docker", "version", "--format", "{{.Server.Version}}")
    detail = f"engine {version[0]}" if version else "no engine answers; only the real servers need one"
    return Readiness("Docker", bool(version), detail)


def _disk() -> Readiness:
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    return Readiness("free disk", free >= FREE_GIGABYTES, f"{free:.0f} GB here")


def _keys(environment: Mapping[str, str]) -> Iterator[Readiness]:
    for name in KEYS:
        yield Readiness(name, bool(environment.get(name)), "set" if environment.get(name) else "not set")


def _output(*command: str) -> list[str]:
    """Return the lines that a program prints; none where it is missing, fails or hangs."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line.strip() for line in ran.stdout.splitlines() if line.strip()] if ran.returncode == 0 else []
