"""Filters, one rule a file. A name here is the name in a config; its file says what it keeps and why."""

FILTERS = {
    # row rules: one episode at a time
    "no_error": "NoError",
    "verified": "Verified",
    "outcome": "Outcome",
    "min_verifier_pass": "MinVerifierPass",
    "max_turns": "MaxTurns",
    "max_tool_errors": "MaxToolErrors",
    "no_loop": "NoLoop",
    "cause": "Cause",
    "not_truncated": "NotTruncated",
    "sound_task": "SoundTask",
    "domain": "Domain",
    "split": "Split",
    "model": "Model",
    "run": "Run",
    # set steps: the episodes that are left, together
    "exact_duplicates": "ExactDuplicates",
    "near_duplicates": "NearDuplicates",
    "cap_per_task": "CapPerTask",
    "balance_domains": "BalanceDomains",
    "decontaminate": "Decontaminate",
    "label": "Label",
}
"""Every rule: its name, which is its module's name here, and its class."""
