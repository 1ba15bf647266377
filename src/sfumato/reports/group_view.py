"""How many records look alike: group sizes in classes 1, 2, 5, 10, 20, 50, ... of growing width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from markupsafe import Markup

from sfumato.contracts.certificate import Certificate
from sfumato.contracts.published import Published
from sfumato.data.frozen import frozen
from sfumato.data.messages import tell
from sfumato.data.schema import Role
from sfumato.kernels.arrays import Ints
from sfumato.reports.charts import Bar, columns
from sfumato.reports.words import by_size, listing, number, percent

__all__ = ["GroupView", "SizeClass", "group_views", "protected", "size_classes", "view_of_sizes"]

_VIEWS = 6


@frozen
class SizeClass:
    """Groups of ``low`` to ``high`` records: how many there are and how many records they hold."""

    low: int
    high: int
    groups: int
    records: int

    @property
    def label(self) -> str:
        """The sizes in words."""
        return number(self.low) if self.low == self.high else f"{number(self.low)}–{number(self.high)}"


@frozen
class GroupView:
    """The groups over one set of columns: a drawing and the table behind it."""

    columns: str
    groups: int
    smallest: int
    largest: int
    median: str
    drawing: Markup
    rows: Sequence[tuple[str, str, str, str]]


def size_classes(sizes: Ints) -> list[SizeClass]:
    """Sort groups into classes of size; the first begins at the smallest size, the last ends at the largest.

    >>> [(c.label, c.groups, c.records) for c in size_classes(np.array([7, 8, 31]))]
    [('7–9', 2, 15), ('10–19', 0, 0), ('20–31', 1, 31)]
    """
    if len(sizes) == 0:
        return []
    smallest, largest = int(sizes.min()), int(sizes.max())
    out = []
    low = 1
    for edge in _edges():
        if edge > smallest:
            begin, end = max(low, smallest), min(edge - 1, largest)
            inside = (sizes >= begin) & (sizes <= end)
            out.append(SizeClass(begin, end, int(inside.sum()), int(sizes[inside].sum())))
        low = edge
        if low > largest:
            break
    return out


def protected(release: Published) -> tuple[str, ...]:
    """Return the published columns that have the role quasi-identifier."""
    return tuple(name for name, role in release.roles.items() if role is Role.QUASI_IDENTIFIER)


def group_views(release: Published, certificate: Certificate, *, public: bool = False) -> list[GroupView]:
    """Return the groups over every set of columns that a requirement names, each once, and over all of them together.

    A ``public`` page shows no groups but those whose size a requirement bounds.
    """
    entries = [entry for entry in certificate.requirements if not public or by_size(entry)]
    # A requirement on a join names columns of other releases as well: its groups are not those of this table.
    own = [entry for entry in entries if {*entry.quasi_identifier} <= {*release.table.columns}]
    named = dict.fromkeys(tuple(entry.quasi_identifier) for entry in own)
    views = [_view(release, names, f"g{index + 1}", listing(names)) for index, names in enumerate(list(named)[:_VIEWS])]
    if public:
        return views
    everything = protected(release)
    if not any(set(names) >= set(everything) for names in named):
        views.append(_view(release, everything, "g0", tell("page.groups.all", count=len(everything))))
    return views


def _view(release: Published, names: tuple[str, ...], key: str, title: str) -> GroupView:
    return view_of_sizes(release.table.groups(names).sizes, key, title)


def view_of_sizes(sizes: Ints, key: str, title: str) -> GroupView:
    """Return the groups of these sizes; ``title`` says over what they are made."""
    classes = size_classes(sizes)
    records, groups = int(sizes.sum()), len(sizes)
    drawn = [Bar(part.label, part.records, "bar", tell("page.groups.count", count=part.groups)) for part in classes]
    return GroupView(
        columns=title,
        groups=groups,
        smallest=int(sizes.min()) if groups else 0,
        largest=int(sizes.max()) if groups else 0,
        median=number(float(np.median(sizes))) if groups else "–",
        drawing=columns(f"{key}-sizes", tell("page.groups.title", columns=title), drawn),
        rows=[
            (part.label, number(part.groups), number(part.records), percent(part.records, records)) for part in classes
        ],
    )


def _edges() -> Iterator[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10
