"""From a table and a policy to the next release of a series: what was published before, and who of it is here again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from sfumato.contracts.engine import Table
from sfumato.contracts.model import Requirement, TableModel
from sfumato.contracts.release import Beside
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.data.tree import Tree
from sfumato.data.words import counted
from sfumato.errors import BadRequest, Unsupported
from sfumato.ledger.ledger import Ledger
from sfumato.sequels.holder import RECORD, Remembered, names_of, record_digests, remembered
from sfumato.sequels.models.bcf_anonymity import BCFAnonymity
from sfumato.sequels.models.hd_composition import HDComposition
from sfumato.sequels.models.m_invariance import MInvariance
from sfumato.sequels.models.xy_privacy_join import XYPrivacyJoin
from sfumato.sequels.policy import Kind, SeriesPolicy
from sfumato.sequels.releases.recoded_table import RecodedTable
from sfumato.sequels.roles import ROLES
from sfumato.sequels.series import Series
from sfumato.tables.plain_columns import refuse_identifying
from sfumato.tables.prepare import Prepared, prepare

__all__ = ["GROUP", "PreparedSequel", "prepare_sequel"]

GROUP = "group"
_OURS = (GROUP, "counterfeits", ROLES, RECORD)

_PUBLISHED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)


@frozen(eq=False)
class PreparedSequel:
    """Records that are ready to be published next, and what was published before them.

    ``inside`` is the table as tables are prepared. ``batch`` has the same records with the keyed names of persons beside them,
    ``digests`` tells by these names what each record was read as.
    """

    policy: SeriesPolicy
    kind: Kind
    inside: Prepared
    batch: Table
    models: tuple[Requirement, ...]
    past: tuple[Remembered, ...]
    digests: Mapping[str, str]

    @property
    def qid(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.inside.names

    @property
    def sensitive(self) -> str | None:
        """The sensitive column, if there is one."""
        return next(iter(self.policy.of_role(Role.SENSITIVE)), None)

    @cached_property
    def trees(self) -> dict[str, Tree]:
        """The hierarchies of columns that have one."""
        known = {entry.name: entry.tree for entry in self.inside.attributes if entry.tree is not None}
        return {**self.inside.trees, **known}

    @property
    def earlier(self) -> Series | None:
        """The holder's copies of all releases so far; nothing before the first."""
        if not self.past:
            return None
        copies = tuple(one.holders() for one in self.past)
        if self.kind != "sequential":
            return Series(copies, self.qid, self.sensitive, self.trees, self.policy.person)
        forms = [one.form for one in self.past if isinstance(one.form, RecodedTable)]
        shown = tuple(one.published().table for one in self.past)
        told = forms[-1].series(shown[-1], Beside(earlier=tuple(one.published() for one in self.past[:-1])))
        # A column that is here again has its whole hierarchy; of others it is known as far as it was told.
        return Series(shown, forms[-1].qid, None, {**told.trees, **self.trees})


def prepare_sequel(data: Table, policy: SeriesPolicy, run: Run) -> PreparedSequel:
    """Read the ledger, find whoever was published before, and refuse what a series of this kind does not allow."""
    kind, name = _refuse_policy(policy)
    run.stage("preparing", len(policy.of_role(Role.QUASI_IDENTIFIER)))
    inside = prepare(data, policy.as_table(), run)
    person = policy.person
    with Ledger(str(policy.ledger)) as ledger:
        history = ledger.history(name)
        if history and history[-1].kind not in ("", kind):
            raise BadRequest(
                f"is of another kind ({history[-1].kind})",
                parameter="series.kind",
                value=kind,
                available=[history[-1].kind],
            )
        past = remembered(history)
        batch, digests = inside.table, dict[str, str]()
        if person is not None:
            _refuse_persons(inside, person)
            whole = inside.whole
            assert whole is not None
            batch = whole.recode({person: names_of(ledger, name, whole, person)})
            digests = record_digests(ledger, name, batch, person, inside.table.columns)
    if kind != "sequential":
        _refuse_other_columns(past, policy)
    elif past and all(isinstance(model, TableModel) for model in policy.models()):
        raise BadRequest("needs a requirement on the join with the releases before", parameter="requirements")
    identifying = refuse_identifying(inside.table, inside.policy, inside.table.columns)
    inside = replace(inside, warnings=(*inside.warnings, *identifying))
    models = tuple(_settled(model, policy, past) for model in policy.models())
    return PreparedSequel(policy, kind, inside, batch, models, past, digests)


