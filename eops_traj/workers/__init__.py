"""Heavy work on all cores of a machine, or on the machines of a Ray cluster, with the same results."""
