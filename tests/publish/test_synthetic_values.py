"""What belongs to no one: what the seeds made up, and what the publisher allows."""

import pytest

from eops_traj.privacy.pii import Datum
from eops_traj.publish.policy import AllowedData
from eops_traj.publish.synthetic_values import is_synthetic, seed_values

PHONE, MAIL = "telephone number", "e-mail address"


@pytest.mark.parametrize("kind", ["IBAN", "date of birth", "payment card"])
def test_other_kinds_are_never_allowed_by_domains_and_phones(kind: str) -> None:
    allow = AllowedData(email_domains=["corvane.com"], phones=["*"])
    assert not is_synthetic(Datum(kind, "ann@corvane.com"), allow, ())
    assert is_synthetic(Datum(MAIL, "ann@corvane.com"), allow, ())
    assert is_synthetic(Datum(PHONE, "+1 212 555 3910"), allow, ())


def test_a_server_that_is_none_of_the_gyms_has_made_nothing_up() -> None:
    assert seed_values(("nobody's-server", 0)) == frozenset()


def test_a_number_is_one_of_the_seed_by_the_name_of_its_column() -> None:
    """Without the name before it ``555-3910`` is no number that anyone would take for personal."""
    assert {datum.kind for datum in seed_values(("csm", 0))} >= {PHONE}
    assert {datum.kind for datum in seed_values(("hr", 0))} >= {PHONE, "date of birth"}
