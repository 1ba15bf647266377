"""From a table and a policy to a search task: roles, missing values, types and hierarchies are settled here.

Nothing is decided silently: a column without a role, a missing value without a rule, a value without a place in its
hierarchy stop the run and are named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, replace
from datetime import date, datetime
from functools import cached_property

import numpy as np

from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.engine import RowTable, Table
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.model import GroupModel, TableModel
from sfumato.contracts.progress import Progress, Silent
from sfumato.data.compressed import CompressedTable, Dictionary, Weighed
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType, MissingRule, Role
from sfumato.data.text import MISSING_LABEL, to_text
from sfumato.data.tree import Tree
from sfumato.engines.sources import row_told
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.hierarchies.intervals import Intervals
from sfumato.hierarchies.taxonomy import Taxonomy
from sfumato.models.k_anonymity import KAnonymity, reduce_by_cover
from sfumato.tables.cells import hidden_values, without_own_values
from sfumato.tables.class_values import refuse_aggregates
from sfumato.tables.coarse_rows import coarse_rows
from sfumato.tables.named_values import look_alikes, with_held_values
from sfumato.tables.plain_columns import copies_of_identifiers
from sfumato.tables.policy import BY_WEIGHTS, Policy
from sfumato.tables.profile import suggest_role
from sfumato.tables.pseudonyms import pseudonymized
from sfumato.tables.weighing import refuse_weights, weighed

__all__ = ["Prepared", "check_columns", "check_roles", "prepare", "settle_missing", "settled_models"]


@frozen(eq=False)
class Prepared:
    """A table that is ready to be searched: identifiers gone, missing values settled, every value in its hierarchy.

    Pseudonyms stand in their columns already; a search does not get to see them. ``owners`` are the private columns of the
    same records, ``whole`` the table with them. ``asked`` are all requirements
    of the policy, naming values as their columns hold them; ``warnings`` is what the publisher should know before the search,
    ``copies`` are plain columns that say what an identifier said, ``hidden`` the values of columns that are left out, where
    cells may tell them. ``start`` are levels below which no column is looked at: rows are counted by what they become there.
    """

    table: Table
    policy: Policy
    models: tuple[TableModel, ...]
    covered: tuple[TableModel, ...]
    attributes: tuple[Attribute, ...]
    dictionaries: Mapping[str, Dictionary]
    records_read: int
    dropped: int
    owners: Table | None = None
    whole: Table | None = None
    asked: tuple[TableModel, ...] = ()
    warnings: tuple[str, ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, Sequence[str]] = field(default_factory=dict)
    start: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the table."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def target(self) -> str | None:
        """The target column, if there is one."""
        return next(iter(self.policy.of_role(Role.TARGET)), None)

    @cached_property
    def trees(self) -> dict[str, Tree]:
        """The hierarchies of columns that are no quasi-identifiers."""
        return _trees(self.table, self.policy)

    def task(self, external: Table | None = None) -> Task:
        """Compress the table and return the search task."""
        extra = list(
            dict.fromkeys(
                [
                    *((self.target,) if self.target else ()),
                    # What groups are judged by is counted in the search, whether or not it is published.
                    *(
                        name
                        for model in self.models
                        for name in model.needs()
                        if model.in_search() is not None or name not in model.private()
                    ),
                ]
            )
        )
        hidden = self.whole is not None and any(name not in self.table.types for name in extra)
        counted = self.whole if hidden and self.whole is not None else self.table
        # Whoever guards nothing is counted as well.
        beside = [model for model in self.models if not isinstance(model, GroupModel)]
        for name in [name for model in beside for name in model.private() if name in extra]:
            counted = counted.fill_missing(name, MISSING_LABEL) if counted.missing()[name] else counted
        known = dict(self.dictionaries)
        for name in extra:
            known[name] = counted.dictionary(name)
        compressed = (
            coarse_rows(counted, self.attributes, self.start, extra, known)
            if self.start
            else counted.compress(self.names, extra, known)
        )
        pseudonyms = self.policy.pseudonyms()
        raw = self.table.select([name for name in self.table.columns if name not in pseudonyms])
        return Task(
            table=compressed,
            attributes=self.attributes,
            models=self.models,
            target=self.target,
            suppress_at_most=self.policy.limits.suppress_at_most,
            raw=raw if pseudonyms else self.table,
            external=external,
            sensitive=self.policy.of_role(Role.SENSITIVE),
            procedures=self.policy.procedures(),
            owners=self.owners,
            trees=self.trees,
            weighed=self.weighed(compressed, counted),
        )

    def weighed(self, rows: CompressedTable, counted: Table) -> Weighed | None:
        """Return the rows of a compressed table with sampling weights in place of records, if the policy names some."""
        weights = self.policy.weights
        if weights is None:
            return None
        table = counted if self.whole is None or weights in counted.types else self.whole
        return weighed(table, rows, weights, people=self.policy.population == BY_WEIGHTS)


def check_roles(table: Table, policy: Policy, *, released: bool = False) -> None:
    """Refuse unknown columns, columns without a role, a second target, and requirements that name the wrong columns.

    A table that may already be a release has rightly lost its identifiers.
    """
    for name, entry in policy.columns.items():
        if name not in table.types and not (released and entry.role.hidden):
            raise BadRequest(
                "the policy names a column that is not in the table", column=name, value=name, available=table.columns
            )
    for name in table.columns:
        if name not in policy.columns:
            role, reason = suggest_role(table, name)
            raise BadRequest(
                f"has no role in the policy; suggested: {role} ({reason})",
                column=name,
                available=[str(r) for r in Role],
            )
    check_columns(policy)


def check_columns(policy: Policy) -> None:
    """Refuse a second target, and requirements that name the wrong columns; no table is needed for that."""
    targets = policy.of_role(Role.TARGET)
    if len(targets) > 1:
        raise BadRequest("only one column can be the target", parameter="columns", value=targets)
    known = policy.of_role(Role.QUASI_IDENTIFIER)
    if not known:
        raise BadRequest("no column has the role quasi-identifier: there is nothing to protect", parameter="columns")
    for model in policy.models():
        for name in model.qid or ():
            if name not in known:
                raise BadRequest("is not a quasi-identifier", parameter=f"{model.id}.qid", value=name, available=known)
        for name in model.needs():
            role = policy.columns[name].role if name in policy.columns else Role.DROP
            if role.hidden and not (role is Role.PRIVATE and name in model.private()):
                free = [
                    other for other in policy.columns if policy.columns[other].role in (Role.SENSITIVE, Role.TARGET)
                ]
                raise BadRequest(
                    "is not a column the model can look at", parameter=model.id, value=name, available=free
                )
            if name in (model.qid or known):
                raise BadRequest(
                    "is a quasi-identifier and cannot be protected at the same time", parameter=model.id, column=name
                )


def settled_models(policy: Policy, models: Sequence[TableModel]) -> tuple[list[TableModel], list[TableModel]]:
    """Return the requirements that matter and those that another one covers."""
    names = policy.of_role(Role.QUASI_IDENTIFIER)
    sized = [model for model in models if isinstance(model, KAnonymity)]
    kept, covered = reduce_by_cover(sized, names)
    rest = [model for model in models if not isinstance(model, KAnonymity)]
    return [*kept, *rest], list(covered)


def prepare(table: Table, policy: Policy, progress: Progress | None = None) -> Prepared:
    """Settle roles, missing values and hierarchies; refuse what cannot be decided."""
    progress = progress or Silent()
    check_roles(table, policy)
    refuse_weights(policy, table)
    refuse_aggregates(policy, table)
    algorithm = policy.search()
    takes_limit = algorithm.traits.suppresses_records or algorithm.meets_every_limit
    if policy.limits.suppress_at_most > 0 and not takes_limit:
        raise Unsupported(
            f"{algorithm.id} meets its requirements without leaving records out; limits.suppress_at_most must be 0",
            thing=algorithm.id,
        )
    if policy.pseudonyms() and algorithm.traits.release != "recoded-table":
        raise Unsupported(
            f"{algorithm.id} publishes a release of the kind {algorithm.traits.release}, which has no place for pseudonyms",
            thing=algorithm.id,
        )
    if policy.cells() and algorithm.traits.release != "recoded-table":
        raise Unsupported(
            f"{algorithm.id} publishes a release of the kind {algorithm.traits.release}; cells with a shape of their own "
            f"({', '.join(policy.cells())}) need rows",
            thing=algorithm.id,
        )
    records, read_as = table.rows, table.types
    given = table
    copies = copies_of_identifiers(table, policy.of_role(Role.PLAIN), policy.of_role(Role.IDENTIFIER))
    public = [name for name in table.columns if name not in policy.dropped()]
    private = [name for name in table.columns if policy.columns[name].role == Role.PRIVATE]
    hidden = hidden_values(table, policy)
    table, mended = without_own_values(table, policy)
    table, dropped = settle_missing(pseudonymized(table.select([*public, *private]), policy), policy)
    whole = table if private else None
    owners = table.select(private) if private else None
    table = table.select(public) if private else table
    if table.rows == 0:
        raise Infeasible(
            "no record is left: every one has a missing value in a column whose rule is drop-record",
            measured=0,
            bound=1,
        )
    sensitive = [name for name in policy.of_role(Role.SENSITIVE) if name in table.types]
    table.foresee([name for name in policy.counted() if name in table.types], sensitive)
    asked, warnings = with_held_values(policy.models(), table)
    warnings += [*look_alikes(asked, table), *mended]
    trees = _trees(table, policy)
    asked = [model.with_trees(trees) for model in asked]
    models, covered = settled_models(policy, asked)
    for model in models:
        for name in model.private():
            if policy.columns[name].role != Role.PRIVATE:
                raise BadRequest(
                    "is read to check a requirement and must never be published",
                    column=name,
                    parameter="role",
                    value=str(policy.columns[name].role),
                    available=[Role.PRIVATE.value],
                )
        hopeless = model.necessary(table.rows)
        if hopeless is not None:
            raise Infeasible(
                f"{model.id}: {hopeless}; no release can satisfy it",
                measured=table.rows,
                bound=model.least_size(),
                requirement=model.id,
            )
    dictionaries: dict[str, Dictionary] = {}
    attributes: list[Attribute] = []
    names = [name for name in table.columns if policy.columns[name].role == Role.QUASI_IDENTIFIER]
    for done, name in enumerate(names):
        progress.tick(done, name)
        dictionaries[name] = table.dictionary(name)
        found = _attribute(name, table.types[name], dictionaries[name], policy, read_as[name], given)
        bounds = policy.columns[name].levels
        attributes.append(found if bounds is None else replace(found, levels=(bounds.at_least, bounds.at_most)))
    return Prepared(
        table,
        policy,
        tuple(models),
        tuple(covered),
        tuple(attributes),
        dictionaries,
        records,
        dropped,
        owners,
        whole,
        tuple(asked),
        tuple(warnings),
        copies,
        hidden,
    )


def _trees(table: Table, policy: Policy) -> dict[str, Tree]:
    """Build the hierarchies of columns that are no quasi-identifiers."""
    given = {
        name: policy.hierarchy(name)
        for name in table.columns
        if policy.columns[name].role in (Role.SENSITIVE, Role.TARGET, Role.PLAIN)
    }
    return {
        name: builder.build(table.dictionary(name).values, column=name)
        for name, builder in given.items()
        if builder is not None
    }


def settle_missing(table: Table, policy: Policy) -> tuple[Table, int]:
    """Treat missing values as each column's rule says; return the table and how many records were dropped."""
    missing = {name: count for name, count in table.missing().items() if count}
    dropping: list[str] = []
    for name, count in missing.items():
        entry = policy.columns[name]
        keeps = entry.role in (Role.PLAIN, Role.PRIVATE) or entry.pseudonym
        rule = entry.missing or (MissingRule.KEEP if keeps else MissingRule.REFUSE)
        if rule == MissingRule.KEEP and not keeps:
            raise BadRequest(
                "only plain columns and pseudonyms can keep missing values",
                column=name,
                parameter="missing",
                value="keep",
            )
        if rule == MissingRule.REFUSE:
            raise BadRequest(
                f"has {count:,} missing value{'s' if count > 1 else ''} and no rule for them",
                column=name,
                parameter="missing",
                available=[MissingRule.DROP_RECORD.value, MissingRule.OWN_VALUE.value],
            )
        if rule == MissingRule.DROP_RECORD:
            dropping.append(name)
        if rule == MissingRule.OWN_VALUE:
            if entry.role == Role.QUASI_IDENTIFIER and not _takes_own_value(table.types[name], policy.hierarchy(name)):
                raise BadRequest(
                    "missing values of a number can be a value of their own only if the column has a hierarchy",
                    column=name,
                    parameter="missing",
                    value=rule.value,
                    available=[MissingRule.DROP_RECORD.value],
                )
            table = table.fill_missing(name, MISSING_LABEL)
    before = table.rows
    if dropping:
        table = table.drop_missing(dropping)
    return table, before - table.rows


