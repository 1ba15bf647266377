"""What a desk is opened with: its policy, and the table that the policy reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.engines import open_source
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest
from sfumato.interactive.policy import DeskPolicy
from sfumato.policy import SharedPolicy

__all__ = ["desk_policy", "opened"]


def desk_policy(given: SharedPolicy | Mapping[str, object] | str | Path) -> DeskPolicy:
    """Return the policy of a desk; one for releases is refused."""
    found = SharedPolicy.of(given)
    if not isinstance(found, DeskPolicy):
        raise BadRequest(say("desk.bad.policy"), parameter="policy")
    return found


def opened(source: object, policy: DeskPolicy, run: Run) -> Table:
    """Return the table of a source, read as the policy says."""
    run.stage("reading")
    if isinstance(source, Table):
        return source
    types = {name: str(one.type) for name, one in policy.columns.items() if one.type is not None}
    return open_source(source, policy.engine, make_options({**policy.source.model_dump(), "types": types}), run.memory)
