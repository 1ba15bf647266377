"""The invented city: same seed, same rows; homes and work, crowded and empty stations, few points that tell who it is."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from command_line import sfumato_in
from sfumato.datasets import city
from sfumato.errors import BadRequest


def test_same_seed_same_rows_other_seed_other_rows() -> None:
    assert city(60, 2, seed=3).to_rows() == city(60, 2, seed=3).to_rows()
    assert city(60, 2, seed=3).to_rows() != city(60, 2, seed=4).to_rows()


def test_nobody_is_at_two_places_at_once_and_keeps_the_diagnosis() -> None:
    town = city(300, 8)
    times, ill = defaultdict(list), defaultdict(set)
    for card, at, _, lon, lat, diagnosis in town.to_rows():
        times[card].append(str(at))
        ill[card].add(diagnosis)
        assert 9.7 < float(str(lon)) < 10.3
        assert 49.8 < float(str(lat)) < 50.2
    assert len(times) == 300
    assert all(early < late for one in times.values() for early, late in pairwise(one))
    assert all(len(one) == 1 for one in ill.values())


def test_homes_are_regular_and_stations_unequal() -> None:
    town = city(500, 10)
    first, share = defaultdict(Counter), Counter(town.values("station"))
    for card, at, station, *_ in town.to_rows():
        if str(at)[11:13] < "09":
            first[card][station] += 1
    regular = [one.most_common(1)[0][1] / one.total() for one in first.values() if one.total() >= 5]
    assert np.mean(regular) > 0.4
    ordered = [count for _, count in share.most_common()]
    assert ordered[0] > 10 * ordered[len(ordered) // 2]


def test_two_points_with_the_hour_single_out_many_and_fewer_in_a_larger_city() -> None:
    def alone(persons: int) -> float:
        held = defaultdict(set)
        for card, at, station, *_ in city(persons).to_rows():
            held[card].add((station, str(at)[:13]))
        return sum(count == 1 for count in Counter(map(frozenset, held.values())).values()) / persons

    assert 0.3 < alone(500) < 0.95
    assert alone(5000) < alone(500)


def test_the_command_writes_it(tmp_path: Path) -> None:
    result = sfumato_in(tmp_path, "datasets", "city", "--persons", "20", "--days", "2", "--seed", "5")
    assert result.returncode == 0
    assert (tmp_path / "city.csv").read_text().splitlines()[0] == "card,read_at,station,lon,lat,diagnosis"


@pytest.mark.parametrize("given", [{"persons": 0}, {"days": 0}])
def test_nobody_and_no_day_are_refused(given: dict[str, int]) -> None:
    with pytest.raises(BadRequest, match="at least 1"):
        city(**given)
