"""Proposals: a hierarchy for a column nobody wrote one for, to start from and to change."""

from __future__ import annotations

from sfumato.catalogue import TABLE, things
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType

__all__ = ["propose"]


def propose(dictionary: Dictionary, type: ColumnType, *, fewest: int = 3) -> HierarchyBuilder | None:  # noqa: A002
    """Return a builder that fits the values of a column, or ``None`` where only the root can stand above them.

    - integers and numbers: about 20 intervals of a round width (1, 2 or 5 times a power of ten; at least 2 for
      integers), joined to the next round widths; the range is widened to multiples of the widest interval, so that the
      smallest and the largest value do not show;
    - dates and datetimes: day, month, year, decade;
    - texts that are all digits of one length, at least 3 (postal codes, for example): redaction from the right;
    - other texts: the values with fewer than 1 % of the records (and at least with fewer than 2 records) share the
      label ``other``, if there are two or more of them and one value is left;
    - truth values, columns with fewer than ``fewest`` distinct values, and numbers that one such interval holds: nothing.

    Examples
    --------
    >>> import numpy as np
    >>> ages = Dictionary("age", (17, 38, 90), np.array([5, 9, 1]))
    >>> propose(ages, ColumnType.INTEGER).path(38)
    ('38', '[35-40)', '[30-40)', '[0-50)', '*')
    """
    if len(dictionary) < fewest:
        return None
    builders = [thing for thing in things("hierarchy", TABLE) if issubclass(thing, HierarchyBuilder)]
    offers = (
        builder.proposed(dictionary, type) for builder in sorted(builders, key=lambda builder: builder.last_resort)
    )
    return next((offer for offer in offers if offer is not None), None)
