"""From what a search found to the next release of a series, judged beside all before it, and what its holder remembers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sfumato.catalogue import name_of
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.built import Built
from sfumato.contracts.certificate import AlgorithmEntry, ColumnEntry
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Requirement, TableModel
from sfumato.contracts.published import Kept, Release, Sequel
from sfumato.contracts.release import Beside
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import Unsupported
from sfumato.publishing.certify import Told, certify, refuse_violations
from sfumato.sequels.algorithms.byun_incremental import ByunFacts
from sfumato.sequels.algorithms.hd_composition import HDFacts
from sfumato.sequels.holder import Remembered, copied
from sfumato.sequels.policy import SeriesPolicy
from sfumato.sequels.prepare import PreparedSequel
from sfumato.sequels.releases.recoded_table import RecodedTable, labels_above
from sfumato.sequels.series import Series
from sfumato.tables.build import recoding_kept, recoding_told
from sfumato.tables.recode import recode_table

__all__ = ["judged_inside", "next_release"]


def next_release(prepared: PreparedSequel, outcome: Outcome, seed: int, source: object) -> Release:
    """Return the next release, certified; whoever keeps the series remembers the copy that is kept beside it."""
    if outcome.built is None:
        return _recoded(prepared, outcome, source)
    return _built(prepared, outcome, outcome.built, seed)


def judged_inside(policy: SeriesPolicy, releases: Sequence[Remembered], models: Sequence[Requirement]) -> None:
    """Judge all releases together as their holder can, who knows whose record is whose; refuse what breaks a promise."""
    last, asked = releases[-1], [model for model in models if not isinstance(model, TableModel)]
    if isinstance(last.form, RecodedTable):
        series = last.form.series(
            last.published().table, Beside(earlier=tuple(one.published() for one in releases[:-1]))
        )
    else:
        qid, sensitive = policy.of_role(Role.QUASI_IDENTIFIER), policy.of_role(Role.SENSITIVE)[0]
        series = Series(tuple(one.holders() for one in releases), qid, sensitive, {}, policy.person)
    refuse_violations([model.judge(series) for model in asked], searched=True)


def _recoded(prepared: PreparedSequel, outcome: Outcome, source: object) -> Release:
    inside, rows = prepared.inside, prepared.batch
    if outcome.operation is not None or outcome.suppressed:
        name = prepared.policy.search().id
        raise Unsupported(
            f"{name} recodes or leaves out single records, and releases of a series are joined by their columns",
            thing=name,
            alternatives=["tdr"],
        )
    waiting = outcome.facts.delayed if isinstance(outcome.facts, ByunFacts) else 0
    if waiting:
        rows = _published_before(prepared)
        table = rows.select(inside.table.columns)
        held = {name: table.dictionary(name) for name in inside.names}
        inside = replace(inside, table=table, dictionaries=held, records_read=inside.records_read - waiting)
    copy = recode_table(rows, outcome.recodings).table
    public = copy.select(inside.table.columns)
    public = public if prepared.policy.output.row_order == "keep" else public.sort()
    form = RecodedTable(qid=prepared.qid, sensitive=prepared.sensitive, above=labels_above(public, prepared.trees))
    beside = Beside(earlier=tuple(one.published() for one in prepared.past), records=public.rows)
    told = recoding_told(inside, outcome, inside.task(None), public)
    told = replace(told, algorithm=_algorithm(prepared, outcome))
    if waiting:
        told = replace(told, warnings=[*told.warnings, say("warning.waiting", count=waiting)])
    kept = replace(
        recoding_kept(inside, outcome, source),
        policy=prepared.policy,
        beside=beside,
        models=prepared.models,
        sequel=_sequel(prepared, copy),
    )
    return certify(Built(form, {"data": public}, beside=beside), told, kept)


def _published_before(prepared: PreparedSequel) -> Table:
    """Return the records of persons who are in the last release."""
    person, rows = str(prepared.policy.person), prepared.batch.as_rows()
    known = {*prepared.past[-1].copy.dictionary(person).values}
    held = np.array([who in known for who in rows.dictionary(person).values], bool)
    return rows.take(np.flatnonzero(held[rows.codes([person])[:, 0]]))


def _built(prepared: PreparedSequel, outcome: Outcome, built: Built, seed: int) -> Release:
    """Return the release of an algorithm that publishes more than recoded records; persons are seen by its holder alone."""
    assert built.links is not None
    sequel, main = _sequel(prepared, built.links), built.main
    mine = Remembered.of(built.kind, sequel, prepared.models)
    judged_inside(prepared.policy, [*prepared.past, mine], prepared.models)
    told = Told(
        columns=tuple(_entry(prepared, built, name) for name in _names(built)),
        counts={
            "records_read": prepared.inside.records_read,
            "records_dropped_for_missing_values": prepared.inside.dropped,
            "rows_published": main.rows,
        },
        algorithm=_algorithm(prepared, outcome),
        dropped_columns=sum(name not in main.columns for name in prepared.policy.columns),
        warnings=[*outcome.warnings, *prepared.inside.warnings, *_left_out(prepared, outcome)],
    )
    beside = Beside(earlier=tuple(one.published() for one in prepared.past))
    kept = Kept(
        policy=prepared.policy,
        trace=outcome.trace,
        facts=replace(outcome.facts, seed=seed),
        beside=beside,
        models=prepared.models,
        sequel=sequel,
    )
    return certify(replace(built, beside=beside), told, kept)


def _left_out(prepared: PreparedSequel, outcome: Outcome) -> list[str]:
    """Say how many records had to be left out so that nobody is linked to a value."""
    count = outcome.facts.left_out if isinstance(outcome.facts, HDFacts) else 0
    return [say("records.left_out", count=count, share=count / prepared.batch.rows)] if count else []


def _names(built: Built) -> list[str]:
    """Return the published columns; one that several tables have is one."""
    return list(dict.fromkeys(name for table in built.tables.values() for name in table.columns))


def _entry(prepared: PreparedSequel, built: Built, name: str) -> ColumnEntry:
    asked = prepared.policy.columns.get(name)
    return ColumnEntry(name, str(Role.PLAIN if asked is None else asked.role), built.kind.operation(name))


def _algorithm(prepared: PreparedSequel, outcome: Outcome) -> AlgorithmEntry:
    search = prepared.policy.search()
    proven = search.traits.optimal if outcome.optimal is None else outcome.optimal
    return AlgorithmEntry(name_of(type(search)), proven, outcome.stopped or "no step was left")


def _sequel(prepared: PreparedSequel, copy: Table) -> Sequel:
    """Return what the ledger gets: which releases this one follows, and what is published of whom."""
    person = prepared.policy.person
    return Sequel(
        prepared.kind,
        tuple(one.certificate for one in prepared.past),
        copied(copy, person, prepared.digests),
        prepared.policy.about(),
        person,
        tuple(one.copy for one in prepared.past),
        tuple(one.loss for one in prepared.past),
    )
