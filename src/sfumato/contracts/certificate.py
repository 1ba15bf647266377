"""The certificate of a release, entry by entry: what was asked, what was counted, by whom it can be counted again.

Version 2. It holds no time, no path, no seed and no raw value: the same release has the same certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields, is_dataclass
from functools import cached_property
from typing import ClassVar, Literal

from sfumato.contracts.metric import Measured
from sfumato.contracts.model import Audit, Requirement, Verdict
from sfumato.contracts.record import ByName
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say

__all__ = [
    "AlgorithmEntry",
    "Certificate",
    "ChargeEntry",
    "ColumnEntry",
    "Described",
    "Json",
    "LedgerEntry",
    "MetricEntry",
    "PartEntry",
    "ProcedureEntry",
    "PseudonymEntry",
    "Recounted",
    "RequirementEntry",
    "Statement",
]

FORMAT = 2

Recounted = Literal["plain", "another engine", "the same engine", "by the model itself", "inside"]


class _Entry:
    """What all entries share: whoever reads one refuses keys that it does not know."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@frozen
class PartEntry(_Entry):
    """One public table: its name, the file it is written to, what it holds, and the fingerprint of the file.

    ``content_digest`` is that of names, types and rows, whatever the engine, the format and the order of rows.
    """

    part: str
    columns: tuple[str, ...]
    rows: int
    file: str | None = None
    sha256: str | None = None
    content_digest: str | None = None


@frozen
class Described(_Entry):
    """What is published: the kind with its parameters, whether it is true of single records, its tables and their form."""

    kind: str
    truthful: bool
    files: tuple[PartEntry, ...]
    shape: str = "table"
    parameters: Mapping[str, Json] = field(default_factory=dict)
    row_order: str | None = None
    format: str | None = None
    separator: str | None = None


@frozen
class RequirementEntry(_Entry):
    """One requirement on what is published: asked, measured, for whom; and where it was judged.

    ``outside`` was counted from the public files and can be counted again by anybody. ``inside`` needs columns that are not
    published. ``recounted`` says who judged a second time before the files were handed over: plain code, from the texts of
    the files; plain code, from what another engine than that of the search counted, or that engine itself where rows do
    not leave it; the model itself, where there is no plain code for it; or only the publisher, inside.
    ``column`` and ``shape`` are there if it speaks of the cells of one column, which have a shape of their own.
    """

    model: str
    parameters: Mapping[str, Json]
    quasi_identifier: tuple[str, ...]
    satisfied: bool
    measured: float | int | None
    needed: str
    groups: int
    records: int
    adversary: str
    judged: Literal["outside", "inside"] = "outside"
    column: str | None = None
    shape: str | None = None
    recounted: Recounted | None = None

    @classmethod
    def of(cls, verdict: Verdict, model: Requirement, judged: Literal["outside", "inside"]) -> RequirementEntry:
        """Return what the certificate says about the verdict of a model."""
        return cls(
            model=str(model.spec()["id"]),
            parameters=dict(verdict.parameters),
            quasi_identifier=verdict.qid,
            satisfied=verdict.satisfied,
            measured=verdict.strongest,
            needed=verdict.bound,
            groups=verdict.groups,
            records=verdict.records,
            adversary=verdict.adversary,
            judged=judged,
            column=verdict.column,
            shape=verdict.shape,
        )

    def spec(self) -> dict[str, Json]:
        """Return the requirement as it can be built again."""
        known = {"qid": list(self.quasi_identifier)} if self.quasi_identifier else {}  # only tables have one
        return {"id": self.model, **self.parameters, **known}


@frozen
class ProcedureEntry(_Entry):
    """One requirement on the procedure, what it was found to promise, and what that rests on."""

    model: str
    parameters: Mapping[str, Json]
    satisfied: bool
    measured: float | int | None
    needed: str
    adversary: str
    procedure: Mapping[str, Json]
    checked: str
    repeatable: bool

    @classmethod
    def of(cls, audit: Audit, procedure: Mapping[str, Json], *, repeatable: bool) -> ProcedureEntry:
        """Return what the certificate says about an audit of a procedure."""
        return cls(
            model=audit.model,
            parameters=dict(audit.parameters),
            satisfied=audit.satisfied,
            measured=audit.measured,
            needed=audit.bound,
            adversary=audit.adversary,
            procedure=dict(procedure),
            checked=say("checked.repeatable") if repeatable else say("checked.measured"),
            repeatable=repeatable,
        )


@frozen
class MetricEntry(_Entry):
    """What the release cost by one metric, on the whole and by column; the ``denominator`` of a share where it is one."""

    metric: str
    value: float | int
    by_column: Mapping[str, float | int] = field(default_factory=dict)
    lowest: float | int | None = None
    highest: float | int | None = None
    denominator: int | None = None

    @classmethod
    def of(cls, measured: Measured) -> MetricEntry:
        """Return what the certificate says about a measured value."""
        by_column, bounds = dict(measured.by_attribute), (measured.lowest, measured.highest)
        return cls(measured.metric, measured.value, by_column, *bounds, measured.denominator)


