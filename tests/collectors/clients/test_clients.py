"""Every kind of chat client is what the registry says it is."""

import pytest

from eops_traj.collectors.clients import CLIENTS
from eops_traj.instances import load
from eops_traj.llm.options import ClientOptions


@pytest.mark.parametrize("kind", CLIENTS)
def test_a_kind_is_a_module_with_checked_options(kind: str) -> None:
    options = load("kind of client", kind)
    assert issubclass(options, ClientOptions)
    assert set(options.BEHAVIOUR) <= set(options.model_fields)
    assert options.model_config["extra"] == "forbid" and options.model_config["frozen"]
    assert options.open is not ClientOptions.open and options.__doc__
