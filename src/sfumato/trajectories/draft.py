"""Looking at paths before anybody wrote a policy: which columns they are in, and what singles people out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.commented_yaml import commented_yaml
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.itemsets import exposures
from sfumato.trajectories.algorithms.trajectory_anonymizer import TrajectoryAnonymizer
from sfumato.trajectories.policy import OWN_COLUMNS
from sfumato.trajectories.recodings.trajectory_method_matrix import TrajectoryMethodMatrix
from sfumato.trajectories.sources import Layout, opened
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["drafted", "profiled"]

_PERSON = re.compile(r"person|card|epc|tag|user|uid|patient|passenger|customer|device|owner|(^|_)id$", re.IGNORECASE)
_TIME = re.compile(r"time|date|when|hour|day|stamp|_at$|^t$", re.IGNORECASE)
_X = re.compile(r"^(lon|lng|x$|longitude)", re.IGNORECASE)
_Y = re.compile(r"^(lat|y$|latitude)", re.IGNORECASE)
_PLACE = re.compile(r"place|loc|station|stop|room|cell|zone|site|where", re.IGNORECASE)

_ALL = {
    "two-places": "first",
    "unsorted": "sort",
    "no-points": "keep",
    "incomplete": "drop",
    "time-zones": "utc",
    "out-of-range": "drop",
    "swapped": "swap",
    "varying": "first",
}

_HEAD = """\
# Drafted from the data; every line is a proposal. Read it once, change what you know better, then run
#   sfumato anonymize DATA --policy THIS_FILE -o OUT
# Points (a place at a time) are what an adversary may know of a person. `sfumato describe` explains every id used here.
"""

_REQUIREMENT = """\
who knows any L points of a path finds at least K persons
where a column must not be learnt, bound what can be concluded on it, too: {C: 0.5, sensitive: diagnosis}"""

_ALGORITHM = "leaves points out of all paths until that holds, and spares sequences that many persons share"

_COLUMNS = """\
one value for each person; sensitive: nobody should learn it, plain: published as it is, drop: left out
columns that are not named are left out"""


def drafted(source: object, k: int, run: Run) -> str:
    """Return a commented policy: columns of persons, places and times, LKC-privacy, suppression of pairs."""
    table, layout, others = _looked_at(source, run)
    paths = opened(table, layout, [])
    if len(paths) < 2:
        raise BadRequest("has fewer than two persons, who cannot look like each other", parameter="source")
    place: dict[str, object] = {"column": layout.place}
    if layout.x is not None:
        place = {"x": layout.x, "y": layout.y, "grid": layout.grid}
    time: dict[str, object] = {"column": layout.time}
    if layout.bin is not None:
        time["bin"] = layout.bin
    document: dict[str, object] = {
        "version": 1,
        "shape": "trajectories",
        "person": layout.person,
        "place": place,
        "time": time,
    }
    constant = [name for name in others if name not in OWN_COLUMNS and _constant(table, str(layout.person), name)]
    if constant:
        document["columns"] = {name: {"role": "drop"} for name in constant}
    document["requirements"] = [{"id": "lkc-privacy", "L": 2, "K": min(k, len(paths))}]
    document["algorithm"] = {"id": TrajectoryAnonymizer.id}
    document["limits"] = {"lose_at_most": 1.0}
    if paths.mended:
        document["repair"] = {name: _ALL[name] for name in sorted(paths.mended)}
    said = {
        "person": f"{len(paths):,} persons, {len(paths.places):,} points, "
        f"{len(paths.names):,} places, {len(paths.moments):,} times",
        "requirements": _REQUIREMENT,
        "algorithm": f"{_ALGORITHM}\nother ways (sfumato describe method-matrix):\n{_others(layout)}",
        "limits": "largest share of points that may be left out",
    }
    if constant:
        said["columns"] = _COLUMNS
    if paths.mended:
        said["repair"] = "what was found wrong, and what is done about it: " + ", ".join(
            f"{name} {count:,} times" for name, count in sorted(paths.mended.items())
        )
    return _HEAD + commented_yaml(document, said)


def profiled(source: object, run: Run) -> Sequence[str]:
    """Return sentences on paths: how many, how long, and who is singled out by one point or a few."""
    if isinstance(source, Trajectories):
        paths = source
    elif isinstance(source, (str, Path, Table)) or hasattr(source, "columns"):
        table, layout, _ = _looked_at(source, run)
        paths = opened(table, layout, [])
    else:
        paths = Trajectories.of(source)
    lengths = paths.lengths
    said: list[str] = [
        say(
            "trails.profile",
            persons=len(paths),
            points=len(paths.places),
            places=len(paths.names),
            times=len(paths.moments),
        ),
        say(
            "trails.lengths",
            mean=float(lengths.mean()) if len(lengths) else 0.0,
            longest=int(lengths.max(initial=0)),
            empty=int((lengths == 0).sum()),
        ),
    ]
    said += [say("trails.mended", repair=name, count=count) for name, count in paths.mended.items()]
    run.stage("counting")
    for power in (1, 2):
        alone = int(np.count_nonzero(exposures(paths.database(), power)[0] == 1))
        said.append(say("trails.singled_out", power=power, count=alone, share=alone / max(len(paths), 1)))
    return said


def _looked_at(source: object, run: Run) -> tuple[Table, Layout, list[str]]:
    """Return a table, the columns that probably say who was where and when, and the others."""
    run.stage("reading")
    table = source if isinstance(source, Table) else read(source)
    left = list(table.columns)

    def taken(*found: str | None) -> str | None:
        name = next((one for one in found if one is not None and one in left), None)
        if name is not None:
            left.remove(name)
        return name

    dated = [name for name in left if table.types[name] in (ColumnType.DATETIME, ColumnType.DATE)]
    named = [name for name in left if _TIME.search(name)]
    time = taken(*[name for name in dated if name in named], *dated, *named)
    across = [name for name in left if _X.search(name) and table.types[name].numeric]
    up = [name for name in left if _Y.search(name) and table.types[name].numeric]
    x, y = (taken(*across), taken(*up)) if across and up else (None, None)
    place = None if x is not None else taken(*[name for name in left if _PLACE.search(name)])
    person = taken(*[name for name in left if _PERSON.search(name)], *left)
    place = place if x is not None or place is not None else taken(*left)
    if person is None or time is None or (place is None and x is None):
        raise BadRequest("needs columns of persons, places and times", parameter="source", available=table.columns)
    hours = table.types[time] is ColumnType.DATETIME or table.types[time] is ColumnType.TEXT
    layout = Layout(
        person, place, time, x, y, "500m" if x is not None else None, bin="1h" if hours else None, repair=_ALL
    )
    return table, layout, left


def _others(layout: Layout) -> str:
    """Name the methods that these data are fit for, each with what it promises."""
    fit = [row for row in TrajectoryMethodMatrix().rows() if layout.x is not None or not row.coordinates]
    return "\n".join(f"  {row.algorithm}, for {row.model}" for row in fit if row.algorithm != TrajectoryAnonymizer.id)


def _constant(table: Table, person: str, name: str) -> bool:
    """Tell whether a column has one value for each person."""
    return table.distinct([person, name]) == table.distinct([person])
