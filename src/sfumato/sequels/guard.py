"""The last look before a release of a series is written: nothing came between, and all releases together keep the promise."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.published import Release
from sfumato.errors import BadRequest, InternalError, Unsupported
from sfumato.ledger.entry import Body
from sfumato.ledger.series import Past
from sfumato.sequels.build import judged_inside
from sfumato.sequels.holder import Remembered, remembered
from sfumato.sequels.policy import SeriesPolicy

__all__ = ["Guard"]


class Guard:
    """Whoever judges the next release of a series against all before it, by the holder's copies that the ledger keeps."""

    def admit(self, earlier: Sequence[Past], release: Release) -> Body:
        """Refuse a release that was made to follow others than there are; judge it once more; return what is remembered."""
        policy, sequel = release.private.policy, release.private.sequel
        if not isinstance(policy, SeriesPolicy) or sequel is None:
            raise Unsupported(
                f"a {release.kind} that was not made as the next of its series cannot be judged beside it",
                thing=release.kind,
                alternatives=["sfumato.anonymize with a policy that names the kind of the series"],
            )
        if tuple(past.certificate for past in earlier) != sequel.earlier:
            raise BadRequest(
                f"has {len(earlier)} releases by now, and this one was made after {len(sequel.earlier)} that may be others; "
                "make it again",
                parameter="series",
            )
        loss = release.measured["loss"].value if "loss" in release.measured else None
        mine = Remembered.of(release.form, sequel, release.private.requirements(), loss)
        if mine.published().table.content_digest() != release.table.content_digest():
            raise InternalError("what would be remembered is not what would be published; nothing is")
        judged_inside(policy, [*remembered(earlier), mine], mine.models)
        return mine.body()
