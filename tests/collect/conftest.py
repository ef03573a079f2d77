"""Collections at work: tasks, an endpoint, a config, and the command line as a process."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.collect import case_tasks, fake_endpoint


@pytest.fixture(scope="session")
def clerk() -> Iterator[str]:
    """Yield the address of a model that works the tasks of `case_tasks`, in a process of its own."""
    with fake_endpoint.run_endpoint("2") as url:
        yield url


@pytest.fixture(scope="session")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder of six tasks."""
    return case_tasks.write_tasks(tmp_path_factory.mktemp("tasks") / "tasks", 6)


@pytest.fixture
def config(tmp_path: Path, tasks: Path, clerk: str) -> Callable[..., Path]:
    """Return a writer of configs of a collection with that model; settings given by name are put in."""

    def write(**settings: object) -> Path:
        model = {"kind": "openai_api", "model": "clerk", "base_url": f"{clerk}/v1"}
        plain = {
            "tasks": {"source": str(tasks)},
            "orchestrator": {"name": "react"},
            "models": {"executor": model},
            "requests": {"pause": 0.01},
            "check": "none",
        }
        path = tmp_path / "collect.yaml"
        path.write_text(yaml.safe_dump(plain | settings))
        return path

    return write
