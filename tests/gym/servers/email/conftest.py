import json
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest

from eops_traj.gym.engine.database import Database
from eops_traj.gym.servers.email import SERVER, mime


class Mail:
    """The mail server on a database of its own, called as people call it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        everyone = database.connection.execute("SELECT email FROM users WHERE active ORDER BY id")
        self.people = [row[0] for row in everyone]

    def reply(self, tool: str, caller: str | None = None, strict: bool = False, **arguments: Any) -> Any:
        return SERVER.call(self.database, tool, arguments, caller, strict)

    def __call__(self, tool: str, caller: str | None = None, **arguments: Any) -> Any:
        reply = self.reply(tool, caller, **arguments)
        assert not reply.is_error, reply.text
        return reply.text if reply.text.startswith("Operation") else json.loads(reply.text)

    def refused(self, tool: str, caller: str | None = None, **arguments: Any) -> dict[str, Any]:
        reply = self.reply(tool, caller, **arguments)
        assert reply.is_error, reply.text
        return json.loads(reply.text)["error"]

    def sql(self, query: str, *values: Any) -> Any:
        return self.database.connection.execute(query, values).fetchall()

    def search(self, owner: str, q: str, **more: Any) -> list[str]:
        return [each["id"] for each in self("list_messages", userId=owner, q=q, **more)["messages"]]

    def token(self, address: str) -> str:
        return str(self.sql("SELECT static_token FROM users WHERE email = ?", address)[0][0])


def written(to: str = "", subject: str = "Plan", text: str = "Hello", **headers: str) -> str:
    """A message as ``raw`` takes it."""
    message = EmailMessage()
    for name, value in {"To": to, "Subject": subject, **headers}.items():
        if value:
            message[name.replace("_", "-")] = value
    message.set_content(text)
    return mime.encode(message.as_bytes())


@pytest.fixture
def mail() -> Iterator[Mail]:
    database = SERVER.template().open()
    yield Mail(database)
    database.close()
