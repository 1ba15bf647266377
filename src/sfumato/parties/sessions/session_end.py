"""What a session ends with: the rows to publish or what is sealed for their recipient, how they were found, who learnt what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.parties.conversation.leakage import Leak
from sfumato.parties.conversation.local import Traffic
from sfumato.parties.conversation.message import OutOfProtocol

__all__ = ["Counted", "SessionEnd", "counted"]

Counted: TypeAlias = "tuple[tuple[tuple[str, ...], int], ...]"
"""Every different row with how often it occurs, in order: groups are alike, so this is far shorter than all rows."""


def counted(rows: Iterable[tuple[str, ...]]) -> Counted:
    """Return how often each row occurs.

    >>> counted([("y",), ("x",), ("y",)])
    ((('x',), 1), (('y',), 2))
    """
    return tuple(sorted(Counter(rows).items()))


@frozen
class SessionEnd:
    """What every holder has in the end, the same for all: the rows to publish and how they were found.

    ``sealed`` are columns by holder that only the recipient of the contract opens; there are no rows then.
    """

    columns: tuple[str, ...]
    counted: Counted
    rounds: tuple[tuple[str, str, str], ...]
    traffic: Traffic
    leaks: tuple[Leak, ...]
    warnings: tuple[str, ...] = ()
    sealed: tuple[tuple[str, str], ...] = ()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The rows to publish, one by one."""
        return tuple(row for row, times in self.counted for _ in range(times))

    def document(self) -> dict[str, Json]:
        """Return it as plain data: what holders sign and the coordinator compares."""
        return {
            "columns": list(self.columns),
            "rows": [[times, *row] for row, times in self.counted],
            "rounds": [list(one) for one in self.rounds],
            "messages": dict(self.traffic.messages),
            "bytes": dict(self.traffic.bytes),
            "count": self.traffic.rounds,
            "control": sorted(self.traffic.control),
            "leaks": [[one.role, one.source, one.message, one.round, str(one.what), one.times] for one in self.leaks],
            "warnings": list(self.warnings),
            "sealed": [list(one) for one in self.sealed],
        }

    @classmethod
    def of(cls, document: Mapping[str, object]) -> SessionEnd:
        """Return what plain data say."""
        given: Mapping[str, list[list[str]]] = document  # type: ignore[assignment]
        numbers: Mapping[str, dict[str, int]] = document  # type: ignore[assignment]
        try:
            traffic = Traffic(
                numbers["messages"],
                numbers["bytes"],
                frozenset(map(str, given["control"])),
                int(str(document["count"])),
            )
            leaks = [
                Leak(str(role), str(source), str(kind), int(at), str(what), int(times))
                for role, source, kind, at, what, times in given["leaks"]
            ]
            rounds = tuple((str(who), str(name), str(value)) for who, name, value in given["rounds"])
            rows = tuple((tuple(map(str, row)), int(times)) for times, *row in given["rows"])
            if any(times < 1 or len(row) != len(given["columns"]) for row, times in rows):
                raise ValueError
            warnings = tuple(map(str, given["warnings"]))
            sealed = tuple((str(holder), str(text)) for holder, text in given["sealed"])
            return cls(tuple(map(str, given["columns"])), rows, rounds, traffic, tuple(leaks), warnings, sealed)
        except (KeyError, TypeError, ValueError):
            raise OutOfProtocol("does not hold what a session ends with", parameter="release") from None
