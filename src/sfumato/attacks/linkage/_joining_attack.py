"""What attacks share that join a table of persons with what is published: what a missing value matches."""

from __future__ import annotations

from typing import cast

from sfumato.attacks._covering import Missing
from sfumato.attacks._matching import LookedUp, look_up
from sfumato.contracts.attack import TableAttack
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.thing import param

__all__ = ["JoiningAttack"]


class JoiningAttack(TableAttack):
    """An attack that looks up persons by their values."""

    missing: str = param(
        default="own-value",
        choices=("own-value", "wildcard", "nothing"),
        doc="what a missing value matches: missing alone, anything on the other side, or nothing",
    )

    def looked_up(self, seen: Seen, knowledge: TableKnowledge, persons: Table | None = None) -> LookedUp:
        """Look up the persons of a table, the external one if not given."""
        return look_up(seen, knowledge, persons, missing=cast("Missing", self.missing))
