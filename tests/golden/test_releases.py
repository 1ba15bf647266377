"""Release kinds against worked examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.data.schema import ColumnType
from sfumato.releases import AnatomyPair
from sfumato.utility.queries import Among, CountQuery, GroupedCounter, RawCounter, RecodedCounter


def test_anatomization(golden: Callable[..., Any]) -> None:
    with golden("02-anatomization-1") as file:
        given = file.input
        table = file.table()
        made = AnatomyPair.build(table, given["groups"], given["qid"], given["sensitive"], np.random.default_rng(3))
        # The order inside a group is drawn, so rows are compared sorted; groups come in the order of their numbers.
        for name in ("qit", "st"):
            part = made.tables[name]
            at = part.columns.index("GroupID")
            rows = sorted(part.to_rows(), key=lambda row, at=at: (row[at], row))
            file.compare({"columns": part.columns, "rows": [list(row) for row in rows]}, name.upper())
        guarantee = made.guarantee()
        file.compare(guarantee["max_link_probability"], "max_link_probability")
        file.compare(guarantee["l"], "max_l")
        query = CountQuery({name: Among([value]) for name, value in given["query"].items()})
        file.compare(RawCounter(table).count(query), "query_true")
        file.compare(GroupedCounter(made.kind, made.tables).count(query), "query_anatomy")
        labels = [given["generalized_age"][str(group)] for group in given["groups"]]
        recoded = sfumato.from_rows(
            table.columns, [(label, *row[1:]) for label, row in zip(labels, table.to_rows(), strict=True)]
        )
        counter = RecodedCounter(recoded, types={"Age": ColumnType.INTEGER})
        file.compare(counter.count(query), "query_generalized")


@pytest.mark.parametrize("form", ["pair", "bucketized"])
def test_both_forms_bound_the_same(golden: Callable[..., Any], form: Any) -> None:
    """The same file by a second way: one table with shuffled values promises and estimates what the pair does."""
    file = golden("02-anatomization-1")
    given = file.input
    made = AnatomyPair.build(
        file.table(), given["groups"], given["qid"], given["sensitive"], np.random.default_rng(3), form=form
    )
    file.compare(made.guarantee()["max_link_probability"], "max_link_probability")
    query = CountQuery({name: Among([value]) for name, value in given["query"].items()})
    file.compare(GroupedCounter(made.kind, made.tables).count(query), "query_anatomy")
