"""Readers of files that others wrote, one format a file. A name here is the name on the command line.

Those that are formats of export as well go both ways (`eops_traj.interchange`); session files of
agents only come in.
"""

IMPORTERS = {
    "enterpriseops": "EnterpriseOpsReader",
    "atif": "AtifReader",
    "nemo_gym": "NemoGymReader",
    "openai": "ChatReader",
    "anthropic": "AnthropicReader",
    "sharegpt": "ShareGptReader",
    "token_ids": "TokenIdsReader",
    "adp": "AdpReader",
    "inspect_ai": "InspectAiReader",
    "claude_code": "ClaudeCodeReader",
    "codex": "CodexReader",
}
"""Every source: its name, which is its module's name here, and its class."""
