"""Why an episode failed: a cause for every failure, with its evidence."""
