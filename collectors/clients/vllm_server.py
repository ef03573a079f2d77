"""A vLLM as a child process: started with the flags that the model needs, stopped with this process.

vLLM pins the versions of all that it stands on, so it lives in an environment of its own, whose Python the
config or ``EOPS_TRAJ_VLLM`` names; else the ``vllm`` on the PATH is taken. It listens on the loopback
interface alone.

An adapter is served over its base, each under a name of its own, and it is the adapter that is asked: vLLM
has to list it, and every reply has to name it, so that the base never answers in its place unseen.
"""

import asyncio
import contextlib
import logging
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from eops_traj.errors import InputError
from eops_traj.llm.base import Chat, Request
from eops_traj.llm.child_process import ChildProcess
from eops_traj.llm.options import ClientOptions
from eops_traj.llm.vllm_lora import SERVING_FLAGS, check_answered, check_listed, lora_flags
from eops_traj.llm.vllm_parsers import ModelFamily, family_of
from eops_traj.llm.vllm_process import (
    free_port,
    launch_command,
    list_models,
    process_error,
    start_vllm,
    wait_until_ready,
)
from eops_traj.provenance.adapter import ModelParts, model_parts, template_identity
from eops_traj.provenance.checkpoint import is_adapter
from eops_traj.schema import Turn

RESTARTS = 2
"""How often a vLLM that ended by itself is started again."""
_log = logging.getLogger(__name__)


class VllmServerOptions(ClientOptions):
    """The model that vLLM serves, the parsers of its calls, and vLLM's other flags."""

    BEHAVIOUR: ClassVar[tuple[str, ...]] = (
        *("model", "sampling", "family", "tool_parser", "reasoning_parser"),
        *("max_model_len", "args", "extra_body", "send_reasoning", "chat_template_kwargs"),
    )

    path: str | None = None
    """The model's folder, where ``model`` is not its name on the hub but its name in episodes. An adapter's
    is served over the base that it names."""
    lora: str | None = None
    """An adapter, the folder or the run that trained it, over ``path``; ``model`` is its name."""
    python: Path | None = None
    """The Python of vLLM's environment; by default the one that EOPS_TRAJ_VLLM names."""
    family: str | None = None
    """One of vllm_parsers.FAMILIES, where neither name nor chat template matches one."""
    tool_parser: str | None = None
    """vLLM's ``--tool-call-parser``, where it is not the family's."""
    reasoning_parser: str | None = None
    """vLLM's ``--reasoning-parser``, where it is not the family's."""
    chat_template: Path | None = None
    """A template to use in the model's place."""
    max_model_len: PositiveInt | None = None
    """The longest conversation, in tokens; the model's own limit by default."""
    port: Annotated[int, Field(ge=0, le=65535)] = 0
    """0 is any free one."""
    args: tuple[str, ...] = ()
    """Flags for vLLM, which come last and win: ``--tensor-parallel-size=2``."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables for vLLM. Never a secret: configs are stored."""
    ready_seconds: PositiveFloat = 1800.0
    """The most seconds that loading the model may take."""
    timeout: PositiveFloat = 600.0
    """Seconds for one reply."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """More fields of a request, sent as they are."""
    chat_template_kwargs: dict[str, Any] | None = None
    """What the chat template is told besides, as in training: ``enable_thinking: false``."""
    send_reasoning: Literal["reasoning_content", "reasoning"] | None = None
    """Whether a reply's reasoning is sent back with it, and under which name."""

    @model_validator(mode="after")
    def _served_as_said(self) -> "VllmServerOptions":
        """Refuse flags that change what is served, under which name, behind the identity's back."""
        named = {flag.partition("=")[0].replace("_", "-") for flag in self.args}
        adapted = self.lora or is_adapter(Path(self.path or self.model))
        if adapted and (strays := sorted(named & SERVING_FLAGS)):
            raise ValueError(f"args: {', '.join(strays)} would change what is served, and under which name")
        return self

    def open(self) -> "VllmServer":
        """Open the client; vLLM starts with `start` or the first request. Raises InputError for no vLLM."""
        return VllmServer(self)

    def behaviour(self) -> dict[str, Any]:
        """Return the options that shape the replies; checkpoint and chat template count by content.

        Raises InputError for an adapter that is none, or is one for another base.
        """
        parts = self.parts()
        return super().behaviour() | parts.identity() | template_identity(parts, self.chat_template)

    def parts(self) -> ModelParts:
        """Return the base and the adapter over it. Raises InputError where they do not belong together."""
        return model_parts(self.model, self.path, self.lora)

    def model_family(self) -> ModelFamily:
        """Return the parsers of the model's output: its family's, except for those given here.

        Raises InputError where nothing matches the family and no tool parser is given.
        """
        if self.tool_parser and not self.family:
            model_family = ModelFamily(self.tool_parser)
        else:
            model_family = family_of(self.parts().speaker, self.family)
        return model_family._replace(
            tool_parser=self.tool_parser or model_family.tool_parser,
            reasoning_parser=self.reasoning_parser or model_family.reasoning_parser,
        )


