"""Beyond BCF-anonymity: what attacks on a growing table leave of each victim's class must still hide her sensitive value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from sfumato.catalogue import build
from sfumato.contracts.model import GroupModel, Model, ModelTraits, Verdict, Violation
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.sequels.classes import SeriesClasses
from sfumato.sequels.correspondence import Targets
from sfumato.sequels.models.bcf_anonymity import Asked, BCFAnonymity, attacked, levels_of
from sfumato.sequels.series import Series

__all__ = ["BCFBeyondAnonymity", "residual_groups"]


def residual_groups(
    series: Series | SeriesClasses, *, targets: Targets = "published", level: Asked = "auto", run: Run | None = None
) -> Iterator[GroupStats]:
    """Yield what attacks leave of each target's class, by the release that the target came with: records and their values.

    A group is a target: the classes that she is in since then. Its histogram counts ``N(s) = |g| - crack(g)`` records of each
    sensitive value, which for two releases is ``min(|g1|, |g2|)`` for people of before and ``min(|g2|, |G2| - |G1|)`` for
    newcomers. Targets who cannot be anybody are left out.

    >>> before = {"Place": ["Europe"] * 3, "Disease": ["Flu", "Flu", "HIV"]}
    >>> after = {"Place": ["UK", "UK", "France", "France", "France"], "Disease": ["Flu", "HIV", "Flu", "Flu", "HIV"]}
    >>> series = Series.of([before, after], qid=["Place"], sensitive="Disease",
    ...                    hierarchies={"Place": {"Europe": ["UK", "France"]}})
    >>> [one.histograms["Disease"].row(0) for one in residual_groups(series)]
    [{'Flu': 2, 'HIV': 1}, {'Flu': 1, 'HIV': 1}]
    """
    whole = series if isinstance(series, SeriesClasses) else SeriesClasses.of(series)
    # For two cuts what single releases leave is exact.
    asked = "pairwise" if level == "auto" and len(whole.releases) <= 2 and whole.is_cut else level
    for one in attacked(whole, targets, asked, Run.of(run)):
        if len(one.some):
            yield one.groups(whole)


class BCFBeyondAnonymity(Model[Series]):
    """Attacks on a growing table leave every victim k records, and these keep a requirement on sensitive values.

    After all cracked records are taken away, a victim's class holds ``N(s)`` records of each sensitive value s, see
    ``bcf-anonymity``. Entropy l-diversity, (c, l)-diversity, confidence bounding, (alpha, k)-anonymity or any other requirement
    that groups decide is asked about these residual histograms instead of the published ones. They can all be reached at once,
    because values do not touch each other. Unlike BCF-anonymity this may come to hold again when a release is refined.

    Adversary: that of ``bcf-anonymity``, who looks for the victim's sensitive value.

    Examples
    --------
    >>> before = {"Place": ["Europe"] * 3, "Disease": ["Flu", "Flu", "HIV"]}
    >>> after = {"Place": ["UK", "UK", "France", "France", "France"], "Disease": ["Flu", "HIV", "Flu", "Flu", "HIV"]}
    >>> series = Series.of([before, after], qid=["Place"], sensitive="Disease",
    ...                    hierarchies={"Place": {"Europe": ["UK", "France"]}})
    >>> model = BCFBeyondAnonymity(k=2, requirement={"id": "l-diversity-distinct", "l": 2, "sensitive": "Disease"})
    >>> model.judge(series).satisfied
    True
    >>> bound = {"id": "confidence-bounding", "sensitive": "Disease", "value": "Flu", "h": 0.6}
    >>> BCFBeyondAnonymity(k=2, requirement=bound).judge(series).satisfied
    False

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.2.7.
    """

    id: ClassVar[str] = "bcf-beyond-anonymity"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"record", "attribute"}), evaluation="worlds")
    adversary: ClassVar[str] = say("adversary.bcf-beyond-anonymity")

    k: int = param(
        ge=1, doc="smallest number of records that must be left to be a victim's, whatever releases are compared"
    )
    requirement: Mapping[str, object] = param(
        doc="what the records left must keep: id and parameters of a model that groups decide"
    )
    targets: Targets = param(
        default="published",
        choices=("published", "actual"),
        doc="whether everybody counts who could match the releases, or who does: that only the holder can tell",
    )
    attacks: Asked = param(
        default="auto",
        choices=("auto", "pairwise", "exact"),
        doc="what is tried with more than two releases: all of them together, one beside each group, or what fits",
    )

    def validate(self) -> None:
        """Refuse what describes no model that groups decide."""
        parameter = f"{self.id}.requirement"
        if not isinstance(self.requirement, Mapping) or "id" not in self.requirement:
            raise BadRequest("must be a mapping with the id of a model", parameter=parameter)
        try:
            model = build(self.requirement, "model")
        except BadRequest as error:
            raise BadRequest(str(error), parameter=parameter) from None
        if not isinstance(model, GroupModel):
            raise BadRequest("must be a model that groups decide", parameter=parameter, value=model.id)

    @property
    def anonymity(self) -> BCFAnonymity:
        """The part of the requirement that counts records."""
        return BCFAnonymity(k=self.k, targets=self.targets, attacks=self.attacks)

    def inner(self, sensitive: str) -> GroupModel:
        """Return the requirement on values; one that reads more than the sensitive column of the series is refused."""
        model: GroupModel = build(self.requirement, "model")
        if set(model.needs()) - {sensitive}:
            raise BadRequest(
                f"must be a model that groups with {sensitive} alone decide",
                parameter=f"{self.id}.requirement",
                value=model.id,
            )
        return model

    def holds(self, whole: SeriesClasses, run: Run) -> bool:
        """Tell whether counted classes keep both parts of the requirement."""
        if not levels_of(whole, self.targets, self.attacks, run).satisfies(self.k):
            return False
        model = self.inner(whole.series.protected)
        found = residual_groups(whole, targets=self.targets, level=self.attacks, run=run)
        return all(bool(model.bound().holds(model.measure(groups)).all()) for groups in found)

    def judge(self, view: Series, *, worst: int = 10) -> Verdict:
        """Judge a series; its level is that of the inner requirement, if enough records are left."""
        counted = self.anonymity.judge(view, worst=worst)
        model = self.inner(view.protected)
        verdicts = [
            model.check(groups, worst=worst)
            for groups in residual_groups(view, targets=self.targets, level=self.attacks)
        ]
        bound = model.bound()
        levels = [one.strongest for one in verdicts if one.strongest is not None]
        violations = sorted(
            (one for verdict in verdicts for one in verdict.violations),
            key=lambda one: one.measured if bound.side == "at_least" else -one.measured,
        )
        found: list[Violation] = [*counted.violations, *violations][:worst]
        return self.verdict(
            qid=view.qid,
            satisfied=counted.satisfied and all(verdict.satisfied for verdict in verdicts),
            strongest=(min if bound.side == "at_least" else max)(levels, default=None),
            groups=sum(verdict.groups for verdict in verdicts),
            records=sum(verdict.records for verdict in verdicts),
            bound=f"{counted.bound} records, {bound}",
            violations=found,
            violating_groups=sum(verdict.violating_groups for verdict in verdicts) + counted.violating_groups,
            violating_records=sum(verdict.violating_records for verdict in verdicts) + counted.violating_records,
        )
