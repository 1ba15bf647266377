"""SPSS, Stata and SAS files into Arrow tables with pyreadstat: codes become labels, declared missing codes are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sfumato.contracts.engine import SourceOptions
from sfumato.engines.sources import Source, named_columns
from sfumato.errors import BadRequest, Unsupported

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_statistical"]

_READERS = {
    ".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}  # fmt: skip
_FIRST = {"spss": "read_sav", "stata": "read_dta", "sas": "read_sas7bdat"}


def read_statistical(source: Source, options: SourceOptions) -> pa.Table:
    """Return the rows of a file of a statistics program.

    Values that the file declares as missing are missing. A column in which every value has a label is read as these labels;
    one in which some have none keeps its codes, as labels then only explain single values of a scale.
    """
    try:
        import pyreadstat
    except ImportError:
        raise Unsupported(
            "reading SPSS, Stata and SAS needs the extra 'stats' (pip install 'sfumato[stats]')", thing=source.format
        ) from None
    import pyarrow as pa

    reader = getattr(pyreadstat, _READERS.get(source.file.suffix.lower(), _FIRST[source.format]))
    try:
        columns, about = reader(str(source.file), output_format="dict")
    except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, UnicodeDecodeError, ValueError) as error:
        # The texts of these errors may quote values; the kind of error is all that is told.
        raise BadRequest(f"cannot be read as {source.format} ({type(error).__name__})", where=source.where) from None
    header = named_columns(list(columns), source.where, options)
    labels: Mapping[str, Mapping[object, str]] = about.variable_value_labels
    if not header or not len(next(iter(columns.values()))):
        raise BadRequest("has no rows", where=source.where)
    out = [_column(list(values), labels.get(name, {})) for name, values in columns.items()]
    return pa.table(dict(zip(header, out, strict=True)))


def _column(values: Sequence[object], labels: Mapping[object, str]) -> pa.Array:
    """Return one column: by labels if all its values have one, else as dates, whole numbers, numbers or texts."""
    import pyarrow as pa

    known = [None if value is None or value != value or value == "" else value for value in values]
    held = {value for value in known if value is not None}
    if held and held <= labels.keys() and len({labels[value] for value in held}) == len(held):
        return pa.array([None if value is None else labels[value] for value in known], pa.string())
    if held and all(isinstance(value, float) and value.is_integer() and abs(value) < 2**53 for value in held):
        return pa.array([None if value is None else int(value) for value in known], pa.int64())  # type: ignore[call-overload]
    try:
        return pa.array(known) if held else pa.array(known, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in known], pa.string())
