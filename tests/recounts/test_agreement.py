"""Every model and its plain recount say the same of random tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from math import isclose
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.catalogue import build, recount, things
from sfumato.contracts.model import Model, TableModel
from sfumato.contracts.published import Published
from sfumato.contracts.release import Beside, ReleaseKind
from sfumato.data.text import to_text, written_text
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models import KAnonymity, PrivacyMaxEnt
from sfumato.publishing.recounting import Recounts
from sfumato.recounts._level import Key, Level
from sfumato.releases.distorted_table import DistortedTable
from sfumato.releases.recoded_table import RecodedTable
from sfumato.testing.check_recount import check_recount

QID = ("Job", "Sex")
COLUMNS = (*QID, "Ill", "Drug", "Pay", "Owner")

# Why a model has no recount; every other model of tables has one.
WITHOUT = {
    "personalized-privacy": "what owners guard is judged inside the house and never published",
    "profitability": "how much a record still tells is read from the hierarchies, which are not published",
    "skyline-bt-privacy": "the adversary's prior is learnt from the raw table, which nobody else has",
}

share = st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.6, 0.75, 1.0])
few = st.integers(1, 4)
ills = st.sampled_from("ABC")
TREE = {"Any": [{"AB": ["A", "B"]}, "C"]}
MATRIX = [[0, 0.5, 1], [0.5, 0, 0.25], [1, 0.25, 0]]


def asked(**parameters: object) -> st.SearchStrategy[dict[str, Any]]:
    """Draw parameters; what is no strategy is taken as it is."""
    return st.fixed_dictionaries(
        {name: p if isinstance(p, st.SearchStrategy) else st.just(p) for name, p in parameters.items()}
    )


def ill(**parameters: object) -> st.SearchStrategy[dict[str, Any]]:
    return asked(sensitive="Ill", missing=st.sampled_from(["refuse", "count"]), **parameters)


some_ills = st.lists(ills, min_size=1, max_size=2, unique=True)
c = st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0])
strict = st.booleans()
distances = st.one_of(
    asked(ground_distance="equal"),
    asked(ground_distance="ordered", values=["C", "A", "B"]),
    asked(ground_distance="ordered", sensitive="Pay"),
    asked(ground_distance="hierarchical", taxonomy=TREE),
    asked(ground_distance="matrix", values=["A", "B", "C"], matrix=MATRIX),
)
rules = {"y": st.sampled_from([["Ill"], ["Ill", "Drug"]]), "missing": st.sampled_from(["refuse", "count"])}
sets = st.none() | st.lists(some_ills, min_size=1)

PARAMETERS: Mapping[str, st.SearchStrategy[dict[str, Any]]] = {
    "alpha-k-anonymity": ill(alpha=share, k=few, values=st.none() | some_ills),
    "background-knowledge-safety": ill(c=share, k=st.integers(0, 3)),
    "basic-beta-likeness": ill(beta=c),
    "confidence-bounding": ill(value=ills, h=share) | asked(sensitive="Pay", value=st.integers(0, 3), h=share),
    "delta-disclosure": ill(delta=c, base=st.sampled_from([2, 10, 3.5]), absent=st.sampled_from(["skip", "violate"])),
    "delta-presence": asked(delta_min=st.sampled_from([0.0, 0.25]), delta_max=st.sampled_from([0.5, 0.75, 1])),
    "dominance-rule": asked(sensitive="Pay", n=few, k=st.sampled_from([50, 80.0, 100])),
    "enhanced-beta-likeness": ill(beta=c),
    "epsilon-m-anonymity": asked(
        sensitive="Pay", epsilon=share, m=few, relative=st.booleans(), centres=st.sampled_from(["group", "table"])
    ),
    "ff-anonymity": asked(
        sensitive=st.lists(
            st.tuples(st.just("Ill"), ills, share) | st.tuples(st.just("Drug"), st.sampled_from("xy"), share),
            min_size=1,
            max_size=3,
            unique_by=lambda entry: entry[:2],
        ),
        max_x=st.none() | few,
    ),
    "k-anonymity": asked(k=few),
    "k-anonymity-wildcard": asked(k=few),
    "k-combinations": asked(k=few, size=few),
    "k-e-anonymity": asked(sensitive="Pay", k=few, e=st.sampled_from([0, 1, 1.5, 3])),
    "k-map": asked(k=few),
    "no-attack": asked(
        gain=st.integers(0, 9),
        cost=st.integers(1, 3) | st.just(0.5),
        attacker=st.sampled_from(["prosecutor", "journalist"]),
        as_arx=st.booleans(),
    ),
    "average-risk": asked(threshold=st.sampled_from([0.1, 0.25, 0.5, 1.0])),
    "sample-uniqueness": asked(threshold=st.sampled_from([0.0, 0.1, 0.5])),
    "k-map-estimated": asked(
        k=few,
        population=st.integers(20, 200),
        law=st.sampled_from(["poisson", "zero-truncated-poisson"]),
        sample=st.none() | st.integers(1, 20),
        as_arx=st.booleans(),
    ),
    "l-diversity-distinct": ill(l=few),
    "l-diversity-entropy": ill(l=c.map(lambda given: given + 0.5)),
    "l-diversity-frequency": ill(l=few | c.map(lambda given: given + 0.5)),
    "l-diversity-grassberger": ill(l=c.map(lambda given: given + 0.5)),
    "l-diversity-npd-recursive": ill(
        c1=c, c2=share, l=few, tolerated=some_ills | st.just([]), never_excluded=some_ills, strict=strict
    ),
    "l-diversity-pd-recursive": ill(c=c, l=few, tolerated=some_ills | st.just([]), strict=strict),
    "l-diversity-recursive": ill(c=c, l=few, strict=strict),
    "l-site-diversity": ill(l=few),
    "l-site-diversity-entropy": ill(l=c.map(lambda given: given + 0.5)),
    "l-site-diversity-recursive": ill(c=c, l=few, strict=strict),
    "insider-residual": ill(k=few),
    "lkc-privacy": ill(L=few, K=few, C=share, values=st.none() | some_ills, cells=st.sampled_from(["value", "absent"]))
    | asked(L=few, K=few),
    "m-confidentiality": ill(
        m=c.map(lambda given: given + 0.5),
        requirement={"id": "k-anonymity", "k": 2},
        sets=st.none() | st.lists(some_ills, min_size=1),
    ),
    "multir-k-anonymity": asked(k=few, owner="Owner", owner_signature=st.booleans()),
    "p-sensitive-k-anonymity": ill(p=st.integers(1, 2), k=st.integers(2, 4)),
    "personal-frequency": ill(th_acct=st.sampled_from(["0.1", "1/3", 0.25]), min_block_size=few),
    "personal-frequency-present": ill(th_acct=st.sampled_from(["0.1", "1/3", 0.25]), min_block_size=few),
    "population-uniqueness": asked(
        threshold=st.sampled_from([0.01, 0.1, 0.5]),
        population=st.integers(25, 400),
        estimator=st.sampled_from(["dankar", "zayatz", "pitman", "snb"]),
        fallback=st.sampled_from(["none", "zayatz"]),
    ),
    "privacy-maxent": ill(threshold=share, bucket=st.none() | st.just("Drug")),
    "skyline-privacy": ill(
        value=ills,
        skyline=st.sampled_from(
            [[(1, 0, 0, 0.7), (0, 1, 1, 0.6)], [(0, 2, 0, 0.5)], [(0, 0, 2, 1.0)], [(2, 1, 2, 0.9)]]
        ),
    ),
    "t-closeness": st.tuples(ill(t=share), distances).map(lambda parts: {**parts[0], **parts[1]}),
    "xy-anonymity": asked(k=few, **rules),
    "xy-linkability": asked(h=share, **rules) | asked(h=share, y=["Ill"], values=some_ills),
    "xy-privacy": asked(
        k=st.none() | few, h=share, anonymity_counts=st.sampled_from(["records", "distinct_y"]), **rules
    )
    | asked(k=few, y=["Ill"], missing="count")
    | asked(k=few, h=share, y=["Ill", "Drug"], values=st.lists(st.tuples(ills, st.sampled_from("xy")), min_size=1)),
}

Row = tuple[Hashable, ...]


@st.composite
def tables(draw: st.DrawFn, most: int = 12) -> list[Row]:
    """Draw rows, most of them several times, so that groups have some size; a few lack a sensitive value."""
    illnesses = st.sampled_from([*"ABC", None]) if draw(st.integers(0, 4)) == 0 else ills
    row = st.tuples(
        st.sampled_from(["cook", "nurse", "*"]),
        st.sampled_from(["F", "M", None]) if draw(st.booleans()) else st.just("F"),
        illnesses,
        st.sampled_from("xy"),
        st.integers(0, 3),
        st.integers(1, 5),
    )
    drawn = draw(st.lists(st.tuples(row, st.integers(1, 4)), min_size=1, max_size=most))
    return [one for one, times in drawn for _ in range(times)]


class Texts:
    """Rows as a written file would hold them."""

    def __init__(self, rows: Sequence[Row], columns: Sequence[str] = COLUMNS) -> None:
        self.rows, self.columns = rows, list(columns)

    def counts(self, columns: Sequence[str]) -> Mapping[Key, int]:
        places = [self.columns.index(name) for name in columns]
        texts = ([None if row[at] is None else written_text(row[at]) for at in places] for row in self.rows)
        return Counter(map(tuple, texts))


def recounted(model: TableModel, held: Sequence[Row], beside: Beside, kind: ReleaseKind) -> Level:
    """Judge rows of text by the plain code of a model."""
    again = Recounts(Published(form=kind, tables={"data": from_rows(COLUMNS, held)}), beside, QID)
    again.__dict__["_parts"] = {"data": Texts(held)}
    return again.judge(model).level


def compare(model: TableModel, held: Sequence[Row], beside: Beside, kind: ReleaseKind) -> None:
    try:
        (verdict,) = kind.verify(from_rows(COLUMNS, held), [model], QID, beside)
    except BadRequest:
        with pytest.raises(BadRequest):
            recounted(model, held, beside, kind)
        return
    found = recounted(model, held, beside, kind)
    assert close(found.measured, verdict.strongest), (found, verdict)
    assert found.satisfied == verdict.satisfied, (found, verdict)
    assert (found.violating == 0) == verdict.satisfied


def close(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def test_every_model_has_a_recount_or_a_reason() -> None:
    """A new model is two source files; whoever leaves the second one out says why here."""
    models = {model.id: model for model in things("model", "table") if issubclass(model, Model)}
    lacking = {name for name, model in models.items() if recount(model) is None}
    assert lacking == set(WITHOUT)
    assert set(PARAMETERS) == set(models) - lacking


@pytest.mark.parametrize("name", sorted(PARAMETERS))
@settings(max_examples=50)
@given(data=st.data())
def test_recount_and_model_agree(name: str, data: st.DataObject) -> None:
    held = data.draw(tables())
    model = build({"id": name, **data.draw(PARAMETERS[name])}, "model")
    kind = RecodedTable() if name != "m-confidentiality" else DistortedTable(qid=QID, sensitive="Ill", mechanism="some")
    # A population holds the published records; so did the table before some were left out.
    larger = held + data.draw(tables(6)) if data.draw(st.booleans()) else held
    known = all(None not in row[2:] for row in larger)
    counts = {name: _counted(larger, name) for name in ("Ill", "Pay")} if known and larger is not held else {}
    compare(model, held, Beside(from_rows(COLUMNS, larger), counts), kind)


def _counted(held: Sequence[Row], name: str) -> dict[str, int]:
    return dict(Counter(to_text(row[COLUMNS.index(name)]) for row in held))


def test_a_verdict_that_the_recount_does_not_share_is_a_broken_promise() -> None:
    """Golden examples and the common checks compare with this."""
    model, groups = KAnonymity(k=2), GroupStats.from_sizes([2, 3])
    verdict = model.check(groups)
    assert check_recount(model, groups, verdict)
    for wrong in (replace(verdict, satisfied=False), replace(verdict, strongest=3), replace(verdict, strongest=None)):
        with pytest.raises(AssertionError, match="recount"):
            check_recount(model, groups, wrong)
    assert not check_recount(PrivacyMaxEnt(sensitive="Ill", threshold=0.5, top_positive=1), groups, verdict)
