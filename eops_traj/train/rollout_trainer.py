"""TRL's GRPO trainer, with whole tool schemas, and tries outside of its steps.

Four things go beyond TRL 1.16. Templates and parsers get each tool's own JSON schema in place of one that
is read back from a method. Tries can be made without learning from them, by the code, engine and sampling of
training (for the first look) or greedily (for the exam). Something can be done when training begins, as soon
as the run has taken its output folder. And a resumed run is shown its prompts in the order of a whole one.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eops_traj.errors import WorkError
from eops_traj.train.judge import Judge, Tried
from eops_traj.train.row_order import ordered
from eops_traj.train.run_totals import Counts

GREEDY: dict[str, Any] = {"do_sample": False, **dict.fromkeys(("temperature", "top_p", "top_k", "min_p"))}
"""What makes transformers take the likeliest token."""

TRIES = ("made", "cut", "out_of_turns")
"""What is counted of tries."""

Row = Mapping[str, Any]


def rollout_trainer_class() -> Any:
    """Return the trainer's class, which is a TRL ``GRPOTrainer``."""
    import torch
    from accelerate.utils import gather_object
    from trl.trainer.grpo_trainer import GRPOTrainer

    class RolloutTrainer(GRPOTrainer):
        """A trainer that a `Judge` scores the tries of."""

        judge: Judge
        before_training: Callable[[], None] | None = None
        seconds_before: float = 0.0
        first_look: Mapping[str, int] | None = None
        """What the first look found, where there was one."""

        def __init__(self, *arguments: Any, judge: Judge, **options: Any) -> None:
            """Make TRL's trainer, and have the judge know which tokens end a reply."""
            super().__init__(*arguments, **options)
            self.judge = judge
            judge.ends = frozenset(self.eos_token_ids)
            if environments := options.get("environment_factory"):
                give_whole_schemas(self, environments)

        def train(self, *arguments: Any, **options: Any) -> Any:
            """Do what comes before, then train."""
            if self.before_training:
                started = time.monotonic()
                self.before_training()
                self.seconds_before = time.monotonic() - started
            return super().train(*arguments, **options)

        def attempt(self, rows: Sequence[Row], greedy: bool = False) -> list[Tried]:
            """Try each of these rows, which are this process's share, and return the tries of all processes.

            Every process has as many rows. Weights, logs and counts stay as they are.
            """
            how = _greedy(self) if greedy else contextlib.nullcontext()
            with torch.no_grad(), self.accelerator.autocast(), _aside(self), how:
                self._generate_and_score_completions([dict(row) for row in rows])
            tried: list[Tried] = gather_object(self.judge.last)
            return tried

        def count_tries(self) -> dict[str, int]:
            """Count how the tries of all processes went in training; every process comes here."""
            judge = self.judge
            each = gather_object([(judge.tries, judge.cut, judge.out_of_turns)])
            return {name: int(sum(n)) for name, n in zip(TRIES, zip(*each, strict=True), strict=True)}

        def report_tries(self, counts: Counts) -> dict[str, Any]:
            """Return how the tries of a run went, for the metrics, and print it."""
            tries = {name: int(counts[name]) for name in TRIES}
            made, cut, out_of_turns = tries.values()
            if self.is_world_process_zero() and made:
                at = f"cut at max_new_tokens {self.max_completion_length}"
                print(f"tries: {made}, {cut / made:.1%} {at}, {out_of_turns / made:.1%} out of turns")
            looked = {"first_look": dict(self.first_look)} if self.first_look else {}
            return {"tries": tries, **looked}

    return ordered(RolloutTrainer)


def give_whole_schemas(trainer: Any, environments: Mapping[str, Any]) -> None:
    """Put the tools' own schemas where TRL keeps the methods that it would derive schemas from.

    Raises WorkError where this version of TRL keeps them elsewhere.
    """
    if set(getattr(trainer, "_env_tools", ())) != set(environments):
        raise WorkError("this version of TRL keeps an environment's tools elsewhere than 1.16 does")
    for name, environment in environments.items():
        trainer._env_tools[name] = list(environment._schemas)


def attempt_all(trainer: Any, rows: Sequence[Row], batch_size: int, greedy: bool = False) -> Iterator[Tried]:
    """Yield a try at each row, in order, made in batches of ``batch_size`` on each process."""
    size, rank = trainer.accelerator.num_processes, trainer.accelerator.process_index
    for start in range(0, len(rows), batch_size * size):
        batch = rows[start : start + batch_size * size]
        share = -(-len(batch) // size)
        filled = [*batch, *[batch[-1]] * (share * size - len(batch))]  # each process tries as many
        yield from trainer.attempt(filled[rank * share : (rank + 1) * share], greedy)[: len(batch)]


@contextlib.contextmanager
def _aside(trainer: Any) -> Iterator[None]:
    """Keep what is done off the books: the model as in use, and TRL's logs and counts as they were."""
    model, judge = trainer.model, trainer.judge
    training, seen = model.training, trainer.state.num_input_tokens_seen
    logs, counts = trainer._logs, (judge.tries, judge.cut, judge.out_of_turns)
    trainer._logs = {name: _emptied(log) for name, log in logs.items()}
    model.eval()
    try:
        yield
    finally:
        model.train(training)
        trainer._logs, trainer.state.num_input_tokens_seen = logs, seen
        trainer._metrics["eval"].clear()
        judge.tries, judge.cut, judge.out_of_turns = counts


def _emptied(log: Any) -> Any:
    """Return an empty log of the same kind, a deque or a dict of them."""
    new = log.copy()
    new.clear()
    return new


@contextlib.contextmanager
def _greedy(trainer: Any) -> Iterator[None]:
    """Have the trainer's engine, transformers or vLLM, take the likeliest token."""
    with _temperature_zero(trainer.vllm_generation) if trainer.use_vllm else _likeliest(trainer):
        yield


@contextlib.contextmanager
def _temperature_zero(vllm: Any) -> Iterator[None]:
    before = vllm.temperature
    vllm.temperature = 0.0
    try:
        yield
    finally:
        vllm.temperature = before


@contextlib.contextmanager
def _likeliest(trainer: Any) -> Iterator[None]:
    before = trainer.generation_config, trainer.generation_kwargs
    options = {**trainer.generation_kwargs, **GREEDY}
    trainer.generation_config = type(before[0])(**options, disable_compile=True)
    trainer.generation_kwargs = options
    try:
        yield
    finally:
        trainer.generation_config, trainer.generation_kwargs = before