def _takes_own_value(kind: ColumnType, builder: HierarchyBuilder | None) -> bool:
    return builder is not None or not kind.numeric


def _attribute(
    name: str, kind: ColumnType, dictionary: Dictionary, policy: Policy, read_as: ColumnType | None, given: Table
) -> Attribute:
    entry = policy.columns[name]
    builder = policy.hierarchy(name)
    if kind is ColumnType.TEXT and (entry.range is not None or isinstance(builder, Intervals)):
        _refuse_few_texts(name, dictionary, given)
    if builder is not None:
        if entry.range is not None:
            raise BadRequest("a range is for numbers without a hierarchy", column=name, parameter="range")
        if entry.missing == MissingRule.OWN_VALUE:
            builder = _with_missing_leaf(builder, dictionary, name, read_as or kind)
        builder = builder.fitted(dictionary.values, dictionary.counts.tolist())
        tree = builder.build(dictionary.values, column=name)
        return Attribute(name, "taxonomy", kind, tree, builder)
    if kind.numeric:
        if any(value in (math.inf, -math.inf) for value in (*dictionary.values[:1], *dictionary.values[-1:])):
            raise BadRequest(
                "holds infinite numbers, and no interval has them inside: let them be missing values, or cut them off",
                column=name,
            )
        return Attribute(name, "interval", kind, range=_range(name, entry.range, dictionary))
    if kind in (ColumnType.DATE, ColumnType.DATETIME):
        raise BadRequest(
            "a date needs a hierarchy, for example {id: dates}", column=name, parameter="hierarchy", available=["dates"]
        )
    return Attribute(name, "suppress", kind)


