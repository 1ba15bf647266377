"""Change a table at random so that statistics stay: noise, swapping, averaging, synthetic records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.columns import arrow_of
from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, Perturbed
from sfumato.contracts.run import Run
from sfumato.engines import frames
from sfumato.errors import BadRequest
from sfumato.ledger.ledger import Ledger
from sfumato.perturbations.multilevel_perturbation import MultilevelPerturbation
from sfumato.tables.open import open_table
from sfumato.tables.perturb import PerturbedResult
from sfumato.tables.trust import remembered_version

__all__ = ["perturb"]


def perturb(
    source: object,
    perturbation: object,
    rng: np.random.Generator | None = None,
    *,
    seed: int | None = None,
    row_order: str = "keep",
    engine: str | Mapping[str, object] | None = None,
    ledger: Ledger | str | Path | None = None,
    series: str | None = None,
    run: Run | None = None,
) -> PerturbedResult:
    """Return the table after a perturbation, or after several in turn.

    ``perturbation`` is one of :mod:`sfumato.perturbations`, its spec (``{"id": "rank-swapping", "column": "age", "p": 5}``),
    or a list of them. Give a generator, or a seed for one; with neither, fresh entropy is used and no run is repeated. Who
    knows the seed can undo noise, so keep it. ``row_order`` is ``keep`` or ``sort``: the order of the input can tell whose
    record is where, so sort before you publish. With a ``ledger`` the version of ``multilevel-perturbation`` is remembered
    under the name ``series``: other levels are drawn from it, and who asks for the same level gets the same values.

    >>> made = perturb({"age": [30, 41, 28, 66]}, {"id": "rank-swapping", "column": "age", "p": 50}, seed=7)
    >>> made.truthful, sorted(value for (value,) in made.table.to_rows())
    (False, [28, 30, 41, 66])
    """
    if row_order not in ("keep", "sort"):
        raise BadRequest("is not an order", parameter="row_order", value=row_order, available=["keep", "sort"])
    run = Run.of(run)
    table = open_table(source, engine=engine, run=run)
    # A frame is not made to ask what it would be: a database that hands out rows lives as long as the process.
    given = source.to_native() if isinstance(source, Table) else source
    kind = (None if isinstance(given, (str, Path)) else frames.kind_of(given)) or table.engine
    generator = _generator(rng, seed)
    made = [
        _perturbation(entry) for entry in (perturbation if isinstance(perturbation, (list, tuple)) else [perturbation])
    ]
    if not made:
        raise BadRequest("needs at least one perturbation", parameter="perturbation")
    _refuse_forgotten(made, ledger, series)
    steps = []
    run.stage("perturbing", len(made))
    for done, entry in enumerate(made):
        run.tick(done, entry.id)
        if ledger is not None and series is not None and isinstance(entry, MultilevelPerturbation):
            step = remembered_version(entry, table, ledger, series, generator)
        else:
            step = entry.apply(table, generator)
        table = _with_columns(table, step)
        steps.append(step)
    return PerturbedResult(table.sort() if row_order == "sort" else table, tuple(steps), kind)


def _generator(rng: np.random.Generator | None, seed: int | None) -> np.random.Generator:
    if rng is not None and seed is not None:
        raise BadRequest("give a generator or a seed, not both", parameter="seed", value=seed)
    if rng is not None:
        return rng
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise BadRequest("must be a whole number >= 0", parameter="seed", value=seed)
    return np.random.default_rng(seed)


def _refuse_forgotten(made: Sequence[Perturbation], ledger: Ledger | str | Path | None, series: str | None) -> None:
    """Refuse a ledger that has nothing to remember, or that would remember a version of data that are random already."""
    if ledger is None and series is None:
        return
    if ledger is None or series is None:
        missing, given = ("ledger", "series") if ledger is None else ("series", "ledger")
        raise BadRequest(f"is required with a {given}", parameter=missing)
    places = [at for at, one in enumerate(made) if isinstance(one, MultilevelPerturbation)]
    if places != [0]:
        rule = "remembers versions of multilevel-perturbation, which must come first and be the only one of its kind"
        raise BadRequest(rule, parameter="ledger", value=[one.id for one in made])


def _perturbation(given: object) -> Perturbation:
    made = build(given, "perturbation") if isinstance(given, (str, Mapping)) else given
    if not isinstance(made, Perturbation):
        raise BadRequest(
            "does not change a table; estimators have a method reconstruct",
            parameter="perturbation",
            value=getattr(made, "id", type(made).__name__),
        )
    return made


def _with_columns(table: Table, step: Perturbed) -> Table:
    """Return the table with the new columns in place of the old ones, in the same engine."""
    import pyarrow as pa

    old = arrow_of(table, table.columns)
    arrays = {}
    names = list(step.columns if step.replaces else old.column_names)
    if step.dropped:
        at = names.index(step.dropped[0])
        new = [name for name in step.columns if name not in names]
        names = [name for name in [*names[:at], *new, *names[at:]] if name not in step.dropped]
    for name in names:
        if name not in step.columns:
            arrays[name] = old.column(name)
            continue
        values: Sequence[object] | object = step.columns[name]
        if isinstance(values, np.ndarray):
            arrays[name] = pa.array(values, from_pandas=True)  # NaN stands for missing
        else:
            arrays[name] = pa.array(values, old.schema.field(name).type)
    return open_table(pa.table(arrays), engine=table.home)
