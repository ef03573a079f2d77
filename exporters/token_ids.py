"""Token ids as they were sampled, for trainers that must not tokenize again.

A row is a run of turns in which each prompt begins with all that came before, to the token: the first turn's
prompt, and a completion in which the model's own tokens (mask 1) stand between those of the environment
(mask 0, logprob 0). Where a prompt begins otherwise, the conversation was tokenized again and came out
differently, or was cut: the row ends there, its ``drift`` is true, and the next row begins with that turn.
Training on the two as one sequence would put the loss on tokens that no model sampled.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import InputError
from eops_traj.export.base import JsonLines
from eops_traj.export.checks import Check, CheckedRow, Row, no_secrets, reads_as_written
from eops_traj.interchange.reader import Record
from eops_traj.interchange.writer import ExchangeExporter, storable, with_run
from eops_traj.schema import Episode, Turn

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

IDS = {"list": "int64"}


@dataclass
class TokenSequence:
    """Turns that are one sequence of tokens; ``drift``: the next turn's prompt does not begin with it."""

    first: int
    prompt: tuple[int, ...]
    completion: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] | None = field(default_factory=list)
    turns: int = 0
    drift: bool = False

    def follows(self, turn: Turn) -> bool:
        """Check whether a turn's prompt begins with all the tokens so far."""
        so_far = (*self.prompt, *self.completion)
        return (turn.prompt_token_ids or ())[: len(so_far)] == so_far

    def add(self, turn: Turn) -> None:
        """Add a turn that follows: the environment's tokens, and the reply."""
        environment = (turn.prompt_token_ids or ())[len(self.prompt) + len(self.completion) :]
        reply = turn.token_ids or ()
        self.completion += [*environment, *reply]
        self.mask += [0] * len(environment) + [1] * len(reply)
        self.turns += 1
        if turn.logprobs is None:
            self.logprobs = None
        elif self.logprobs is not None:
            self.logprobs += [0.0] * len(environment) + list(turn.logprobs)


def token_sequences(turns: Sequence[Turn]) -> list[TokenSequence]:
    """Return the token sequences of a conversation; a turn without ids is in none."""
    sequences: list[TokenSequence] = []
    broken = True
    for index, turn in enumerate(turns):
        if turn.prompt_token_ids is None or turn.token_ids is None:
            broken = True
            continue
        if sequences and not broken and not sequences[-1].follows(turn):
            sequences[-1].drift = broken = True
        if broken:
            sequences.append(TokenSequence(index, turn.prompt_token_ids))
        sequences[-1].add(turn)
        broken = False
    return sequences


class TokenIds(ExchangeExporter, JsonLines):
    """One line a token sequence, of the episodes that carry ids."""

    name = "token_ids"
    title = "Token-id rows"
    room = False
    keeps_reasoning = False
    features = (
        *(
            {"name": name, "dtype": "string"}
            for name in ("episode_id", "task_id", "domain", "model", "outcome")
        ),
        {"name": "turns", **IDS},
        {"name": "prompt_ids", **IDS},
        {"name": "completion_ids", **IDS},
        {"name": "mask", **IDS},
        {"name": "logprobs", "list": "float64"},
        {"name": "drift", "dtype": "bool"},
    )

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write ``data/train.jsonl``. Raises InputError where no episode carries token ids."""
        written: list[str] = []

        def records() -> Iterator[Record]:
            for bundle in bundles:
                rows = self._rows(bundle)
                written.extend([bundle.episode.episode_id] * len(rows))
                yield from rows

        self.write_lines(records(), folder)
        if not written:
            raise InputError(f"none of {self.losses.episodes} episodes carries the token ids of a turn")
        self.report(folder)
        return written

    def _rows(self, bundle: EpisodeBundle) -> list[Record]:
        """Return the lines of an episode, and count what they do not hold."""
        from eops_traj.collectors.importers.token_ids import join_rows

        rows = [
            _line(bundle.episode, s) for s in token_sequences(storable(bundle, self.reasoning).episode.turns)
        ]
        if not rows:
            self.losses.add_absent()
            self.counts["episodes without token ids"] += 1
            return rows
        bare = join_rows(rows)
        self.losses.add(with_run(bundle), bare, bare)
        self.counts["rows that end in drift"] += sum(row["drift"] for row in rows)
        return rows

    def document(self, bundle: EpisodeBundle) -> Record:
        """Return the first line of an episode."""
        return self._rows(bundle)[0]

    def checks(self) -> Mapping[str, Check]:
        """Return the checks of every row."""
        checks = (reads_as_written, no_secrets, one_mask_a_token)
        return {check.__name__: check for check in checks}

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """Return the row that a line holds; it has no words."""
        return Row(place, record, [], [])

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Return no call: tokens hold none that could be compared without their tokenizer."""
        return []

    def mask(self, tokenizer: "PreTrainedTokenizerBase", name: str) -> None:
        """Return no mask: the rows carry their own."""


def one_mask_a_token(checked: CheckedRow) -> str | None:
    """Every token of the completion has a mask, 0 or 1, and a logprob if any has; the last is a model's."""
    row = checked.as_read.record
    tokens, mask, logprobs = row["completion_ids"], row["mask"], row["logprobs"]
    if len(mask) != len(tokens) or not set(mask) <= {0, 1}:
        return "its mask does not fit its completion"
    if logprobs is not None and len(logprobs) != len(tokens):
        return "its logprobs do not fit its completion"
    return None if mask[-1:] in ([], [1]) else "it ends in tokens that are not the model's"


def _line(episode: Episode, sequence: TokenSequence) -> Record:
    return {
        "episode_id": episode.episode_id,
        "task_id": episode.task_id,
        "domain": episode.domain,
        "model": episode.model,
        "outcome": episode.outcome,
        "turns": [sequence.first, sequence.first + sequence.turns - 1],
        "prompt_ids": list(sequence.prompt),
        "completion_ids": sequence.completion,
        "mask": sequence.mask,
        "logprobs": sequence.logprobs,
        "drift": sequence.drift,
    }
