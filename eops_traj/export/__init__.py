"""Export selected episodes as training data, checked row by row and certified."""
