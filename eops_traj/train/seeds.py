"""The seeds that a training takes; a module of its own, since the command line reads it at its start."""

LARGEST_SEED = 2**32 - 1
"""The largest that NumPy takes, and with it `transformers.set_seed`."""
