"""How exposed each record is to somebody who knows a few of its items: the best ones there are."""

from __future__ import annotations

import numpy as np

from sfumato.itemsets.database import Database
from sfumato.itemsets.twins import Twins
from sfumato.itemsets.violations import extensions, grown_level, shared, single_items
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["exposures"]


def exposures(database: Database, most: int) -> tuple[Ints, Floats]:
    """Return for each record the smallest support of a set of at most ``most`` of its items, and the surest secret of one.

    A record without items is like every record: whoever knows nothing of it finds all. The second is the largest share of one
    secret among the records that hold such a set.
    """
    rows, secrets = Twins.of(database, most).database.items, database.secrets
    rarest = np.full(len(rows), len(rows), np.int64)
    surest = np.zeros(len(rows))
    level = single_items(rows)
    for size in range(1, most + 1):
        supports = np.diff(level.starts)
        owners = rows.owners[level.places]
        np.minimum.at(rarest, owners, np.repeat(supports, supports))
        if secrets.width:
            sharing, _ = shared(rows, secrets, level, np.ones(len(supports), np.bool_))
            np.maximum.at(surest, owners, np.repeat(sharing / supports, supports))
        if size == most or not len(level.last):
            break
        if size == 1:
            # Who is alone by one item cannot be more exposed: items that nobody else has lead nowhere, and may be very many.
            settled = (rarest == 1) & ((surest == 1) | (secrets.width == 0))
            rows = rows.taken(np.unique(rows.codes[~settled[rows.owners]]))
            level = single_items(rows)
            if not len(level.last):
                break
        grown, counted = extensions(rows, level, [], minimal=False)
        level = grown_level(rows, level, grown, counted, np.ones(len(counted), np.bool_))
    return rarest, surest
