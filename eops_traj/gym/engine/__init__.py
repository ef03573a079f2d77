"""Databases of the gym: schemas, templates, sessions, clocks and row changes."""
