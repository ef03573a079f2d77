"""Where episodes come from: agents, the chat clients behind them, importers of files."""
