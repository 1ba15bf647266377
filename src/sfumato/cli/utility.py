"""``sfumato utility``: what a release is still good for, by classification errors, by clusters or by estimates of a survey."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.arguments import AsJson, Data
from sfumato.cli.files import refuse_existing, write_text
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import columns_of, numbers, show

if TYPE_CHECKING:
    from sfumato.tables.prediction import UtilityResult
    from sfumato.utility.classification import ErrorRate, Errors
    from sfumato.verbs.utility import UtilityCurve

__all__ = ["utility"]


@app.command()
@reads
def utility(
    raw: Data,
    release: Annotated[
        str | None, typer.Argument(help="A release folder, or a released file; not needed with --against-k.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The column to predict; that of the policy if not given.")
    ] = None,
    classifier: Annotated[
        list[str] | None,
        typer.Option(
            "--classifier",
            "-c",
            help="decision-tree (the default), naive-bayes, logistic-regression, random-forest, gradient-boosting, or all; "
            "may be repeated.",
        ),
    ] = None,
    folds: Annotated[
        int | None, typer.Option("--folds", help="Cross-validate; two thirds train and one third tests if not given.")
    ] = None,
    masking: Annotated[
        str, typer.Option("--masking", help="With --folds: learned on each training part, or that published.")
    ] = "learned",
    train: Annotated[int | None, typer.Option("--train", help="The first records of RAW that train.")] = None,
    test: Annotated[
        str | None, typer.Option("--test", help="Another raw table to test on, masked as the release was.")
    ] = None,
    against_k: Annotated[
        str | None, typer.Option("--against-k", help="Mask RAW for each of these k, separated by commas.")
    ] = None,
    clusters: Annotated[
        int | None, typer.Option("--clusters", help="Compare the clusters of both tables instead, this many.")
    ] = None,
    clusterer: Annotated[
        str | None, typer.Option("--clusterer", help="k-means, bisecting-k-means (the default) or agglomerative.")
    ] = None,
    survey: Annotated[
        bool, typer.Option("--survey", help="Compare weighted totals, means and shares, with their intervals, instead.")
    ] = False,
    columns: Annotated[
        str | None,
        typer.Option("--columns", help="With --survey: what to estimate, separated by commas; all if not given."),
    ] = None,
    weight: Annotated[
        str | None, typer.Option("--weight", help="With --survey: the column of sampling weights.")
    ] = None,
    strata: Annotated[str | None, typer.Option("--strata", help="With --survey: the column of strata.")] = None,
    units: Annotated[
        str | None, typer.Option("--units", help="With --survey: the column of clusters that were drawn.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="The policy; the one in the release folder if not given.")
    ] = None,
    qid: Annotated[str | None, typer.Option("--qid", help="Columns that were masked, separated by commas.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="With --against-k: draw the errors as SVG.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of splits, classifiers and starts.")] = 0,
    json_form: AsJson = False,
) -> None:
    """Train classifiers on raw and on released data: print their errors, or compare clusters or estimates of both."""
    from sfumato.errors import BadRequest

    if plot is not None and against_k is None:
        raise BadRequest("draws errors against k; give --against-k", parameter="--plot", value=str(plot))
    refuse_existing(plot, "--plot")
    predicting = {
        "--target": target,
        "--classifier": classifier,
        "--folds": folds,
        "--train": train,
        "--test": test,
        "--against-k": against_k,
    }
    drawn = {"--columns": columns, "--weight": weight, "--strata": strata, "--units": units}
    if survey:
        _refuse_beside({**predicting, "--clusters": clusters, "--clusterer": clusterer}, "says nothing about a survey")
        _print_survey(raw, _needed(release), drawn, policy, json_form)
        return
    _refuse_beside(drawn, "is for --survey")
    if clusters is not None:
        _refuse_beside(predicting, "is for classification and says nothing about clusters")
        _print_clusters(raw, _needed(release), clusters, clusterer, policy, seed, json_form)
        return
    given = train is not None or test is not None
    options: dict[str, Any] = {
        "target": target,
        "classifiers": _classifiers(classifier),
        "protocol": "folds" if folds is not None else "given" if given else "split",
        "masking": masking,
        "train": train,
        "test": test,
        "seed": seed,
        **({} if folds is None else {"folds": folds}),
    }
    if against_k is not None:
        _print_curve(raw, _policy(policy, release), numbers(against_k, "--against-k"), options, plot, json_form)
        return
    _print_errors(raw, _needed(release), policy, qid, options, json_form)


def _print_errors(
    raw: str, release: str, policy: Path | None, qid: str | None, options: dict[str, Any], json_form: bool
) -> None:
    from sfumato.cli.progress import under_way
    from sfumato.reports.text import print_table
    from sfumato.verbs.utility import classification_utility

    with under_way(quiet=json_form, lasting=True) as run:
        found = classification_utility(
            raw,
            release,
            policy=policy,
            qid=columns_of(qid),
            run=run,
            **options,
        )
    if json_form:
        show(json.dumps(found.document(), indent=1))
        return
    _print_setting(found)
    rows = [
        [
            entry.name,
            *(
                _interval(e, found.confidence)
                for e in (entry.errors.baseline, entry.errors.anonymity, entry.errors.upper)
            ),
            f"{100 * entry.errors.cost:+.1f}",
            f"{100 * entry.errors.benefit:+.1f}",
        ]
        for entry in found.classifiers
    ]
    print_table("", ["classifier", "BE", "AE", "UE", "AE-BE", "UE-AE"], rows)
    for entry in found.classifiers:
        show(f"{entry.name}: {entry.settings}; {entry.errors.anonymity.n_test:,} test records")
        show(f"{entry.name}: {_beside_errors(entry.errors)}")
    for note in found.notes:
        show(f"note: {note}")


def _print_setting(found: UtilityResult) -> None:
    show(f"predicting {found.target}; masked: {', '.join(found.qid)}")
    show(f"{found.protocol}; seed {found.seed}")
    show(
        f"per cent wrong, with {found.confidence:.0%} confidence intervals: BE on raw data, AE on released data, UE on raw "
        "data without the masked columns"
    )


def _print_curve(
    raw: str, policy: Path, ks: list[int], options: dict[str, Any], plot: Path | None, json_form: bool
) -> None:
    from sfumato.cli.progress import under_way
    from sfumato.reports.text import print_table
    from sfumato.verbs.utility import utility_against_k

    with under_way(quiet=json_form, lasting=True, compiling=not json_form) as run:
        found = utility_against_k(raw, policy, ks, run=run, **options)
    if plot is not None:
        write_text(plot, _drawn(found), "--plot")
    if json_form:
        show(json.dumps(found.document(), indent=1))
        return
    first = found.points[0][1]
    _print_setting(first)
    rows = [
        [
            entry.name,
            str(k),
            *(
                _interval(e, result.confidence)
                for e in (entry.errors.baseline, entry.errors.anonymity, entry.errors.upper)
            ),
            f"{100 * entry.errors.cost:+.1f}",
        ]
        for number in range(len(first.classifiers))
        for k, result in found.points
        for entry in [result.classifiers[number]]
    ]
    print_table("", ["classifier", "k", "BE", "AE", "UE", "AE-BE"], rows)
    if plot is not None:
        show(f"wrote {plot}")


def _drawn(curve: UtilityCurve) -> str:
    from sfumato.experiments.line_plot import Line, Panel, line_plot

    panels = []
    ends = (curve.points[0][0], curve.points[-1][0])
    for number, entry in enumerate(curve.points[0][1].classifiers):
        levels = (("BE", entry.errors.baseline.percent, 5), ("UE", entry.errors.upper.percent, 1))
        lines = [
            Line(name, tuple((k, value) for k in ends), colour=colour, dashed=True) for name, value, colour in levels
        ]
        errors = [(k, result.classifiers[number].errors.anonymity.percent) for k, result in curve.points]
        panels.append(Panel(entry.name, (*lines, Line("AE", tuple(errors)))))
    return line_plot(panels, x="k", y="classification error, per cent")


def _print_clusters(
    raw: str, release: str, clusters: int, clusterer: str | None, policy: Path | None, seed: int, json_form: bool
) -> None:
    from sfumato.cli.progress import under_way
    from sfumato.verbs.cluster_utility import cluster_utility

    with under_way(quiet=json_form) as run:
        found = cluster_utility(raw, release, clusters=clusters, clusterer=clusterer, policy=policy, seed=seed, run=run)
    if json_form:
        show(json.dumps(found.document(), indent=1))
        return
    show(f"{found.clusters} clusters on {', '.join(found.columns)}; {found.before}, seed {found.seed}")
    show(f"F-measure {found.f_measure.overall:.4f}, match point {found.match_point.value:.4f}; 1 is the same structure")
    for name, sizes in (("raw", found.sizes_before), ("released", found.sizes_after)):
        show(f"sizes, {name}: {', '.join(f'{size:,}' for size in sizes)}")
    for note in found.notes:
        show(f"note: {note}")


def _beside_errors(errors: Errors) -> str:
    """Say what a rule without columns gets right, what is left of what raw columns teach, and how well classes are ranked."""
    zero, left = errors.baseline.zero, errors.relative_accuracy
    areas = [side.auc for side in (errors.baseline, errors.anonymity)]
    parts = [
        "" if zero is None else f"the most frequent class alone: {100 * (1 - zero):.1f} wrong",
        "raw columns teach nothing over that" if left is None else f"relative accuracy {left:.3f}",
        "" if None in areas else f"AUC {areas[0]:.3f} raw, {areas[1]:.3f} released",
    ]
    return "; ".join(part for part in parts if part)


def _print_survey(
    raw: str, release: str, drawn: Mapping[str, str | None], policy: Path | None, json_form: bool
) -> None:
    from sfumato.cli.progress import under_way
    from sfumato.reports.text import print_table
    from sfumato.verbs.survey_utility import survey_utility

    with under_way(quiet=json_form) as run:
        found = survey_utility(
            raw,
            release,
            columns=columns_of(drawn["--columns"]),
            weight=drawn["--weight"],
            strata=drawn["--strata"],
            clusters=drawn["--units"],
            policy=policy,
            run=run,
        )
    if json_form:
        show(json.dumps(found.document(), indent=1))
        return
    show(f"estimates with their standard errors; overlap of {found.confidence:.0%} confidence intervals, 1 is the same")
    rows = [
        [
            one.column if one.value is None else f"{one.column} = {one.value}",
            one.statistic,
            *(f"{side.value:.6g} ({side.standard_error:.3g})" for side in (one.before, one.after)),
            f"{one.overlap:.3f}",
        ]
        for one in found.statistics
    ]
    print_table("", ["column", "statistic", "raw", "released", "overlap"], rows)
    show(f"mean overlap {found.overlap:.3f}")
    for name in found.skipped:
        show(f"not estimated: {name} has too many values")
    for note in found.notes:
        show(f"note: {note}")


def _interval(error: ErrorRate, confidence: float) -> str:
    low, high = error.interval(confidence)
    return f"{error.percent:.1f} [{100 * low:.1f}-{100 * high:.1f}]"


def _classifiers(given: list[str] | None) -> list[str]:
    from sfumato.utility.classifiers import CLASSIFIERS

    names = given or ["decision-tree"]
    return list(CLASSIFIERS) if names == ["all"] else names


def _needed(release: str | None) -> str:
    from sfumato.errors import BadRequest

    if release is None:
        raise BadRequest("is required: a release folder, or a released file", parameter="RELEASE")
    return release


def _policy(policy: Path | None, release: str | None) -> Path:
    from sfumato.errors import BadRequest

    if policy is not None:
        return policy
    kept = Path(release) / "private" / "policy.yaml" if release is not None else None
    if kept is None or not kept.is_file():
        raise BadRequest("is needed to mask the table for each k", parameter="--policy")
    return kept


def _refuse_beside(options: Mapping[str, object], reason: str) -> None:
    from sfumato.errors import BadRequest

    for name, value in options.items():
        if value is not None:
            raise BadRequest(reason, parameter=name)
