"""Super-node graph, recounted: the written sizes; links must find room between them."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(parts: Mapping[str, Part]) -> Counted:
    """Take the super-nodes by number, each with its size."""
    sizes: dict[Text, int] = {}
    for (number, size), count in parts["supernodes"].counts(["supernode", "size"]).items():
        if count > 1 or number in sizes:
            raise BadRequest("a super-node is listed twice", parameter="supernodes")
        sizes[number] = int(str(size))
    for one, other, links in parts["superedges"].counts(["from", "to", "links"]):
        if one not in sizes or other not in sizes:
            raise BadRequest("links lead to a super-node that is not listed", parameter="superedges")
        room = sizes[one] * (sizes[one] - 1) // 2 if one == other else sizes[one] * sizes[other]
        if int(str(links)) > room:
            raise BadRequest("has more links than there is room for", parameter="superedges")
    return Counted({(number,): {("size",): size} for number, size in sizes.items()})
