"""A checkpoint in this process, for small models and machines without vLLM.

One thread holds the model. Requests that wait while it generates are answered together in its next batch.
Code that comes with a checkpoint is never run, and nothing is downloaded.
"""

import asyncio
import queue
import time
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar, Literal

from pydantic import PositiveInt

from eops_traj.errors import ConfigError
from eops_traj.hashing import canonical_json, clean
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.local_model import SAMPLING, GeneratedReply, LocalModel, RenderedPrompt
from eops_traj.llm.openai_wire import RawCall, assign_call_ids, without_reasoning
from eops_traj.llm.options import ClientOptions
from eops_traj.llm.reasoning_replay import ReasoningReplay
from eops_traj.messages import Message
from eops_traj.optional import require
from eops_traj.provenance.adapter import model_parts, template_identity
from eops_traj.schema import Turn

GATHER_SECONDS, GATHER_SHARE = 0.005, 0.05
"""How long an idle model waits for company after a request came: so many seconds, or such a share of the
last batch's time. What comes just too late waits for a whole batch."""


class TransformersOptions(ClientOptions):
    """The checkpoint, and the way it is run."""

    BEHAVIOUR: ClassVar[tuple[str, ...]] = (
        *("model", "sampling", "send_reasoning", "dtype", "chat_template_kwargs"),
    )

    path: str | None = None
    """The checkpoint's folder, where ``model`` is not its name in the Hugging Face cache. An adapter's is
    loaded over the base that it names."""
    lora: str | None = None
    """An adapter, the folder or the run that trained it, over ``path``; ``model`` is its name in episodes."""
    chat_template: Path | None = None
    """A template to use in the tokenizer's place."""
    chat_template_kwargs: dict[str, bool | int | float | str] | None = None
    """What the template is told besides, as in training: ``enable_thinking: false``."""
    batch_size: PositiveInt = 16
    """The most replies generated at a time."""
    device: str | None = None
    """``cuda``, ``cuda:1``, ``mps``, ``cpu``; by default a GPU where there is one."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """By default the one in which the checkpoint was saved."""
    send_reasoning: bool = False
    """Whether the template is given a reply's reasoning back."""

    def open(self) -> "TransformersChat":
        """Load the model and return the client. Raises InputError where that cannot be done."""
        return TransformersChat(self)

    def behaviour(self) -> dict[str, Any]:
        """Return the options that shape the replies; checkpoint and chat template count by content.

        Raises InputError for an adapter that is none, or is one for another base.
        """
        parts = model_parts(self.model, self.path, self.lora)
        return super().behaviour() | parts.identity() | template_identity(parts, self.chat_template)


@dataclass(frozen=True, eq=False)
class _Job:
    """A request that waits, how its reply is sampled, and the reply's future."""

    request: Request
    sampling: dict[str, Any]
    done: "Future[GeneratedReply]"

    @property
    def kind(self) -> str:
        """The settings that jobs must have in common to be generated together."""
        return canonical_json({name: value for name, value in self.sampling.items() if name != "seed"})


