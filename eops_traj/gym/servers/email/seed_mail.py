"""The messages of the seed, and their rows: a copy in every mailbox that sent or got one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from random import Random
from typing import Any, Final

from eops_traj.gym.company.company import Company
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.email import mime

_STEP: Final = 0x1F3D70B
_OLD: Final = datetime(2025, 12, 19)
"""Before this day most mail is read, and some of it is out of the inbox."""


@dataclass(frozen=True)
class SeedMessage:
    """One message before it is copied: sender, receivers, text and conversation."""

    conversation: int
    sender: tuple[str, str]
    to: tuple[str, ...]
    subject: str
    text: str
    when: datetime
    cc: tuple[str, ...] = ()
    file: str = ""
    labels: frozenset[str] = frozenset({"INBOX"})
    draft: bool = False


@dataclass
class SeedMailboxes:
    """Rows by table, filled as messages are copied into mailboxes."""

    rng: Random
    corvane: Company
    labels_of: Mapping[str, Sequence[tuple[str, str]]]
    """Of each mailbox, words of subjects and the label of such messages."""
    rows: dict[str, list[Row]] = field(default_factory=dict)
    count: int = 0
    parents: dict[int, str] = field(default_factory=dict)
    threads: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)

    def copy_all(self, messages: Iterable[SeedMessage]) -> None:
        """Copy every message into its mailboxes, the oldest first, so that ids and history grow with time."""
        owners = {p.email: f"user_{p.number:03d}" for p in self.corvane.people}
        for number, message in enumerate(sorted(messages, key=lambda each: each.when)):
            raw = self._raw(message, f"<c{number:05d}.{message.conversation}@mail.{self.corvane.domain}>")
            parsed = mime.parse(raw)
            columns, files = mime.columns(raw, parsed), mime.attachments(parsed)
            addresses = (
                (message.sender[1],) if message.draft else (message.sender[1], *message.to, *message.cc)
            )
            for address in dict.fromkeys(addresses):
                if address in owners:
                    self._copy(message, owners[address], address, columns, files)

    def _raw(self, message: SeedMessage, own: str) -> bytes:
        name, address = message.sender
        lines = {
            "From": f"{name} <{address}>",
            "To": ", ".join(message.to),
            "Cc": ", ".join(message.cc),
            "Subject": message.subject,
            "Date": format_datetime(message.when),
            "Message-ID": own,
            "In-Reply-To": self.parents.get(message.conversation, ""),
            "MIME-Version": "1.0",
        }
        self.parents[message.conversation] = own
        head = "".join(f"{key}: {value}\r\n" for key, value in lines.items() if value)
        return (head + _content(message)).encode()

    def _copy(
        self, message: SeedMessage, owner: str, address: str, columns: Mapping[str, Any], files: Iterable[Any]
    ) -> None:
        self.count += 1
        id = f"19b{int(owner[-3:]):03x}{self.count * _STEP:010x}"
        thread = self.threads.setdefault((message.conversation, owner), {"id": id, "user_id": owner})
        thread |= {"snippet": columns["snippet"], "history_id": 1000 + self.count}
        ids = {"id": id, "user_id": owner, "thread_id": thread["id"], "history_id": 1000 + self.count}
        stamp = {"internal_date": int(message.when.timestamp() * 1000)}
        labels = sorted(self._labels(message, owner, address))
        self._add("messages", dict(columns) | ids | stamp)
        for label in labels:
            self._add("message_labels", {"message_id": id, "user_id": owner, "label_id": label})
        for number, (part, name, kind, data) in enumerate(files):
            file = {
                "part_id": part,
                "filename": name,
                "mime_type": kind,
                "size": len(data),
                "data": mime.encode(data),
            }
            self._add("attachments", {"id": f"ANGjdJ{id}{number}", "message_id": id} | file)
        if message.draft:
            self._add("drafts", {"id": f"r-{id}", "user_id": owner, "message_id": id})
        self._record(owner, ids, labels, message.when)

    def _labels(self, message: SeedMessage, owner: str, address: str) -> set[str]:
        if message.draft:
            return {"DRAFT"}
        if address == message.sender[1]:
            return {"SENT"}
        labels = set(message.labels)
        old = message.when.replace(tzinfo=None) < _OLD
        labels |= {label for words, label in self.labels_of.get(owner, ()) if words in message.subject}
        if self.rng.random() < (0.12 if old else 0.6):
            labels.add("UNREAD")
        elif old and self.rng.random() < 0.45:
            labels -= {"INBOX"}
        if self.rng.random() < 0.06:
            labels.add("STARRED")
        return labels

    def _record(self, owner: str, ids: Mapping[str, Any], labels: Sequence[str], when: datetime) -> None:
        listed = "[" + ", ".join(f'"{label}"' for label in labels) + "]"
        change = {
            "id": 1000 + self.count,
            "user_id": owner,
            "history_type": "messageAdded",
            "message_id": ids["id"],
        }
        stamp = when.strftime("%Y-%m-%d %H:%M:%S")
        self._add(
            "history", change | {"thread_id": ids["thread_id"], "label_ids": listed, "created_at": stamp}
        )

    def _add(self, table: str, row: Row) -> None:
        self.rows.setdefault(table, []).append(row)

    def tables(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield the tables with their rows, parents first."""
        yield "threads", list(self.threads.values())
        yield from ((name, self.rows.get(name, [])) for name in ("messages", "message_labels", "attachments"))
        yield from ((name, self.rows.get(name, [])) for name in ("drafts", "history"))


def _content(message: SeedMessage) -> str:
    text = 'Content-Type: text/plain; charset="UTF-8"\r\n\r\n' + message.text.replace("\n", "\r\n") + "\r\n"
    if not message.file:
        return text
    kind = {"pdf": "application/pdf", "csv": "text/csv"}.get(
        message.file.rpartition(".")[2], "application/octet-stream"
    )
    data = mime.encode(f"{message.file}: {message.subject}".encode()).replace("-", "+").replace("_", "/")
    return (
        'Content-Type: multipart/mixed; boundary="=corvane="\r\n\r\n--=corvane=\r\n' + text
        + f"--=corvane=\r\nContent-Type: {kind}\r\n"
        + f'Content-Disposition: attachment; filename="{message.file}"\r\n'
        + f"Content-Transfer-Encoding: base64\r\n\r\n{data}\r\n--=corvane=--\r\n"
    )  # fmt: skip
