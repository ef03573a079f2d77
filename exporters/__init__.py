"""Export formats, one a file. A name here is the name on the command line and of the module."""

FORMATS = {
    "sft": "Sft",
    "openai": "OpenAI",
    "enterpriseops": "EnterpriseOps",
    "planner_sft": "PlannerSft",
    "planner_dpo": "PlannerDpo",
    "step_dpo": "StepDpo",
    "corrections": "Corrections",
    "kto": "Kto",
    "prompts": "Prompts",
    "atif": "Atif",
    "nemo_gym": "NemoGym",
    "sharegpt": "ShareGpt",
    "token_ids": "TokenIds",
    "adp": "Adp",
    "inspect_ai": "InspectAi",
}
"""Every format: its name, which is its module's name here, and its class."""
