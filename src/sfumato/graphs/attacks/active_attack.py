"""Active attack: who planted accounts before the release finds them in it, and then their targets."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.graphs.attack import GraphAttack, GraphKnowledge
from sfumato.graphs.graph import Graph
from sfumato.graphs.sybils import Planted, Recovered, plant, recover

__all__ = ["ActiveAttack", "PlantedFound"]


@frozen(eq=False)
class PlantedFound(Details):
    """Whether the planted accounts were located, and how many of their targets were found."""

    status: str
    copies: int
    targets: int
    found: int


class ActiveAttack(GraphAttack):
    """Plant some accounts with a pattern of links that nobody else has, find them in the release, then their targets.

    With N nodes, about ``2 log2 N`` accounts suffice: each is linked with the next, any two others with probability 1/2, and
    each target with a set of accounts of its own. In the published graph a walk along the accounts is pruned by degrees and
    links; with one copy and no exchangeable accounts, a target is the node that is linked with just its set.

    Adversary: planted accounts before the release, and knows their links.

    Examples
    --------
    >>> graph = Graph.of([(at, (at * 7 + step) % 60) for at in range(60) for step in (1, 2) if at != (at * 7 + step) % 60],
    ...                  repair=["directed", "duplicates"])
    >>> attack = ActiveAttack()
    >>> grown, planted = attack.plant(graph, [3, 9], np.random.default_rng(2))
    >>> attack.recover(grown, planted).status
    'located'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.2.2.
    Backstrom, Dwork, Kleinberg, "Wherefore art thou r3579x? Anonymized social networks, hidden patterns, and structural
    steganography", 2007, doi:10.1145/1242572.1242598.
    """

    id: ClassVar[str] = "active-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="accounts that were planted before",
        needs=frozenset({"planted"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.active-attack")

    accounts: int | None = param(
        default=None, ge=1, doc="how many accounts are planted; twice the binary logarithm of the nodes"
    )

    def plant(self, graph: Graph, targets: Sequence[Hashable], rng: np.random.Generator) -> tuple[Graph, Planted]:
        """Return the graph with planted accounts, and what their owner knows of them."""
        return plant(graph, targets, rng, accounts=self.accounts)

    def recover(self, graph: Graph, planted: Planted) -> Recovered:
        """Look for planted accounts and their targets in a published graph."""
        return recover(graph, planted)

    def on(self, graph: Graph, knowledge: GraphKnowledge, run: Run) -> Risk:
        planted = _planted(knowledge.planted)
        found = recover(graph, planted)
        named = len(found.targets or {})
        risks = np.array([1.0] * named + [0.0] * (len(planted.targets) - named))
        highest, mean = spread(risks)
        return Risk(
            attack=self.id,
            per_victim=risks,
            highest=highest,
            mean=mean,
            reading=say("reading.planted", accounts=planted.accounts, found=named, targets=len(planted.targets)),
            details=PlantedFound(found.status, found.copies, len(planted.targets), named),
        )


def _planted(given: object) -> Planted:
    """Return what is known of planted accounts: an object, a mapping, or a JSON file with links, degrees and targets."""
    if isinstance(given, Planted):
        return given
    if isinstance(given, (str, Path)):
        try:
            given = json.loads(Path(given).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise BadRequest("is no JSON file of planted accounts", parameter="planted") from None
    if not isinstance(given, Mapping) or {"links", "degrees", "targets"} - set(given):
        rule = "must be a JSON file with links, degrees and targets of the accounts: --know planted=FILE"
        raise BadRequest(rule, parameter="planted")
    return Planted.of(given["links"], given["degrees"], given["targets"])
