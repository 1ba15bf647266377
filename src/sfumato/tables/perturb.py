"""What a perturbation gave: the changed table, and what it was changed by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sfumato.contracts.built import Built
from sfumato.contracts.columns import arrow_of, check_columns
from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbed
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.text import to_text
from sfumato.engines import frames
from sfumato.errors import BadRequest
from sfumato.releases.perturbed_table import PerturbedTable
from sfumato.releases.synthetic_table import SyntheticTable

__all__ = ["PerturbedResult"]


@frozen(eq=False)
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
        return frames.from_arrow(arrow_of(self.table, self.table.columns), self.kind)

    @property
    def release(self) -> str:
        """The kind of release that the table is: synthetic if its records were drawn, else perturbed."""
        return SyntheticTable.id if any(step.replaces for step in self.steps) else PerturbedTable.id

    @property
    def changed(self) -> tuple[str, ...]:
        """The columns whose values were changed, in the order of the table."""
        names = {name for step in self.steps for name in step.columns}
        return tuple(name for name in self.table.columns if name in names)

    def built(self, columns: Sequence[str] | None = None, domains: Mapping[str, object] | None = None) -> Built:
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
    def statement(self) -> dict[str, object]:
        """What may be told about the table, in a form that JSON takes; holds no seed and no original value."""
        return {
            "release": self.release,
            "truthful": self.truthful,
            "records": self.table.rows,
            "steps": [step.statement() for step in self.steps],
        }


def _settings(step: Perturbed) -> dict[str, Json]:
    """Return what the certificate states of a perturbation: its parameters, what it keeps, and facts that quote no value."""
    spec = step.perturbation.spec()
    formal = step.perturbation.traits.formal
    # A text among the facts can be a value of the table, unless a proof covers all that the procedure puts out.
    facts = {key: value for key, value in step.facts.items() if formal or _numeric(value)}
    stated = {"perturbation" if key == "id" else key: value for key, value in spec.items()}
    plain: dict[str, Json] = json.loads(
        json.dumps({**stated, "keeps": list(step.keeps), **({"facts": facts} if facts else {})}, default=to_text)
    )
    return plain


def _numeric(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(_numeric(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return all(_numeric(item) for item in value)
    return isinstance(value, (int, float))


def _declared(step: Perturbed) -> dict[str, Json]:
    """Return the domains that a perturbation was given, in the form in which a reader can check them."""
    given: Any = getattr(step.perturbation, "domains", None) if step.replaces else None
    out: dict[str, object] = {}
    for name, domain in (given or {}).items():
        ranged = isinstance(domain, Mapping)
        out[name] = {"range": [domain["low"], domain["high"]]} if ranged else {"values": list(domain)}
    return json.loads(json.dumps(out, default=to_text))  # type: ignore[no-any-return]
