import pytest

from tests.attacks.arguments import PATTERNS, attack, slowest


@pytest.mark.slow
def test_no_text_in_an_argument_takes_long(tmp_path):
    """Each argument gets six of the texts in its turn."""
    tally = attack(tmp_path, every=4)
    print(tally, *slowest(tally), sep="\n")
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 500 * len(PATTERNS)
