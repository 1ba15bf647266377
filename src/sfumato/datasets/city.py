"""An invented city: who was read at which station when, and where exactly; the same rows for the same seed.

Nobody in it exists. Everybody has a home, most a place of work, and a few places that are gone to again and again; some
stations are crowded and many are not, so that a few points single a person out as they do in real traces.
"""

from __future__ import annotations

import numpy as np

from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.errors import BadRequest

__all__ = ["city"]

_LINES = "ABCDEF"
_STOPS = 10
_CENTRE = (10.0, 50.0)  # degrees east and north, of a city that there is not
_METRES_PER_DEGREE = 111_320.0
_FIRST = np.datetime64("2025-03-03T00:00", "m")  # a Monday
_DIAGNOSES = {"Cold": 0.34, "Flu": 0.27, "Allergy": 0.2, "Diabetes": 0.12, "Depression": 0.05, "HIV": 0.02}
_SLOTS = 8  # home, change, work, midday, work, change, leisure, home


def city(persons: int = 1000, days: int = 1, seed: int = 7) -> Dataset:
    """Return the reads of ``persons`` cards on ``days`` days from Monday, 3 March 2025, on.

    ``card`` is an identifier, ``read_at`` a text in ISO form with minutes, ``station`` one of 60 on six lines that meet in the
    centre, ``lon`` and ``lat`` where the person was, ``diagnosis`` a value of the person. Homes and work places follow a
    density that falls with the distance from the centre, times a heavy-tailed attraction; work is chosen by gravity, other
    places from three favourites (by rank, as 1, 1/2, 1/3) or, one time in five, anywhere. Everybody keeps an own hour.

    Parameters
    ----------
    persons
        Number of persons, at least 1.
    days
        Number of days, at least 1.
    seed
        The same seed gives the same rows.

    Examples
    --------
    >>> town = city(50, days=2)
    >>> town.columns, len(set(town.values("card")))
    (('card', 'read_at', 'station', 'lon', 'lat', 'diagnosis'), 50)

    References
    ----------
    Song, Koren, Wang, Barabási, "Modelling the scaling properties of human mobility", 2010, doi:10.1038/nphys1760.
    """
    for name, value in (("persons", persons), ("days", days)):
        if value < 1:
            raise BadRequest("must be at least 1", parameter=name, value=value)
    rng = np.random.default_rng(seed)
    names = [f"{line}{stop:02}" for line in _LINES for stop in range(1, _STOPS + 1)]
    line = np.repeat(np.arange(len(_LINES)), _STOPS)
    stop = np.tile(np.arange(1, _STOPS + 1), len(_LINES))
    radius, angle = 700.0 * stop**1.15, line * (2 * np.pi / len(_LINES)) + 0.05 * stop
    spots = np.column_stack((radius * np.cos(angle), radius * np.sin(angle)))
    heavy = rng.pareto(1.5, (2, len(names))) + 0.2
    lived, wanted = np.exp(-radius / 6000) * heavy[0], np.exp(-radius / 3000) * heavy[1]
    near = np.exp(-np.linalg.norm(spots[:, None] - spots[None], axis=2) / 5000)

    home = rng.choice(len(names), persons, p=lived / lived.sum())
    works = rng.random(persons) < 0.8
    work = _by_gravity(home, wanted * near, rng)
    favourites = np.stack([_by_gravity(home, heavy[1] * near, rng) for _ in range(3)], axis=1)
    door = spots[home] + rng.normal(0, 250, (persons, 2))
    # Some forty buildings around a station hold all its work.
    building = spots[work] + rng.normal(0, 150, (len(names), 40, 2))[work, rng.integers(40, size=persons)]
    leaves = np.where(rng.random(persons) < 0.85, rng.normal(460, 50, persons), rng.uniform(300, 720, persons))
    regular = np.minimum(rng.lognormal(2.2, 0.7, persons), 60)
    outgoing = rng.beta(1.2, 2.5, persons)

    codes = np.empty((persons, days, _SLOTS), np.int8)
    minutes = np.empty((persons, days, _SLOTS), np.int32)
    there = np.empty((persons, days, _SLOTS), np.bool_)
    places = np.empty((persons, days, _SLOTS, 2), np.float32)
    for day in range(days):
        at_work = works & (rng.random(persons) < (0.94 if day % 7 < 5 else 0.08))
        rank = np.searchsorted(np.cumsum([6 / 11, 3 / 11]), rng.random(persons))
        favourite = favourites[np.arange(persons), rank]
        leisure = np.where(rng.random(persons) < 0.2, rng.integers(len(names), size=persons), favourite)
        change = (line[home] * _STOPS).astype(np.int64)
        spot = np.where(at_work, work, leisure)
        codes[:, day] = np.stack((home, change, spot, spot, spot, change, leisure, home), axis=1)
        crosses = line[home] != line[spot]
        out = rng.random(persons) < np.where(at_work, outgoing, 0.2 + 0.8 * outgoing)
        midday, evening = rng.random(persons) < 0.35, at_work & (rng.random(persons) < outgoing)
        moved = at_work | out
        there[:, day] = np.stack(
            (
                np.ones(persons, np.bool_),
                moved & crosses,
                moved,
                at_work & midday,
                at_work,
                at_work & crosses,
                evening,
                moved,
            ),
            axis=1,
        )
        start = np.clip(rng.normal(leaves, regular), 240, 720)
        ride = 5 + np.linalg.norm(spots[home] - spots[spot], axis=1) / 400
        stay = np.where(at_work, np.clip(rng.normal(480, 45, persons), 120, 560), rng.uniform(20, 180, persons))
        back = ride / 2 + np.where(evening, rng.uniform(30, 150, persons), 0)
        steps = np.stack((start, ride / 2, ride / 2, stay * 0.45, stay * 0.55, ride / 2, ride / 2, back), axis=1)
        minutes[:, day] = day * 1440 + np.cumsum(np.maximum(np.rint(steps), 1), axis=1)
        where = spots[codes[:, day]] + rng.normal(0, 120, (persons, _SLOTS, 2))
        where[:, [0, -1]] = door[:, None]
        where[:, 2:5] = np.where(at_work[:, None, None], building[:, None], where[:, 2:5])
        places[:, day] = where + rng.normal(0, 8, where.shape)  # what a receiver is off by

    rows = np.flatnonzero(there.ravel())
    owner = rows // (days * _SLOTS)
    metres = places.reshape(-1, 2)[rows].astype(np.float64)
    stamps = np.datetime_as_string(_FIRST + np.arange((days + 1) * 1440)).astype(object)
    shrink = np.cos(np.deg2rad(_CENTRE[1]))
    ill = rng.choice(len(_DIAGNOSES), persons, p=list(_DIAGNOSES.values()))
    nested: dict[str, Json] = {
        "City": [
            {f"Line {one}": [name for name in names if name[0] == one]} for one in _LINES
        ]  # lines meet in the centre
    }
    return Dataset(
        "city",
        {
            "card": (1_000_000 + rng.permutation(9 * persons)[:persons])[owner],
            "read_at": stamps[minutes.ravel()[rows]],
            "station": np.array(names, object)[codes.ravel()[rows]],
            "lon": np.round(_CENTRE[0] + metres[:, 0] / (_METRES_PER_DEGREE * shrink), 5),
            "lat": np.round(_CENTRE[1] + metres[:, 1] / _METRES_PER_DEGREE, 5),
            "diagnosis": np.array(list(_DIAGNOSES), object)[ill[owner]],
        },
        roles={
            "card": Role.IDENTIFIER,
            "station": Role.QUASI_IDENTIFIER,
            "read_at": Role.QUASI_IDENTIFIER,
            "lon": Role.QUASI_IDENTIFIER,
            "lat": Role.QUASI_IDENTIFIER,
            "diagnosis": Role.SENSITIVE,
        },
        taxonomies={"station": nested},
        source=f"invented, city(persons={persons}, days={days}, seed={seed})",
    )


def _by_gravity(
    origin: np.ndarray[tuple[int], np.dtype[np.int64]],
    pull: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    rng: np.random.Generator,
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return a station for each origin, drawn in proportion to how its row pulls."""
    chance = np.cumsum(pull, axis=1)
    chance /= chance[:, -1:]
    drawn = rng.random(len(origin))
    found = np.empty(len(origin), np.int64)
    for place in np.unique(origin).tolist():
        here = origin == place
        found[here] = np.searchsorted(chance[place], drawn[here])
    return found
