"""Personal table, recounted: groups that show a general value, beside the whole published table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.recounts._counted import Counted
from sfumato.recounts._written import Part, grouped

__all__ = ["counted"]


def counted(
    parts: Mapping[str, Part],
    read: Sequence[str],
    qid: Sequence[str],
    sensitive: str,
    general: Mapping[str, Sequence[str]],
    added: int,
    left_out: int,
) -> Counted:
    """Group the rows that show a general value; others' records are published as they are, and promise nothing.

    Rows that were added, and records that were left out, move a share of the table by at most their part of it.
    """
    if tuple(read) != (sensitive,):
        raise BadRequest("is not the column whose frequencies protect", value=", ".join(read), available=[sensitive])
    groups = grouped(parts["data"], qid, [sensitive])
    shown = {
        key: rows
        for key, rows in groups.items()
        if any(text in general.get(name, ()) for name, text in zip(qid, key, strict=True))
    }
    whole = {text: count for (text,), count in parts["data"].counts([sensitive]).items()}
    return Counted(shown, {sensitive: whole}, (added + left_out) / max(sum(whole.values()), 1))