@frozen
class ColumnEntry(_Entry):
    """One published column: what it is to an adversary, what was done to it, and why it goes if it may name persons."""

    name: str
    role: str
    operation: str
    published_anyway: str | None = None


@frozen
class PseudonymEntry(_Entry):
    """The columns that hold pseudonyms, and what these are not."""

    columns: tuple[str, ...]
    statement: str


@frozen
class LedgerEntry(_Entry):
    """The ledger that remembers the release: which one, how many entries it had, and the head of its chain (hexadecimal).

    ``series`` is what it is a release of, ``release`` the how many-th. In a series of some ``kind`` each release was checked
    against all ``earlier`` ones, which the SHA-256 of their certificates name, oldest first.
    """

    origin: str
    size: int
    head: str
    series: str
    release: int
    kind: str | None = None
    earlier: tuple[str, ...] | None = None


@frozen
class ChargeEntry(_Entry):
    """What was charged before the noise was drawn: to which budgets, how much, and what the ledger was then, as a witness."""

    origin: str
    size: int
    head: str
    budgets: tuple[str, ...]
    epsilon: float
    delta: float = 0.0


@frozen
class AlgorithmEntry(_Entry):
    """The search: which, whether its result was proven best, and why it ended.

    ``searched_records`` is there if it saw a sample of so many; requirements were judged on everything all the same.
    """

    id: str
    optimal: bool
    stopped: str
    searched_records: int | None = None


@frozen
class Statement(_Entry):
    """What a reader can check and what nobody can see from the files; of a procedure also which it was."""

    checked: Sequence[str] = ()
    not_checkable: Sequence[str] = ()
    mechanism: str | None = None
    parameters: Mapping[str, Json] | None = None


@frozen(eq=False)
class Certificate(_Entry, ByName[Json]):
    """Everything that is certified of a release; reads and compares like the document that is written.

    ``reference`` counts columns before records were left out, where requirements compare groups with that. ``guarantee`` is
    what the tables bound by their form alone. ``policy_sha256`` is the fingerprint of what was asked. ``ledger`` makes whoever
    has the certificate a witness of what was published before, ``charges`` of what was taken from budgets.
    """

    release: Described
    requirements: tuple[RequirementEntry, ...]
    not_protected_against: tuple[str, ...]
    columns: tuple[ColumnEntry, ...]
    counts: Mapping[str, int]
    algorithm: AlgorithmEntry
    verifier: str
    versions: Mapping[str, str]
    certificate: int = FORMAT
    procedures: tuple[ProcedureEntry, ...] = ()
    guarantee: Mapping[str, Json] = field(default_factory=dict)
    statement: Statement | None = None
    reference: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    pseudonyms: PseudonymEntry | None = None
    dropped_columns: int = 0
    metrics: tuple[MetricEntry, ...] = ()
    policy_sha256: str | None = None
    schema_sha256: str | None = None
    ledger: LedgerEntry | None = None
    charges: tuple[ChargeEntry, ...] = ()

    @property
    def records_before(self) -> int | None:
        """How many records there were before some were left out, where that is told."""
        told = [self.counts.get(name) for name in ("records_published", "records_suppressed")]
        return None if None in told else sum(one or 0 for one in told)

    @cached_property
    def document(self) -> dict[str, Json]:
        """The certificate as it is written: entries that have nothing to say are left out."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self) if not _silent(self, one.name)}

    def __getitem__(self, key: str) -> Json:
        return self.document[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.document)

    def __len__(self) -> int:
        return len(self.document)


# Nothing to say about these is the usual case.
_OPTIONAL = ("procedures", "reference", "pseudonyms", "statement", "schema_sha256", "ledger", "charges")

_UNSAID: Mapping[type, tuple[str, ...]] = {
    RequirementEntry: ("column", "shape", "recounted"),
    MetricEntry: ("denominator",),
    AlgorithmEntry: ("searched_records",),
}


def _silent(certificate: Certificate, name: str) -> bool:
    return name in _OPTIONAL and not getattr(certificate, name)


def _plain(value: object) -> Json:
    if is_dataclass(value) and not isinstance(value, type):
        held = {one.name: getattr(value, one.name) for one in fields(value)}
        brief = isinstance(value, (ColumnEntry, Described, LedgerEntry, PartEntry, Statement))
        unsaid = tuple(held) if brief else _UNSAID.get(type(value), ())
        return {name: _plain(given) for name, given in held.items() if given is not None or name not in unsaid}
    if isinstance(value, Mapping):
        return {str(key): _plain(given) for key, given in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(given) for given in value]
    return value  # type: ignore[return-value]
