"""What a plain recount promises: it says of a partition what the model says."""

from __future__ import annotations

from collections.abc import Hashable
from math import isclose

from sfumato.contracts.model import TableModel, Verdict
from sfumato.data.text import written_text
from sfumato.groups.stats import GroupStats
from sfumato.publishing.recounting import covered, judged
from sfumato.recounts import Counted, Groups, Histogram, Key, Number, Text
from sfumato.testing.promises import promise

__all__ = ["check_recount"]


def check_recount(model: TableModel, groups: GroupStats, verdict: Verdict, people: GroupStats | None = None) -> bool:
    """Compare a verdict on groups with that of the model's recount on their texts; tell whether there is one.

    ``people`` are the groups of a population. Groups that are no group by their texts alone are not compared.
    """
    texts = _texts(groups, model.needs()) if covered(model, "recoded-table") else None
    if texts is None:
        return False
    whole = {name: _whole(groups, name) for name in model.needs() if name in groups.histograms}
    beside = None if people is None else {key: sum(rows.values()) for key, rows in (_texts(people, ()) or {}).items()}
    found = judged(model, Counted(texts, whole), groups.columns, beside)
    promise(found.satisfied == verdict.satisfied, model, "the recount comes to the same verdict")
    one, other = found.measured, verdict.strongest
    same = one is other if one is None or other is None else isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    promise(same, model, f"the recount measures the same: {one} and {other}")
    return True


def _texts(groups: GroupStats, needs: tuple[str, ...]) -> Groups | None:
    joint = " × ".join(needs)
    if needs and joint not in groups.histograms:
        return None
    out: dict[Key, dict[Key, Number]] = {}
    for at, size in enumerate(groups.sizes.tolist()):
        counts: dict[Hashable, Number] = {**groups.histograms[joint].row(at)} if needs else {(): size}
        row = {_key(value): count for value, count in counts.items()}
        if len(row) < len(counts):
            return None
        out[_key(groups.key(at))] = row
    return out if len(out) == len(groups) else None


def _key(value: Hashable) -> Key:
    return tuple(map(_text, value)) if isinstance(value, tuple) else (_text(value),)


def _text(value: Hashable) -> Text:
    return None if value is None else written_text(value)


def _whole(groups: GroupStats, name: str) -> Histogram:
    values, counts = groups.histograms[name].values, groups.whole_table(name).tolist()
    return {_text(value): count for value, count in zip(values, counts, strict=True)}
