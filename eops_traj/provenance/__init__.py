"""The origin of data and checkpoints, and checks that held-out tasks did not get in."""
