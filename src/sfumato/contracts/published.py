"""What is published, as everybody reads it: the tables, what is certified of them and, in the house, what was kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.contracts.advice import Advice, Advising
from sfumato.contracts.asked import Asked
from sfumato.contracts.built import Linking
from sfumato.contracts.certificate import Certificate
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import Facts
from sfumato.contracts.metric import Measured
from sfumato.contracts.model import Requirement, Verdict, verdict_header
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.contracts.release import Beside, ReleaseKind
from sfumato.contracts.trace import Step
from sfumato.data.frozen import frozen
from sfumato.data.html import html_list, html_table, html_text
from sfumato.data.json import Json
from sfumato.data.messages import say, tell
from sfumato.data.schema import ColumnType, Role
from sfumato.data.vega import bar_chart
from sfumato.data.words import percent
from sfumato.errors import BadRequest, Unsupported

__all__ = ["Judgement", "Kept", "Published", "Release", "Sequel"]

_ENOUGH_RECORDS, _ENOUGH_COLUMNS, _ENOUGH_PARTS = 0.75, 0.5, 0.5
_QUICKLY_ADVISED = 10_000  # records: of more a sample is tried, where everything costs more than in the whole
_SHOWN = 5


@frozen
class Judgement:
    """The verdicts of all requirements; true if every one is satisfied."""

    verdicts: tuple[Verdict, ...]

    @property
    def satisfied(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.satisfied for verdict in self.verdicts)

    def __bool__(self) -> bool:
        return self.satisfied

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __repr__(self) -> str:
        holding = sum(verdict.satisfied for verdict in self.verdicts)
        return f"Judgement({holding} of {len(self.verdicts)} requirements hold)"

    def _repr_html_(self) -> str:
        return html_table(verdict_header(), [verdict.row() for verdict in self.verdicts])


@frozen(eq=False, repr=False)
class Sequel:
    """What a release of a series follows, by the digests of the earlier certificates, and what its holder must remember.

    ``kind`` says how releases follow each other. ``copy`` holds what is published, with keyed names in the column ``person``,
    ``before`` the same of the earlier releases, ``losses`` what these lost; ``columns`` is what the series is about.
    """

    kind: str
    earlier: tuple[str, ...]
    copy: Table
    columns: Mapping[str, Json]
    person: str | None = None
    before: Sequence[Table] = ()
    losses: Sequence[float | None] = ()


@frozen(eq=False, repr=False)
class Kept:
    """What must stay: the policy with its seed, the trace of the search, the recoding, where the rows came from.

    ``operations`` recode whole records, after the columns and in their order. ``types`` are those of the masked columns before
    masking. ``links`` says by their values which records are in which group, where groups are published. ``models`` are the
    requirements of a release that was not made from a policy alone. ``beside`` is what its check was told, ``raw`` the table
    before masking: both are there as long as the release is in memory, and raw is never written. ``advising`` tells what to
    change next, where searches can be tried again. ``sequel`` is what the ledger gets of a release that follows others.
    ``lists`` are further tables for the private folder, by the name of their file, such as what somebody should look at.
    """

    policy: Asked | None = None
    recodings: Mapping[str, ColumnRecoding] = field(default_factory=dict)
    operations: Sequence[TableRecoding] = ()
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    trace: Sequence[Step] = ()
    facts: Facts = field(default_factory=Facts)
    stopped: str | None = None
    source: str | None = None
    linking: Linking | None = None
    models: Sequence[Requirement] = ()
    beside: Beside = field(default_factory=Beside)
    raw: Table | None = None
    advising: Advising | None = None
    sequel: Sequel | None = None
    lists: Mapping[str, Table] = field(default_factory=dict)

    @property
    def links(self) -> Table | None:
        """Which records are in which group, where groups are published and that was kept; made anew, as it is as large."""
        return None if self.linking is None else self.linking()

    @cached_property
    def advice(self) -> Advice | None:
        """What to change next, where searches can be tried again."""
        return None if self.advising is None else self.advising()

    def requirements(self) -> list[Requirement]:
        """Return the requirements: those it was made with, or those of the policy."""
        return list(self.models) if self.models or self.policy is None else list(self.policy.models())


@frozen(eq=False, kw_only=True, repr=False)
class Published:
    """What is published: tables by the name of their part, the kind that reads them, the roles of columns.

    ``certificate`` is there for a release and not for a bare table. ``private`` holds what was kept; a stranger has nothing of
    it. ``models`` are the requirements that it is said to meet.
    """

    form: ReleaseKind
    tables: Mapping[str, Table]
    roles: Mapping[str, Role] = field(default_factory=dict)
    certificate: Certificate | None = None
    models: tuple[Requirement, ...] = ()
    private: Kept = field(default_factory=Kept)
    warnings: Sequence[str] = ()
    folder: Path | None = None

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} of {table.rows:,} rows" for name, table in self.tables.items())
        return f"{type(self).__name__}({self.kind}: {parts})"

    def _repr_html_(self) -> str:
        return html_text(repr(self)) + ("" if self.certificate is None else _shown_rows(self.table))

    @property
    def kind(self) -> str:
        """The id of the kind."""
        return self.form.id

    @property
    def shape(self) -> str:
        """The shape of the data that it is made from."""
        return self.form.shape

    @property
    def table(self) -> Table:
        """The main one of the tables."""
        return next(iter(self.tables.values()))

    @property
    def certified(self) -> Certificate:
        """The certificate; a table that nobody certified is refused."""
        if self.certificate is None:
            raise BadRequest("is no release: nothing is certified of it", parameter="release")
        return self.certificate

    @property
    def recodings(self) -> Mapping[str, ColumnRecoding]:
        """The learned mapping of each column, where it was kept."""
        return self.private.recodings

    def of_role(self, role: Role) -> list[str]:
        """Return the columns with a role, in order."""
        return [name for name, known in self.roles.items() if known is role]

    @cached_property
    def little_left(self) -> tuple[str, ...]:
        """Sentences that say so if requirements hold but little is left.

        Of the records that were read less than three quarters are published, more than half of the protected columns show one
        value only, or every measure that is a share of small parts (items, points) says that more than half is lost.
        """
        counts = {} if self.certificate is None else self.certificate.counts
        read, left = counts.get("records_read"), counts.get("records_published")
        few = read is not None and left is not None and left < _ENOUGH_RECORDS * read
        out = [say("little.records", left=left, read=read, share=(left or 0) / (read or 1))] if few else []
        columns = [name for name in self.of_role(Role.QUASI_IDENTIFIER) if name in self.table.types]
        alike = [name for name in columns if len(self.table.dictionary(name)) <= 1] if self.form.by_column else []
        if len(alike) > _ENOUGH_COLUMNS * len(columns):
            out.append(say("little.columns", count=len(alike), all=len(columns), names=alike))
        metrics = () if self.certificate is None else self.certificate.metrics
        shares = {entry.metric: entry.value for entry in metrics if entry.denominator}
        if shares and min(shares.values()) > _ENOUGH_PARTS:
            out.append(say("little.parts", share=min(shares.values()), names=list(shares)))
        return tuple(out)


@frozen(eq=False, kw_only=True, repr=False)
class Release(Published):
    """A verified release in memory.

    ``public`` is the frame to publish, in the type that came in; where there are several tables, a dictionary of them.
    ``verdict`` was made by the checker on the published rows, not by the search.
    """

    certificate: Certificate
    verdict: Judgement
    measured: Mapping[str, Measured] = field(default_factory=dict)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many records were read, left out and published."""
        return self.certificate.counts

    def _repr_html_(self) -> str:
        losses = self.measured["loss"].by_attribute if "loss" in self.measured else {}
        columns = [
            [entry.name, entry.role, entry.operation, percent(losses[entry.name], 1.0) if entry.name in losses else ""]
            for entry in self.certificate.columns
        ]
        header = [tell(f"page.notebook.{name}") for name in ("column", "role", "operation", "loss")]
        said = [*self.little_left, *self.warnings]
        parts = [html_text(repr(self)), self.verdict._repr_html_(), html_list(said), html_table(header, columns)]
        return "".join([*parts, _shown_rows(self.table)])

    def chart(self) -> Any:
        """Return what each protected column lost as an Altair chart; needs the extra ``report``."""
        if "loss" not in self.measured:
            raise Unsupported("the loss of columns was not measured", thing=self.kind)
        column, loss = tell("page.notebook.column"), tell("page.notebook.loss")
        lost = self.measured["loss"].by_attribute.items()
        return bar_chart([{column: name, loss: value} for name, value in lost], column, loss)

    @property
    def advice(self) -> Advice:
        """What to change next, in numbers: made when it is asked for, within a few seconds; it stays in the house."""
        return self.private.advice or Advice(little=self.little_left)

    def advised(self, *, thorough: bool = False) -> list[str]:
        """Return the sentences of the advice; of a large table, unless ``thorough``, only that it can be asked for."""
        small = self.private.advising is None or self.counts.get("records_read", 0) <= _QUICKLY_ADVISED
        if thorough or small or "advice" in vars(self.private):  # whoever asked before is answered at once
            return self.advice.sentences()
        return [*self.little_left, say("next.ask")]

    @property
    def public(self) -> Any:
        """The published rows as the frame type that came in."""
        if len(self.tables) > 1:
            return {name: table.to_native() for name, table in self.tables.items()}
        return self.table.to_native()


def _shown_rows(table: Table) -> str:
    """Return the first rows of a table that is published."""
    rows = [["" if value is None else value for value in row] for row in table.head(_SHOWN)]
    return html_table(table.columns, rows, tell("page.notebook.rows", shown=len(rows), rows=table.rows))
