"""Pictures of published tables: how many persons look alike, how many rows they have, how much of each column is left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.contracts.picture import Bars, Picture
from sfumato.data.messages import say
from sfumato.data.text import SUPPRESSED
from sfumato.databases.database import Database

__all__ = ["pictures_of"]

_MOST = 12  # bars of one kind


def pictures_of(database: Database) -> Sequence[Picture]:
    """Return what the published tables show, to whoever has them."""
    if not database.persons:
        return ()
    forms = database.forms()
    crowds = np.bincount(np.bincount(forms)[forms])
    sizes = np.flatnonzero(crowds)
    found: list[Picture] = [
        Bars(
            title=say("database.crowd_title"),
            caption=say("database.crowd_caption"),
            labels=[str(size) for size in sizes[:_MOST].tolist()],
            after=[float(crowds[size]) for size in sizes[:_MOST].tolist()],
        )
    ]
    labels, counts = [], []
    for name in database.order()[1:]:
        many = np.bincount(np.bincount(database.owners(name), minlength=database.persons))
        for count, persons in enumerate(many[:_MOST].tolist()):
            more = count == _MOST - 1 and len(many) > _MOST
            labels.append(say("database.rows_more" if more else "database.rows_of", count=count, table=name))
            counts.append(float(many[count:].sum() if more else persons))
    if labels:
        found.append(
            Bars(title=say("database.rows_title"), caption=say("database.rows_caption"), labels=labels, after=counts)
        )
    left = {}
    for name, columns in database.known.items():
        for column in columns:
            dictionary = database.tables[name].dictionary(column)
            hidden = sum(
                int(count)
                for value, count in zip(dictionary.values, dictionary.counts, strict=True)
                if value == SUPPRESSED
            )
            left[f"{name}.{column}"] = 1 - hidden / max(database.tables[name].rows, 1)
    if left:
        found.append(
            Bars(
                title=say("database.left_title"),
                caption=say("database.left_caption"),
                labels=list(left),
                after=list(left.values()),
            )
        )
    return found
