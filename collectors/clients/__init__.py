"""Chat clients, one a file. A name here is the ``kind`` in a config and the module's name."""

CLIENTS = {
    "openai_api": "OpenAIOptions",
    "litellm_api": "LiteLLMOptions",
    "transformers_local": "TransformersOptions",
    "scripted": "ScriptedOptions",
    "pool": "PoolOptions",
    "vllm_server": "VllmServerOptions",
}
"""Every kind: its name, which is its module's name here, and the class of its options."""
