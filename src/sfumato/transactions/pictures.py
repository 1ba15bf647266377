"""Pictures of published baskets: what became of items, how frequent they were and are, which sets gave somebody away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.contracts.certificate import Certificate
from sfumato.contracts.model import Requirement
from sfumato.contracts.picture import Bars, Curves, Line, Picture
from sfumato.data.messages import say
from sfumato.itemsets.twins import Twins
from sfumato.itemsets.violations import levels
from sfumato.kernels.arrays import Ints
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.itemset_model import ItemsetModel

__all__ = ["fate_of_items", "support_before_and_after", "supports_by_rank", "violations_by_size"]

_SHOWN = 12
_POINTS = 60


def fate_of_items(before: Baskets, after: Baskets, certificate: Certificate | None) -> list[Picture]:
    """Return how many occurrences of public items are shown as they are, by a node above them, or not at all."""
    measured = () if certificate is None else certificate.metrics
    lost = next((one for one in measured if one.metric == "lost-items"), None)
    if lost is None or lost.denominator is None:
        return []
    public = int((~before.is_private[before.codes]).sum())
    leaves = [after.supports[after.code_of[name]] for name in before.items if name in after.code_of]
    kept = int(sum(leaves)) - int(after.supports[after.is_private].sum())
    out = round(lost.value * lost.denominator)
    counts = {"kept": kept, "general": max(public - kept - out, 0), "left_out": out}
    return [
        Bars(
            title=say("picture.fate"),
            caption=say("picture.fate_caption", occurrences=public),
            labels=[say("picture.kept"), say("picture.general"), say("picture.left_out")],
            after=list(counts.values()),
        )
    ]


def support_before_and_after(before: Baskets, after: Baskets, least: int) -> list[Picture]:
    """Return how many baskets hold the most frequent public items; those of fewer than ``least`` baskets are not named."""
    supports = np.where(before.is_private, 0, before.supports)
    order = [code for code in np.argsort(-supports, kind="stable")[:_SHOWN].tolist() if supports[code] >= least]
    if not order:
        return []
    names = [before.items[code] for code in order]
    now = [int(after.supports[after.code_of[name]]) if name in after.code_of else 0 for name in names]
    return [
        Bars(
            title=say("picture.supports"),
            caption=say("picture.supports_caption"),
            labels=names,
            after=now,
            before=[int(supports[code]) for code in order],
        )
    ]


def supports_by_rank(before: Baskets | None, after: Baskets) -> list[Picture]:
    """Return supports of items from the most frequent to the rarest, nodes of the taxonomy among them; before where told."""
    lines = [Line(name=say("picture.published"), points=_ranked(after))]
    if before is not None:
        lines.append(Line(name=say("picture.before"), points=_ranked(before), before=True))
    return [
        Curves(
            title=say("picture.ranks"),
            caption=say("picture.ranks_caption"),
            across=say("picture.rank"),
            up=say("picture.baskets"),
            lines=lines,
            log_across=True,
            log_up=True,
        )
    ]


def violations_by_size(before: Baskets, models: Sequence[Requirement]) -> list[Picture]:
    """Return how many minimal sets of 1, 2, ... items broke a requirement before masking, and so decided what was done."""
    counts: dict[int, int] = {}
    for model in models:
        if isinstance(model, ItemsetModel):
            database, _, _ = model.database(before)
            twins = Twins.of(database, model.power())
            for size, level in enumerate(levels(twins.database, model.rule(), model.power()), 1):
                counts[size] = counts.get(size, 0) + twins.broken(level)
    if not any(counts.values()):
        return []
    return [
        Bars(
            title=say("picture.moles"),
            caption=say("picture.moles_caption"),
            labels=[say("picture.of_size", items=size) for size in counts],
            after=list(counts.values()),
        )
    ]


def _ranked(baskets: Baskets) -> list[tuple[float, float]]:
    supports: Ints = np.sort(baskets.supports[baskets.supports > 0])[::-1]
    ranks = np.unique(np.round(np.geomspace(1, max(len(supports), 1), _POINTS)).astype(np.int64))
    return [(float(rank), float(supports[rank - 1])) for rank in ranks.tolist() if rank <= len(supports)]
