"""Rows by what they become on a level of each column, each known by one of its values: fewer, and enough for all above."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from sfumato.contracts.algorithm import Attribute
from sfumato.contracts.engine import Table
from sfumato.contracts.table_checks import compressed
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.kernels.arrays import Codes
from sfumato.recodings.full_domain_generalization import FullDomainGeneralization
from sfumato.tables.recode import recode_table

__all__ = ["coarse_rows", "coarse_table"]


def coarse_table(table: Table, attributes: Sequence[Attribute], start: Mapping[str, int]) -> Table:
    """Return a table with the labels of a level in some columns."""
    return recode_table(table, {one.name: _at(one, start) for one in attributes if one.name in start}).table


def coarse_rows(
    table: Table,
    attributes: Sequence[Attribute],
    start: Mapping[str, int],
    extra: Sequence[str],
    known: Mapping[str, Dictionary],
) -> CompressedTable:
    """Return the distinct rows at some levels, each by the first value that becomes what it shows; dictionaries count all."""
    names, coarse = [one.name for one in attributes], coarse_table(table, attributes, start)
    found = coarse.compress(names, extra, {name: held for name, held in known.items() if name not in start})
    codes = dict(zip(names, found.codes.T, strict=True)) | dict(zip(extra, found.extra_codes.T, strict=True))
    for one in attributes:
        if one.name in start:
            shown = coarse.dictionary(one.name).values
            codes[one.name] = _first(_at(one, start), known[one.name], shown)[codes[one.name]]
    return compressed(names, extra, codes, found.weights, known)


def _at(attribute: Attribute, start: Mapping[str, int]) -> FullDomainGeneralization:
    assert attribute.tree is not None
    return FullDomainGeneralization(tree=attribute.tree, hierarchy=attribute.builder, level=start[attribute.name])


def _first(recoding: FullDomainGeneralization, known: Dictionary, shown: Sequence[Hashable]) -> Codes:
    """Return the code of the first value that becomes each of the labels."""
    first: dict[Hashable, int] = {}
    for code, label in enumerate(recoding.map(known.values, column=known.column).labels):
        first.setdefault(label, code)
    return np.array([first[label] for label in shown], np.int32)
