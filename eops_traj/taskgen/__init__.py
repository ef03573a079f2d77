"""The task suite: scenarios over the embedded company become tasks that are proven by running them."""
