"""Kinds of drawing that several figures share, one a file, all of them on the same canvas."""