def command(options: VllmServerOptions, port: int) -> list[str]:
    """Return the command that starts vLLM. Raises InputError: no vLLM, an unknown family, a bad adapter."""
    model_family, parts = options.model_family(), options.parts()
    template: Any = options.chat_template
    if template is None and model_family.chat_template:
        template = files("eops_traj.recipes") / model_family.chat_template
    values = {
        "served-model-name": parts.base if parts.adapter else options.model,
        "host": "127.0.0.1",
        "port": port,
        "tool-call-parser": model_family.tool_parser,
        "reasoning-parser": model_family.reasoning_parser,
        "chat-template": template,
        "max-model-len": options.max_model_len,
    }
    flags = [f"--{name}={value}" for name, value in values.items() if value is not None]
    if parts.adapter:
        flags += lora_flags(options.model, parts.adapter.folder, parts.adapter.settings, parts.base)
        flags += [f"--tokenizer={parts.speaker}"]
    return [*launch_command(options.python), parts.base, "--enable-auto-tool-choice", *flags, *options.args]


class VllmServer:
    """A `Chat` with a vLLM that this process owns. One that ends by itself is started again, twice."""

    def __init__(self, options: VllmServerOptions) -> None:
        self._options, self._port = options, free_port(options.port)
        self._command = command(options, self._port)
        self._chat = _endpoint(options, self._port)
        self._base = parts.base if (parts := options.parts()).adapter else None
        self._lock = asyncio.Lock()
        self._process: ChildProcess | None = None
        self._restarts = 0
        self._broken: InputError | None = None

    @property
    def model(self) -> str:
        """The model's name, as vLLM serves it."""
        return self._options.model

    async def reply(self, request: Request) -> Turn:
        """Ask for one reply, once vLLM is up.

        Raises EndpointError; InputError if vLLM does not start, or another model than the adapter answers.
        """
        await self.start()
        turn = await self._chat.reply(request)
        if self._base:
            check_answered(self.model, turn.provider)
        return turn

    async def start(self) -> None:
        """Start vLLM and wait until it answers; does nothing while it runs.

        Raises InputError with the cause where it ends or is not ready in time.
        """
        async with self._lock:
            if self._broken:  # asked again by the other episodes that waited
                raise self._broken
            try:
                await self._bring_up()
            except InputError as error:
                self._broken = error
                raise

    async def _bring_up(self) -> None:
        if self._process is None:
            await self._launch()
        elif self._process.code is not None:
            await self._launch_again(self._process)

    async def _launch(self) -> None:
        process = self._process = start_vllm(self._command, self._options.env)
        try:
            seconds = await wait_until_ready(process, self._port, self._options.ready_seconds)
            if self._base:
                check_listed(self.model, self._base, await list_models(self._port))
        except BaseException:  # cancelled, too: no one else would stop it
            await _stopped(process)
            self._process = None  # it has not ended by itself
            raise
        _log.info("vLLM is ready after %.1f s", seconds)

    async def _launch_again(self, ended: ChildProcess) -> None:
        error = process_error(ended, f"vLLM ended by itself with code {ended.code}")
        if self._restarts == RESTARTS:
            raise error
        self._restarts += 1
        await self._launch()

    async def close(self) -> None:
        """Stop vLLM and wait until it is gone, with all that it started; its log goes if all went well."""
        await self._chat.close()
        async with self._lock:
            if self._process is None:
                return
            well = self._process.code is None
            await asyncio.to_thread(self._process.stop)
            if well:
                self._process.log.unlink(missing_ok=True)
            self._process = None


async def _stopped(process: ChildProcess) -> None:
    """Stop vLLM and wait until it is gone; cancelled again, too: no other may be started before that."""
    stopping = asyncio.get_running_loop().run_in_executor(None, process.stop)
    while not stopping.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(stopping)


def _endpoint(options: VllmServerOptions, port: int) -> Chat:
    """Return the client of vLLM's API."""
    from eops_traj.collectors.clients.openai_api import OpenAIOptions

    return OpenAIOptions(
        model=options.model,
        sampling=options.sampling,
        extra_body=options.extra_body,
        chat_template_kwargs=options.chat_template_kwargs,
        send_reasoning=options.send_reasoning,
        token_ids=True,
        constrain="structured_outputs",
        timeout=options.timeout,
        base_url=(f"http://127.0.0.1:{port}/v1",),
    ).open()
