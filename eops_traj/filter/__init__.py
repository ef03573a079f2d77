"""Select episodes by rules; every dropped row keeps its reason."""
