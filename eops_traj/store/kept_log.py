"""What keeps the log of a table whole: deltalake would delete old entries once a checkpoint holds them.

Every version is to stay readable, and a version is what the entries up to it say. Some of deltalake's commits
can be told to delete none; a vacuum heeds nothing but the table's own setting, as other programs do.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deltalake import DeltaTable, PostCommitHookProperties

SETTING = {"delta.enableExpiredLogCleanup": "false"}
"""What a table is made with."""


def deleting_nothing() -> "PostCommitHookProperties":
    """Return what a commit is given to delete no entry of the log: the table may lack the setting."""
    from deltalake import PostCommitHookProperties

    return PostCommitHookProperties(cleanup_expired_logs=False)


def ensure_kept(table: "DeltaTable") -> None:
    """Give a table of an older program the setting, in a commit; what is loaded is then of that version."""
    if not SETTING.items() <= table.metadata().configuration.items():
        table.alter.set_table_properties(SETTING, post_commithook_properties=deleting_nothing())
