"""Class by class: columns of persons are masked as a table is, then the items of each class of persons who share them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.metric import Measured
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.tables.person_classes import PersonClasses
from sfumato.transactions.algorithms._moles import refuse_loss
from sfumato.transactions.baskets import Baskets, compressed_rows
from sfumato.transactions.built import BasketFacts, BuiltBaskets, NothingLeft, built_baskets
from sfumato.transactions.itemset_model import ItemsetModel, itemset_models
from sfumato.transactions.task import BasketTask

__all__ = ["ClassByClass", "ClassFacts"]


@frozen(eq=False, repr=False, kw_only=True)
class ClassFacts(BasketFacts):
    """What was done to items, in how many classes of persons, and what the columns lost."""

    classes: int
    changed: int
    merged: int = 0
    columns: Mapping[str, Measured] = field(default_factory=dict)

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how many classes there are, and in how many items had to be masked."""
        said = [say("baskets.classes", classes=self.classes, changed=self.changed)]
        if self.merged:
            said.append(say("baskets.classes_merged", count=self.merged))
        return [*said, *super().words(chosen=chosen)]


class ClassByClass(Search[BasketTask]):
    """Mask the columns until at least so many persons share all of them, then the items of each class by itself.

    Whoever knows the columns of a person and at most m items finds k persons: (k, k^m)-anonymity, that is, in each class of
    persons who share all columns every set of at most m items that occurs is held by k of them, and a class has k persons.
    ``columns`` is an algorithm of tables for the first step, ``items`` one of baskets for the second. Larger classes
    (``persons``) cost more of the columns and leave more of the items. An item may be left out, or be more general, in one
    class and not in another. A class that would lose all of its items, or cannot be published at all, joins the class
    with which it shares the smallest box of the columns, small classes first, and both show that box.

    Examples
    --------
    >>> import sfumato
    >>> policy = {
    ...     "shape": "transactions",
    ...     "person": "who",
    ...     "items": {"column": "what"},
    ...     "columns": {"age": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "km-anonymity", "k": 2, "m": 1}],
    ... }
    >>> rows = {"who": [1, 1, 2, 3, 4], "age": [30, 30, 31, 50, 50], "what": ["a", "b", "a", "c", "c"]}
    >>> release = sfumato.anonymize(rows, policy)
    >>> release.tables["baskets"].to_rows()
    [(1, 1, '[30-31]'), (2, 1, '[30-31]'), (3, 1, '50'), (4, 1, '50')]

    References
    ----------
    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, "Anonymizing data with relational and transaction attributes", ECML PKDD
    2013, doi:10.1007/978-3-642-40994-3_23: the two steps in this order, merging classes by the columns (its Rmerge) and only
    where it must be.
    """

    id: ClassVar[str] = "class-by-class"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="locally-recoded-baskets",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="masking the columns, and the items of each class",
    )

    columns: Mapping[str, object] | None = param(
        default=None, doc="algorithm of tables that masks the columns; mondrian if not given"
    )
    items: Mapping[str, object] | None = param(
        default=None, doc="algorithm of baskets that masks the items of a class; mole-suppression if not given"
    )
    persons: int | None = param(default=None, ge=2, doc="smallest number of persons in a class; k if not given")

    merge: bool = param(default=True, doc="whether a class that would lose all of its items joins the nearest one")

    def validate(self) -> None:
        """Refuse algorithms that are none, before any work."""
        super().validate()
        for name in ("columns", "items"):
            given: object = getattr(self, name)
            if given is not None and not (isinstance(given, Mapping) and "id" in given):
                raise BadRequest("must be an id and parameters", parameter=f"{self.id}.{name}")
        build(dict(self.columns or {"id": "mondrian"}), "algorithm")
        if self._items().traits.release not in ("recoded-baskets", "locally-recoded-baskets"):
            raise BadRequest("must publish recoded baskets", parameter=f"{self.id}.items", value=self._items().id)

    def _items(self) -> Search[BasketTask]:
        made: Search[BasketTask] = build(dict(self.items or {"id": "mole-suppression"}), "algorithm", "transactions")
        return made

    def run(self, task: BasketTask, run: Run) -> Outcome:
        """Mask the columns, then the items of every class in which a requirement fails."""
        if task.columns is None:
            raise BadRequest("needs columns of persons", parameter="columns", value=self.id)
        models, search = itemset_models(task.models, self.id), self._items()
        least = max(self.persons or 1, *(model.smallest() for model in models))
        run.stage("columns")
        how = self.columns or {"id": "mondrian"}
        masked = task.columns.masked(how, least, run)
        baskets = replace(task.baskets, beside=masked.table)
        number, _ = baskets.classes
        order = np.argsort(number, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
        run.stage("items", len(members))
        parts: list[_Part] = []
        for done, which in enumerate(members):
            run.tick(done)
            parts.append(_masked(search, baskets, which, models, run))
        merged = 0
        if self.merge and not all(part.kept for part in parts):
            classes = task.columns.classes(members, how, least, run)
            merged = _merged(classes, parts, partial(_masked, search, baskets, models=models, run=run))
            if merged:
                masked = task.columns.merged(classes, masked, how, least, run)
                baskets = replace(task.baskets, beside=masked.table)
                parts = [part for part, there in zip(parts, classes.there.tolist(), strict=True) if there]
                members = [which for which in classes.members if len(which)]
        for part in parts:
            if part.refused is not None:
                raise part.refused
        out = _together(baskets, members, [part.baskets for part in parts])
        refuse_loss(task, len(task.baskets.codes) - len(out.codes))
        facts = ClassFacts(
            items_before=len(task.baskets.items) - len(task.baskets.private),
            items_after=len(out.items) - len(out.private),
            classes=len(members),
            changed=sum(part.changed for part in parts),
            merged=merged,
            columns=masked.measured,
        )
        done_to = {entry.name: entry.operation for entry in masked.certified.columns}
        return Outcome(built=built_baskets(out, local=True, columns=done_to), facts=facts, warnings=masked.warnings)


@frozen(eq=False)
class _Part:
    """The baskets of one class as they are published, whether they had to be masked, and why nothing of them is left."""

    baskets: Baskets
    changed: bool = False
    kept: bool = True
    refused: Infeasible | None = None


def _masked(
    search: Search[BasketTask], baskets: Baskets, which: Ints, models: Sequence[ItemsetModel], run: Run
) -> _Part:
    """Return the baskets of one class masked; say of a class that cannot be what can be changed."""
    part = replace(baskets.taken(which), beside=None)
    if all(model.judge(part, worst=0).satisfied for model in models):
        return _Part(part)
    try:
        built = search.run(BasketTask(part, models), run).built
    except NothingLeft:  # in this class: others may keep theirs
        return _Part(part.without(part.items), changed=True, kept=False)
    except Infeasible as error:
        reason = say("baskets.class_fails", persons=len(part), reason=str(error))
        refused = Infeasible(reason, measured=error.measured, bound=error.bound)
        return _Part(part, changed=True, kept=False, refused=refused)
    if not isinstance(built, BuiltBaskets):
        raise Unsupported("must publish recoded baskets", thing=search.id, alternatives=["mole-suppression"])
    return _Part(built.masked, changed=True)


def _merged(classes: PersonClasses, parts: list[_Part], masked: Callable[[Ints], _Part]) -> int:
    """Let classes of which nothing is left join the nearest one, small ones first, in place; return how many did."""
    count = 0
    while classes.there.sum() > 1:
        lost = [at for at in np.flatnonzero(classes.there).tolist() if not parts[at].kept]
        if not lost:
            break
        into = classes.merge(min(lost, key=lambda at: (len(classes.members[at]), at)))
        parts[into] = masked(classes.members[into])
        count += 1
    return count


def _together(whole: Baskets, members: list[Ints], parts: list[Baskets]) -> Baskets:
    """Return the baskets of all classes in the order of the input."""
    names = sorted({name for part in parts for name in part.items})
    number = {name: code for code, name in enumerate(names)}
    owners = [which[part.owners] for which, part in zip(members, parts, strict=True)]
    codes = [np.array([number[name] for name in part.items], np.int64)[part.codes] for part in parts]
    starts, kept = compressed_rows(np.concatenate(owners), np.concatenate(codes), len(whole), len(names))
    return replace(whole, starts=starts, codes=kept, items=tuple(names), private=whole.private & set(names))
