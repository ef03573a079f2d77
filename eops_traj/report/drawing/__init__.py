"""How figures are drawn: one kind of drawing a file, all of them on the same canvas."""
