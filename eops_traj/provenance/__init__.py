"""Where data and checkpoints come from, and whether held-out tasks got in."""
