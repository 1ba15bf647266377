"""What an auditor decides about a question: it is answered, or refused for a reason that tells nothing of the values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest

__all__ = ["Decision", "places"]


@frozen
class Decision:
    """Why a question is refused; true, and without a reason, if it is answered.

    An answer that ``follows`` from earlier ones tells nothing more: whoever goes on from the log may pass it over.
    """

    refused: str | None = None
    follows: bool = False

    def __bool__(self) -> bool:
        return self.refused is None

    def __str__(self) -> str:
        return self.refused or "answer"


def places(records: Sequence[Hashable]) -> Callable[[Collection[Hashable]], list[int]]:
    """Return how records are found by their names; a name that is not there is refused."""
    known = {name: at for at, name in enumerate(records)}

    def place(query: Collection[Hashable]) -> list[int]:
        for name in query:
            if name not in known:
                raise BadRequest("is not a record", parameter="queries", value=name)
        return [known[name] for name in query]

    return place
