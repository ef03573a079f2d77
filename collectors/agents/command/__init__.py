"""Any program as an agent: started for each task, given an MCP address of its own, ended with the attempt."""
