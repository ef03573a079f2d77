"""A perfect planner: a model that answers each prompt with a reply that is known, token by token.

It generates as any model of transformers does, so caps, ends and padding act on it as they do on any.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from transformers import GenerationMixin, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput

Ids = tuple[int, ...]


class GoldModel(PreTrainedModel, GenerationMixin):
    """Gives all weight to the next token of the reply to a row's prompt; the last token ends it."""

    config_class = PretrainedConfig
    main_input_name = "input_ids"

    def __init__(self, replies: Mapping[Ids, Sequence[int]], vocabulary: int, positions: int) -> None:
        """Take the replies by the tokens of their prompts."""
        sizes: Any = {"vocab_size": vocabulary, "max_position_embeddings": positions}
        super().__init__(PretrainedConfig(**sizes))
        self.device_of = torch.nn.Parameter(torch.zeros(1))
        self.generation_config.use_cache = False  # every step sees its whole row
        self._replies, self._rows = replies, list[Sequence[int]]()
        self._start, self._width = 0, 0

    def forward(self, input_ids: Any, attention_mask: Any = None, **_: Any) -> CausalLMOutput:
        """Return scores (batch, 1, vocabulary) in which the reply's next token has all the weight."""
        width = input_ids.shape[1]
        if width != self._width + 1 or len(input_ids) != len(
            self._rows
        ):  # another batch, or what is left of one
            mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
            read = [tuple(row[kept.bool()].tolist()) for row, kept in zip(input_ids, mask, strict=True)]
            self._rows, self._start = [self._left_to_say(ids) for ids in read], width
        self._width = width
        place = width - self._start
        scores = torch.zeros(len(self._rows), 1, self.config.vocab_size)
        for n, reply in enumerate(self._rows):
            scores[n, 0, reply[min(place, len(reply) - 1)]] = 1.0
        return CausalLMOutput(logits=scores)

    def _left_to_say(self, ids: Ids) -> Sequence[int]:
        """Return what is left of the reply to a prompt, of which the model reads its beginning too."""
        lengths = sorted({len(prompt) for prompt in self._replies if len(prompt) <= len(ids)}, reverse=True)
        length = next(n for n in lengths if ids[:n] in self._replies)
        return self._replies[ids[:length]][len(ids) - length :]
