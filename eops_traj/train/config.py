"""The settings that every recipe's config has, and those of every recipe that trains with TRL."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from eops_traj.config import Settings
from eops_traj.planner.plan_length import PLAN_TOKENS
from eops_traj.tasks.splits import TRAIN
from eops_traj.train.seeds import LARGEST_SEED

Share = Annotated[float, Field(ge=0, lt=1)]
Leak = Literal["task", "twin", "prompt", "wording", "database", "family", "plan"]


class HeldOut(Settings):
    """The held-out tasks that the data is compared with before the first step, as by ``eops-traj leaks``."""

    tasks: str | None = None
    """Where they are, with the others of their suite; the tasks of ``evaluate`` are held out as well."""
    leave_out: tuple[Leak, ...] = ()
    """The kinds of leaks whose rows the run goes without."""
    allow: tuple[Leak, ...] = ()
    """The kinds of leaks that do not stop the run."""


class RecipeConfig(Settings):
    """The settings of every recipe. A recipe's own settings are the fields of its subclass."""

    recipe: str
    data: Path
    output: Path
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] = 0
    certificate: str | None = None
    """The SHA-256 of the data's certificate.json, as `export` prints it: data with another one is refused."""
    splits: tuple[str, ...] = (TRAIN,)
    """The splits of tasks that the rows may be of; all others are held out, ``none`` (no split) too."""
    held_out: HeldOut = HeldOut()


class Lora(Settings):
    """Low-rank adapters on a frozen model."""

    rank: PositiveInt = 16
    alpha: PositiveInt = 32
    dropout: Share = 0.05
    modules: str | list[str] = "all-linear"


class SteadyLora(Lora):
    """Adapters without dropout, for recipes that compare replies under the model as it is."""

    dropout: Share = 0.0


class Evaluate(Settings):
    """Plans that the model writes while it is trained, each run in a fresh sandbox and verified."""

    tasks: str
    """The source of the tasks: a folder, ``suite:NAME`` or ``hub:ORG/NAME``."""
    mode: str = "oracle"
    split: str = "dev"
    limit: PositiveInt | None = 50
    steps: PositiveInt = 100
    """After how many steps, each time; and once more at the end."""
    first: bool = False
    """Whether the model is examined before the first step, too: a line of step 0, and never the one kept."""
    batch_size: PositiveInt = 16
    max_new_tokens: PositiveInt = PLAN_TOKENS
    """The tokens of a reply, after which it is cut; at least those of the data's longest plan."""
    constrained: bool = False
    """Whether plans are held to the language and to the tools that they may use."""


class TrainingConfig(RecipeConfig):
    """Settings of a run with TRL."""

    model: str | None = None
    """A folder, or the name of a model in the local Hugging Face cache; nothing is downloaded."""
    lora: Lora | None = None
    weights: Literal["float32", "bfloat16"] = "float32"
    chat_template: Path | None = None
    """A .jinja file in the place of the model's own template, or ``trl:NAME`` for one that TRL bundles."""
    chat_template_kwargs: dict[str, bool | int | float | str] = Field(default_factory=dict)
    """What the template is told besides, in training, exams and generation: ``enable_thinking: false``."""
    max_length: PositiveInt
    epochs: PositiveFloat = 1
    max_steps: PositiveInt | None = None
    seconds: PositiveFloat | None = None
    """Train for so long, whatever the epochs: the schedule goes by the clock."""
    batch_size: PositiveInt = 1
    accumulate: PositiveInt = 1
    learning_rate: PositiveFloat
    schedule: Literal["constant_with_warmup", "linear", "cosine"] = "cosine"
    warmup: Share = 0.03
    """The share of the steps over which the learning rate rises."""
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    beta2: Annotated[float, Field(gt=0, lt=1)] = 0.999
    """How slowly Adam forgets the squares of gradients; runs of a thousand steps like it quicker."""
    bf16: bool = True
    """Compute in bfloat16, where the device does so at speed; elsewhere a run computes in float32."""
    recompute: bool = False
    """Compute activations again in the backward pass: less memory, a fifth slower."""
    log_steps: PositiveInt = 10
    save_steps: PositiveInt = 100
    keep_checkpoints: PositiveInt = 2
    evaluate: Evaluate | None = None
    trl: dict[str, Any] = Field(default_factory=dict)
    """Arguments of TRL by its own names, those that no setting here governs: ``{optim: adamw_8bit}``."""

    TRL: ClassVar[str]
    """The class of TRL's arguments for the recipe, as ``module:name``."""

    @model_validator(mode="after")
    def _one_end(self) -> Self:
        if self.seconds and self.max_steps:
            raise ValueError("give seconds or max_steps, one of them")
        return self

    @model_validator(mode="after")
    def _exam_of_what_is_held_out(self) -> Self:
        """Refuse an exam on what is trained on: the model kept would be the one that knows it by heart."""
        if self.evaluate and self.evaluate.split in self.splits:
            raise ValueError(
                f"evaluate.split: {self.evaluate.split} is among splits, which the run is trained on; examine"
                f" on another split, or leave {self.evaluate.split} out of splits"
            )
        return self


class CheckpointConfig(TrainingConfig):
    """Settings of a run that starts from a trained model."""

    model: str
    """The trained checkpoint, a folder; it is what the run is held close to as well."""
    lora: SteadyLora | None = None

    @model_validator(mode="after")
    def _no_dropout_that_is_off(self) -> Self:
        """Refuse dropout where TRL takes it out of the model, which it does unless it is told otherwise."""
        if self.lora and self.lora.dropout and self.trl.get("disable_dropout", True):
            raise ValueError(
                f"lora.dropout: {self.recipe} trains without dropout, to compare replies under the model as"
                " it is; leave lora.dropout out"
            )
        return self
