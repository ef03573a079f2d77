"""The way in: a working folder with tasks and configs, what every config may hold, and what this machine has."""
