"""Reachability of quasi-identifiers: which of them holders must handle together, and which each can handle alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.parties.conversation.protocol import Joint

__all__ = ["QidReachability", "Reachability"]


@frozen
class Reachability:
    """Places of quasi-identifiers in the list that was asked about: ``across`` holders, ``joint``, and ``local_only``."""

    across: tuple[int, ...]
    joint: tuple[int, ...]
    local_only: tuple[int, ...]


class QidReachability(Joint):
    """Which quasi-identifiers holders must handle together.

    A quasi-identifier is *global* if its columns belong to several holders. Joint are the global ones and all that are
    reachable from them in the graph whose edges are shared columns: what is done to one of these changes what may be done to
    the others. The rest is handled by its owner alone, without a message, and the result is the same.

    Examples
    --------
    >>> owner = {"a1": "A", "a2": "A", "b1": "B", "b2": "B"}
    >>> QidReachability().of(owner, [["a1", "b1"], ["a1", "a2"], ["b2"]])
    Reachability(across=(0,), joint=(0, 1), local_only=(2,))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.1.1.
    """

    id: ClassVar[str] = "qid-reachability"

    def of(self, owner: Mapping[str, str], qids: Sequence[Sequence[str]]) -> Reachability:
        """Return what holds for quasi-identifiers, given the owner of each column."""
        for columns in qids:
            for column in columns:
                if column not in owner:
                    raise BadRequest(
                        "is brought by no holder", parameter=f"{self.id}.qid", value=column, available=owner
                    )
        across = tuple(at for at, columns in enumerate(qids) if len({owner[column] for column in columns}) > 1)
        joint, waiting = set(across), list(across)
        while waiting:
            reached = set(qids[waiting.pop()])
            near = [at for at, others in enumerate(qids) if at not in joint and not reached.isdisjoint(others)]
            joint.update(near)
            waiting += near
        alone = tuple(at for at in range(len(qids)) if at not in joint)
        return Reachability(across, tuple(sorted(joint)), alone)
