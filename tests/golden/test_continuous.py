"""Continuous and incremental publishing on the worked examples: correspondence attacks, BCF-anonymity, delayed records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.contracts.run import Run
from sfumato.engines import from_rows
from sfumato.errors import Infeasible
from sfumato.models import DistinctLDiversity
from sfumato.sequels import Series
from sfumato.sequels.algorithms import BCFAnonymizer, ByunIncremental
from sfumato.sequels.attacks import AnatomyPair, Buddies, anatomy_increments, candidates_of, check_generator
from sfumato.sequels.correspondence import Correspondence
from sfumato.sequels.models import BCFAnonymity, bcf_levels
from sfumato.sequels.recounts import bcf_anonymity as recount
from sfumato.sequels.task import SeriesTask


def table(given: dict[str, Any]) -> Any:
    return from_rows(given["columns"], given["rows"])


def series(given: dict[str, Any], *names: str, **more: Any) -> Series:
    return Series.of(
        [table(given[name]) for name in names],
        qid=given["qid"],
        sensitive=given["sensitive"],
        hierarchies=given.get("taxonomies"),
        **more,
    )


def satisfied(releases: Series, k: int) -> bool:
    """Judge a series by its model and by the plain recount of what is written; they must agree."""
    verdict = BCFAnonymity(k=k).judge(releases)
    parents = [
        {label: tree.labels[up] for label, up in zip(tree.labels, tree.parent.tolist(), strict=True) if up >= 0}
        for tree in map(releases.trees.__getitem__, releases.qid)
    ]
    written: list[dict[Any, dict[str, int]]] = []
    for number in range(len(releases)):
        groups = releases.groups(number)
        histogram = groups.histograms[releases.protected]
        written.append({groups.key(at): dict(histogram.row(at)) for at in range(len(groups))})
    again = recount.level(written, parents=parents, k=k)
    assert (again.measured, again.satisfied) == (verdict.strongest, verdict.satisfied)
    return verdict.satisfied


def test_three_attacks(golden: Callable[..., Any]) -> None:
    with golden("04-bcf-detect-1") as file:
        releases = series(file.input, "R1", "R2")
        found = Correspondence.of(releases)
        pairs, groups = list(found.pairs()), list(found.groups())
        file.compare(sorted([*one.earlier, *one.later, one.value, one.forward] for one in pairs), "crack_F")
        file.compare(sorted([*one.earlier, *one.later, one.value, one.cross] for one in pairs), "crack_C")
        by_group = {(*one.later, one.value): one for one in groups}
        for at, (*group, _) in enumerate(file.expected["crack_B"]):
            file.compare([*group, by_group.pop(tuple(group)).backward], "crack_B", at)
        assert not by_group
        for at, detail in enumerate(file.expected["B_details"]):
            one = next(one for one in groups if [*one.later, one.value] == detail["group"])
            counted = {"g2": one.size, "G1": one.before, "G2": one.after, "value": one.excess}
            file.compare({"group": detail["group"], **counted}, "B_details", at)
        levels = bcf_levels(releases)
        file.compare(dict(zip(("R1", "R2"), levels.sizes, strict=True)), "k_anonymity")
        for name in ("FA", "CA", "BA"):
            file.compare(getattr(levels, name), name)
        file.compare({str(k): satisfied(releases, k) for k in (4, 5)}, "satisfies")


def test_pairs_that_nobody_matches(golden: Callable[..., Any]) -> None:
    with golden("04-bcf-detect-2") as file:
        for state in ("before", "after"):
            batches = [table(file.input["T1"]), None]
            releases = series(file.input, "R1", f"R2_{state}", batches=batches)
            found = bcf_levels(releases)
            file.compare({"FA": found.FA, "CA": found.CA}, state)
            satisfied(releases, 1)
            actual = bcf_levels(releases, targets="actual")
            file.compare({"FA": actual.FA}, f"{state}_actual_targets")
            file.compare("not applicable" if found.BA is None else found.BA, "T2_empty_means_BA")


def test_generators(golden: Callable[..., Any]) -> None:
    with golden("04-bcf-generator-1") as file:
        releases = series(file.input, "R1", "R2")
        found = [
            check_generator(
                releases, [Buddies(a, b, tuple(raw[:-1]), raw[-1]) for a, b, *raw in generator], record="RID"
            )
            for generator in file.input["generators"]
        ]
        file.compare([one.valid for one in found], "valid")
        file.compare([list(one.stayed) for one in found], "t1_records")


def test_next_release(golden: Callable[..., Any]) -> None:
    with golden("04-bcf-anonymizer-1") as file:
        earlier = series(file.input, "R1")
        old, new = (table(file.input[name]) for name in ("T1", "T2"))
        for k in file.input["k"]:
            task = SeriesTask(new, earlier, [BCFAnonymity(k=k)], [old])
            try:
                outcome = BCFAnonymizer().run(task, Run())
            except Infeasible as error:
                told = error.message.removeprefix("even the fully masked next release fails: ")
                file.compare({"feasible": False, "reason": f"most general R2 has {told}"}, f"k{k}")
                continue
            raw = {
                name: {row[at] for one in (old, new) for row in one.to_rows()} for at, name in enumerate(old.columns)
            }
            values = {name: sorted(set(outcome.recodings[name].map(sorted(raw[name])).labels)) for name in task.qid}
            levels = outcome.facts["levels"]
            found = {"FA": levels.FA, "CA": levels.CA, "BA": levels.BA, "DM": outcome.facts["dm"]}
            file.compare({"values_in_R2": values, **found}, f"k{k}")


def test_differences_and_intersections(golden: Callable[..., Any]) -> None:
    for name in ("04-incremental-attack-1", "04-incremental-attack-2"):
        with golden(name) as file:
            given = file.input
            releases = series(given, "previous", "current")
            found = candidates_of(releases, given["victim_qid"], in_earlier=given["victim_in_previous"])
            alone = {"previous": found.earlier, "current": found.later}
            file.compare(alone if given["victim_in_previous"] else found.later, "single_release_candidates")
            file.compare(found.candidates, "candidates")
            file.compare(found.violates(given["l"]), "violates")
            alone_l = [releases.groups(at).histograms[given["sensitive"]].distinct().min() for at in (0, 1)]
            file.compare(int(min(alone_l)), "each_release_distinct_l")


def test_newcomers_in_anatomy(golden: Callable[..., Any]) -> None:
    with golden("04-anatomy-increment-attack-1") as file:
        pairs = [AnatomyPair(table(file.input[f"QIT{at}"]), table(file.input[f"ST{at}"])) for at in (1, 2)]
        found = anatomy_increments(*pairs)
        file.compare([list(one.qid) for one in found], "new_qids")
        file.compare([[*one.qid, list(one.candidates)] for one in found], "candidates")
        file.compare(sum(one.count for one in found if one.cracked), "cracked")


def test_waiting_records(golden: Callable[..., Any]) -> None:
    with golden("04-byun-incremental-1") as file:
        given = file.input
        columns, published = given["previous"]["columns"], given["previous"]["rows"]
        old = from_rows(
            columns, [(job, *row[1:]) for job, row in zip(given["previous_raw_jobs"], published, strict=True)]
        )
        trees = {"Job": given["taxonomy_Job"]}
        earlier = Series.of([table(given["previous"])], qid=columns[:2], sensitive="Disease", hierarchies=trees)
        model, waiting = DistinctLDiversity(l=given["l"], sensitive="Disease"), []
        for number, batch in enumerate(given["batches"], 1):
            asked = SeriesTask(from_rows(columns, [*waiting, *batch["rows"]]), earlier, [model], [old])
            outcome = ByunIncremental().run(asked, Run())
            facts = outcome.facts
            waiting = facts["queue"].to_rows()
            found = {"inserted": facts["inserted"], "delayed": facts["delayed"]}
            if facts["delayed"]:
                file.compare({**found, "difference_if_inserted": facts["difference"]}, f"after_batch_{number}")
                continue
            rows = [
                (
                    *(
                        outcome.recodings[name].map([cell]).labels[0]
                        for name, cell in zip(columns[:2], row, strict=False)
                    ),
                    row[2],
                )
                for row in [*old.to_rows(), *facts["entered"].to_rows()]
            ]
            release = {"columns": columns, "rows": [list(row) for row in sorted(rows)]}
            file.compare({**found, "release": release, "difference": facts["difference"]}, f"after_batch_{number}")
