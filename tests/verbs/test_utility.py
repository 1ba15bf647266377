"""What a release is good for: errors on both sides under every protocol, rows brought together, refusals; clusters too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import sfumato
from sfumato.tables.pair import open_pair
from sfumato.utility.classification import classification_error, fold_numbers
from sfumato.utility.classifiers import DecisionTree

pytest.importorskip("sklearn", reason="scikit-learn is not installed (pip install sfumato[experiments])")

ROWS = 240
TREE = DecisionTree(min_leaf=5)


def frame(seed: int = 1, rows: int = ROWS) -> pl.DataFrame:
    """Return a table whose class is told by age and town together."""
    rng = np.random.default_rng(seed)
    age, town = rng.integers(20, 60, rows), rng.choice(["a", "b", "c"], rows)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": age,
            "town": town,
            "size": rng.integers(150, 200, rows),
            "rich": np.where((age >= 40) & (town != "c"), "yes", "no"),
        }
    )


def policy(k: int = 5, **more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "id": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "range": [20, 60]},
            "town": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"ANY": ["a", "b", "c"]}}},
            "size": {"role": "plain"},
            "rich": {"role": "target"},
        },
        "requirements": [{"id": "k-anonymity", "k": k}],
        **more,
    }


@pytest.fixture(scope="module")
def raw() -> pl.DataFrame:
    return frame()


@pytest.fixture(scope="module")
def release(raw: pl.DataFrame) -> Any:
    return sfumato.anonymize(raw, policy())


@pytest.fixture(scope="module")
def folder(raw: pl.DataFrame, release: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "release"
    sfumato.publish(release, out, format="csv")
    return out


class TestPairing:
    def test_a_sorted_release_is_brought_into_the_order_of_the_raw_rows(self, raw: pl.DataFrame, release: Any) -> None:
        assert release.table.to_rows() != open_pair(raw, release).released.to_rows()  # sorted
        pair = open_pair(raw, release)
        assert pair.aligned
        assert pair.raw.columns == pair.released.columns == ("age", "town", "size", "rich")
        assert sorted(pair.released.to_rows()) == sorted(release.table.to_rows())
        for name in ("size", "rich"):
            assert pair.released.select([name]).to_rows() == pair.raw.select([name]).to_rows()

    def test_a_folder_is_the_same_as_the_release(self, raw: pl.DataFrame, release: Any, folder: Path) -> None:
        assert open_pair(raw, folder).released.to_rows() == open_pair(raw, release).released.to_rows()

    def test_the_public_part_alone_cannot_be_matched(self, raw: pl.DataFrame, folder: Path) -> None:
        pair = open_pair(raw, folder / "public" / "data.csv", qid=["age", "town"])
        assert not pair.aligned
        assert pair.masking is None

    def test_another_raw_table_is_noticed(self, release: Any) -> None:
        pair = open_pair(frame(seed=2), release)
        assert not pair.aligned
        assert "does not give the released rows" in pair.notes[0]

    def test_rows_kept_in_order_are_seen_by_the_columns_that_were_not_masked(self, raw: pl.DataFrame) -> None:
        kept = sfumato.anonymize(raw, policy(output={"row_order": "keep"}))
        pair = open_pair(raw, kept.public, qid=["age", "town"])
        assert pair.aligned
        assert not open_pair(raw.drop("id"), kept.public.select("age")).aligned

    def test_masked_columns_are_found_by_their_values(self, raw: pl.DataFrame, release: Any) -> None:
        changed = [n for n, recoding in release.recodings.items() if not recoding.identity]
        assert open_pair(raw.drop("id"), release.public).qid == tuple(changed)


class TestSplit:
    def test_against_the_errors_measured_by_hand(self, raw: pl.DataFrame, release: Any) -> None:
        found = sfumato.classification_utility(raw, release, classifiers=TREE, seed=3)
        (entry,) = found.classifiers
        train = fold_numbers(ROWS, 3, np.random.default_rng(3)) != 0
        columns = {name: raw[name].to_list() for name in ("age", "town", "size", "rich")}
        kinds: dict[str, Any] = {"age": "number", "town": "category", "size": "number"}
        by_hand = classification_error(columns, kinds, target="rich", train=train, classifier=TREE)
        assert entry.errors.baseline == by_hand
        upper = classification_error(
            columns, kinds, target="rich", train=train, classifier=TREE, without=["age", "town"]
        )
        assert entry.errors.upper == upper
        labels = {
            name: list(recoding.map(columns[name], column=name).labels) for name, recoding in release.recodings.items()
        }
        masked_kinds = {**kinds, "age": "interval"}
        masked = classification_error({**columns, **labels}, masked_kinds, target="rich", train=train, classifier=TREE)
        assert entry.errors.anonymity == masked
        assert by_hand.n_test == ROWS // 3
        assert by_hand.rate < upper.rate

    def test_all_classifiers_in_one_call(self, raw: pl.DataFrame, release: Any) -> None:
        names = ["decision-tree", "naive-bayes", "logistic-regression", "random-forest", "gradient-boosting"]
        found = sfumato.classification_utility(raw, release, classifiers=names)
        assert [entry.name for entry in found.classifiers] == names
        for name in names:
            assert found[name].baseline.rate < found[name].upper.rate
        with pytest.raises(sfumato.BadRequest, match="was not trained"):
            found["svm"]

    def test_a_folder_and_a_release_give_the_same(self, raw: pl.DataFrame, release: Any, folder: Path) -> None:
        assert sfumato.classification_utility(raw, folder) == sfumato.classification_utility(raw, release)

    def test_the_document_is_json_and_has_intervals(self, raw: pl.DataFrame, release: Any) -> None:
        told = json.loads(json.dumps(sfumato.classification_utility(raw, release).document()))
        (entry,) = told["classifiers"]
        for name in ("BE", "AE", "UE"):
            assert entry[name]["low"] <= entry[name]["rate"] <= entry[name]["high"]
            assert entry[name]["n_test"] == ROWS // 3
        assert told["quasi_identifiers"] == ["age", "town"]
        assert told["same_records_on_both_sides"] is True

    def test_a_bare_table_is_measured_on_its_own_test_records(self, raw: pl.DataFrame, folder: Path) -> None:
        published = folder / "public" / "data.csv"
        found = sfumato.classification_utility(raw.drop("id"), published, target="rich", qid=["age", "town"])
        assert not found.aligned
        assert "different test records" in found.notes[-1]

    def test_perturbed_tables_count_as_releases(self, raw: pl.DataFrame) -> None:
        noisy = sfumato.perturb(raw, {"id": "additive-noise", "columns": ["age"], "sigma": 30.0}, seed=1)
        found = sfumato.classification_utility(raw, noisy, target="rich", qid=["age"], classifiers=TREE)
        assert found.aligned
        assert found[str(TREE)].anonymity.rate > found[str(TREE)].baseline.rate

    def test_pseudonyms_are_not_learned_from(self, raw: pl.DataFrame, tmp_path: Path) -> None:
        (tmp_path / "key").write_bytes(bytes(range(32)))
        asked = policy()
        asked["columns"]["id"]["pseudonym"] = {"key_file": str(tmp_path / "key")}
        linked = sfumato.anonymize(raw, asked)
        assert "id" in linked.table.columns
        plain = sfumato.anonymize(raw, policy())
        for protocol in ("split", "folds"):
            found = sfumato.classification_utility(raw, linked, protocol=protocol, folds=2)
            assert found == sfumato.classification_utility(raw, plain, protocol=protocol, folds=2)
        assert sfumato.cluster_utility(raw, linked, clusters=2).columns == ("age", "town", "size")


class TestGiven:
    def test_the_first_records_train(self, raw: pl.DataFrame, release: Any) -> None:
        found = sfumato.classification_utility(raw, release, protocol="given", train=200, classifiers=TREE)
        assert found[str(TREE)].baseline.n_test == 40
        columns = {name: raw[name].to_list() for name in ("age", "town", "size", "rich")}
        kinds: dict[str, Any] = {"age": "number", "town": "category", "size": "number"}
        by_hand = classification_error(columns, kinds, target="rich", train=200, classifier=TREE)
        assert found[str(TREE)].baseline == by_hand

    def test_another_table_is_masked_like_the_release(self, raw: pl.DataFrame, release: Any, folder: Path) -> None:
        other = frame(seed=9, rows=60)
        found = sfumato.classification_utility(raw, release, protocol="given", test=other, classifiers=TREE)
        assert found[str(TREE)].anonymity.n_test == 60
        assert sfumato.classification_utility(raw, folder, protocol="given", test=other, classifiers=TREE) == found
        applied = sfumato.apply(sfumato.anonymize(raw, policy(output={"row_order": "keep"})), other).public
        shown = sfumato.anonymize(raw, policy(output={"row_order": "keep"})).public
        both = pl.concat([shown, applied])
        by_hand = classification_error(
            {name: both[name].to_list() for name in both.columns},
            {"age": "interval", "town": "category", "size": "number"},
            target="rich",
            train=ROWS,
            classifier=TREE,
        )
        assert found[str(TREE)].anonymity == by_hand

    def test_a_bare_table_cannot_mask_others(self, raw: pl.DataFrame, folder: Path) -> None:
        published = folder / "public" / "data.csv"
        with pytest.raises(sfumato.BadRequest, match="without its recoding"):
            sfumato.classification_utility(
                raw, published, target="rich", qid=["age"], protocol="given", test=frame(seed=9)
            )
        with pytest.raises(sfumato.BadRequest, match="nobody can tell which are the first"):
            sfumato.classification_utility(raw, published, target="rich", qid=["age"], protocol="given", train=100)


class TestFolds:
    def test_masking_is_learned_on_the_training_part_alone(self, raw: pl.DataFrame, release: Any) -> None:
        found = sfumato.classification_utility(raw, release, protocol="folds", folds=4, classifiers=TREE, seed=2)
        numbers = fold_numbers(ROWS, 4, np.random.default_rng(2))
        wrong = 0
        for fold in range(4):
            train, test = raw.filter(pl.Series(numbers != fold)), raw.filter(pl.Series(numbers == fold))
            made = sfumato.anonymize(train, policy(output={"row_order": "keep"}))
            both = pl.concat([made.public, sfumato.apply(made, test).public])
            error = classification_error(
                {name: both[name].to_list() for name in both.columns},
                {"age": "interval", "town": "category", "size": "number"},
                target="rich",
                train=len(train),
                classifier=TREE,
            )
            wrong += round(error.rate * error.n_test)
        assert found[str(TREE)].anonymity.rate == pytest.approx(wrong / ROWS)
        assert found[str(TREE)].baseline.n_test == ROWS
        assert "learned on each training part" in found.protocol

    def test_the_published_table_can_be_cut(self, raw: pl.DataFrame, folder: Path) -> None:
        published = folder / "public" / "data.csv"
        found = sfumato.classification_utility(
            raw, published, target="rich", qid=["age", "town"], protocol="folds", folds=3, masking="published"
        )
        assert found["decision-tree"].anonymity.n_test == ROWS

    def test_a_release_without_its_policy_is_refused(self, raw: pl.DataFrame, folder: Path) -> None:
        published = folder / "public" / "data.csv"
        with pytest.raises(sfumato.BadRequest, match="without the policy"):
            sfumato.classification_utility(raw, published, target="rich", qid=["age"], protocol="folds")

    @pytest.mark.parametrize("folds", [1, ROWS + 1, 2.5])
    def test_wrong_numbers_of_folds(self, raw: pl.DataFrame, release: Any, folds: int) -> None:
        with pytest.raises(sfumato.BadRequest, match="folds"):
            sfumato.classification_utility(raw, release, protocol="folds", folds=folds)

    def test_folds_too_small_for_k(self) -> None:
        few = frame(rows=20)
        with pytest.raises(sfumato.Infeasible):
            sfumato.classification_utility(few, sfumato.anonymize(few, policy(k=15)), protocol="folds", folds=2)


class TestAgainstK:
    def test_points_are_single_releases(self, raw: pl.DataFrame) -> None:
        curve = sfumato.utility_against_k(raw, policy(), [20, 5, 5], classifiers=TREE, seed=4)
        assert [k for k, _ in curve.points] == [5, 20]
        for k, result in curve.points:
            alone = sfumato.classification_utility(raw, sfumato.anonymize(raw, policy(k)), classifiers=TREE, seed=4)
            assert result == alone
        assert json.loads(json.dumps(curve.document()))["points"][1]["k"] == 20

    def test_everything_masked_is_worth_nothing(self, raw: pl.DataFrame) -> None:
        ((_, result),) = sfumato.utility_against_k(raw, policy(), [ROWS], classifiers=TREE).points
        assert result[str(TREE)].anonymity.rate == result[str(TREE)].upper.rate

    def test_refusals(self, raw: pl.DataFrame) -> None:
        for wrong in ([], [0], [2.5], [True]):
            with pytest.raises(sfumato.BadRequest, match="ks"):
                sfumato.utility_against_k(raw, policy(), wrong)
        without = policy(requirements=[{"id": "l-diversity-distinct", "l": 2, "sensitive": "rich"}])
        with pytest.raises(sfumato.BadRequest, match="no requirement has a k"):
            sfumato.utility_against_k(raw, without, [5])


class TestRefusals:
    @pytest.mark.parametrize(
        "options, words",
        [
            ({"target": "ritch"}, "did you mean 'rich'"),
            ({"target": "age"}, "was masked itself"),
            ({"classifiers": []}, "at least one"),
            ({"classifiers": "svm"}, "is not a classifier"),
            ({"protocol": "bootstrap"}, "is not a protocol"),
            ({"protocol": "given"}, "takes train or test"),
            ({"train": 100}, "takes train or test"),
            ({"protocol": "given", "train": 100, "test": 3}, "not both"),
            ({"protocol": "given", "train": ROWS}, "both sides"),
            ({"masking": "guessed"}, "is not a way"),
            ({"seed": -1}, "seed"),
            ({"qid": ["aeg"]}, "did you mean 'age'"),
            ({"confidence": 95}, "confidence"),
        ],
    )
    def test_wrong_options(self, raw: pl.DataFrame, release: Any, options: dict[str, Any], words: str) -> None:
        with pytest.raises(sfumato.BadRequest, match=words):
            sfumato.classification_utility(raw, release, **options).document()

    def test_targets_that_are_no_classes(self, raw: pl.DataFrame) -> None:
        one = raw.with_columns(pl.lit("yes").alias("rich"))
        with pytest.raises(sfumato.BadRequest, match="one class only"):
            sfumato.classification_utility(one, sfumato.anonymize(one, policy()))
        with pytest.raises(sfumato.BadRequest, match="these are no classes"):
            sfumato.classification_utility(raw, raw.with_columns(pl.lit(0).alias("age")), target="id")
        gaps = raw.with_columns(pl.when(pl.col("age") > 50).then(None).otherwise(pl.col("rich")).alias("rich"))
        with pytest.raises(sfumato.BadRequest, match="missing values"):
            sfumato.classification_utility(gaps, gaps.with_columns(pl.lit(0).alias("age")), target="rich")

    def test_no_target_at_all(self, raw: pl.DataFrame) -> None:
        with pytest.raises(sfumato.BadRequest, match="name the column to predict"):
            sfumato.classification_utility(raw, raw)

    def test_nothing_was_masked(self, raw: pl.DataFrame) -> None:
        with pytest.raises(sfumato.BadRequest, match="name the masked columns"):
            sfumato.classification_utility(raw, raw, target="rich")

    def test_a_release_of_another_table(self, raw: pl.DataFrame) -> None:
        with pytest.raises(sfumato.BadRequest, match="not a column of the raw table"):
            sfumato.classification_utility(raw, raw.with_columns(pl.lit(1).alias("new")), target="rich", qid=["age"])

    def test_messages_hold_no_values(self, raw: pl.DataFrame, release: Any) -> None:
        with pytest.raises(sfumato.BadRequest) as refused:
            sfumato.classification_utility(raw, raw.with_columns(pl.lit(0).alias("age")), target="id")
        assert "p17" not in str(refused.value)


class TestClusters:
    def test_an_untouched_table_has_the_same_clusters(self, raw: pl.DataFrame) -> None:
        found = sfumato.cluster_utility(raw, raw, clusters=3, columns=["age", "size"])
        assert (found.f_measure.overall, found.match_point.value) == (1.0, 1.0)
        assert found.orientation == "structure"

    def test_release_folder_and_order(self, raw: pl.DataFrame, release: Any, folder: Path) -> None:
        found = sfumato.cluster_utility(raw, release, clusters=3)
        assert found.document() == sfumato.cluster_utility(raw, folder, clusters=3).document()
        assert found.columns == ("age", "town", "size")  # without the target and the identifier
        assert sum(found.sizes_before) == sum(found.sizes_after) == ROWS
        assert 0 < found.f_measure.overall <= 1
        json.dumps(found.document())

    def test_the_way_of_the_recipient(self, raw: pl.DataFrame, release: Any) -> None:
        found = sfumato.cluster_utility(raw, release, clusters=3, recipient="k-means")
        assert (found.orientation, found.before, found.after) == ("recipient", "k-means", "k-means")
        mixed = sfumato.cluster_utility(raw, release, clusters=3, recipient="k-means", clusterer="bisecting-k-means")
        assert any("different ways" in note for note in mixed.notes)

    def test_more_masking_less_structure(self, raw: pl.DataFrame) -> None:
        found = [
            sfumato.cluster_utility(raw, sfumato.anonymize(raw, policy(k)), clusters=4, columns=["age", "town"])
            for k in (2, ROWS)
        ]
        assert found[0].f_measure.overall > found[1].f_measure.overall
        assert any("too few different records" in note for note in found[1].notes)

    def test_mixtures_stand_for_the_columns_they_replaced(self, raw: pl.DataFrame) -> None:
        asked = {"id": "drbt", "columns": ["age", "size"], "dimensions": 1}
        mixed = sfumato.perturb(raw.drop("id", "rich"), asked, seed=2)
        found = sfumato.cluster_utility(raw.drop("id", "rich"), mixed, clusters=2, aligned=True)
        assert found.columns == ("age", "town", "size")
        with pytest.raises(sfumato.BadRequest, match="name those of the raw table"):
            sfumato.cluster_utility(raw, mixed.public, clusters=2, aligned=True)

    def test_refusals(self, raw: pl.DataFrame, release: Any, folder: Path) -> None:
        with pytest.raises(sfumato.BadRequest, match="cannot be matched"):
            sfumato.cluster_utility(raw, folder / "public" / "data.csv", clusters=2)
        with pytest.raises(sfumato.BadRequest, match="cannot be aligned"):
            sfumato.cluster_utility(raw, raw.head(5), clusters=2, aligned=True)
        with pytest.raises(sfumato.BadRequest, match="from 2 to the 240 records"):
            sfumato.cluster_utility(raw, release, clusters=1)
        with pytest.raises(sfumato.BadRequest, match="is not a clusterer"):
            sfumato.cluster_utility(raw, release, clusters=2, clusterer="dbscan")
        with pytest.raises(sfumato.BadRequest, match="did you mean 'age'"):
            sfumato.cluster_utility(raw, release, clusters=2, columns=["agee"])


def test_releases_of_several_tables_are_refused(raw: pl.DataFrame, release: Any) -> None:
    several = replace(release, tables={"qit": release.table, "st": release.table})
    with pytest.raises(sfumato.Unsupported, match="published in 2 tables"):
        sfumato.classification_utility(raw, several)
    with pytest.raises(sfumato.Unsupported, match="published in 2 tables"):
        sfumato.cluster_utility(raw, several, clusters=2)
