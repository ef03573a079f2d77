"""Episodes in the formats of others: written, read back, and honest about what did not come through."""
