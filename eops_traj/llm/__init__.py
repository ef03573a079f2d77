"""Everything that talks to a language model: requests, replies, retries, local models."""
