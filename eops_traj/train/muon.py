"""Muon for the matrices of a model's layers, AdamW for its embeddings, norms and convolutions.

Muon makes each step of a matrix orthogonal, so that no direction waits for the others (Jordan et al. 2024,
https://kellerjordan.github.io/posts/muon/). Scaled to the size of AdamW's steps (Liu et al. 2025,
arXiv:2502.16982), both take one learning rate.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.train.precision import computes_in_bfloat16

if TYPE_CHECKING:
    import torch

ADAMW_STEP = 0.2
"""The root mean square of AdamW's steps, at a learning rate of 1 (Liu et al. 2025)."""


def split_optimizer(
    model: "torch.nn.Module", *, learning_rate: float, beta2: float, weight_decay: float
) -> "torch.optim.Optimizer":
    """Make the optimizer of all weights of a model that are trained; only matrices decay."""
    from torch.optim import AdamW

    matrices, others = split_weights(model)
    scale: Any = {"lr": learning_rate, "weight_decay": weight_decay}
    adam = AdamW(others, lr=learning_rate, betas=(0.9, beta2), weight_decay=0.0)
    joined: torch.optim.Optimizer = _joined_class()([_muon_class()(matrices, **scale), adam])
    return joined


def split_weights(model: "torch.nn.Module") -> "tuple[list[torch.nn.Parameter], list[torch.nn.Parameter]]":
    """Return the matrices of a model's layers, and its other weights: of words, norms, convolutions."""
    ends = (getattr(model, name)() for name in ("get_input_embeddings", "get_output_embeddings"))
    words = {id(end.weight) for end in ends if end is not None}
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    matrices = [weight for weight in trained if weight.ndim == 2 and id(weight) not in words]
    inside = {id(weight) for weight in matrices}
    return matrices, [weight for weight in trained if id(weight) not in inside]


def orthogonal(
    matrix: "torch.Tensor", coefficients: Sequence[float], steps: int, eps: float
) -> "torch.Tensor":
    """Return a matrix with its singular values near 1, 0.5 to 1.5, by Newton and Schulz (Jordan et al. 2024).

    It computes in what ``matrix`` is of.
    """
    import torch

    a, b, c = coefficients
    tall = matrix.size(0) > matrix.size(1)
    found = matrix.T if tall else matrix
    found = found / found.norm().clamp(min=eps)
    for _ in range(steps):
        gram = found @ found.T
        found = torch.addmm(found, torch.addmm(gram, gram, gram, beta=b, alpha=c), found, beta=a)
    return found.T if tall else found


def _muon_class() -> Any:
    import torch
    from torch.optim import Muon

    dtype = torch.bfloat16 if computes_in_bfloat16() else torch.float32

    class DeviceMuon(Muon):
        """torch's Muon, whose products are of bfloat16 on every device, in what this one computes in."""

        @torch.no_grad()
        def step(self, closure: Any = None) -> Any:
            """Take a step as torch's, with its settings of each group."""
            loss = None if closure is None else closure()
            for group in self.param_groups:
                for weight in group["params"]:
                    if weight.grad is not None:
                        self._move(weight, weight.grad, group)
            return loss

        def _move(
            self, weight: "torch.nn.Parameter", gradient: "torch.Tensor", group: dict[str, Any]
        ) -> None:
            momentum, rate = group["momentum"], float(group["lr"])
            state = self.state[weight]
            if not state:
                state["momentum_buffer"] = torch.zeros_like(gradient)
            buffer = state["momentum_buffer"].lerp_(gradient, 1 - momentum)
            update = gradient.lerp(buffer, momentum) if group["nesterov"] else buffer
            turned = orthogonal(update.to(dtype), group["ns_coefficients"], group["ns_steps"], group["eps"])
            weight.mul_(1 - rate * group["weight_decay"])
            weight.add_(turned, alpha=-rate * ADAMW_STEP * math.sqrt(max(weight.shape)))

    return DeviceMuon


def _joined_class() -> Any:
    from torch.optim import Optimizer

    class JoinedOptimizer(Optimizer):
        """Several optimizers as one: one schedule changes all rates, one checkpoint holds all states."""

        def __init__(self, parts: "list[Optimizer]") -> None:
            self.parts = parts
            super().__init__([group for part in parts for group in part.param_groups], {})
            self._share_groups()

        def _share_groups(self) -> None:
            self.param_groups = [group for part in self.parts for group in part.param_groups]

        def step(self, closure: Any = None) -> Any:
            """Take each part's step."""
            loss = None if closure is None else closure()
            for part in self.parts:
                part.step()
            return loss

        def state_dict(self) -> dict[str, Any]:
            """Return each part's state."""
            return {"parts": [part.state_dict() for part in self.parts]}

        def load_state_dict(self, state_dict: dict[str, Any]) -> None:
            """Take up what :meth:`state_dict` returned."""
            for part, state in zip(self.parts, state_dict["parts"], strict=True):
                part.load_state_dict(state)
            self._share_groups()

    return JoinedOptimizer
