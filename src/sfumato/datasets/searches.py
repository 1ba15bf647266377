"""An invented query log: who searched for what, and which address was clicked; the same rows for the same seed.

Nobody in it exists. Users have a few interests each, in which a few queries are common and many are rare; now and then they
look for their own name, their town, a number of theirs: what makes query logs dangerous.
"""

from __future__ import annotations

import numpy as np

from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.errors import BadRequest

__all__ = ["searches"]

# Interest -> queries from common to rare, and the addresses that are clicked.
_INTERESTS = {
    "weather": (
        "weather tomorrow, weather weekend, rain radar, snow forecast, sunrise time, pollen count, storm warning coast",
        "weather.example, radar.example",
    ),
    "films": (
        "tom hanks movie, new films, cinema tickets, cruise movie, film festival, old western movies, silent film pianist",
        "cinema.example, filmguide.example",
    ),
    "football": (
        "football results, football table, league fixtures, transfer news, goalkeeper gloves, women football league",
        "sports.example, league.example",
    ),
    "tennis": (
        "tennis racket, tennis rankings, wimbledon tickets, tennis club near me, string tension, clay court shoes",
        "tennis.example, tickets.example",
    ),
    "jazz": (
        "jazz music, jazz concert, piano lessons, saxophone reeds, jazz club berlin, trumpet mute, swing dance class",
        "jazz.example, tickets.example",
    ),
    "cooking": (
        "pancake recipe, pizza dough, vegetable soup, sourdough starter, lentil curry, gluten free cake, elderflower syrup",
        "recipes.example, kitchen.example",
    ),
    "travel": (
        "cheap flights, train timetable, hotel rome, ferry norway, camping lake, night train vienna, visa application form",
        "trains.example, hotels.example",
    ),
    "health": (
        "headache, cold remedy, back pain exercises, diabetes diet, insulin price, pregnancy test, hiv test anonymous, "
        "depression help line",
        "health.example, clinic.example",
    ),
    "work": (
        "job offers, minimum wage, tax calculator, letter of application, redundancy rights, debt advice, union membership",
        "jobs.example, tax.example",
    ),
    "computers": (
        "mail login, printer driver, slow laptop, python list sort, router password, keyboard layout, recover deleted photos",
        "mail.example, help.example",
    ),
}
_WEIGHTS = (16, 9, 12, 5, 4, 10, 9, 8, 8, 11)
_TOWNS = ["dresden", "hamburg", "bristol", "leeds", "lyon", "turin", "porto", "krakow", "bergen", "graz"]
_GIVEN = ["anna", "maria", "clara", "emma", "laura", "julia", "karl", "otto", "paul", "simon", "felix", "hugo"]
_FAMILY = ["schmidt", "weber", "becker", "fischer", "wagner", "moreau", "ferrari", "silva", "jansen", "nowak", "taylor"]
_FIRST = np.datetime64("2025-03-01T00:00:00", "s")
_SECONDS = 30 * 24 * 3600


def searches(n: int = 1000, seed: int = 7) -> Dataset:
    """Return about twelve queries of each of ``n`` invented users in March 2025, in the order of time.

    ``user`` is an identifier, ``time`` a text in ISO form, ``query`` what was typed, ``url`` the address that was clicked,
    missing where nothing was. One user in ten looks for the own name, one in twenty types a number of the own.

    Parameters
    ----------
    n
        Number of users, at least 1.
    seed
        The same seed gives the same rows.

    Examples
    --------
    >>> log = searches(50, seed=1)
    >>> log.columns, len(set(log.values("user")))
    (('user', 'time', 'query', 'url'), 50)
    """
    if n < 1:
        raise BadRequest("must be at least 1", parameter="n", value=n)
    rng = np.random.default_rng(seed)
    interests = [
        ([one.strip() for one in queries.split(",")], urls.split(", ")) for queries, urls in _INTERESTS.values()
    ]
    chances = np.array(_WEIGHTS) / sum(_WEIGHTS)
    rows: list[tuple[int, int, str, str | None]] = []
    for user in (1_000_000 + rng.permutation(9 * n)[:n]).tolist():
        town = _TOWNS[int(rng.integers(len(_TOWNS)))]
        own = rng.choice(len(interests), size=int(rng.integers(1, 4)), replace=False, p=chances).tolist()
        asked: list[tuple[str, str | None]] = []
        for _ in range(1 + int(rng.poisson(11))):
            queries, urls = interests[own[int(rng.integers(len(own)))]]
            rank = min(int(rng.geometric(0.4)) - 1, len(queries) - 1)
            text = queries[rank] + (f" {town}" if rng.random() < 0.12 else "")
            asked.append((text, urls[int(rng.integers(len(urls)))] if rng.random() < 0.6 else None))
        if rng.random() < 0.1:
            name = f"{_GIVEN[int(rng.integers(len(_GIVEN)))]} {_FAMILY[int(rng.integers(len(_FAMILY)))]}"
            asked.append((f"{name} {town}", None))
        if rng.random() < 0.05:
            asked.append((f"parcel {int(rng.integers(10**9, 10**10))}", None))
        times = rng.integers(_SECONDS, size=len(asked)).tolist()
        rows += [(at, user, text, url) for at, (text, url) in zip(times, asked, strict=True)]
    rows.sort(key=lambda row: row[:3])
    return Dataset(
        name="searches",
        data={
            "user": [row[1] for row in rows],
            "time": [str(_FIRST + np.timedelta64(row[0], "s")) for row in rows],
            "query": [row[2] for row in rows],
            "url": [row[3] for row in rows],
        },
        roles={"user": Role.IDENTIFIER, "query": Role.SENSITIVE},
        source=f"invented, searches(n={n}, seed={seed})",
    )
