"""A release that the ledger remembers: reserved before it is written, committed when it has its name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.catalogue import shape_of
from sfumato.contracts.asked import Asked
from sfumato.contracts.published import Release
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.ledger.folder import certificate_digest

if TYPE_CHECKING:  # most releases are in no ledger
    from sfumato.ledger.entry import Body
    from sfumato.ledger.ledger import Ledger
    from sfumato.ledger.series import Reservation, SeriesGuard

__all__ = ["Memory", "memory_of", "remembered"]


@frozen
class Memory:
    """The release with what its certificate says of the ledger, and what is to be remembered; nothing, without a ledger."""

    release: Release
    reservation: Reservation | None = None
    body: Body | None = None

    def prepare(self, folder: Path) -> None:
        """Note that the release is written and verified, and about to get its name."""
        if self.reservation is not None:
            _on_disk(*folder.rglob("*"), folder)
            self.reservation.prepare(str(certificate_digest(folder)), self.body)


@contextmanager
def remembered(
    release: Release, target: Path, ledger: Ledger | str | Path | None, series: str | None, guard: SeriesGuard | None
) -> Iterator[Memory]:
    """Reserve the next release of a series while it is written, and commit it when that is done and it has its name.

    What is not given is what the policy says. A series of some kind needs its ``guard``, given or that of the release's shape:
    without the check there is no release.
    """
    asked = memory_of(release.private.policy, ledger, series)
    if asked is None:
        yield Memory(release)
        return
    from sfumato.ledger.ledger import Ledger
    from sfumato.ledger.series import Guarding

    place, name, kind = asked
    shape = shape_of(release.shape)
    if kind and guard is None and isinstance(shape, Guarding):
        guard = shape.guard(release)
    if kind and guard is None:
        raise Unsupported(f"there is no check for series of the kind {kind}", thing=kind)
    with ExitStack() as stack:
        opened = place if isinstance(place, Ledger) else stack.enter_context(Ledger(place))
        held = stack.enter_context(opened.reserve(name, target, kind=kind))
        body = None if guard is None else guard.admit(held.earlier, release)
        certificate = replace(release.certificate, ledger=held.certified)
        yield Memory(replace(release, certificate=certificate), held, body)
        _on_disk(target.absolute().parent)
        held.commit()


def memory_of(
    policy: Asked | None, ledger: Ledger | str | Path | None, series: str | None
) -> tuple[Ledger | str | Path, str, str] | None:
    """Return ledger, name and kind of the series that a release is to be remembered in; nothing, if nobody asks for it."""
    told = None if policy is None else policy.series
    place = ledger if ledger is not None or policy is None else policy.ledger
    name = series if series is not None or told is None else told.name
    if name is None and (place is None or (policy is not None and policy.budgets)):
        return None  # a ledger may be there for its budgets alone
    if place is None or name is None:
        missing, given = ("ledger", "series") if place is None else ("series", "ledger")
        raise BadRequest(f"is required with a {given}", parameter=missing)
    return place, name, (told.kind if told is not None else None) or ""


def _on_disk(*paths: Path) -> None:
    """See that files and folders are on the disk: the ledger must not outlive what it speaks of when the power goes."""
    for path in paths:
        with suppress(OSError):  # not every system can open a folder
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
