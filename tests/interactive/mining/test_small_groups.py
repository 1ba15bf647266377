"""Groups that follow from mining results, against counting the records themselves; what is mended tells of none."""

from __future__ import annotations

import json
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pytest

import sfumato
from command_line import sfumato_in
from sfumato.errors import BadRequest, Unsupported
from sfumato.interactive.metrics import MinedResult, MiningResultPrivacyLoss
from sfumato.interactive.models import AnonymousPatterns
from sfumato.itemsets.patterns import Patterns
from sfumato.recodings import AdversarialMiningSuppression
from sfumato.verbs.check_results import check_results


def baskets(seed: int) -> list[frozenset[str]]:
    rng = np.random.default_rng(seed)
    return [frozenset("abcd"[at] for at in range(4) if rng.random() < 0.6) for _ in range(30)]


@pytest.mark.parametrize("seed", range(10))
def test_channels_are_what_counting_finds(seed: int) -> None:
    records, k = baskets(seed), 4
    patterns = Patterns.mined(records, 6)
    parts = {
        frozenset(one)
        for one in chain.from_iterable(combinations("abcd", size) for size in range(5))
        if sum(set(one) <= record for record in records) >= 6
    }
    assert {frozenset(items) for items in patterns.supports} == parts
    wanted = set()
    for whole in parts:
        for inside in (one for one in parts if one < whole):
            count = sum(record & whole == inside for record in records)
            if 0 < count < k:
                wanted.add((inside, whole, count))
    model = AnonymousPatterns(k=k)
    found = model.judge(patterns)
    assert {(frozenset(one.inside), frozenset(one.within), one.count) for one in found.channels} == wanted
    raised, withheld = model.raised(patterns), model.withheld(patterns)
    assert model.judge(raised.patterns)
    assert model.judge(withheld.patterns)
    assert raised.distortion == sum(raised.patterns.supports.values()) - sum(patterns.supports.values())
    assert all(raised.patterns.supports[items] >= support for items, support in patterns.supports.items())
    kept = {frozenset(items) for items in withheld.patterns.supports}
    assert all(frozenset(part) in kept for one in kept for part in combinations(one, max(len(one) - 1, 0)))


@pytest.mark.parametrize("seed", range(6))
def test_what_is_hidden_stays_hidden(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [tuple("xy"[rng.integers(2)] for _ in range(3)) for _ in range(6)]
    table = sfumato.from_rows(["a", "b", "c"], rows)
    hiding = AdversarialMiningSuppression(cells=((0, "c"), (1, "a")), support=2, confidence=0.7)
    extra, fewest = hiding.hide(table).extra, hiding.fewest(table)
    assert len(extra) >= len(fewest[0])
    whole = AdversarialMiningSuppression(cells=(*hiding.cells, *extra), support=2, confidence=0.7)
    assert whole.recovering(table) == ()
    shown = hiding.apply(table).to_rows()
    hidden = {
        (row, name) for row, one in enumerate(shown) for name, value in zip("abc", one, strict=True) if value == "*"
    }
    assert hidden == {*hiding.cells, *extra}


def test_a_result_that_says_nothing_new_costs_nothing() -> None:
    rng = np.random.default_rng(1)
    public, secret = rng.integers(3, size=200).tolist(), rng.integers(2, size=200).tolist()
    for folds in (0, 5):
        same = MiningResultPrivacyLoss(folds=folds).measure(MinedResult.of(public, secret, public))
        assert same.value == 0
        all_told = MiningResultPrivacyLoss(folds=folds).measure(MinedResult.of(public, secret, secret))
        assert all_told.by_attribute["result"] == 0
        assert all_told.value == all_told.by_attribute["public"]
    half = MinedResult.of(public, secret, public, [at % 2 == 0 for at in range(200)])
    assert 0 < MiningResultPrivacyLoss().measure(half).by_attribute["known"] < 1


def test_rules_and_leaves_and_lines(tmp_path: Path) -> None:
    rule = {"if": ["a"], "then": ["b"], "support": 0.7, "confidence": 0.875}
    (tmp_path / "rules.json").write_text(json.dumps({"rules": [rule], "records": 10}), encoding="utf-8")
    assert {group.count for group in check_results(tmp_path / "rules.json", k=3).groups} == {1, 2}
    leaves = [
        {"if": ["age <= 30"], "counts": {"flu": 9, "hiv": 1}},
        {"if": ["age > 30"], "counts": {"flu": 1, "hiv": 1}},
    ]
    assert [group.count for group in check_results({"leaves": leaves}, k=3).groups] == [1, 2]
    (tmp_path / "sets.txt").write_text("a (9)\na b (9)\n", encoding="utf-8")
    assert sfumato_in(tmp_path, "check-results", "sets.txt", "--k", "3").returncode == 0
    (tmp_path / "sets.txt").write_text("a #SUP: 9\na b #SUP: 7\n", encoding="utf-8")
    told = sfumato_in(tmp_path, "check-results", "sets.txt", "--k", "3", "--withhold-to", "safe.json", "--json")
    assert (told.returncode, json.loads(told.stdout)["groups"][0]["count"]) == (1, 2)
    assert sfumato_in(tmp_path, "check-results", "safe.json", "--k", "3").returncode == 0


def test_cells_are_withheld_by_a_command(tmp_path: Path) -> None:
    rows = ["job,sex,ill", "dancer,f,hiv", "dancer,f,hiv", "dancer,m,hiv", "clerk,f,flu"]
    (tmp_path / "people.csv").write_text("\n".join(rows), encoding="utf-8")
    told = sfumato_in(tmp_path, "withhold", "people.csv", "--cell", "0:ill", "--out", "shown.csv")
    assert told.returncode == 0, told.stderr
    assert (tmp_path / "shown.csv").read_text(encoding="utf-8").splitlines()[1] == "*,f,*"
    assert sfumato_in(tmp_path, "withhold", "people.csv", "--cell", "ill").returncode == 2
    assert sfumato_in(tmp_path, "withhold", "people.csv", "--cell", "9:ill").returncode == 2


def test_models_tell_of_leaves_and_keep_records() -> None:
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    x, y = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [9.0]]), np.array([0, 0, 0, 0, 0, 1])
    small = check_results(make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)).fit(x, y), k=3)
    assert (bool(small), small.smallest) == (False, 1)
    assert check_results(DecisionTreeClassifier(min_samples_leaf=3, max_leaf_nodes=2).fit(x, [0, 0, 0, 1, 1, 1]), k=3)
    assert not check_results(KNeighborsClassifier(1).fit(x, y), k=1)
    with pytest.raises(BadRequest, match="not fitted"):
        check_results(LogisticRegression(), k=3)
    harmless = check_results(LogisticRegression().fit(x, y), k=3)
    assert harmless
    assert harmless.notes


