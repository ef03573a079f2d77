"""Training recipes, one experiment a file. A name here is a config's ``recipe`` and a module's name."""

RECIPES = {
    "sft": "supervised fine-tuning on exported episodes or plans",
    "dpo": "direct preference optimisation on pairs of plans or of steps",
    "kto": "Kahneman-Tversky optimisation on single plans that pass or fail",
    "grpo": "group-relative policy optimisation: tries at tasks, scored by their verifiers",
}
"""Every recipe, with its method. Its module has a ``Config`` and a function ``run``."""
