"""Larger tables with the shape of a smaller one, to measure how time grows with rows.

Every record is kept and joined by variations of itself, in which some attributes take random values of their domain.
Two ways to choose them: the number of attributes is drawn anew for each variation, uniformly from 1 to all of them
(Fung, Wang, Yu: Anonymizing Classification Data for Privacy Preservation, TKDE 19(5), 2007, Section V-C), or it is fixed,
the novelty factor rho (Wang, Yu, Chakraborty: Bottom-Up Generalization, ICDM 2004, Section 6.2).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.data.tree import Tree
from sfumato.datasets.dataset import Column, Dataset
from sfumato.errors import BadRequest

__all__ = ["blow_up", "blow_up_codes"]

Style = Literal["tdr", "bug"]
Whole = TypeVar("Whole", bound=np.integer)
STYLES = ("tdr", "bug")


def blow_up_codes(
    codes: npt.NDArray[Whole],
    domain_sizes: Sequence[int],
    *,
    rng: np.random.Generator,
    factor: int | None = None,
    rows: int | None = None,
    columns: Sequence[int] | None = None,
    style: Style = "tdr",
    rho: int = 3,
) -> npt.NDArray[Whole]:
    """Return the integer-coded table with variations appended; the first ``n`` rows are the originals.

    Parameters
    ----------
    codes
        ``n x m`` codes; column ``j`` holds numbers from 0 to ``domain_sizes[j] - 1``.
    domain_sizes
        Number of values of each column.
    rng
        Source of randomness.
    factor, rows
        How large the result is, in one of two ways: ``factor * n`` rows, or exactly ``rows`` rows.
    columns
        Positions of the columns that may vary; all by default.
    style
        ``"tdr"``: the number of varied columns is uniform on 1 to all; ``"bug"``: it is ``rho``.
    rho
        The novelty factor of ``"bug"``.

    Notes
    -----
    A random value may equal the one it replaces, so a variation can differ in fewer columns than were chosen.
    Cost: one pass per column.
    """
    if codes.ndim != 2 or codes.shape[1] != len(domain_sizes):
        raise BadRequest(
            "must be a table with one column for each domain size", parameter="codes", value=list(codes.shape)
        )
    n, width = codes.shape
    varied = list(range(width)) if columns is None else list(columns)
    total = _total(n, factor, rows)
    _check_columns(varied, width)
    if style not in STYLES:
        raise BadRequest("is not a known choice", parameter="style", value=style, available=STYLES)
    if style == "bug" and not 1 <= rho <= len(varied):
        raise BadRequest(f"must be from 1 to the {len(varied)} columns that vary", parameter="rho", value=rho)

    out = np.resize(np.arange(n), total)
    enlarged = codes[out]
    extra = total - n
    wanted = rng.integers(1, len(varied) + 1, extra) if style == "tdr" else np.full(extra, rho, np.int64)
    # Selection sampling: column by column, take with (still wanted) / (still to come); every subset is equally likely.
    for position, column in enumerate(varied):
        chosen = np.flatnonzero(rng.random(extra) * (len(varied) - position) < wanted)
        wanted[chosen] -= 1
        enlarged[n + chosen, column] = rng.integers(0, domain_sizes[column], len(chosen))
    return enlarged


def blow_up(
    dataset: Dataset,
    *,
    rng: np.random.Generator,
    factor: int | None = None,
    rows: int | None = None,
    columns: Sequence[str] | None = None,
    style: Style = "tdr",
    rho: int = 3,
) -> Dataset:
    """Return the dataset with variations appended; see :func:`blow_up_codes` for the parameters.

    The domain of a column is the leaves of its taxonomy, or the values that occur. Other columns than ``columns`` (by
    default all) are copied from the original record. A training part is not kept.
    """
    varied = list(dataset.columns) if columns is None else list(columns)
    coded = [_encode(dataset, column) for column in varied]
    # One more column carries the number of the original record, for the columns that do not vary.
    matrix = np.column_stack([*(codes for _, codes in coded), np.arange(len(dataset), dtype=np.int32)])
    sizes = [*(len(domain) for domain, _ in coded), max(len(dataset), 1)]
    enlarged = blow_up_codes(
        matrix, sizes, rng=rng, factor=factor, rows=rows, columns=range(len(varied)), style=style, rho=rho
    )
    origin = enlarged[:, -1]
    data: dict[str, Column] = {}
    for column, values in dataset.data.items():
        if column in varied:
            place = varied.index(column)
            data[column] = coded[place][0][enlarged[:, place]]
        else:
            data[column] = (values if isinstance(values, np.ndarray) else _objects(values))[origin]
    return replace(dataset, data=data, train=None, source=f"{dataset.source}; enlarged to {len(origin)} rows ({style})")


def _total(n: int, factor: int | None, rows: int | None) -> int:
    if (factor is None) == (rows is None):
        raise BadRequest("give either factor or rows", parameter="factor, rows", value=[str(factor), str(rows)])
    if n == 0:
        raise BadRequest("must have at least one row", parameter="codes", value=0)
    total = n * factor if factor is not None else int(rows or 0)
    if total < n:
        raise BadRequest(
            "must keep all original rows" if factor is None else "must be at least 1",
            parameter="rows" if factor is None else "factor",
            value=rows if factor is None else factor,
        )
    return total


def _check_columns(varied: Sequence[int], width: int) -> None:
    wrong = [column for column in varied if not 0 <= column < width]
    if wrong or not varied or len(set(varied)) < len(varied):
        raise BadRequest(
            "must name different columns of the table", parameter="columns", value=list(varied), available=range(width)
        )


def _narrow(domain: Sequence[Hashable]) -> npt.NDArray[np.generic]:
    """Return whole numbers and floats as such, anything else as objects."""
    kinds = {type(value) for value in domain}
    return np.array(domain) if len(kinds) == 1 and kinds <= {int, float} else _objects(domain)


def _objects(values: Sequence[Hashable]) -> npt.NDArray[np.object_]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _encode(dataset: Dataset, column: str) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.int32]]:
    """Return the domain of a column as an array and the position of each record's value in it."""
    values = dataset.values(column)
    domain: list[Any] = sorted(set(values), key=lambda value: (value is None, str(type(value)), value))
    if column in dataset.taxonomies:
        leaves = Tree.from_nested(dataset.taxonomies[column], column=column).leaves
        # A tree over texts says nothing about a column of numbers; then the values that occur are the domain.
        if set(domain) <= set(leaves):
            domain = list(leaves)
    position = {value: number for number, value in enumerate(domain)}
    return _narrow(domain), np.fromiter((position[value] for value in values), np.int32, len(values))
