"""The shapes of secrets, one table for scrubbing, the certificate and the gate.

It joins what the collectors' scrubber knew, the plugins of detect-secrets, which a test holds it to, and
more services.
"""

from eops_traj.privacy.named_keys import NAMED_KEYS
from eops_traj.privacy.password_shapes import PASSWORDS
from eops_traj.privacy.signed_keys import SIGNED

NAMED = NAMED_KEYS | PASSWORDS
"""Shapes that the words beside them make a secret, by kind."""

SHAPES = SIGNED | NAMED
"""Every shape, by the kind that a message names."""