def _refuse_few_texts(name: str, dictionary: Dictionary, given: Table) -> None:
    """Refuse a column of numbers that was read as text because of a few cells, and say of how many and where one stands."""
    cells = [(value, int(count)) for value, count in zip(dictionary.values, dictionary.counts, strict=True)]
    wrong = [count for value, count in cells if value != MISSING_LABEL and not _is_number(str(value))]
    if 0 < len(wrong) < len(cells) / 2:
        raise BadRequest(
            f"{len(wrong):,} of {len(cells):,} different values {'is' if len(wrong) == 1 else 'are'} no number, in "
            f"{sum(wrong):,} of {sum(count for _, count in cells):,} cells{_first_text(name, given, sum(wrong))}, and so the "
            "column was read as text: mend "
            f"{'it' if len(wrong) == 1 else 'them'}, or list in source.missing what stands for a missing value",
            column=name,
            parameter="type",
        )


def _first_text(name: str, given: Table, count: int) -> str:
    """Say in which row of the data the first cell stands that is no number; nothing where rows have no place."""
    if not isinstance(given, RowTable):
        return ""
    odd = np.array([not _is_number(to_text(value)) for value in given.dictionary(name).values], bool)
    codes = given.codes([name])[:, 0]
    return row_told(int(np.argmax(np.append(odd, False)[codes])), count)  # the last one answers for missing, -1


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _range(name: str, declared: tuple[float, float] | None, dictionary: Dictionary) -> tuple[float, float] | None:
    if declared is None:
        return None
    low, high = (int(edge) if float(edge).is_integer() else edge for edge in declared)
    if not low < high:
        raise BadRequest("must rise", column=name, parameter="range", value=declared)
    outside = sum(not low <= value <= high for value in dictionary.values)  # type: ignore[operator]
    if outside:
        raise BadRequest(
            f"{outside} distinct value{'s lie' if outside > 1 else ' lies'} outside the declared range",
            column=name,
            parameter="range",
            value=f"{low} to {high}",
        )
    return low, high


