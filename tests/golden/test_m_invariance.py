"""Dynamic republication: the worked examples of section 10.3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato
from sfumato.contracts.run import Run
from sfumato.sequels.algorithms import MInvarianceAnonymize
from sfumato.sequels.algorithms.m_invariance_anonymize import auxiliary_table
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import CriticalAbsence, RepublicationAttack
from sfumato.sequels.attacks.critical_absence import critical_absences
from sfumato.sequels.models import MInvariance
from sfumato.sequels.recounts import m_invariance as recount
from sfumato.sequels.series import Series
from sfumato.sequels.signatures import Signatures, victim_candidates
from sfumato.sequels.task import SeriesTask

Open = Callable[..., Any]


def table(given: Any) -> Any:
    """Return a table of the file: ``[22K-24K]`` reads ``[22-24]``, and a counterfeit, whose id is a text, has no person."""
    names = ["Salary" if name == "SalaryK" else name for name in given["columns"]]
    rows = [
        [
            None if isinstance(row[0], str) else row[0],
            *(cell.replace("K", "") if isinstance(cell, str) else cell for cell in row[1:3]),
            *row[3:],
        ]
        for row in given["rows"]
    ]
    return sfumato.from_rows(names, rows)


def series_of(given: Any, *releases: Any) -> Series:
    named = {"qid": given["qid"], "sensitive": given["sensitive"], "person": given["record_id"]}
    return Series.of(list(releases), **named)


def satisfied(series: Series, m: int) -> bool:
    """Judge a series by its model and by the plain recount of what is written; they must agree."""
    verdict = MInvariance(m=m).judge(series)
    written: list[dict[Any, list[Any]]] = []
    for release in series.releases:
        groups: dict[Any, list[Any]] = {}
        for row in release.select([*series.qid, series.protected, str(series.person)]).to_rows():
            groups.setdefault(row[:-2], []).append((None if row[-1] is None else str(row[-1]), row[-2]))
        written.append(groups)
    again = recount.level(written, m=m)
    assert (again.measured, again.satisfied) == (verdict.strongest, verdict.satisfied)
    return verdict.satisfied


def test_two_diverse_releases_that_are_not_invariant(golden: Open) -> None:
    with golden("04-m-invariance-check-1") as file:
        given = file.input
        series = series_of(given, table(given["R1"]), table(given["R2"]))
        victim = victim_candidates(series, given["victim"])
        shown = {f"R{at}": list(values) for at, values in enumerate(victim.by_release, 1)}
        file.compare({**shown, "both": list(victim.common)}, "victim_candidates")
        file.compare(satisfied(series, given["m"]), "is_m_invariant")
        assert satisfied(series.until(1), given["m"])
        found = Signatures(series)
        changed = [[one.person, list(one.before), list(one.after)] for one in found.changed()]
        file.compare(changed, "changed_signatures")
        left = [[person, list(values)] for person, values in found.candidates(at_least=2).items()]
        file.compare(left, "candidates_after_both")
        (absence,) = critical_absences(series.until(1), table(given["T2"]))
        (value,) = absence.values
        file.compare({"value": value, "needed_by_record": absence.person}, "critical_absence")
        assert CriticalAbsence().on(series, SeriesKnowledge(), Run()).absences == (absence,)
        risk = RepublicationAttack().on(series, SeriesKnowledge(), Run())
        assert (risk.highest, risk.details["certain"]) == (1.0, 2)


def test_counterfeits_restore_what_left(golden: Open) -> None:
    with golden("04-m-invariance-anonymize-1") as file:
        given = file.input
        earlier = series_of(given, table(given["R1"]))
        batch = table(given["T2"])
        model = MInvariance(m=given["m"])
        made = MInvarianceAnonymize().publish(SeriesTask(batch, earlier, [model]))
        file.compare(made.facts.counterfeits, "min_counterfeits")
        after = earlier.with_next(made.copy.select([given["record_id"], *given["qid"], given["sensitive"]]))
        assert satisfied(after, given["m"])
        assert made.data.rows == batch.rows + made.facts.counterfeits
        (absence,) = critical_absences(earlier, batch)
        rows = {row[-1]: row for row in made.copy.to_rows()}
        beside = [row for row in made.copy.to_rows() if row[0] == rows[absence.person][0] and row[-1] is None]
        assert [row[-2] for row in beside] == list(absence.values)
        (value,) = absence.values
        told = f"one {value} record beside record {absence.person} in every valid output ({value} is absent from T2)"
        file.compare(told, "required_counterfeit")
        example = file.expected["valid_example"]
        published = table(example)
        file.compare(satisfied(earlier.with_next(published), given["m"]), "valid_example_is_2_invariant")
        listed = auxiliary_table(published, given["qid"], given["record_id"])
        assert [count for *_, count in listed] == [1, 1]
        ks = [[age, f"[{pay[1:-1].split('-')[0]}K-{pay[1:-1].split('-')[1]}K]", count] for age, pay, count in listed]
        file.compare(ks, "auxiliary")
        shown = [row[:1] + row[1:] for row in example["rows"]]
        file.compare({"columns": example["columns"], "rows": shown}, "valid_example")
