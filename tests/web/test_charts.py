"""Drawings: labels that can be read, and sizes that are those of the records."""

from __future__ import annotations

import itertools
import re

from sfumato.web.charts import bars, levels, lines


def test_labels_of_a_curve_do_not_run_into_each_other() -> None:
    names = [f"1 in {k:,}" for k in (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)]
    drawn = lines([1 - at / 13 for at in range(13)], names, 2, "curve")
    placed = sorted(
        (float(x), words)
        for x, words in re.findall(r'<text x="([\d.]+)" y="208.0" class="mid (?:soft|strong)">([^<]+)', drawn)
    )
    assert {"1 in 5", "1 in 2", "1 in 10,000"} <= {words for _, words in placed}
    ends = [(x - 3.5 * len(words), x + 3.5 * len(words)) for x, words in placed]
    assert all(one[1] < other[0] for one, other in itertools.pairwise(ends))
    assert ends[-1][1] <= 400


def test_a_level_of_many_values_is_a_histogram_of_its_records() -> None:
    parts = [(str(at), 1 if at < 90 else 9) for at in range(120)]
    tall = [float(one) for one in re.findall(r'height="([\d.]+)"', levels([("level 0", parts)], "levels"))]
    assert len(tall) == 60
    assert tall[-1] == 34.0
    assert tall[0] == 3.8  # two records beside eighteen


def test_every_bar_has_its_number_where_there_is_room() -> None:
    assert bars([("1 in 5", 17.0), ("1 in 2", 4.0), ("1 in 1", 0.0)], None, "", "risk").count("halo") == 3
    many = [(str(at), 10_000.0) for at in range(20)]
    assert bars(many, None, "3", "risk").count("halo") == 2
