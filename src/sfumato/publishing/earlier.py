"""The public folders of a series, each in its place: certificates name those that came before them by their digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.contracts.certificate import Certificate
from sfumato.contracts.published import Published
from sfumato.errors import BadRequest
from sfumato.ledger.folder import certificate_digest
from sfumato.publishing.published import open_published, public_folder

__all__ = ["earlier_releases"]


def earlier_releases(
    certificate: Certificate, folders: Sequence[str | Path], *, engine: str = "polars", memory: int | None = None
) -> Mapping[int, Published]:
    """Open public folders as the releases that a certificate names before it, by their number; refuse any other folder."""
    told = certificate.ledger
    named = () if told is None else told.earlier or ()
    found: dict[int, Published] = {}
    for given in folders:
        folder = public_folder(given)
        digest = certificate_digest(folder)
        if digest is None:
            raise BadRequest("is not a release folder", parameter="earlier", value=str(given))
        if digest not in named:
            raise BadRequest(
                "is not one of the releases that the certificate names before it", parameter="earlier", value=str(given)
            )
        found[named.index(digest) + 1] = open_published(folder, engine=engine, private=False, memory=memory)
    return found
