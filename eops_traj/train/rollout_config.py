"""Settings of online training: how tries are generated, and which prompts they are made at."""

from typing import Annotated

from pydantic import Field, PositiveFloat, PositiveInt

from eops_traj.config import Settings

ROLLOUT_TOKENS = 12288
"""What a rollout may take, the answers of its tools included.

Of the gold rollouts of 160 tasks (suite quick, a call a turn) 153 fit, in Qwen's tokenizer; their median is
2,756 tokens, the 90th percentile 8,688, and a few that read long lists have up to 33,689.
"""


class FirstLook(Settings):
    """Tries at each prompt before the first step; prompts that all of them pass, or fail, are left out."""

    tries: int = Field(4, ge=2)
    """At each prompt, sampled as in training."""
    enough: PositiveInt | None = None
    """Look no further once so many prompts are worth learning from; those not looked at are left out."""


class VllmOptions(Settings):
    """How vLLM is reached (``server``), or what it takes of this GPU (``colocate``)."""

    url: Annotated[str, Field(pattern="^https?://")] = "http://localhost:8000"
    timeout: PositiveFloat = 60.0
    """Seconds to wait for the server."""
    group_port: PositiveInt = 51216
    """The port over which the weights go to the server."""
    memory: Annotated[float, Field(gt=0, lt=1)] = 0.3
    """The share of the GPU's memory that a colocated engine takes."""
    tensor_parallel: PositiveInt = 1
    sleep: bool = False
    """Whether a colocated engine gives its memory back while the model is trained."""
