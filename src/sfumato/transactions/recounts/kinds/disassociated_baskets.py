"""Disassociated baskets, recounted: the written parts, each item called by its chunk, and the baskets of each cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(parts: Mapping[str, Part]) -> Counted:
    """Take the parts as sets of items, and a set that holds the cluster for each of its baskets."""
    groups: Counter[tuple[Text, ...]] = Counter()
    clusters: set[Text] = set()
    for cluster, baskets in parts["clusters"].counts(["cluster", "baskets"]):
        clusters.add(cluster)
        groups[(cluster,)] += int(str(baskets))
    held: dict[tuple[Text, Text, Text], list[str]] = {}
    chunks: dict[Text, dict[Text, set[Text]]] = {cluster: {} for cluster in clusters}
    with_terms: set[Text] = set()
    for cluster, chunk, part, item in parts["items"].counts(["cluster", "chunk", "part", "item"]):
        if cluster not in clusters:
            raise BadRequest("holds an item of a cluster that is not listed", parameter="items")
        if chunk == "0":
            with_terms.add(cluster)
            continue
        held.setdefault((cluster, chunk, part), []).append(f"{cluster}.{chunk} {item}")
        chunks[cluster].setdefault(chunk, set()).add(item)
    for cluster, own in chunks.items():
        if len(own) > 1 and cluster not in with_terms:
            raise BadRequest("a cluster with several chunks needs an item that is in none of them", parameter="items")
        if sum(map(len, own.values())) > len(set().union(*own.values())):
            raise BadRequest("an item is in two chunks of a cluster", parameter="items")
    for items in held.values():
        groups[tuple(sorted(items))] += 1
    return Counted({public: {(): count} for public, count in groups.items()})
