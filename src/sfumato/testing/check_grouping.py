"""What algorithms promise that publish something else than a recoded table: groups that an independent count confirms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.algorithm import Algorithm
from sfumato.contracts.engine import Table
from sfumato.contracts.publication import Publication
from sfumato.contracts.published import Release
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Infeasible
from sfumato.releases.cluster_release import ClusterRelease
from sfumato.releases.grouped import GroupedKind
from sfumato.tables.policy import Policy
from sfumato.testing.draws import RandomTable, random_table
from sfumato.testing.promises import generators_untouched, promise
from sfumato.verbs.anonymize import anonymize

__all__ = ["check_grouping"]

TRIES = 12
QIDS = ("tree", "number", "bare")
GROUP = "group number"


def check_grouping(algorithm: Algorithm, rng: np.random.Generator) -> None:
    """Check an algorithm that publishes groups or drawn rows, on random tables with the requirement it ``promises``.

    The kind of the release says that the published tables meet the requirement, and so does a count of the groups of the
    input; every record is in a group unless records may be left out; if the algorithm claims truth at record level the
    published values are those of the records, and the certificate repeats the claim; the input is not changed; the same
    seed gives the same tables, and without one a fresh seed is kept in the private part; no global generator is used.
    ``Infeasible`` is raised only where the whole table as one group fails the requirement too. Columns may be refused by
    name; a sensitive column that the promise names is given that role.
    """
    kinds = _accepted(algorithm, random_table(rng))
    promise(kinds, algorithm, "some column can be a quasi-identifier")
    for _ in range(TRIES):
        drawn = random_table(rng, rows=int(rng.integers(4, 40)))
        asked = promised(algorithm, int(rng.integers(1, min(6, drawn.table.rows) + 1)))
        policy = _policy(algorithm, drawn, kinds, asked, seed=11)
        document, rows = policy.document(), drawn.table.to_rows()
        try:
            with generators_untouched(algorithm):
                release, again = anonymize(drawn.table, policy), anonymize(drawn.table, policy)
        except Infeasible:
            promise(not _as_one_group(drawn.table, asked), algorithm, "Infeasible means that no grouping exists")
            continue
        promise(drawn.table.to_rows() == rows, algorithm, "the table that came in is not changed")
        promise(policy.document() == document, algorithm, "the policy that came in is not changed")
        promise(_same(release, again), algorithm, "the same seed gives the same tables")
        promise(release.private.trace == again.private.trace, algorithm, "the same seed gives the same trace")
        _check_verdicts(algorithm, drawn.table, release, asked)
        _check_fresh_seed(algorithm, drawn, _policy(algorithm, drawn, kinds, asked))
        told = release.certificate.release.truthful
        promise(told is algorithm.traits.truthful, algorithm, "the certificate says whether rows are true of records")
        if algorithm.traits.truthful:
            _check_truth(algorithm, drawn.table, release)
        _check_hopeless(algorithm, drawn, kinds)


def promised(algorithm: Algorithm, k: int) -> dict[str, object]:
    """Return the requirement that an algorithm says it can meet."""
    named = getattr(type(algorithm), "promises", "k-anonymity")
    return {"id": named, "k": k} if isinstance(named, str) else dict(named)


def _policy(
    algorithm: Algorithm, drawn: RandomTable, kinds: Sequence[str], asked: Mapping[str, object], **more: object
) -> Policy:
    known: dict[str, dict[str, object]] = {
        "tree": {"hierarchy": {"id": "taxonomy", "tree": drawn.trees["tree"]}},
        "number": {"range": drawn.ranges["number"]},
        "bare": {},
    }
    columns: dict[str, object] = {
        name: {"role": "quasi-identifier", **entry} if name in kinds else {"role": "plain"}
        for name, entry in known.items()
    }
    columns["class"] = {"role": "target"}
    if asked.get("sensitive") in QIDS:
        columns[str(asked["sensitive"])] = {"role": "sensitive"}
    return Policy.of({"columns": columns, "requirements": [asked], "algorithm": algorithm.spec(), **more})


def _accepted(algorithm: Algorithm, drawn: RandomTable) -> list[str]:
    """Return the kinds of columns that the algorithm takes as quasi-identifiers; a refusal must name the column."""
    asked = promised(algorithm, 1)
    kinds = [name for name in QIDS if name != asked.get("sensitive")]
    while kinds:
        try:
            anonymize(drawn.table, _policy(algorithm, drawn, kinds, asked))
        except BadRequest as error:
            promise(error.column in kinds, algorithm, "a refused column is named")
            kinds.remove(str(error.column))
        except Infeasible:
            return kinds
        else:
            return kinds
    return kinds


def _as_one_group(table: Table, asked: Mapping[str, object]) -> bool:
    whole = from_rows([*table.columns, "all"], [(*row, "all") for row in table.to_rows()])
    return bool(build(asked, "model").judge(Publication(table=whole, qids=("all",))))


def _same(one: Release, two: Release) -> bool:
    return {name: table.to_rows() for name, table in one.tables.items()} == {
        name: table.to_rows() for name, table in two.tables.items()
    }


def _grouped(algorithm: Algorithm, table: Table, release: Release) -> Table | None:
    """Return the records beside the number of their group, from the links; ``None`` if some are left out or forgotten."""
    links = release.private.links
    known = links is not None or not isinstance(release.form, GroupedKind | ClusterRelease)
    promise(known, algorithm, "the private part says where records went")
    if links is None or "group" not in links.columns:
        return None
    names = [name.removeprefix("raw ") for name in links.columns[:-2]]
    rows = [row for *row, records in links.to_rows() for _ in range(records)]
    if len(rows) != table.rows:
        return None
    promise(
        Counter(tuple(row[:-1]) for row in rows) == Counter(table.select(names).to_rows()),
        algorithm,
        "the links hold the values of the records",
    )
    return from_rows([*names, GROUP], rows)


def _check_verdicts(algorithm: Algorithm, table: Table, release: Release, asked: Mapping[str, object]) -> None:
    model = build(asked, "model")
    qids = [name for name, role in release.roles.items() if role == "quasi-identifier"]
    (verdict,) = release.form.verify(release.tables, [model], qids)
    promise(verdict.satisfied, algorithm, f"the published tables meet {asked}")
    promise(verdict == next(iter(release.verdict)), algorithm, "the release carries this verdict")
    lost = release.counts.get("records_suppressed", 0)
    promise(lost == 0 or algorithm.traits.suppresses_records, algorithm, "no record is lost")
    added = getattr(release.form, "added", 0)
    shown = verdict.records if release.form.traits.published != "records" else release.table.rows - added
    promise(shown + lost == table.rows, algorithm, "every record is in a group")
    grouped = _grouped(algorithm, table, release)
    if grouped is not None:
        counted = model.judge(Publication(table=grouped, qids=(GROUP,)))
        promise(counted.satisfied, algorithm, f"a count of the records of each group confirms {asked}")
        promise(counted.strongest == verdict.strongest, algorithm, "what is published measures what the records do")


def _check_truth(algorithm: Algorithm, table: Table, release: Release) -> None:
    """Insist that groups publish the values of their records, and clusters a centre and a radius that hold them."""
    kind, grouped = release.form, _grouped(algorithm, table, release)
    if grouped is None:
        return
    if isinstance(kind, GroupedKind):
        shown = kind.records(release.tables).groups([*kind.qid, kind.group])
        true = grouped.groups([*kind.qid, GROUP])
        promise(shown.as_dict() == true.as_dict(), algorithm, "quasi-identifiers are those of the records")
        told, held = kind.cells(release.tables), grouped.groups([GROUP, *kind.sensitive])
        promise(told.as_dict() == held.as_dict(), algorithm, "sensitive values are those of the group")
    if isinstance(kind, ClusterRelease):
        points, scale = grouped.select([*kind.qid, GROUP]).to_rows(), np.array(kind.scales or 1.0)
        for number, *centre, size, radius in release.tables["clusters"].to_rows():
            inside = np.array([row[:-1] for row in points if row[-1] == number], np.float64)
            away = np.sqrt((((inside - np.array(centre)) / scale) ** 2).sum(axis=1))
            promise(size == len(inside), algorithm, "sizes are those of the clusters")
            promise(abs(away.max() - radius) <= 1e-9, algorithm, "no record lies outside the radius, and one on it")


def _check_fresh_seed(algorithm: Algorithm, drawn: RandomTable, policy: Policy) -> None:
    """Insist that a policy without a seed gets one of its own, which repeats the release and is not published."""
    one, two = anonymize(drawn.table, policy), anonymize(drawn.table, policy)
    seed = one.private.facts.seed
    promise(seed != two.private.facts.seed, algorithm, "a policy without a seed gets a fresh one")
    promise(str(seed) not in str(one.certificate.document), algorithm, "the seed is not published")
    again = anonymize(drawn.table, Policy.of({**policy.document(), "seed": seed}))
    promise(_same(one, again), algorithm, "the fresh seed repeats the release")


def _check_hopeless(algorithm: Algorithm, drawn: RandomTable, kinds: Sequence[str]) -> None:
    if not isinstance(getattr(type(algorithm), "promises", "k-anonymity"), str):
        return
    rows = drawn.table.rows
    try:
        anonymize(drawn.table, _policy(algorithm, drawn, kinds, promised(algorithm, rows + 1)))
    except Infeasible as error:
        promise((error.measured, error.bound) == (rows, rows + 1), algorithm, "Infeasible carries measure and bound")
    else:
        promise(False, algorithm, "a request that no grouping can meet raises Infeasible")
