"""Counts and sums by cell, with the cells left empty that would tell too much about a contributor."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sfumato.contracts.certificate import AlgorithmEntry
from sfumato.contracts.columns import check_columns
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import MadeFacts
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.models.dominance_rule import DominanceRule
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.query_size_overlap_control import QueryLog, QuerySizeOverlapControl
from sfumato.releases.statistical_table import StatisticalTable, complementary, lonely_lines
from sfumato.tables.build import given_release
from sfumato.tables.open import open_table

__all__ = ["tabulate"]

DOMINATED = "is made up mostly of its largest contributions"
HIDING = "is left out to hide another cell"


def tabulate(
    source: object,
    by: str | Sequence[str],
    *,
    sum: str | None = None,  # noqa: A002
    dominance: tuple[int, float] | None = (2, 80.0),
    min_size: int | None = None,
    overlap: int | None = None,
    log: str | Path | QueryLog | None = None,
    complement: str = "warn",
    engine: str | Mapping[str, object] | None = None,
    run: Run | None = None,
) -> Release:
    """Return the counts (and the sums of a column) for each combination of some columns, as a certified release.

    Cells are left empty whose ``n`` largest contributions make up more than ``k`` percent of the sum (``dominance=(n,
    k)``, for sums only), that have fewer than ``min_size`` records or leave out fewer than that of all records, or that
    share more than ``overlap`` records with a cell of an earlier table in the ``log``. The log is a file (or a
    :class:`QueryLog`) that names records by row: it must stay, and always belongs to the same table. With
    ``complement="suppress"`` further cells are emptied so that no line of cells has exactly one empty cell; with
    ``warn`` a note says how many have.

    >>> rows = {"area": ["n", "n", "n", "s", "s"], "pay": [10, 12, 9, 90, 4]}
    >>> made = tabulate(rows, "area", sum="pay")
    >>> made.table.to_rows()
    [('n', 3, 31), ('s', None, None)]
    >>> made.private.facts["suppressed"]
    {'dominance': 1}
    """
    run = Run.of(run)
    table = open_table(source, engine=engine, run=run)
    names = (by,) if isinstance(by, str) else tuple(by)
    check_columns(table, "by", names)
    check_columns(table, "sum", () if sum is None else (sum,))
    if table.rows == 0:
        raise BadRequest("has no record", parameter="source")
    if sum is not None and sum in names:
        raise BadRequest("is one of the columns that make the cells", parameter="sum", value=sum)
    dominance = None if sum is None else dominance
    if dominance is None and min_size is None:
        raise BadRequest("needs a rule: dominance for sums, min_size for counts", parameter="min_size")
    if overlap is not None and (min_size is None or log is None):
        raise BadRequest("needs min_size, and a log of earlier tables", parameter="overlap", value=overlap)
    run.stage("counting")
    groups = table.groups(names, [] if sum is None else [sum])
    keys = [groups.key(at) for at in range(len(groups))]
    rows = _rows(table, names, keys)
    why: dict[int, str] = {}
    if dominance is not None and sum is not None:
        rule = DominanceRule(n=dominance[0], k=dominance[1], sensitive=sum)
        shares = rule.measure(groups)
        why = dict.fromkeys(np.flatnonzero(~rule.bound().holds(shares)).tolist(), "dominance")
    book = _open(log, min_size, overlap, table.rows)
    before = 0 if book is None else len(book.entries)
    if book is not None:
        for at, key in enumerate(keys):
            question = f"{sum or 'count'} of " + ", ".join(f"{n} {to_text(v)}" for n, v in zip(names, key, strict=True))
            answered = book.ask(rows[at], question, refused=DOMINATED if at in why else None)
            if not answered and at not in why:
                why[at] = "overlap" if "shares" in str(book.entries[-1].refused) else "size"
    hidden = np.zeros(len(keys), bool)
    hidden[list(why)] = True
    alone = lonely_lines(keys, hidden)
    if complement == "suppress":
        weights = groups.sizes.tolist()
        more = complementary(keys, hidden, weights)
        for at in np.flatnonzero(more & ~hidden).tolist():
            why[at] = "complement"
            if book is not None:
                book.entries[before + at] = replace(book.entries[before + at], refused=HIDING)
        hidden = more
    run.stage("certifying")
    built = StatisticalTable.build(
        table,
        names,
        total=sum,
        suppressed=hidden,
        least=min_size,
        n=None if dominance is None else dominance[0],
        k=None if dominance is None else dominance[1],
        complement=complement,
    )
    warnings = []
    if alone and complement == "warn":
        warnings.append(say("warning.alone_in_line", alone=alone))
    if hidden.any():
        warnings.append(say("warning.empty_cells"))
    made = given_release(
        built,
        [] if min_size is None else [KAnonymity(k=min_size)],
        algorithm=AlgorithmEntry("tabulate", False, "no search"),
        # The number of records is the total of all lines.
        counts={"rows_published": len(keys)},
        dropped_columns=len(table.columns) - len(names) - (sum is not None),
        facts=MadeFacts(suppressed=_counted(why)),
        warnings=warnings,
    )
    if book is not None and isinstance(log, (str, Path)):
        Path(log).write_text(json.dumps(book.document()) + "\n", encoding="utf-8")
    return made


def _rows(table: Table, names: tuple[str, ...], keys: Sequence[tuple[object, ...]]) -> list[list[int]]:
    """Return the rows of each cell."""
    place = {key: at for at, key in enumerate(keys)}
    out: list[list[int]] = [[] for _ in keys]
    for at, row in enumerate(table.select(names).to_rows()):
        out[place[row]].append(at)
    return out


def _open(log: str | Path | QueryLog | None, min_size: int | None, overlap: int | None, rows: int) -> QueryLog | None:
    """Return the log to ask, with the rule of this table; refuse one of another table."""
    if min_size is None:
        if log is not None:
            raise BadRequest("needs min_size", parameter="log")
        return None
    rule = QuerySizeOverlapControl(m=min_size, r=overlap)
    if isinstance(log, QueryLog):
        book = log
    elif log is not None and Path(log).exists():
        try:
            book = QueryLog.from_document(json.loads(Path(log).read_text(encoding="utf-8")))
        except ValueError:
            raise BadRequest("is not a log of queries", parameter="log", value=str(log)) from None
    else:
        return rule.log(rows)
    if book.rows != rows:
        raise BadRequest(
            f"belongs to a table of {book.rows:,} records, this one has {rows:,}", parameter="log", value=str(log)
        )
    book.rule = rule
    return book


def _counted(why: dict[int, str]) -> dict[str, int]:
    return {reason: list(why.values()).count(reason) for reason in sorted(set(why.values()))}
