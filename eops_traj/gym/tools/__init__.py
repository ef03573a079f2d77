"""Tools of a server: their declarations, and the checks and execution of calls."""
