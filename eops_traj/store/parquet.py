"""The shape of the data files: compression, row groups, and what is left out of them."""

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import WriterProperties
    from pyarrow.parquet import ParquetFile

ZSTD = 9
"""The compression level. Of real episodes, on one core, each with its whole column chunk as one page:

=========  =======  ========
codec      bytes    ms to write
=========  =======  ========
brotli 10  2767     7.4
brotli 9   3010     2.7
brotli 5   3064     0.63
zstd 3     3401     0.16
zstd 9     3051     0.38
zstd 12    3030     0.64
zstd 15    2986     1.5
zstd 19    2960     6.0
=========  =======  ========

``python -m benchmarks.scale codecs RESULTS`` measures it again.
"""
ROW_GROUP = 1024
"""Rows of a Parquet row group: what a reader of whole episodes holds at a time."""
_PAGE = 64 << 20
"""Bytes of a page, which is compressed by itself: repetition is found in a whole column of a row group."""


def encode(rows: "pa.Table", key: str) -> bytes:
    """Encode rows as a Parquet file."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    write_parts([rows], rows.schema, key, sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def write_parts(parts: "Iterable[pa.Table]", schema: "pa.Schema", key: str, sink: Any) -> int:
    """Write rows that come in parts as a Parquet file with statistics of its key alone; return how many.

    Each part is of row groups of its own. Statistics of long texts cost more than they ever save. deltalake's
    own writer would put the Arrow schema into every file besides: 7 KB for episodes, a third of what a small
    batch takes.
    """
    from pyarrow.parquet import ParquetWriter

    count = 0
    with ParquetWriter(
        sink,
        schema,
        compression="zstd",
        compression_level=ZSTD,
        use_dictionary=False,
        write_statistics=[key],
        data_page_size=_PAGE,
        store_schema=False,
    ) as writer:
        for part in parts:
            writer.write_table(part, row_group_size=ROW_GROUP)
            count += part.num_rows
    return count


def writer_properties(key: str) -> "WriterProperties":
    """Return the same shape for what deltalake writes by itself."""
    from deltalake import ColumnProperties, WriterProperties

    return WriterProperties(
        compression="ZSTD",
        compression_level=ZSTD,
        max_row_group_size=ROW_GROUP,
        data_page_size_limit=_PAGE,
        default_column_properties=ColumnProperties(statistics_enabled="NONE", dictionary_enabled=False),
        column_properties={key: ColumnProperties(statistics_enabled="CHUNK", dictionary_enabled=False)},
    )


def leaves(file: "ParquetFile", names: Collection[str]) -> list[str]:
    """Return the leaves of a file that are of these columns and fields (``turns.finish_reason``)."""
    columns = (file.schema.column(number).path for number in range(len(file.schema)))
    return [path for path in columns if _LISTED.sub("", path) in names]


_LISTED = re.compile(r"\.(?:list|array)\.(?:element|item)\b")
"""What Parquet's writers put between a list and what is in it."""