class TransformersChat:
    """A `Chat` with a model in this process."""

    def __init__(self, options: TransformersOptions) -> None:
        """Load the model. Raises InputError where that cannot be done, ConfigError for unknown sampling."""
        require("train")
        _check(options, options.sampling.given())
        self._options, self._replay = options, ReasoningReplay()
        self._local = _load(options)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._gather = GATHER_SECONDS
        self._thread = Thread(target=self._work, name="transformers_local", daemon=True)
        self._thread.start()

    @property
    def model(self) -> str:
        """The model's name, as episodes give it."""
        return self._options.model

    async def reply(self, request: Request) -> Turn:
        """Ask for one reply. Raises EndpointError, and ConfigError for sampling that is not known here."""
        started = time.perf_counter()
        sampling = self._options.sampling.given() | request.sampling
        _check(self._options, sampling)
        request = replace(request, messages=self._messages(request))
        job = _Job(request, sampling, Future())
        self._jobs.put(job)
        reply = await asyncio.wrap_future(job.done)
        turn = _turn(reply, request, (time.perf_counter() - started) * 1000)
        if self._options.send_reasoning and turn.reasoning:
            self._replay.remember(request, turn.tool_calls, {"reasoning_content": turn.reasoning})
        return turn

    def _messages(self, request: Request) -> list[Message]:
        """Return the messages as the template is given them."""
        if self._options.send_reasoning:
            return self._replay.restore(request)
        return [without_reasoning(message) for message in request.messages]

    async def close(self) -> None:
        """Let the thread end after what it is generating."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        """Answer the jobs that wait, batch by batch, until the end; this runs in the thread."""
        while jobs := self._next_batch():
            started = time.perf_counter()
            for _, batch in groupby(sorted(jobs, key=lambda job: job.kind), key=lambda job: job.kind):
                self._answer(list(batch))
            self._gather = max(GATHER_SECONDS, GATHER_SHARE * (time.perf_counter() - started))

    def _next_batch(self) -> list[_Job]:
        """Collect the jobs of the next batch; none at the end."""
        jobs: list[_Job] = []
        while len(jobs) < self._options.batch_size:
            try:
                job = self._jobs.get(timeout=self._gather if jobs else None)
            except queue.Empty:
                break
            if job is None:
                if jobs:  # these first
                    self._jobs.put(None)
                break
            jobs.append(job)
        return jobs

    def _answer(self, jobs: Iterable[_Job]) -> None:
        """Generate the replies of jobs that are sampled alike."""
        ready: list[tuple[_Job, RenderedPrompt]] = []
        for job in jobs:
            if job.done.set_running_or_notify_cancel():
                try:
                    ready.append((job, self._local.prompt(job.request)))
                except EndpointError as error:
                    job.done.set_exception(error)
        if not ready:
            return
        try:
            seeds = [job.sampling.get("seed") for job, _ in ready]
            replies = self._local.generate([prompt for _, prompt in ready], ready[0][0].sampling, seeds)
        except Exception as error:  # noqa: BLE001 - torch raises what it likes, and each job must know
            for job, _ in ready:
                job.done.set_exception(EndpointError("server", f"{type(error).__name__}: {error}"))
            return
        for (job, _), reply in zip(ready, replies, strict=True):
            job.done.set_result(reply)


def _load(options: TransformersOptions) -> LocalModel:
    """Load the base, and the adapter where there is one. Raises InputError where that cannot be done."""
    parts = model_parts(options.model, options.path, options.lora)
    adapter = parts.adapter.folder if parts.adapter else None
    how = (options.chat_template, options.device, options.dtype)
    return LocalModel.load(
        parts.base, *how, adapter=adapter, speaker=parts.speaker, variables=options.chat_template_kwargs
    )


def _check(options: TransformersOptions, sampling: dict[str, Any]) -> None:
    if unknown := sorted(set(sampling) - SAMPLING):
        problems = [f"sampling by {name!r} is not known here" for name in unknown]
        raise ConfigError(f"model {options.model}", problems)


def _turn(reply: GeneratedReply, request: Request, latency_ms: float) -> Turn:
    """Render a generated reply as a turn."""
    parts = reply.parsed()
    calls: list[RawCall] = [(None, call.name, call.arguments) for call in parts.calls]
    finish = "tool_calls" if calls else "stop" if reply.ended else "length"
    return Turn(
        text=clean(parts.text),
        reasoning=parts.reasoning and clean(parts.reasoning),
        tool_calls=assign_call_ids(calls, request),
        finish_reason=finish,
        input_tokens=len(reply.prompt.ids),
        output_tokens=len(reply.ids),
        latency_ms=latency_ms,
        prompt_token_ids=reply.prompt.ids,
        token_ids=reply.ids,
        logprobs=reply.logprobs,
    )
