"""A table as bytes and back, for whoever keeps it among other things: the same rows give the same bytes."""

from __future__ import annotations

import io

from sfumato.contracts.engine import Table
from sfumato.engines import read
from sfumato.errors import BadRequest

__all__ = ["from_bytes", "to_bytes"]


def to_bytes(table: Table) -> bytes:
    """Return the rows as a stream of Arrow, with their types.

    >>> from_bytes(to_bytes(read({"Age": [20, None], "Job": ["cook", "7"]}))).to_rows()
    [(20, 'cook'), (None, '7')]
    """
    import pyarrow as pa

    batches = list(table.batches())
    if not batches:
        raise BadRequest("has no rows to be kept", parameter="table")
    out = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
    with pa.ipc.new_stream(out, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return out.getvalue()


def from_bytes(content: bytes) -> Table:
    """Return the table that was kept; anything else is refused."""
    import pyarrow as pa

    try:
        with pa.ipc.open_stream(content) as reader:
            return read(reader.read_all())
    except (pa.ArrowInvalid, OSError):
        raise BadRequest("is not a table that was kept", parameter="content") from None
