"""What the holder of a series remembers of each release: what was published of whom, under names that only the ledger knows."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence

from sfumato.catalogue import build, requirement
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Model, Requirement
from sfumato.contracts.published import Published, Sequel
from sfumato.contracts.release import ReleaseKind
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.engines.stored import from_bytes, to_bytes
from sfumato.errors import BadRequest
from sfumato.ledger.entry import Body
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.series import Past
from sfumato.sequels.roles import ROLES

__all__ = ["RECORD", "Remembered", "copied", "names_of", "record_digests", "remembered"]

RECORD = "#record"
"""The column of a holder's copy with a keyed digest of each record as it was read: it tells whether values changed."""

_BODY = "release of a series 1"


@frozen(eq=False)
class Remembered:
    """One release that has left: the digest of its certificate, how it reads, what it was about, and the holder's copy."""

    certificate: str
    form: ReleaseKind
    columns: Mapping[str, Json]
    person: str | None
    copy: Table
    models: Sequence[Requirement] = ()
    loss: float | None = None

    @classmethod
    def of(
        cls, form: ReleaseKind, sequel: Sequel, models: Sequence[Requirement], loss: float | None = None
    ) -> Remembered:
        """Return a release that is about to leave: nobody has its certificate yet."""
        return cls("", form, sequel.columns, sequel.person, sequel.copy, models, loss)

    def body(self) -> Body:
        """Return what the ledger is to keep of the release."""
        head = {
            "form": self.form.spec(),
            "columns": self.columns,
            "person": self.person,
            "requirements": [model.spec() for model in self.models],
            "loss": self.loss,
        }
        return Body(_BODY, json.dumps(head, sort_keys=True).encode() + b"\n" + to_bytes(self.copy))

    def records(self) -> dict[Hashable, Hashable]:
        """Return the digest of each person's record."""
        return dict(zip(*self.copy.counts([str(self.person), RECORD]).keys, strict=True))

    def holders(self) -> Table:
        """Return what was published with the keyed names of persons beside it."""
        return self.copy.select([name for name in self.copy.columns if name != RECORD])

    def published(self) -> Published:
        """Return the records as everybody has them."""
        hidden = (self.person, RECORD, ROLES)
        shown = self.copy.select([name for name in self.copy.columns if name not in hidden])
        return Published(form=self.form, tables={self.form.part_names()[0]: shown})


def remembered(history: Sequence[Past]) -> tuple[Remembered, ...]:
    """Read back what the open ledger holds of each release; one that was erased, or never told, is refused by its number."""
    return tuple(map(_read, history))


def _read(past: Past) -> Remembered:
    body = past.body
    if body is None or body.kind != _BODY:
        raise BadRequest(
            f"release {past.release} cannot be compared with: what was remembered of it was erased, or it was recorded "
            "without it; begin a new series",
            parameter="series",
            value=past.series,
        )
    head, _, content = body.content.partition(b"\n")
    told = json.loads(head)
    form: ReleaseKind = build(told["form"], "release", "series")
    models = [requirement(spec["id"], "series").from_spec(spec) for spec in told["requirements"]]
    return Remembered(
        past.certificate,
        form,
        told["columns"],
        told["person"],
        from_bytes(content),
        [model for model in models if isinstance(model, Model)],
        told["loss"],
    )


def names_of(ledger: Ledger, series: str, table: Table, person: str) -> dict[Hashable, str]:
    """Return the keyed name of each person of a table, by the id as it is read."""
    return {who: ledger.pseudonym(to_text(who), namespace=series) for who in table.dictionary(person).values}


def record_digests(ledger: Ledger, series: str, table: Table, person: str, columns: Sequence[str]) -> dict[str, str]:
    """Return a keyed digest of each record's values, by the keyed name of its person."""
    rows = table.select([person, *columns]).to_rows()
    texts = [(row[0], json.dumps([None if value is None else to_text(value) for value in row[1:]])) for row in rows]
    return {who: ledger.pseudonym(text, namespace=f"{series} record") for who, text in texts}


def copied(table: Table, person: str | None, digests: Mapping[str, str]) -> Table:
    """Return a holder's copy as the ledger keeps it, in an order that tells nothing: each person's digest beside her record."""
    if person is None:
        return table.sort()
    rows = table.sort().to_rows()
    held: dict[str, list[object]] = {name: [row[at] for row in rows] for at, name in enumerate(table.columns)}
    return read({**held, RECORD: [None if who is None else digests[str(who)] for who in held[person]]})
