"""Groups given by hand: a column of labels or a label for each record becomes a number for each record."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import numpy as np

from sfumato.contracts.columns import arrow_of
from sfumato.contracts.engine import Table
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints

__all__ = ["by_number", "numbered_groups", "refuse_missing_groups"]


def numbered_groups(
    table: Table, groups: str | Iterable[Hashable], rng: np.random.Generator
) -> tuple[Ints, dict[Hashable, int]]:
    """Return a group number for each record, and which label became which number.

    Numbers without gaps from 0 or 1 stay as they are. Anything else may tell something by itself, or by its order, and
    is numbered in an order drawn at random.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Ward"], [("B",), ("A",), ("B",)])
    >>> numbers, labels = numbered_groups(table, "Ward", np.random.default_rng(7))
    >>> numbers.tolist() == [labels["B"], labels["A"], labels["B"]], sorted(labels.values())
    (True, [1, 2])
    """
    if isinstance(groups, str):
        refuse_missing_groups(table, groups)
        labels = arrow_of(table, [groups]).column(groups).to_pylist()
    else:
        labels = [label.item() if isinstance(label, np.generic) else label for label in groups]
    if len(labels) != table.rows:
        raise BadRequest(
            f"needs one label for each of the {table.rows:,} records", parameter="groups", value=len(labels)
        )
    if any(label is None for label in labels):
        raise BadRequest("a record has no group", parameter="groups")
    try:
        # Labels are put into an order of their own first, so that the numbers do not depend on that of the records.
        known = sorted(set(labels), key=lambda label: (type(label).__name__, label))
    except TypeError:
        raise BadRequest("labels must be numbers, texts or dates", parameter="groups") from None
    whole = all(isinstance(label, int) and not isinstance(label, bool) for label in known)
    if whole and known in (list(range(len(known))), list(range(1, len(known) + 1))):
        return np.array(labels, np.int64), {label: label for label in known}
    number = dict(zip(known, (rng.permutation(len(known)) + 1).tolist(), strict=True))
    return np.array([number[label] for label in labels], np.int64), number


def refuse_missing_groups(table: Table, column: str) -> None:
    """Refuse records that have no group."""
    count = table.missing()[column]
    if count:
        raise BadRequest(
            f"{count:,} {'records have' if count > 1 else 'record has'} no group", column=column, parameter="groups"
        )


def by_number(name: str, given: object, labels: Mapping[Hashable, int]) -> dict[int, object]:
    """Return what was given for each label, such as its box, by number."""
    if not isinstance(given, Mapping):
        raise BadRequest("must be given by group", parameter=name)
    lacking = sum(label not in given for label in labels)
    if lacking:
        raise BadRequest(f"must be given for every group; {lacking:,} of {len(labels):,} have none", parameter=name)
    out = {number: given[label] for label, number in labels.items()}
    if name == "boxes" and not all(_is_box(box) for box in out.values()):
        raise BadRequest("must give (from, to) for every column", parameter=name)
    return out


def _is_box(box: object) -> bool:
    sides = box if isinstance(box, (list, tuple)) else [None]
    return all(
        isinstance(side, (list, tuple)) and all(isinstance(edge, (int, float)) for edge in side) for side in sides
    )