@pytest.mark.parametrize(
    "result",
    [
        {"rules": [{"if": ["a"], "then": ["a"], "support": 1, "confidence": 1}]},
        {"rules": [{"if": ["a"], "then": ["b"], "support": 3, "confidence": 75}]},
        {"rules": [{"if": "a", "then": "b"}]},
        {"rules": [{"if": ["a"], "then": ["b"], "support": 0.25, "confidence": 0.5}]},
        {"itemsets": [{"items": "ab", "support": 3}]},
        {"itemsets": [{"items": ["a"], "support": -1}]},
        {"itemsets": 3},
        {"leaves": [{"if": []}]},
        {"leaves": [3, 10]},
        {"itemsets": [{"items": ["a"], "support": 30}, {"items": ["a"], "support": 31}]},
        {"itemsets": [{"items": ["a"], "support": 30}, {"items": ["a", "b"], "support": 40}]},
        {"records": 10, "itemsets": [{"items": ["a"], "support": 30}]},
        {"leaves": [{"if": 3, "counts": {"ill": 9}}]},
        {"other": 1},
        [1, 2],
        "not_there.json",
    ],
)
def test_what_is_no_result_is_refused(result: object) -> None:
    with pytest.raises(BadRequest):
        check_results(result, k=3)


def test_files_that_run_code_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "model.pkl").write_bytes(b"x")
    with pytest.raises(Unsupported, match="run code"):
        check_results(tmp_path / "model.pkl")


def test_models_inside_of_others_are_looked_at() -> None:
    ensemble, neighbors = pytest.importorskip("sklearn.ensemble"), pytest.importorskip("sklearn.neighbors")
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.cluster import DBSCAN
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.model_selection import GridSearchCV
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    known, told = rng.random((40, 3)), np.arange(40) % 2
    nearest = neighbors.KNeighborsClassifier(3)
    for model in (
        GridSearchCV(nearest, {"n_neighbors": [3]}, cv=2),
        OneVsRestClassifier(nearest),
        CalibratedClassifierCV(nearest, cv=2),
        ensemble.BaggingClassifier(nearest, n_estimators=2),
        ensemble.VotingClassifier([("one", make_pipeline(nearest))]),
        ensemble.StackingClassifier([("one", nearest)], cv=2),
        GaussianProcessClassifier(),
        DBSCAN(eps=0.5),
    ):
        assert check_results(model.fit(known, told), k=2).keeps_records, type(model).__name__
    for model in (
        GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [9]}, cv=2),
        ensemble.BaggingClassifier(n_estimators=2, max_features=2, random_state=0),
        ensemble.StackingClassifier([("one", DecisionTreeClassifier(random_state=0))], cv=2),
        ensemble.HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=1),
    ):
        assert check_results(model.fit(known, told), k=5).smallest in range(1, 5), type(model).__name__


def test_a_set_that_nobody_published_and_that_follows_tells_as_well() -> None:
    told = {"a": 100, "b": 150, "c": 500, "ac": 100, "ab": 50, "bc": 53}  # who holds a holds c: abc is 50
    patterns = Patterns.of({tuple(items): support for items, support in told.items()})
    assert [(one.inside, one.outside, one.count) for one in patterns.channels(5)] == [(("b", "c"), ("a",), 3)]
    model = AnonymousPatterns(k=5)
    assert model.withheld(patterns).lost == (("a", "b"),)
    assert model.judge(model.withheld(patterns).patterns)
    assert model.judge(model.raised(patterns).patterns)
