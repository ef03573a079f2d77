"""Publishing a selection: Parquet in the Hub's layout, a card, and a gate that checks every row."""
