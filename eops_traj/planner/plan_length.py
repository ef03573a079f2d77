"""How long a plan may get before it is cut."""

PLAN_TOKENS = 3072
"""The tokens that a planner may take for its reply, wherever it is asked.

Of the gold plans of the 1,150 tasks of a default suite (seed 31) the longest has 2,181 tokens in Qwen's
tokenizer and 2,496 in SmolLM2's; the medians are 511 and 614. At 2,048 tokens two and ten of them would be
cut, and a perfect planner would fail there. A plan that ends by itself takes no longer for a higher cap.
"""
