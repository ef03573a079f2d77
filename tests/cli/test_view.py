import socket
from pathlib import Path

from eops_traj.store.store import Store


def test_no_store_and_a_port_in_use_are_one_line_each(cli, tmp_path: Path) -> None:
    ran = cli("view", "--store", tmp_path / "none")
    assert ran.code == 2 and "no store at" in ran.err and ran.err.count("\n") == 1
    Store.open(tmp_path / "store", create=True).close()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = cli("view", "--store", tmp_path / "store", "--port", port)
    assert ran.code == 2 and f"cannot listen on 127.0.0.1:{port}" in ran.err and ran.err.count("\n") == 1
