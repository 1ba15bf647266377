"""What leaves a holder is checked by itself: a joint table that keeps its promise in the bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sfumato.contracts.published import Release
from sfumato.data.messages import say
from sfumato.errors import Contradiction
from sfumato.publishing.certificate import FILE
from sfumato.publishing.folder import seal_public, write_public
from sfumato.tables.policy import Policy

__all__ = ["written_certificate"]


def written_certificate(release: Release, policy: Policy) -> bytes:
    """Return the certificate of a release as it is written: the files are made aside, read again, and judged by counting.

    It holds no time and no place, so every holder that has the same joint table gets the same bytes, and so does whoever
    publishes it.
    """
    form = policy.output.format or "csv"
    with tempfile.TemporaryDirectory(prefix="sfumato-leaving-") as place:
        folder = Path(place) / "public"
        written = seal_public(write_public(release, folder, form, "\t" if form == "tsv" else ","))
        if not written.verdict:
            raise Contradiction(say("party.bad.unkept"), parameter="joint table")
        return (folder / FILE).read_bytes()
