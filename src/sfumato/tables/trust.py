"""A version for recipients of some trust that the ledger remembers: drawn once from its neighbours, given again as it was."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbed
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.ledger.ledger import Ledger
from sfumato.perturbations.multilevel_perturbation import MultilevelPerturbation, TrustVersions

__all__ = ["remembered_version"]

_DIGEST = 32  # bytes of SHA-256


def remembered_version(
    asked: MultilevelPerturbation, table: Table, ledger: Ledger | str | Path, name: str, rng: np.random.Generator
) -> Perturbed:
    """Return the version that a ledger holds under a name, drawn now if nobody asked for its level before.

    The table must be the one that the first version was made of, in the same order: a version says what each record shows.
    """
    if asked.levels:
        raise BadRequest("are what the ledger remembers; leave them out", parameter=f"{asked.id}.levels")
    versions = asked.versions(table)
    digest = _state(table, versions)
    level = Fraction(repr(asked.p))
    # Every level has a stream of its own: with one seed for all requests, versions would be kept in the same records.
    stream = np.random.default_rng([int(rng.integers(2**63)), level.numerator, level.denominator])

    def draw(held: Mapping[Fraction, bytes]) -> bytes:
        earlier = {one: _codes(content, digest, name) for one, content in held.items()}
        chain = TrustVersions(versions.domain, versions.codes, earlier)
        chain.version(level, stream)
        return digest + zlib.compress(chain.held[level].astype("<u4").tobytes())

    with ExitStack() as stack:
        opened = ledger if isinstance(ledger, Ledger) else stack.enter_context(Ledger(ledger))
        content = opened.versions.drawn(name, level, table.rows, len(versions.domain), draw)
    return asked.shown(TrustVersions(versions.domain, versions.codes, {level: _codes(content, digest, name)}))


def _state(table: Table, versions: TrustVersions) -> bytes:
    """Return a digest of all rows in their order, and of the values that are drawn from."""
    found = sha256()
    for column in table.columns:
        for value in (column, *table.dictionary(column).values):
            found.update(to_text(value).encode() + b"\0")
        found.update(table.as_rows().codes([column]).astype("<i8").tobytes())
    for value in versions.domain:
        found.update(to_text(value).encode() + b"\0")
    return found.digest()


def _codes(content: bytes, digest: bytes, name: str) -> Ints:
    if content[:_DIGEST] != digest:
        raise BadRequest(
            "has versions of other rows, of another order of them or of another list of values: a version goes on from the "
            "table that the first one was made of",
            parameter="series",
            value=name,
        )
    return np.frombuffer(zlib.decompress(content[_DIGEST:]), "<u4").astype(np.int64)
