"""Serve the gym over HTTP: MCP, and the side routes of the benchmark."""
