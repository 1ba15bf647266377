"""All releases of a series as one thing that can be attacked: from their public folders, or from what the ledger remembers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.contracts.certificate import LedgerEntry
from sfumato.contracts.published import Kept, Published, Sequel
from sfumato.contracts.release import Beside
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.ledger.ledger import Ledger
from sfumato.publishing.published import open_published, public_folder
from sfumato.sequels.holder import remembered

__all__ = ["collected", "recalled"]


def collected(folders: Sequence[str | Path], *, memory: int | None = None) -> Published:
    """Return the newest of some release folders with the others before it, by the numbers in their certificates.

    Public files alone are read, so that nobody's row is known to be hers. Folders of different series are refused, and so is a
    series without a kind: its releases were not made to be compared.
    """
    found: dict[int, Published] = {}
    first: LedgerEntry | None = None
    for given in folders:
        one = open_published(public_folder(given), private=False, memory=memory)
        told = one.certified.ledger
        if told is None or told.kind is None:
            raise BadRequest("is not one of a series of some kind", parameter="series", value=str(given))
        first = first or told
        if (told.origin, told.series) != (first.origin, first.series):
            raise BadRequest(f"is of another series ({told.series})", parameter="series", value=str(given))
        if told.release in found:
            raise BadRequest(f"release {told.release} is given twice", parameter="series", value=str(given))
        found[told.release] = one
    if not found:
        raise BadRequest("needs at least one release folder", parameter="series")
    *earlier, newest = [found[number] for number in sorted(found)]
    return replace(newest, private=Kept(beside=Beside(earlier=tuple(earlier))))


def recalled(ledger: str | Path, name: str) -> Published:
    """Return the newest release of a series as its holder remembers it, those before it beside it; persons by keyed names."""
    with Ledger(ledger) as opened:
        history = opened.history(name)
        if not history:
            raise BadRequest("has no release", parameter="series", value=name, available=opened.series)
        if not history[-1].kind:
            raise BadRequest("has no kind: its releases were not made to be compared", parameter="series", value=name)
        *before, last = remembered(history)
    sequel = Sequel(
        history[-1].kind,
        tuple(one.certificate for one in before),
        last.copy,
        last.columns,
        last.person,
        tuple(one.copy for one in before),
        tuple(one.loss for one in (*before, last)),
    )
    roles = {column: Role(str(entry["role"])) for column, entry in last.columns.items() if isinstance(entry, Mapping)}
    kept = Kept(beside=Beside(earlier=tuple(one.published() for one in before)), sequel=sequel)
    return replace(last.published(), roles=roles, models=tuple(last.models), private=kept)
