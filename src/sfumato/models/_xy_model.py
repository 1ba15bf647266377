"""What the (X,Y) models share: X is the quasi-identifier, Y a set of columns whose combinations are counted together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sfumato.contracts.model import GroupModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import columns, param
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.models.sensitive_model import checked_histogram

__all__ = ["XYModel", "joint_groups", "joint_name"]


class XYModel(GroupModel):
    """A requirement on how values of X go together with values of Y; X is ``qid``, disjoint from Y."""

    y: tuple[str, ...] = columns(
        "any", doc="columns whose combined values are counted (Y); not part of X, which is qid"
    )
    missing: str = param(
        default="refuse",
        choices=("refuse", "count"),
        doc="what to do with missing values in Y: refuse the table, or count missing as a value of its own",
    )

    def validate(self) -> None:
        """Refuse an empty or repeating Y, and one that overlaps X."""
        if not self.y:
            raise BadRequest("must name at least one column", parameter=f"{self.id}.y")
        if len(set(self.y)) != len(self.y):
            raise BadRequest("names a column twice", parameter=f"{self.id}.y", value=self.y)
        self._refuse_overlap(self.qid or ())
        super().validate()

    def _refuse_overlap(self, x: Sequence[str]) -> None:
        shared = [name for name in self.y if name in x]
        if shared:
            raise BadRequest("X and Y must not share a column", parameter=f"{self.id}.y", value=shared[0], available=x)

    def needs(self) -> tuple[str, ...]:
        """Return Y."""
        return self.y

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the groups on X; several columns of Y are counted together."""
        x = publication.qids if self.qid is None else self.qid
        self._refuse_overlap(x)
        if publication.explicit is not None or len(self.y) == 1:
            return self.check(publication.groups(self.qid, [joint_name(self.y)]), worst=worst)
        return self.check(joint_groups(publication, self.qid, self.y), worst=worst)

    def histogram(self, groups: GroupStats) -> Histogram:
        """Return the counts of the combined values of Y in each group."""
        name = joint_name(self.y)
        if name not in groups.histograms and len(self.y) > 1 and all(part in groups.histograms for part in self.y):
            raise Unsupported(
                f"{self.id} counts the columns {', '.join(self.y)} together, and these groups hold one count for each",
                thing=self.id,
                alternatives=["one column that combines them", "a check of the table"],
            )
        return checked_histogram(groups, name, self.missing)


def joint_name(names: Sequence[str]) -> str:
    """Return how the histogram of several columns together is called: the column itself if it is one.

    >>> joint_name(["Disease"]), joint_name(["Disease", "Drug"])
    ('Disease', 'Disease × Drug')
    """
    return " × ".join(names)


def joint_groups(publication: Publication, x: Sequence[str] | None, y: Sequence[str]) -> GroupStats:
    """Return the groups on X with one histogram over the combinations of values of Y, named by :func:`joint_name`."""
    groups = publication.groups(x)
    width = len(groups.columns)
    cells = publication.groups([*groups.columns, *y])
    place = {key: group for group, key in enumerate(zip(*groups.keys, strict=True))}
    number: dict[tuple[Hashable, ...], int] = {}
    group = np.empty(len(cells), np.int64)
    code = np.empty(len(cells), np.int64)
    for cell, key in enumerate(zip(*cells.keys, strict=True)):
        group[cell] = place[key[:width]]
        code[cell] = number.setdefault(key[width:], len(number))
    histogram = Histogram.from_pairs(len(groups), list(number), group, code, cells.sizes)
    return GroupStats(groups.columns, groups.keys, groups.sizes, {joint_name(y): histogram})