def _settled(model: Requirement, policy: SeriesPolicy, past: tuple[Remembered, ...]) -> Requirement:
    """Return a requirement as a release tells it: groups are numbered, targets are published, columns of the join named."""
    if isinstance(model, XYPrivacyJoin):
        forms = [one.form for one in past if isinstance(one.form, RecodedTable)]
        values = [*policy.of_role(Role.SENSITIVE), *(form.sensitive for form in forms if form.sensitive is not None)]
        y = tuple(dict.fromkeys(values))[:1] if model.y is None else model.y
        known = dict.fromkeys([*(name for form in forms for name in form.qid), *policy.of_role(Role.QUASI_IDENTIFIER)])
        x = tuple(name for name in known if name not in y) if model.x is None else model.x
        return replace(model, x=x, y=y)
    if isinstance(model, (MInvariance, HDComposition)) and model.group is None:
        return replace(model, group=GROUP)
    if isinstance(model, BCFAnonymity) and model.targets != "published":
        raise Unsupported(
            "who matches releases really, only their holder can tell; a certificate speaks of everybody who could",
            thing=f"{model.id} with targets: {model.targets}",
            alternatives=["targets: published"],
        )
    return model


def _refuse_policy(policy: SeriesPolicy) -> tuple[Kind, str]:
    """Refuse a policy that names no series, no ledger, or columns that no release of a series may have."""
    if policy.series is None or policy.series.kind is None:
        raise BadRequest(
            "must say of which series the release is one, and of which kind",
            parameter="series.kind",
            available=["sequential", "continuous", "dynamic", "serial"],
        )
    kind, name = policy.series.kind, policy.series.name
    if policy.ledger is None:
        raise BadRequest("is required with a series", parameter="ledger")
    if policy.person is None and kind != "sequential":
        raise BadRequest(
            f"is required in a {kind} series: say which column tells whose record it is",
            parameter="person",
            available=list(policy.columns),
        )
    if policy.person is not None and policy.person not in policy.columns:
        raise BadRequest("is not a column", parameter="person", value=policy.person, available=list(policy.columns))
    if policy.person is not None and policy.columns[policy.person].role is not Role.IDENTIFIER:
        raise BadRequest(
            "tells whose record it is and must have the role identifier", column=policy.person, parameter="role"
        )
    for column, entry in policy.columns.items():
        if entry.pseudonym:
            raise BadRequest(
                "would tell in every release of the series whose record it is; no pseudonym goes out twice",
                column=column,
                parameter="pseudonym",
            )
        if entry.role is Role.PRIVATE or (entry.role in (Role.PLAIN, Role.TARGET) and kind != "sequential"):
            raise BadRequest(
                f"is {entry.role}: in a {kind} series whoever compares releases follows records by it; leave it out "
                "(role drop), or let it be a quasi-identifier",
                column=column,
                parameter="role",
                available=[str(role) for role in (*_PUBLISHED, Role.DROP)],
            )
        if column in _OURS:
            raise BadRequest("is what holders' copies call a column of their own; call yours otherwise", column=column)
    sensitive = policy.of_role(Role.SENSITIVE)
    if len(sensitive) != 1 and kind != "sequential":
        raise BadRequest("needs exactly one sensitive column", parameter="columns", value=len(sensitive))
    if policy.limits.suppress_at_most > 0:
        raise Unsupported("no record of a series is left out: limits.suppress_at_most must be 0", thing="series")
    return kind, name


def _refuse_persons(inside: Prepared, person: str) -> None:
    """Refuse records of nobody, and persons with several."""
    whole = inside.whole
    assert whole is not None
    held = whole.dictionary(person)
    if held.missing:
        raise BadRequest(f"{counted(held.missing, 'record names', 'records name')} no person", column=person)
    twice = int((held.counts > 1).sum())
    if twice:
        raise BadRequest(f"{counted(twice, 'person has', 'persons have')} several records", column=person)


def _refuse_other_columns(past: tuple[Remembered, ...], policy: SeriesPolicy) -> None:
    """Refuse columns, hierarchies or a column of persons that the last release did not have."""
    if not past:
        return
    about, before = policy.about(), past[-1].columns
    for name in sorted({*about, *before}):
        if about.get(name) != before.get(name):
            raise BadRequest(
                "is not published as it was before: role, type, hierarchy, range and missing must stay the same in a series",
                column=name,
            )
    if policy.person != past[-1].person:
        raise BadRequest("differs from that of the series", parameter="person", value=policy.person)
