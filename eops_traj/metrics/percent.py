"""Shares in percent, as all tables and pages write them."""


def percent(share: float, digits: int = 1) -> str:
    """Format a share of 1: ``99.9%``; with ``>`` or ``<`` where rounding would say all, or none, of it.

    100% is said of all alone, and 0% of none: one failure in thousands was seen, and a table tells it.
    """
    least = 10.0**-digits / 100
    known = round(share, 12)  # a sum of floats may miss its end by less
    if 1 - least / 2 <= known < 1:
        return f">{1 - least:.{digits}%}"
    return f"<{least:.{digits}%}" if 0 < known <= least / 2 else f"{share:.{digits}%}"
