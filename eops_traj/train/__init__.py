"""What the training recipes share, one idea a file; the recipes themselves are files of ``recipes/``."""
