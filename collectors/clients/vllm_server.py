"""A vLLM as a child process: started with the flags that the model needs, stopped with this process.

vLLM pins the versions of all that it stands on, so it lives in an environment of its own, whose Python the
config or ``EOPS_TRAJ_VLLM`` names; else the ``vllm`` on the PATH is taken. It listens on the loopback
interface alone.
"""

import asyncio
import logging
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from eops_traj.errors import InputError
from eops_traj.hashing import digest
from eops_traj.llm.base import Chat, Request
from eops_traj.llm.chat_template import read_template
from eops_traj.llm.child_process import ChildProcess
from eops_traj.llm.options import ClientOptions
from eops_traj.llm.vllm_parsers import ModelFamily, family_of
from eops_traj.llm.vllm_process import free_port, launch_command, process_error, start_vllm, wait_until_ready
from eops_traj.provenance.checkpoint import checkpoint_name
from eops_traj.schema import Turn

RESTARTS = 2
"""How often a vLLM that ended by itself is started again."""
_log = logging.getLogger(__name__)


class VllmServerOptions(ClientOptions):
    """The model that vLLM serves, the parsers of its calls, and vLLM's other flags."""

    BEHAVIOUR: ClassVar[tuple[str, ...]] = (
        *("model", "sampling", "family", "tool_parser", "reasoning_parser"),
        *("max_model_len", "args", "extra_body", "send_reasoning"),
    )

    path: str | None = None
    """The model's folder, where ``model`` is not its name on the hub but its name in episodes."""
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
    """More fields of a request, sent as they are: ``chat_template_kwargs``."""
    send_reasoning: Literal["reasoning_content", "reasoning"] | None = None
    """Whether a reply's reasoning is sent back with it, and under which name."""

    def open(self) -> "VllmServer":
        """Open the client; vLLM starts with `start` or the first request. Raises InputError for no vLLM."""
        return VllmServer(self)

    def behaviour(self) -> dict[str, Any]:
        """Return the options that shape the replies; checkpoint and chat template count by content."""
        options = super().behaviour() | {"checkpoint": checkpoint_name(self.model, self.path)}
        if self.chat_template:
            options["chat_template"] = digest(read_template(self.chat_template))
        return options

    def model_family(self) -> ModelFamily:
        """Return the parsers of the model's output: its family's, except for those given here.

        Raises InputError where nothing matches the family and no tool parser is given.
        """
        if self.tool_parser and not self.family:
            model_family = ModelFamily(self.tool_parser)
        else:
            model_family = family_of(self.path or self.model, self.family)
        return model_family._replace(
            tool_parser=self.tool_parser or model_family.tool_parser,
            reasoning_parser=self.reasoning_parser or model_family.reasoning_parser,
        )


def command(options: VllmServerOptions, port: int) -> list[str]:
    """Return the command that starts vLLM. Raises InputError: no vLLM, or an unknown family."""
    model_family = options.model_family()
    template: Any = options.chat_template
    if template is None and model_family.chat_template:
        template = files("eops_traj.recipes") / model_family.chat_template
    values = {
        "served-model-name": options.model,
        "host": "127.0.0.1",
        "port": port,
        "tool-call-parser": model_family.tool_parser,
        "reasoning-parser": model_family.reasoning_parser,
        "chat-template": template,
        "max-model-len": options.max_model_len,
    }
    flags = [f"--{name}={value}" for name, value in values.items() if value is not None]
    model = options.path or options.model
    return [*launch_command(options.python), model, "--enable-auto-tool-choice", *flags, *options.args]


class VllmServer:
    """A `Chat` with a vLLM that this process owns. One that ends by itself is started again, twice."""

    def __init__(self, options: VllmServerOptions) -> None:
        self._options, self._port = options, free_port(options.port)
        self._command = command(options, self._port)
        self._chat = _endpoint(options, self._port)
        self._lock = asyncio.Lock()
        self._process: ChildProcess | None = None
        self._restarts = 0
        self._broken: InputError | None = None

    @property
    def model(self) -> str:
        """The model's name, as vLLM serves it."""
        return self._options.model

    async def reply(self, request: Request) -> Turn:
        """Ask for one reply, once vLLM is up. Raises EndpointError, and InputError if vLLM does not start."""
        await self.start()
        return await self._chat.reply(request)

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
        self._process = start_vllm(self._command, self._options.env)
        try:
            seconds = await wait_until_ready(self._process, self._port, self._options.ready_seconds)
        except BaseException:  # cancelled, too: no one else would stop it
            await asyncio.to_thread(self._process.stop)
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


def _endpoint(options: VllmServerOptions, port: int) -> Chat:
    """Return the client of vLLM's API."""
    from eops_traj.collectors.clients.openai_api import OpenAIOptions

    return OpenAIOptions(
        model=options.model,
        sampling=options.sampling,
        extra_body=options.extra_body,
        send_reasoning=options.send_reasoning,
        token_ids=True,
        timeout=options.timeout,
        base_url=(f"http://127.0.0.1:{port}/v1",),
    ).open()
