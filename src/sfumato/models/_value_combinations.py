"""Combinations of published values: the groups that a set of attributes makes, refined one attribute at a time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sfumato.contracts.model import TableModel
from sfumato.contracts.publication import Publication
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Ints

__all__ = ["coded_keys", "distinct_keys", "groups_of", "refined", "refuse_protected", "whole_persons"]


def coded_keys(groups: GroupStats) -> tuple[Ints, list[list[Hashable]]]:
    """Return ``groups x columns`` codes of the published values, and the values that the codes of each column stand for."""
    codes = np.zeros((len(groups), len(groups.columns)), np.int64)
    values: list[list[Hashable]] = []
    for at, keys in enumerate(groups.keys):
        if isinstance(keys, CodedKeys):
            present, place = np.unique(keys.codes, return_inverse=True)
            codes[:, at] = place.reshape(-1)
            values.append([None if code < 0 else keys.values[code] for code in present])
        else:
            number: dict[Hashable, int] = {}
            codes[:, at] = [number.setdefault(key, len(number)) for key in keys]
            values.append(list(number))
    return codes, values


def refined(ids: Ints, codes: Ints) -> tuple[Ints, int]:
    """Split groups by one more attribute; return the new group numbers, without gaps, and how many there are."""
    width = int(codes.max()) + 1 if len(codes) else 1
    distinct, made = distinct_keys(ids * width + codes)
    return made, len(distinct)


def distinct_keys(keys: Ints) -> tuple[Ints, Ints]:
    """Return the distinct whole numbers from 0 up in order, and the place of each key among them.

    >>> [part.tolist() for part in distinct_keys(np.array([7, 2, 7]))]
    [[2, 7], [1, 0, 1]]
    """
    room = int(keys.max()) + 1 if len(keys) else 0
    if room <= 4 * len(keys) + 65_536:  # marking is much quicker than sorting unless hardly any number occurs
        seen = np.zeros(room, bool)
        seen[keys] = True
        return np.flatnonzero(seen), np.asarray((np.cumsum(seen) - 1)[keys])
    distinct, made = np.unique(keys, return_inverse=True)
    return distinct, made.reshape(-1).astype(np.int64)


def groups_of(model: TableModel, publication: Publication, histograms: Sequence[str]) -> GroupStats:
    """Return the groups on the model's quasi-identifier; refuse one that holds a column the model protects."""
    refuse_protected(model, publication, model.needs())
    return publication.groups(model.qid, histograms)


def refuse_protected(model: TableModel, publication: Publication, protected: Sequence[str]) -> None:
    """Refuse a publication whose quasi-identifier holds a protected column; a model's own was refused when it was built."""
    for name in protected:
        if model.qid is None and name in publication.qids:
            raise BadRequest(
                "is a column that the model protects and cannot be part of the quasi-identifier",
                parameter=f"{model.id}.qid",
                value=name,
                available=publication.qids,
            )


def whole_persons(groups: GroupStats, what: str) -> None:
    """Refuse sums of weights that are no whole numbers: a world hands values out to whole persons."""
    if not np.issubdtype(groups.sizes.dtype, np.integer):
        raise BadRequest(
            f"{what} looks at possible worlds of whole persons; weights must be whole", parameter="weights"
        )
