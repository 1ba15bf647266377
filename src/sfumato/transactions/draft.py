"""Looking at baskets before anybody wrote a policy: which columns they are in, and what singles people out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.commented_yaml import commented_yaml
from sfumato.data.messages import say
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.itemsets import Database, exposures
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.sources import list_columns, text_format

__all__ = ["drafted", "profiled"]

_PERSON = re.compile(
    r"person|customer|client|user|patient|member|card|owner|basket|transaction|tid|(^|_)id$", re.IGNORECASE
)
_ITEM = re.compile(r"item|article|product|good|query|diagnos|code|title|film|movie|word|tag", re.IGNORECASE)

_HEAD = """\
# Drafted from the data; every line is a proposal. Read it once, change what you know better, then run
#   sfumato anonymize DATA --policy THIS_FILE -o OUT
# Items are public: an adversary may know that a person has them. Name those that nobody should learn under `private`.
# `sfumato describe` explains every id used here.
"""

_REQUIREMENT = """\
who knows any m items of a basket finds at least k baskets
where items are private, bound what can be concluded on them, too: {id: hkp-coherence, h: 0.8, k: 5, p: 2}"""

_ALGORITHM = """\
leaves items out of all baskets until that holds; with a taxonomy of the items they can become more general instead:
items: {hierarchy: {id: taxonomy, file: items.csv}}, algorithm: {id: apriori-anonymization}
(without one: items: {fan_out: 10} makes neighbours in the order of names share a node)"""

_COLUMNS = """\
the same in all rows of a person: who knows a person may know these; give role drop to one that nobody needs"""

_MIXED = """\
masks the columns until so many persons share all of them, then the items of each such class until k persons of it have
any m items: larger classes leave more items and less of the columns"""


class _Found(NamedTuple):
    """Baskets, the columns that probably hold persons and items, and others that say the same in all rows of a person."""

    baskets: Baskets
    person: str | None = None
    item: str | None = None
    columns: tuple[str, ...] = ()


def drafted(source: object, k: int, run: Run) -> str:
    """Return a commented policy: the columns of persons and items, k^m-anonymity, suppression of items."""
    baskets, person, item, columns = _opened(source, run)
    if len(baskets) < 2:
        raise BadRequest("has fewer than two baskets, which cannot look like each other", parameter="source")
    document: dict[str, object] = {"version": 1, "shape": "transactions"}
    if person is not None:
        document["person"] = person
    if item is not None:
        document["items"] = {"column": item, "private": []}
    if columns:
        document["columns"] = {name: {"role": "quasi-identifier"} for name in columns}
    document["requirements"] = [{"id": "km-anonymity", "k": min(k, len(baskets)), "m": 2}]
    mixed: dict[str, object] = {"id": "class-by-class", "persons": min(10 * k, len(baskets))}
    document["algorithm"] = mixed if columns else {"id": "mole-suppression"}
    document["limits"] = {"lose_at_most": 1.0}
    said = {"requirements": _REQUIREMENT, "algorithm": _MIXED if columns else _ALGORITHM}
    if columns:
        said["columns"] = _COLUMNS
    said["limits"] = "largest share of item occurrences that may be left out"
    if item is not None:
        said["items"] = f"{len(baskets):,} baskets, {len(baskets.items):,} items, {len(baskets.codes):,} occurrences"
    return _HEAD + commented_yaml(document, said)


def profiled(source: object, run: Run) -> Sequence[str]:
    """Return sentences on baskets: how many, how long, how rare items are, and who is singled out by one item or two."""
    baskets = _opened(source, run).baskets
    lengths, supports = baskets.lengths, baskets.supports
    said: list[str] = [
        say("baskets.profile", baskets=len(baskets), items=len(baskets.items), occurrences=len(baskets.codes)),
        say(
            "baskets.lengths",
            mean=float(lengths.mean()) if len(lengths) else 0.0,
            longest=int(lengths.max(initial=0)),
            empty=int((lengths == 0).sum()),
        ),
        say("baskets.rare", count=int((supports == 1).sum()), few=int((supports < 5).sum())),
    ]
    run.stage("counting")
    database = Database.of(baskets.starts, baskets.codes, len(baskets.items))
    for power in (1, 2):
        alone = int(np.count_nonzero(exposures(database, power)[0] == 1))
        said.append(say("baskets.singled_out", power=power, count=alone, share=alone / max(len(baskets), 1)))
    return said


def _opened(source: object, run: Run) -> _Found:
    """Return baskets with the columns that probably hold persons and items; none where a source has no columns."""
    run.stage("reading")
    if isinstance(source, Baskets):
        return _Found(source)
    if not isinstance(source, (str, Path, Table)) and not hasattr(source, "columns"):
        return _Found(Baskets.of(source))
    if text_format(source, None) is not None or hasattr(source, "tocsr"):
        return _Found(Baskets.of(source))
    names, lists = list_columns(source)
    table = None
    if not lists:
        table = source if isinstance(source, Table) else read(source)
        names = list(table.columns)
    person = next((name for name in names if _PERSON.search(name) and name not in lists), None)
    item = next(iter(lists), None) or next((name for name in names if _ITEM.search(name) and name != person), None)
    person = person or next((name for name in names if name != item), None)
    if item is None and table is not None and person is not None:  # what changes from row to row of a person
        item = next((name for name in names if table.distinct([person, name]) > table.distinct([person])), None)
    item = item or next((name for name in names if name != person), None)
    if item is None or (person is None and not lists):
        raise BadRequest("needs a column of persons and a column of items", parameter="source", available=names)
    made = Baskets.of(source if table is None else table, person=person, item=item)
    further = () if table is None or person is None else _constant(table, person, [one for one in names if one != item])
    return _Found(made, person, item, further)


def _constant(table: Table, person: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that say the same in all rows of a person, without a second name of persons."""
    persons = table.distinct([person])
    return tuple(
        name
        for name in columns
        if name != person and table.distinct([person, name]) == persons and table.distinct([name]) <= persons / 2
    )
