"""How far long work is: one display on a terminal, and nothing where nobody looks."""
