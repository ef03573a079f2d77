"""The choice of tokens in a batch, each row by a seed of its own, and the record of their probabilities.

All are logits processors, which transformers calls before it takes the likeliest token of each row.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


WARPED = ("temperature", "top_k", "top_p", "min_p")
"""The options that cut the distribution down."""


class LogprobRecorder:
    """Changes nothing and keeps the log-probability of every token chosen, under the model's distribution.

    It learns at each step which token the last one chose: so one distribution is held at a time, where the
    record of transformers holds the whole vocabulary for every token.
    """

    def __init__(self) -> None:
        self._chosen: list[torch.Tensor] = []
        self._last: torch.Tensor | None = None

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        """Keep the scores; ``input_ids`` are (batch, tokens so far), ``scores`` (batch, vocabulary)."""
        if self._last is not None:
            self._keep(input_ids[:, -1])
        self._last = scores.float().log_softmax(-1)
        return scores

    def of(self, out: "torch.Tensor") -> "torch.Tensor":
        """Return the log-probability of each token generated, (batch, tokens)."""
        import torch

        if len(self._chosen) < out.shape[1]:
            self._keep(out[:, -1])
        return torch.stack(self._chosen[: out.shape[1]], dim=1)

    def _keep(self, tokens: "torch.Tensor") -> None:
        assert self._last is not None
        self._chosen.append(self._last.gather(1, tokens[:, None])[:, 0])


class UnpaddedPenalty:
    """Makes the tokens of a row less likely (Keskar et al. 2019, "CTRL"), those that pad it left out.

    That of transformers comes before every other processor, the recorder too, and takes the padding for text.
    """

    def __init__(self, penalty: float, paddings: Sequence[int]) -> None:
        """Take how many tokens pad each row, on its left."""
        from transformers.generation.logits_process import RepetitionPenaltyLogitsProcessor

        self._penalise, self._paddings = RepetitionPenaltyLogitsProcessor(penalty), paddings

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        """Return the scores with those of the tokens that stand in their row made smaller."""
        import torch

        rows = zip(torch.split(input_ids, 1), torch.split(scores, 1), self._paddings, strict=True)
        return torch.cat([self._penalise(ids[:, padding:], score) for ids, score, padding in rows])


class SeededSampler:
    """Samples each row with randomness of its own, so that a seed gives the same reply in any company.

    The likeliest token after Gumbel noise is a sample of the softmax (the Gumbel-max trick: Gumbel 1954;
    Maddison, Tarlow and Minka 2014, "A* sampling").
    """

    def __init__(self, warpers: Sequence[Any], generators: Sequence["torch.Generator | None"]) -> None:
        """Take ``warpers``, which cut the distribution down (top-k). Rows with no generator share torch's."""
        self._warpers, self._generators = warpers, generators

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        """Return scores of which the largest of each row is its sample."""
        import torch

        for warper in self._warpers:
            scores = warper(input_ids, scores)
        scores = scores.float()
        noise = torch.empty_like(scores)
        for row, generator in zip(noise, self._generators, strict=True):
            row.exponential_(generator=generator)
        return scores - noise.log()


def make_warpers(sampling: Mapping[str, Any]) -> list[Any]:
    """Make the warpers that cut the distribution down, in the order in which transformers and vLLM do it."""
    from transformers.generation import logits_process as known

    warpers: list[Any] = []
    if (temperature := sampling.get("temperature")) not in (None, 1.0):
        warpers.append(known.TemperatureLogitsWarper(float(temperature)))
    if (top_k := sampling.get("top_k")) is not None and top_k > 0:
        warpers.append(known.TopKLogitsWarper(int(top_k)))
    if (top_p := sampling.get("top_p")) not in (None, 1.0):
        warpers.append(known.TopPLogitsWarper(float(top_p)))
    if (min_p := sampling.get("min_p")) not in (None, 0.0):
        warpers.append(known.MinPLogitsWarper(float(min_p)))
    return warpers


def make_processors(
    settings: Mapping[str, Any], generators: Sequence["torch.Generator | None"], paddings: Sequence[int]
) -> list[Any]:
    """Make the penalty on what stands there already, and the sampler; none of it where it is not set.

    At temperature 0 there is no sampler: the likeliest token is taken.
    """
    penalty = settings.get("repetition_penalty")
    made: list[Any] = [] if penalty in (None, 1.0) else [UnpaddedPenalty(float(penalty), paddings)]
    sampled = settings.get("temperature") != 0
    return [*made, *([SeededSampler(make_warpers(settings), generators)] if sampled else [])]