_VALUES: Mapping[ColumnType, Callable[[str], Hashable]] = {
    ColumnType.INTEGER: int,
    ColumnType.NUMBER: float,
    ColumnType.DATE: date.fromisoformat,
    ColumnType.DATETIME: datetime.fromisoformat,
}


def _with_missing_leaf(
    builder: HierarchyBuilder, dictionary: Dictionary, column: str, kind: ColumnType
) -> HierarchyBuilder:
    """Hang the label of missing values directly below the root.

    Beside that label numbers and dates are texts; the hierarchy that is worked out for them becomes a taxonomy of these.
    """
    known = [value for value in dictionary.values if value != MISSING_LABEL]
    if isinstance(builder, Taxonomy):
        tree = builder.build(known, column=column)
    else:
        counts = [n for value, n in zip(dictionary.values, dictionary.counts, strict=True) if value != MISSING_LABEL]
        value_of = _VALUES.get(kind, str)
        values = [value_of(str(text)) for text in known]
        builder = builder.fitted(values, map(int, counts))
        builder.build(values, column=column)  # refuses what has no place
        tree = Tree.from_paths(
            [(str(text), *builder.path(value)[1:]) for text, value in zip(known, values, strict=True)],
            known,
            column=column,
        )
    nested = tree.to_nested()
    nested.setdefault("children", []).append({"value": MISSING_LABEL})
    return Taxonomy.from_spec({"tree": nested})
