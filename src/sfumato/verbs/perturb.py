"""Change a table at random so that statistics stay: noise, swapping, averaging, synthetic records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, Perturbed
from sfumato.data.text import to_text
from sfumato.engines import frames
from sfumato.errors import BadRequest
from sfumato.releases.making import check_columns
from sfumato.releases.perturbed_table import PerturbedTable
from sfumato.releases.synthetic_table import SyntheticTable
from sfumato.verbs.opening import open_table

__all__ = ["PerturbedResult", "perturb"]


@dataclass(frozen=True, eq=False)
class PerturbedResult:
    """A perturbed table: its records are true of nobody.

    ``steps`` holds what each perturbation did; the ``private`` part of a step compares with the original and must stay.
    ``kind`` is the frame type that came in.
    """

    truthful: ClassVar[bool] = False

    table: Table
    steps: tuple[Perturbed, ...]
    kind: str | None = None

    @property
    def keeps(self) -> tuple[str, ...]:
        """What stays of the original; a later step may blur what an earlier one kept."""
        return tuple(dict.fromkeys(text for step in self.steps for text in step.keeps))

    @property
    def public(self) -> Any:
        """The rows as the frame type that came in."""
        return frames.from_arrow(_arrow(self.table), self.kind)

    @property
    def release(self) -> str:
        """The kind of release that the table is: synthetic if its records were drawn, else perturbed."""
        return SyntheticTable.id if any(step.replaces for step in self.steps) else PerturbedTable.id

    @property
    def changed(self) -> tuple[str, ...]:
        """The columns whose values were changed, in the order of the table."""
        names = {name for step in self.steps for name in step.columns}
        return tuple(name for name in self.table.columns if name in names)

    def built(self, columns: Sequence[str] | None = None, domains: Mapping[str, Any] | None = None) -> Built:
        """Return the release of these columns (all if not given), sorted; not yet judged.

        The procedure and its parameters are stated; seeds, comparisons with the original, and facts that may quote values of
        the table are not. ``domains`` are declared domains of synthetic columns; those that a perturbation was given are
        taken over.
        """
        names = self.table.columns if columns is None else tuple(columns)
        check_columns(self.table, "columns", names)
        if not set(names) & set(self.changed):
            raise BadRequest(
                "must hold a column that was perturbed", parameter="columns", value=names, available=self.changed
            )
        table = self.table.select(names).sort()
        mechanism = ", then ".join(step.perturbation.id for step in self.steps)
        told = [_settings(step) for step in self.steps]
        settings = told[0] if len(told) == 1 else {"steps": told}
        if self.release == PerturbedTable.id:
            if domains:
                raise BadRequest("are for synthetic tables", parameter="domains")
            shown = [name for name in self.changed if name in names]
            return PerturbedTable.build(table, shown, mechanism=mechanism, settings=settings)
        known = _declared(self.steps[-1]) if domains is None else domains
        declared = {name: domain for name, domain in known.items() if name in names} if domains is None else known
        return SyntheticTable.build(table, mechanism=mechanism, settings=settings, domains=declared)

    @property
    def statement(self) -> dict[str, Any]:
        """What may be told about the table, in a form that JSON takes; holds no seed and no original value."""
        return {
            "release": self.release,
            "truthful": self.truthful,
            "records": self.table.rows,
            "steps": [step.statement() for step in self.steps],
        }


def perturb(
    source: Any,
    perturbation: Any,
    rng: np.random.Generator | None = None,
    *,
    seed: int | None = None,
    row_order: str = "keep",
    engine: str | Mapping[str, Any] | None = None,
) -> PerturbedResult:
    """Return the table after a perturbation, or after several in turn.

    ``perturbation`` is one of :mod:`sfumato.perturbations`, its spec (``{"id": "rank-swapping", "column": "age", "p": 5}``),
    or a list of them. Give a generator, or a seed for one; with neither, fresh entropy is used and no run is repeated. Who
    knows the seed can undo noise, so keep it. ``row_order`` is ``keep`` or ``sort``: the order of the input can tell whose
    record is where, so sort before you publish.

    >>> made = perturb({"age": [30, 41, 28, 66]}, {"id": "rank-swapping", "column": "age", "p": 50}, seed=7)
    >>> made.truthful, sorted(value for (value,) in made.table.to_rows())
    (False, [28, 30, 41, 66])
    """
    if row_order not in ("keep", "sort"):
        raise BadRequest("is not an order", parameter="row_order", value=row_order, available=["keep", "sort"])
    table = open_table(source, engine=engine)
    kind = frames.kind_of(table.to_native())
    generator = _generator(rng, seed)
    given = perturbation if isinstance(perturbation, (list, tuple)) else [perturbation]
    made = [_perturbation(entry) for entry in given]
    if not made:
        raise BadRequest("needs at least one perturbation", parameter="perturbation")
    steps = []
    for entry in made:
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


def _settings(step: Perturbed) -> dict[str, Any]:
    """Return what the certificate states of a perturbation: its parameters, what it keeps, and facts that quote no value."""
    spec = step.perturbation.spec()
    formal = step.perturbation.traits.formal
    # A text among the facts can be a value of the table, unless a proof covers all that the procedure puts out.
    facts = {key: value for key, value in step.facts.items() if formal or _numeric(value)}
    stated = {"perturbation" if key == "id" else key: value for key, value in spec.items()}
    plain: dict[str, Any] = json.loads(
        json.dumps({**stated, "keeps": list(step.keeps), **({"facts": facts} if facts else {})}, default=to_text)
    )
    return plain


def _numeric(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_numeric(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return all(_numeric(item) for item in value)
    return isinstance(value, (int, float))


def _declared(step: Perturbed) -> dict[str, Any]:
    """Return the domains that a perturbation was given, in the form in which a reader can check them."""
    given: Any = getattr(step.perturbation, "domains", None) if step.replaces else None
    out: dict[str, Any] = {}
    for name, domain in (given or {}).items():
        ranged = isinstance(domain, Mapping)
        out[name] = {"range": [domain["low"], domain["high"]]} if ranged else {"values": list(domain)}
    return json.loads(json.dumps(out, default=to_text))  # type: ignore[no-any-return]


def _perturbation(given: Any) -> Perturbation:
    made = build(given, "perturbation") if isinstance(given, (str, Mapping)) else given
    if not isinstance(made, Perturbation):
        raise BadRequest(
            "does not change a table; estimators have a method reconstruct",
            parameter="perturbation",
            value=getattr(made, "id", type(made).__name__),
        )
    return made


def _arrow(table: Table) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches(list(table.batches()))


def _with_columns(table: Table, step: Perturbed) -> Table:
    """Return the table with the new columns in place of the old ones, in the same engine."""
    import pyarrow as pa

    old = _arrow(table)
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
        values: Sequence[Any] | Any = step.columns[name]
        if isinstance(values, np.ndarray):
            arrays[name] = pa.array(values, from_pandas=True)  # NaN stands for missing
        else:
            arrays[name] = pa.array(values, old.schema.field(name).type)
    opened: Table = build(table.engine, "engine").open(pa.table(arrays))
    return opened
