"""RFID preprocessing: a stream of readings of tags becomes one path for each tag."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.thing import Thing, param
from sfumato.data.text import to_text
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys
from sfumato.trajectories.sources import Layout, opened
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["RFIDPreprocessing"]


class RFIDPreprocessing(Thing):
    """Group the readings ``(tag, place, time)`` of a stream by tag and put each group in the order of time.

    Readings that are there twice count once. A tag at two places at one time is refused, or the first reading counts. Times
    can be cut into bins, and readings at the place where the tag was anyway can be left out. What is known of persons is joined
    by their tags; the tag itself names a path in the house only and is no part of a release, which numbers persons afresh.

    Examples
    --------
    >>> stream = [("e1", "b", 2), ("e2", "f", 6), ("e1", "d", 3), ("e2", "c", 7), ("e2", "c", 7)]
    >>> paths = RFIDPreprocessing().load(stream)
    >>> paths.persons, [[str(pair) for pair in path] for path in paths], paths.repeated
    (('e1', 'e2'), [['b@2', 'd@3'], ['f@6', 'c@7']], 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.3.1.
    Fung, Cao, Desai, Xu, "Privacy protection for RFID data", 2009, doi:10.1145/1529282.1529626.
    """

    id: ClassVar[str] = "rfid-preprocessing"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    two_places: str = param(
        default="error", choices=("error", "first", "last"), doc="what is done with a tag at two places at one time"
    )
    bin: str | float | None = param(default=None, doc="length of time that counts as one: 15min, 1h; or a number")
    collapse: bool = param(default=False, doc="whether a reading at the place of the one before is left out")

    def load(
        self,
        stream: object,
        *,
        tag: str = "epc",
        place: str = "loc",
        time: str = "t",
        persons: Mapping[Hashable, Mapping[str, Hashable]] | None = None,
    ) -> Trajectories:
        """Return the paths of a stream: rows ``(tag, place, time)``, or a table, frame or file in which columns are named.

        ``persons`` says by tag what else is known; each tag must have the same columns.
        """
        if (
            isinstance(stream, Iterable)
            and not isinstance(stream, (str, Path, Table, Mapping))
            and not hasattr(stream, "columns")
        ):
            rows = [tuple(row) for row in stream]
            if any(len(row) != 3 for row in rows):
                raise BadRequest("a reading must be (tag, place, time)", parameter="stream")
            stream = from_rows((tag, place, time), rows)
        repair = {"unsorted": "sort", "no-points": "keep"}
        if self.two_places != "error":
            repair["two-places"] = self.two_places
        paths = opened(stream, Layout(person=tag, place=place, time=time, bin=self.bin, repair=repair))
        if self.collapse:
            same = np.zeros(len(paths.places), np.bool_)
            same[1:] = (paths.places[1:] == paths.places[:-1]) & (paths.owners[1:] == paths.owners[:-1])
            paths = paths.thinned(~same)
        return paths if persons is None else _joined(paths, persons)


def _joined(paths: Trajectories, persons: Mapping[Hashable, Mapping[str, Hashable]]) -> Trajectories:
    from dataclasses import replace

    told = {to_text(name): held for name, held in persons.items()}
    names: Sequence[str] = list(dict.fromkeys(column for held in told.values() for column in held))
    tags = paths.persons or ()
    unknown = sum(tag not in told for tag in tags)
    if unknown:
        raise BadRequest(f"nothing is told of {unknown:,} tags", parameter="persons")
    columns = {name: CodedKeys.of([told[tag].get(name) for tag in tags]) for name in names}
    return replace(paths, columns=columns)
