"""The tool servers, one package each, with the same file names inside."""
