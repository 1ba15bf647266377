"""Files that unfold to more than they are: packed ones are looked through before anybody reads them."""

from __future__ import annotations

import zlib
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from sfumato.errors import BadRequest

__all__ = ["refuse_unfolding"]

_PIECE = 2**20
_ENTRIES = 20_000


def refuse_unfolding(path: Path, most: int) -> None:
    """Refuse a file that unfolds to more than ``most`` bytes (gzip, and ZIP such as spreadsheets) or cells (Parquet).

    What a file says of itself need not be true: gzip and ZIP are unfolded here, piece by piece, and thrown away. Other packed
    formats are bounded where they are read, by the memory of a worker.
    """
    with path.open("rb") as file:
        begins = file.read(4)
    if begins[:2] == b"\x1f\x8b":
        _gzip(path, most)
    elif begins == b"PK\x03\x04":
        _zip(path, most)
    elif begins == b"PAR1":
        _parquet(path, most)


def _too_much(most: int) -> BadRequest:
    return BadRequest(f"unfolds to more than {most:,} bytes", parameter="file")


def _gzip(path: Path, most: int) -> None:
    size, unpacked = 0, zlib.decompressobj(31)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            while piece:
                try:
                    size += len(unpacked.decompress(piece, _PIECE))
                except zlib.error:
                    return  # whoever reads it says what is wrong
                if size > most:
                    raise _too_much(most)
                piece = unpacked.unconsumed_tail or unpacked.unused_data
                if unpacked.eof:  # several may stand one after the other
                    unpacked = zlib.decompressobj(31)


def _zip(path: Path, most: int) -> None:
    size = 0
    try:
        with ZipFile(path) as packed:
            entries = packed.infolist()
            if len(entries) > _ENTRIES or sum(entry.file_size for entry in entries) > most:
                raise _too_much(most)
            for entry in entries:
                with packed.open(entry) as file:  # a size that is not true ends in an error
                    while piece := file.read(_PIECE):
                        size += len(piece)
                        if size > most:
                            raise _too_much(most)
    except (BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError, OSError, ValueError) as error:
        raise BadRequest(f"cannot be unpacked ({type(error).__name__})", parameter="file") from None


def _parquet(path: Path, most: int) -> None:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        return  # then nobody can read it
    try:
        told = parquet.read_metadata(path)
    except (arrow.ArrowException, OSError):
        return
    bytes_ = sum(told.row_group(at).total_byte_size for at in range(told.num_row_groups))
    if max(told.num_rows * told.num_columns, bytes_) > most:
        raise _too_much(most)
