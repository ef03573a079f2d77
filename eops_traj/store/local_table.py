"""A Delta table in a folder as polars scans it. Imports deltalake: import it where a table is opened."""

from urllib.parse import unquote

from deltalake import DeltaTable


class LocalTable(DeltaTable):
    """A Delta table that tells its files by their names on disk.

    deltalake tells them percent-encoded, as URLs have them, and polars takes what it is told for names.
    """

    def file_uris(self, *arguments: object, **named: object) -> list[str]:
        """Return the paths of the data files."""
        return [unquote(uri) for uri in super().file_uris(*arguments, **named)]  # type: ignore[arg-type]
