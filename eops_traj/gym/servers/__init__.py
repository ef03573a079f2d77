"""The tool servers, one package each, with the same file names in each; `own_servers` adds one's own."""
