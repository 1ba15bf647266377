"""Every metric, and every variant other tools have, against formulas evaluated record by record on random tables."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles import naive_groups
from oracles.naive_metrics import Case, aggregate
from sfumato.contracts.metric import Measured
from sfumato.data.tree import Tree
from sfumato.recodings import FullDomainGeneralization
from sfumato.tables.recode import Recoded
from sfumato.testing.strategies import tables

NAMES = ("a0", "a1")
FACTORS = st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0])
AGGREGATES = st.sampled_from(["mean", "sum", "maximum", "geometric-mean", "rank"])


class Drawn:
    """A raw table, a release of it through the public verbs, and the same for the oracle."""

    def __init__(self, raw: sfumato.Table, release: Recoded, case: Case, hierarchies: dict[str, Any]) -> None:
        self.raw, self.release, self.case, self.hierarchies = raw, release, case, hierarchies

    def measure(self, metric: str, **options: Any) -> Measured:
        measured = sfumato.measure(self.raw, self.release, {"id": metric, **options}, target="class")
        assert isinstance(measured, Measured)
        return measured


@st.composite
def releases(draw: st.DrawFn) -> Drawn:
    """Full-domain recodings of two columns; groups smaller than k are suppressed."""
    drawn = draw(tables(("taxonomy", "taxonomy")))
    trees: dict[str, Any] = {attribute.name: attribute.tree for attribute in drawn.attributes}
    columns, rows = list(drawn.columns), list(drawn.rows)
    classes = draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    at = [columns.index(name) for name in NAMES]
    raw_rows = [tuple(row[i] for i in at) for row in rows]
    maps, recodings = [], {}
    for name in NAMES:
        tree = Tree.from_nested(trees[name])
        level = draw(st.integers(0, tree.height))
        recodings[name] = FullDomainGeneralization(tree=tree, level=level)
        maps.append(naive_groups.full_domain_map(trees[name], level))
    raw = sfumato.from_rows([*NAMES, "class"], [(*row, value) for row, value in zip(raw_rows, classes, strict=True)])
    shown = [tuple(maps[i][value] for i, value in enumerate(row)) for row in raw_rows]
    k = draw(st.integers(1, 4))
    sizes = naive_groups.group_sizes(shown, range(len(NAMES)))
    recoded = sfumato.recode(raw, recodings)
    small = sfumato.recode(recoded.table, {"id": "record-suppression", "qid": list(NAMES), "k": k})
    case = Case(raw_rows, shown, [sizes[row] >= k for row in shown], [trees[name] for name in NAMES], classes)
    return Drawn(raw, Recoded.of(small.table, recoded.recodings), case, {name: trees[name] for name in NAMES})


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def per_attribute(measured: Measured, wanted: list[float], how: str) -> None:
    """Compare attribute by attribute, in total, and with the bounds."""
    assert [measured.by_attribute[name] for name in NAMES] == close(wanted)
    total = aggregate(wanted, how)
    if how == "rank":
        assert list(measured.rank or ()) == close(total)
        assert measured.value == close(max(wanted))
    else:
        assert measured.value == close(total)
        assert measured.rank is None
    within(measured)


def within(measured: Measured) -> None:
    assert measured.lowest is not None
    assert measured.highest is not None
    assert measured.lowest - 1e-9 <= measured.value <= measured.highest + 1e-9
    if measured.normalised is not None:
        assert -1e-9 <= measured.normalised <= 1 + 1e-9


@settings(max_examples=120)
@given(drawn=releases(), x=FACTORS, how=AGGREGATES)
def test_loss(drawn: Drawn, x: float, how: str) -> None:
    wanted = [drawn.case.loss(at, x) for at in range(2)]
    per_attribute(drawn.measure("loss", gs_factor=x, aggregate=how), wanted, how)


@settings(max_examples=120)
@given(drawn=releases(), x=FACTORS, how=AGGREGATES, variant=st.sampled_from(["literature", "monotone"]))
def test_precision(drawn: Drawn, x: float, how: str, variant: str) -> None:
    wanted = [drawn.case.precision(at, x, monotone=variant == "monotone") for at in range(2)]
    per_attribute(drawn.measure("precision", gs_factor=x, aggregate=how, variant=variant), wanted, how)


@settings(max_examples=150)
@given(
    drawn=releases(),
    x=FACTORS,
    how=AGGREGATES,
    variant=st.sampled_from(["literature", "arx", "monotone"]),
    normalized=st.booleans(),
)
def test_entropy(drawn: Drawn, x: float, how: str, variant: str, normalized: bool) -> None:
    wanted = [drawn.case.entropy(at, variant, x) for at in range(2)]
    if normalized:
        most = [drawn.case.most_entropy(at) for at in range(2)]
        wanted = [bits / top if top else 0.0 for bits, top in zip(wanted, most, strict=True)]
    options = {"gs_factor": x, "aggregate": how, "variant": variant, "normalized": normalized}
    per_attribute(drawn.measure("non-uniform-entropy", **options), wanted, how)


@settings(max_examples=60)
@given(drawn=releases(), heavy=st.sampled_from(NAMES), weight=st.sampled_from([0.5, 2.0, 8.0]))
def test_weights_are_shares_of_the_largest(drawn: Drawn, heavy: str, weight: float) -> None:
    shares = [(weight if name == heavy else 1.0) / max(weight, 1.0) for name in NAMES]
    wanted = [share * drawn.case.loss(at) for at, share in enumerate(shares)]
    per_attribute(drawn.measure("loss", weights={heavy: weight}, aggregate="sum"), wanted, "sum")
    bits = [share * drawn.case.entropy(at, "literature") for at, share in enumerate(shares)]
    per_attribute(drawn.measure("non-uniform-entropy", weights={heavy: weight}), bits, "sum")


@settings(max_examples=100)
@given(drawn=releases(), weight=st.sampled_from([0.0, 1.0, 3.0]))
def test_normalized_certainty_penalty(drawn: Drawn, weight: float) -> None:
    measured = drawn.measure("normalized-certainty-penalty", weights={"a1": weight})
    assert measured.value == close(drawn.case.ncp(0) + weight * drawn.case.ncp(1))
    assert measured.highest == drawn.case.n * (1 + weight)
    within(measured)


@settings(max_examples=100)
@given(drawn=releases(), x=st.sampled_from([0.2, 0.5, 0.7]))
def test_groups(drawn: Drawn, x: float) -> None:
    case = drawn.case
    assert drawn.measure("discernibility").value == case.discernibility()
    assert drawn.measure("discernibility", variant="monotone").value == case.discernibility(monotone=True)
    average = drawn.measure("average-group-size", variant="arx", gs_factor=x)
    assert average.value == close(case.average_class_size(x))
    within(average)
    alike = sum(size**2 for size in case.sizes(kept=True).values()) + case.suppressed**2
    ratio = drawn.measure("discernibility-ratio")
    assert ratio.value == close(alike / case.n**2)
    within(ratio)


@settings(max_examples=120)
@given(drawn=releases(), x=FACTORS)
def test_combinations(drawn: Drawn, x: float) -> None:
    bits = drawn.measure("entropy-based-information-loss", gs_factor=x)
    assert bits.value == close(drawn.case.open_bits(x))
    within(bits)
    ambiguity = drawn.measure("ambiguity")
    assert ambiguity.value == close(drawn.case.ambiguity())
    within(ambiguity)
    divergence = drawn.measure("kl-divergence")
    assert divergence.value == close(drawn.case.kl())
    within(divergence)
    assert drawn.measure("kl-divergence", variant="arx").value == close(drawn.case.kl_over_rows())


@settings(max_examples=100)
@given(drawn=releases(), x=FACTORS, variant=st.sampled_from(["literature", "arx"]))
def test_classification(drawn: Drawn, x: float, variant: str) -> None:
    measured = drawn.measure("classification-metric", gs_factor=x, variant=variant)
    assert measured.value == close(drawn.case.classification(variant, x))
    within(measured)


@settings(max_examples=80)
@given(drawn=releases())
def test_a_released_table_measures_like_the_release(drawn: Drawn) -> None:
    """Labels alone tell the same as recodings, whatever the row order."""
    exact = sfumato.measure(drawn.raw, drawn.release, target="class")
    found = sfumato.measure(drawn.raw, drawn.release.table.sort(), hierarchies=drawn.hierarchies, target="class")
    unplaced = {"non-uniform-entropy"} if drawn.case.suppressed else set()
    assert set(exact) - unplaced <= set(found)
    for name, measured in found.items():
        assert measured.value == close(exact[name].value), name
        assert dict(measured.by_attribute) == close(dict(exact[name].by_attribute)), name
        for one, other in ((measured.lowest, exact[name].lowest), (measured.highest, exact[name].highest)):
            assert one is other is None or one == close(other), name  # some have no bound on that side
