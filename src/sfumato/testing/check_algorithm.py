"""What every algorithm promises: releases that an independent count confirms, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.algorithm import Algorithm
from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel
from sfumato.contracts.publication import Publication
from sfumato.contracts.published import Release
from sfumato.data.text import parse_interval, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible
from sfumato.models.k_anonymity import KAnonymity
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.policy import Policy
from sfumato.testing.check_grouping import check_grouping, promised
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.draws import RandomTable, random_table
from sfumato.testing.promises import generators_untouched, promise
from sfumato.verbs.anonymize import anonymize

__all__ = ["check_algorithm"]

TRIES = 12
QIDS = ("tree", "number", "bare")


def check_algorithm(algorithm: Algorithm, rng: np.random.Generator) -> None:
    """Check an algorithm on random tables with k-anonymity on one or several quasi-identifiers.

    Every release satisfies the requirement by a count of its rows that shares no code with the search; no record is lost
    unless records may be suppressed; published values are true of their record if the algorithm claims so; the input is
    not changed; the same seed gives the same rows and the same trace; no global generator is used; a request that no
    masking can meet raises ``Infeasible``. An algorithm may refuse columns without a hierarchy, by name. One that cannot
    promise k-anonymity says on the class what it ``promises``: the id of a model with a parameter k, or a whole requirement
    that every table can meet, in which ``class`` is the sensitive column. Algorithms that publish something else than a
    recoded table are checked by :func:`~sfumato.testing.check_grouping.check_grouping` instead.
    """
    check_thing(algorithm)
    check_json(algorithm)
    if algorithm.traits.release != RecodedTable.id:
        check_grouping(algorithm, rng)
        return
    kinds = _accepted(algorithm, random_table(rng))
    for _ in range(TRIES):
        drawn = random_table(rng, rows=int(rng.integers(4, 40)))
        requirements = _requirements(algorithm, rng, kinds, drawn.table.rows)
        policy = _policy(algorithm, drawn, kinds, requirements)
        document, rows = policy.document(), drawn.table.to_rows()
        with generators_untouched(algorithm):
            release, again = _run(algorithm, drawn, policy), _run(algorithm, drawn, policy)
        promise(drawn.table.to_rows() == rows, algorithm, "the table that came in is not changed")
        promise(policy.document() == document, algorithm, "the policy that came in is not changed")
        _check_counts(algorithm, release.table, requirements, kinds)
        promise(release.table.to_rows() == again.table.to_rows(), algorithm, "the same seed gives the same rows")
        promise(release.private.trace == again.private.trace, algorithm, "the same seed gives the same trace")
        if not algorithm.traits.suppresses_records:
            promise(release.table.rows == drawn.table.rows, algorithm, "no record is lost")
        if algorithm.traits.truthful:
            _check_truth(algorithm, drawn, release, kinds)
        _check_hopeless(algorithm, drawn, kinds)


def _policy(
    algorithm: Algorithm, drawn: RandomTable, kinds: Sequence[str], requirements: Sequence[Mapping[str, object]]
) -> Policy:
    columns: dict[str, object] = {
        "tree": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": drawn.trees["tree"]}},
        "number": {"role": "quasi-identifier", "range": drawn.ranges["number"]},
        "bare": {"role": "quasi-identifier"},
        "class": {"role": "target"},
    }
    for name in QIDS:
        if name not in kinds:
            columns[name] = {"role": "plain"}
    return Policy.of(
        {
            "columns": columns,
            "requirements": requirements,
            "algorithm": algorithm.spec(),
            "output": {"row_order": "keep"},
        }
    )


def _accepted(algorithm: Algorithm, drawn: RandomTable) -> list[str]:
    """Return the kinds of columns that the algorithm can mask; a refusal must name the column."""
    kinds = list(QIDS) if algorithm.traits.numeric_without_hierarchy else ["tree", "bare"]
    while True:
        try:
            _run(algorithm, drawn, _policy(algorithm, drawn, kinds, [promised(algorithm, 1)]))
        except BadRequest as error:
            promise(error.column in kinds and error.column != "tree", algorithm, "a refused column is named")
            kinds.remove(str(error.column))
        else:
            return kinds


def _run(algorithm: Algorithm, drawn: RandomTable, policy: Policy) -> Release:
    """Anonymize; whoever asks for a population gets the table itself."""
    asks = any(model.traits.evaluation == "external" for model in policy.models())
    return anonymize(drawn.table, policy, external=drawn.table if asks else None)


def _requirements(
    algorithm: Algorithm, rng: np.random.Generator, kinds: Sequence[str], rows: int
) -> list[dict[str, object]]:
    out = [promised(algorithm, int(rng.integers(1, min(6, rows) + 1)))]
    if "k" not in out[0] or not algorithm.several_quasi_identifiers:
        return out
    out[0]["qid"] = list(kinds)
    if len(kinds) > 1 and rng.random() < 0.5:
        out[0]["qid"] = list(kinds[:-1])
        out.append({**promised(algorithm, int(rng.integers(1, min(6, rows) + 1))), "qid": list(kinds[1:])})
    return out


def _check_counts(
    algorithm: Algorithm, table: Table, requirements: Sequence[Mapping[str, object]], kinds: Sequence[str]
) -> None:
    rows = table.to_rows()
    for asked in requirements:
        model: TableModel = build(asked, "model")
        if not isinstance(model, KAnonymity):
            if model.traits.evaluation == "external":
                continue
            verdict = model.judge(Publication(table=table, qids=tuple(kinds)))
            promise(verdict.satisfied, algorithm, f"a recount of the rows confirms {asked}")
            continue
        at = [table.columns.index(name) for name in model.qid or kinds]
        counts = Counter(tuple(row[i] for i in at) for row in rows)
        if counts:
            promise(min(counts.values()) >= model.k, algorithm, f"a recount of the rows confirms {asked}")


def _check_truth(algorithm: Algorithm, drawn: RandomTable, release: Release, kinds: Sequence[str]) -> None:
    """Insist that every published value is the raw value or covers it; rows are in the order of the input."""
    tree = Tree.from_nested(drawn.trees["tree"])
    paths = {leaf: set(row) for leaf, row in zip(tree.leaves, tree.to_levels(), strict=True)}
    columns = drawn.table.columns
    if release.table.rows != drawn.table.rows:
        return
    for raw, shown in zip(drawn.table.to_rows(), release.table.to_rows(), strict=True):
        for name, value, label in zip(columns, raw, shown, strict=True):
            if name not in kinds:
                promise(value == label, algorithm, "columns that are not masked stay as they are")
                continue
            interval = parse_interval(str(label)) if isinstance(value, (int, float)) else None
            true = str(label) in (to_text(value), "*") or (name == "tree" and label in paths[value])
            if name == "tree" and ".." in str(label):  # a run of leaves in the order of the tree
                start, _, end = (tree.leaf_number.get(part, -1) for part in str(label).partition(".."))
                true = 0 <= start <= tree.leaf_number[value] <= end
            if name == "bare" and ".." in str(label):
                first, _, last = str(label).partition("..")
                true = first <= to_text(value) <= last
            if interval is not None:
                low, high, closed = interval
                true = low <= value < high or (closed and value == high)
            promise(true, algorithm, f"the published {label!r} is true of {value!r}")


def _check_hopeless(algorithm: Algorithm, drawn: RandomTable, kinds: Sequence[str]) -> None:
    hopeless = [promised(algorithm, drawn.table.rows + 1)]
    if "k" not in hopeless[0]:
        return
    try:
        _run(algorithm, drawn, _policy(algorithm, drawn, kinds, hopeless))
    except Infeasible as error:
        promise(error.measured == drawn.table.rows, algorithm, "Infeasible carries the measured value")
        promise(error.bound == drawn.table.rows + 1, algorithm, "Infeasible carries the bound")
    else:
        promise(False, algorithm, "a request that no masking can meet raises Infeasible")
