import socket
from unittest.mock import Mock

import pytest

from tests.attacks import raw_clients
from tests.attacks.clients import ATTACKS, FOREIGN_HEADERS, ROUTES, attack


@pytest.mark.parametrize("client", raw_clients.ATTACKS)
def test_an_attack_on_what_takes_no_connection_is_none(client):
    with socket.create_server(("127.0.0.1", 0)) as once:
        gym = Mock(address=once.getsockname())
    with pytest.raises(AssertionError, match="takes no connection"):
        client(gym)


@pytest.mark.slow
def test_no_client_stops_the_gym(tmp_path):
    tally = attack(tmp_path)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) == len(ATTACKS) + 2 * len(FOREIGN_HEADERS) * len(ROUTES) + 4
