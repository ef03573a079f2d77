"""Statistics over episodes: scores with intervals, paired comparisons, failure rates."""
