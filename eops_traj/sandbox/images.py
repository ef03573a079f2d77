"""The container images that a fleet runs, one for each tool server."""

from typing import Annotated

from pydantic import Field

from eops_traj.config import Settings


class ServerImage(Settings):
    """The image of one tool server, and how it is run."""

    image: Annotated[str, Field(min_length=1)]
    """A reference with a digest; a tag is looked up once, and the digest that it names then is pulled."""
    port: Annotated[int, Field(ge=1, le=65535)] = 8005
    """Where the server listens inside the container."""
    command: tuple[str, ...] | None = None
    environment: dict[str, str] = Field(default_factory=dict)


def _benchmark(name: str, digest: str, port: int = 8005) -> ServerImage:
    repository = f"docker.io/shivakrishnareddyma225/enterpriseops-gym-mcp-{name}"
    return ServerImage(image=f"{repository}@sha256:{digest}", port=port)


BENCHMARK_IMAGES = {
    "csm": _benchmark("csm", "eaa456ac9aa85728426e7d3813a0bbca0949d6a8695be30e26f03894e6e6b189"),
    "itsm": _benchmark("itsm", "a234ae3fb7cee196ba25e6b9957969dea829919b6e8271dddae128f065aaf39f"),
    "hr": _benchmark("hr", "1ea1c1d64d4be35e8062e56f00b8318e9e6c09289cfa56bcfd0595bfa59ac64d"),
    "teams": _benchmark("teams", "602655e46f6501885540c36dc9b12114cb173c75063d7f25c17ed0652695fa78"),
    "drive": _benchmark("drive", "3475962fcf6da7675e194dbf138de01fa3e96134a302ad47316e4111a5e63f32"),
    "calendar": _benchmark(
        "calendar", "994c5421a6dd065861bc7f813a177f6d408875e9df60fe8d012959bc4510da02", 8003
    ),
    "email": _benchmark("email", "69c2081fe4ab0962b86233f9fb52b307b8ad0019f6746ba64ce75851036201cd"),
}
"""The benchmark's own images, by the names of our servers."""
