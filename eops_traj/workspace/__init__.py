"""The way in: a working folder, what every config may hold, and what this machine has."""
