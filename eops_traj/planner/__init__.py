"""Planners: what one is shown, the plans that episodes followed, and plans proven by running them."""
