"""Sequential releases: the worked examples of chapter 9, through the join, its requirement and its attack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sfumato
from sfumato.contracts.run import Run
from sfumato.data.text import to_text
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import JoinAttack
from sfumato.sequels.join import SequentialJoin
from sfumato.sequels.models import SeqMonotonicity, XYPrivacyJoin
from sfumato.sequels.recounts import seq_monotonicity, xy_privacy_join
from sfumato.sequels.series import Series

Open = Callable[..., Any]


def table(given: Any) -> Any:
    """Return ``{"columns": ..., "rows": ...}`` as a table."""
    return sfumato.from_rows(given["columns"], given["rows"])


def rows_of(groups: Any) -> list[list[Any]]:
    """Return groups with their sizes as rows."""
    return [[*key, size] for key, size in groups.as_dict().items()]


def recounted(code: Any, model: Any, series: Series, **more: Any) -> Any:
    """Judge a series by its model and by the plain recount of what is written; they must agree."""
    verdict = model.judge(series)
    written = [Counter(tuple(map(to_text, row)) for row in release.to_rows()) for release in series.releases]
    columns = [release.columns for release in series.releases]
    numbers = {name for release in series.releases for name, kind in release.types.items() if kind.numeric}
    parents = {
        name: {label: tree.labels[up] for label, up in zip(tree.labels, tree.parent.tolist(), strict=True) if up >= 0}
        for name, tree in series.trees.items()
    }
    again = code.level(written, columns=columns, parents=parents, numbers=numbers, **more)
    assert (again.measured, again.violating) == (verdict.strongest, verdict.violating_groups)
    assert again.satisfied == verdict.satisfied
    return verdict


def test_two_releases_joined_by_job(golden: Open) -> None:
    with golden("04-sequential-join-1") as file:
        given = file.input
        one, two = table(given["T1"]), table(given["T2"])
        join = SequentialJoin.of([one, two], hierarchies=given["taxonomies"], join=given["join_attributes"])
        file.compare(join.size, "join_size")
        pairs = join.groups(["Name", "Disease"])
        file.compare(sorted(rows_of(pairs)), "group_sizes_name_disease")
        file.compare(int(pairs.sizes.min()), "min_group_size")
        groups = join.groups(["Name"], ["Disease"])
        histogram = groups.histograms["Disease"]
        shares = {
            groups.key(at)[0]: {value: count / int(groups.sizes[at]) for value, count in histogram.row(at).items()}
            for at in range(len(groups))
        }
        file.compare(shares, "linkability_name_to_disease")
        linkage = join.linkage(["Name"], ["Disease"])
        assert linkage.linkability is not None
        file.compare(float(linkage.linkability), "L_Y_X")
        file.compare(linkage.anonymity, "A_Y_X")
        alone = {
            f"T{at}.{name}={key[0]}": size
            for at, name, held in ((2, "Name", two), (1, "Disease", one))
            for key, size in held.groups([name]).as_dict().items()
            if key[0] != "Cathy"
        }
        file.compare(alone, "single_table_sizes")
        series = Series.of([one, two], qid=["Name"], sensitive="Disease")
        risk = JoinAttack(join=tuple(given["join_attributes"])).on(series, SeriesKnowledge(), Run())
        assert (risk.highest, risk.details["certain"], risk.details["joined_rows"]) == (1.0, 2, 7)


def test_consistent_and_inconsistent_pairs(golden: Open) -> None:
    with golden("04-sequential-join-2") as file:
        given = file.input
        join = SequentialJoin.of(
            [table(given["T1"]), table(given["T2"])],
            hierarchies=given["taxonomies"],
            join=given["join_attributes"],
            inconsistent=given["inconsistent"],
        )
        file.compare([list(pair) for pair in join.matches()], "matches")
        assert join.size == len(file.expected["matches"])


def test_linkability_of_one_group(golden: Open) -> None:
    with golden("04-xy-privacy-join-1") as file:
        given = file.input
        made = file.table()
        groups = SequentialJoin.of([made]).groups(given["X"], given["Y"])
        row = groups.histograms["Test"].row(0)
        file.compare({value: count / int(groups.sizes[0]) for value, count in row.items()}, "l")
        linkage = SequentialJoin.of([made]).linkage(given["X"], given["Y"])
        assert linkage.linkability == Fraction(9, 10)
        file.compare(float(linkage.linkability), "L_Y_X")
        file.compare(linkage.anonymity, "A_Y_X")
        series = Series.of([made], qid=given["X"], sensitive=given["Y"][0])
        named = {"qid": given["X"], "sensitive": given["Y"][0]}
        met = {
            text: recounted(xy_privacy_join, XYPrivacyJoin(h=float(text)), series, h=float(text), **named).satisfied
            for text in file.expected["satisfies_at"]
        }
        file.compare(met, "satisfies_at")


def test_linkability_on_the_join(golden: Open) -> None:
    with golden("04-xy-privacy-join-2") as file:
        given = file.input
        releases = [table(given["T1"]), table(given["T2"])]
        join = SequentialJoin.of(releases, join=given["join_attributes"])
        file.compare(join.size, "join_size")
        protected = given["Y"]
        groups = join.groups(given["X"], [protected["attribute"]])
        keys = [",".join(groups.key(at)) for at in range(len(groups))]  # type: ignore[arg-type]
        asked = file.expected["a"]
        file.compare({key: int(groups.sizes[keys.index(key)]) for key in asked}, "a")
        (histogram,) = groups.histograms.values()
        hiv = histogram.of(protected["values"][0])
        file.compare({key: int(hiv[keys.index(key)]) for key in asked}, "a_HIV")
        series = Series.of(releases, qid=(), sensitive="Test")
        asked: dict[str, Any] = {
            "h": given["threshold"],
            "x": tuple(given["X"]),
            "y": (protected["attribute"],),
            "values": tuple(protected["values"]),
            "join": tuple(given["join_attributes"]),
        }
        verdict = recounted(xy_privacy_join, XYPrivacyJoin(**asked), series, qid=(), sensitive="Test", **asked)
        file.compare(verdict.strongest, "L_Y_X")
        file.compare(verdict.satisfied, "satisfied")


def test_a_record_without_a_match_breaks_monotonicity(golden: Open) -> None:
    with golden("04-seq-monotonicity-1") as file:
        given = file.input
        for moment in ("before", "after"):
            releases = [table(given["T1"]), table(given[f"T2_{moment}"])]
            trees = {"D": given["taxonomy_D"]}
            join = SequentialJoin.of(releases, hierarchies=trees)
            file.compare(join.size, f"join_size_{moment}")
            file.compare(join.linkage(given["X"], given["Y"]).anonymity, f"A_{moment}")
            series = Series.of(releases, qid=["C", "D"], hierarchies=trees)
            related = recounted(seq_monotonicity, SeqMonotonicity(), series).satisfied
            file.compare(related, f"population_related_{moment}")
            assert SeqMonotonicity(x=tuple(given["X"])).anti_monotone(series) is related


def test_a_join_attribute_outside_x_breaks_monotonicity(golden: Open) -> None:
    with golden("04-seq-monotonicity-2") as file:
        given = file.input
        whole = table(given["underlying"])
        first = whole.select(given["T1_columns"])
        then = whole.select(given["T2_columns"])
        general = then.recode({"D": dict.fromkeys(("d1", "d2"), "d")})
        trees = {"D": given["taxonomy_D"]}
        found: dict[tuple[str, bool], int | None] = {}
        for name, second in (("general", general), ("after", then)):
            join = SequentialJoin.of([first, second], hierarchies=trees, join=given["join_attributes"])
            assert join.dangling() == (0, 0)
            related = Series.of([first, second], qid=(), hierarchies=trees)
            told = {"join": tuple(given["join_attributes"])}
            assert recounted(seq_monotonicity, SeqMonotonicity(**told), related, **told).satisfied
            for wide in (False, True):
                x = [*given["X"], *(["S"] if wide else [])]
                found[name, wide] = join.linkage(x, given["Y"]).anonymity
        file.compare(found["general", False], "A_most_general")
        file.compare(found["after", False], "A_after_specialising_d")
        file.compare({"A_most_general": found["general", True], "A_after": found["after", True]}, "with_S_in_X")
