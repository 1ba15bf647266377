"""What leaves a holder is checked by itself: no names of persons, and a joint table that keeps its promise in the bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

from sfumato.contracts.published import Release
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Contradiction
from sfumato.publishing.certificate import FILE
from sfumato.publishing.folder import write_public
from sfumato.tables.policy import Policy

__all__ = ["refuse_names", "written_certificate"]


def refuse_names(column: str, values: Sequence[str], persons: Collection[str]) -> None:
    """Refuse a column that would be sent unmasked if it names persons: most values are names of them, and most differ."""
    different = set(values)
    if 2 * len(different) > len(values) and 2 * sum(one in persons for one in different) > len(different):
        raise BadRequest(say("party.bad.names"), column=column)


def written_certificate(release: Release, policy: Policy) -> bytes:
    """Return the certificate of a release as it is written: the files are made aside, read again, and judged by counting.

    It holds no time and no place, so every holder that has the same joint table gets the same bytes, and so does whoever
    publishes it.
    """
    form = policy.output.format or "csv"
    with tempfile.TemporaryDirectory(prefix="sfumato-leaving-") as place:
        folder = Path(place) / "public"
        written = write_public(release, folder, form, "\t" if form == "tsv" else ",")
        if not written.verdict:
            raise Contradiction(say("party.bad.unkept"), parameter="joint table")
        return (folder / FILE).read_bytes()
