"""Baskets as a shape of data: one set of items for each person."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.engine import Table
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.knowledge import Knowledge, Seen, names_told
from sfumato.contracts.metric import Measured
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.picture import Picture
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.tree import Tree
from sfumato.engines import open_source
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.publishing.certify import certify_outcome
from sfumato.publishing.published import open_published
from sfumato.tables.person_columns import PersonColumns, once_for_each
from sfumato.transactions.algorithms.class_by_class import ClassByClass, ClassFacts
from sfumato.transactions.attack import BasketKnowledge, BasketSeen
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.built import BuiltBaskets
from sfumato.transactions.draft import drafted, profiled
from sfumato.transactions.evidence import item_questions
from sfumato.transactions.itemset_model import ItemsetModel, itemset_models
from sfumato.transactions.metric import Masked
from sfumato.transactions.neighbours import group_tree, neighbour_tree
from sfumato.transactions.pictures import (
    fate_of_items,
    support_before_and_after,
    supports_by_rank,
    violations_by_size,
)
from sfumato.transactions.policy import BasketPolicy
from sfumato.transactions.releases.recoded_baskets import RecodedBaskets
from sfumato.transactions.sources import person_rows, text_format
from sfumato.transactions.task import BasketTask

__all__ = ["PreparedBaskets", "TransactionShape"]


@frozen(eq=False)
class PreparedBaskets:
    """Baskets whose items are known to be public or private, and in the taxonomy where there is one."""

    baskets: Baskets
    policy: BasketPolicy
    warnings: tuple[str, ...] = ()


class TransactionShape(Shape[Baskets, PreparedBaskets, BasketTask, BasketKnowledge]):
    """Baskets: one set of items for each person.

    Examples
    --------
    >>> import sfumato
    >>> policy = {"shape": "transactions", "requirements": [{"id": "km-anonymity", "k": 2, "m": 2}]}
    >>> release = sfumato.anonymize([{"a", "b"}, {"a", "b"}, {"a", "c"}], policy)
    >>> release.tables["items"].to_rows()
    [(1, 'a'), (2, 'a'), (2, 'b'), (3, 'a'), (3, 'b')]
    """

    id: ClassVar[str] = "transactions"
    policy: ClassVar[type[Asked]] = BasketPolicy
    knowledge: ClassVar[type[Knowledge]] = BasketKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> Baskets:
        """Return the baskets of sets, a matrix, a text file, or a table with the columns that the policy names."""
        run.stage("reading")
        if isinstance(source, Baskets):
            return source
        policy = asked if isinstance(asked, BasketPolicy) else None
        if policy is None:
            return Baskets.of(source)
        person, item, given = policy.person, policy.items.column, policy.source
        text = text_format(source, given.format) is not None or hasattr(source, "tocsr")
        known = policy.known_columns()
        if known and (item is None or text):
            raise BadRequest("columns of persons need a table with a column of items", parameter="items.column")
        lists = None
        if item is not None and not text and not isinstance(source, Table):
            lists = Baskets.of_lists(source, person=person, item=item)
            if lists is None:
                source = open_source(source, policy.engine, make_options(given.model_dump()), run.memory)
        made = lists or Baskets.of(source, person=person, item=item, format=given.format)
        return replace(made, beside=person_rows(source, person, known)) if known else made

    def prepare(self, data: Baskets, asked: Asked, run: Run) -> PreparedBaskets:
        """Flag private items, build the taxonomy; refuse what no masking can meet."""
        policy = _policy(asked)
        run.stage("preparing")
        if not len(data):
            raise BadRequest("has no basket", parameter="source")
        if not len(data.codes):
            raise BadRequest("every basket is empty", parameter="source")
        baskets = data.flagged(policy.items.private, policy.items.public)
        tree = _taxonomy(policy, baskets)
        if tree is not None:
            baskets = replace(baskets.with_tree(tree), rooted=not policy.items.groups)
        if policy.items.known:
            baskets = baskets.with_known(policy.items.known)
            if baskets.beside is not None:
                raise Unsupported(
                    "with columns of persons any set of items may be known: leave items.known out", thing="items.known"
                )
            itemset_models(policy.models(), "items.known")
        if baskets.beside is not None and not isinstance(policy.search(), ClassByClass):
            raise Unsupported(
                f"{policy.search().id} masks items alone, and columns of persons are known as well",
                thing=policy.search().id,
                alternatives=[ClassByClass.id],
            )
        for model in policy.models():
            reason = model.necessary(len(baskets))
            if reason is not None:
                raise Infeasible(reason, measured=len(baskets), requirement=model.id)
        told: list[str] = []
        if baskets.repeated:
            told.append(say("baskets.repeated", count=baskets.repeated))
        for warning in told:
            logging.getLogger("sfumato").warning(warning)
        return PreparedBaskets(baskets, policy, tuple(told))

    def task(self, prepared: PreparedBaskets, external: Baskets | None) -> BasketTask:
        """Return the baskets with what must hold and what may be lost."""
        policy, beside = prepared.policy, prepared.baskets.beside
        columns = None if beside is None else PersonColumns(beside, policy.columns, policy.seed)
        limits = policy.limits
        return BasketTask(prepared.baskets, policy.models(), limits.lose_at_most, limits.suppress_at_most, columns)

    def release(
        self, prepared: PreparedBaskets, outcome: Outcome, task: BasketTask, seed: int, source: object, run: Run
    ) -> Release:
        """Measure what was built beside what was read, and certify it."""
        policy, measured = prepared.policy, list[Measured]()
        if isinstance(outcome.built, BuiltBaskets):
            masked = Masked(task.baskets, outcome.built.masked)
            measured = [one.measure(masked) for one in policy.measures()]
        if isinstance(outcome.facts, ClassFacts):
            measured += outcome.facts.columns.values()
        return certify_outcome(
            outcome,
            policy,
            policy.search().id,
            read=len(task.baskets),
            measured=measured,
            warnings=prepared.warnings,
            raw=task.baskets.long_rows(),
        )

    def judge(self, data: Baskets, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge baskets as they stand."""
        items = _policy(asked).items
        baskets = data.flagged([name for name in items.private if name in data.code_of], items.public)
        if items.known:
            baskets = baskets.with_known([[name for name in one if name in data.code_of] for one in items.known])
        if baskets.beside is not None or items.known:
            itemset_models(models, "a table of persons and baskets")
        return [model.judge(baskets, worst=worst) for model in models]

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, BasketKnowledge]:
        """Return the baskets as sets, and what the adversary was told."""
        seen = published.form.seen(published.tables)
        if isinstance(seen, BasketSeen) and _tree_of(published) is not None:
            seen = replace(seen, baskets=replace(seen.baskets, tree=_tree_of(published)))
        power = told.get("power")
        return seen, BasketKnowledge(
            known=names_told(told, "items"),
            absent=names_told(told, "absent"),
            learn=names_told(told, "private"),
            power=power if isinstance(power, int) else None,
            other=_beside(told.get("other")),
        )

    def evidence(self, published: Published, raw: Table | Baskets, *, thorough: bool, run: Run) -> Evidence:
        """Return how far answers on sets of items lie from the truth, where each basket is published."""
        seen, policy = published.form.seen(published.tables), published.private.policy
        if not (isinstance(seen, BasketSeen) and isinstance(published.form, RecodedBaskets) and policy is not None):
            return Evidence()
        run.stage("questions")
        before = _before(raw, _policy(policy))
        tree = _taxonomy(_policy(policy), before)
        return Evidence(utility={"queries": item_questions(before, replace(seen.baskets, tree=tree))})

    def pictures(self, published: Published, run: Run) -> Sequence[Picture]:
        """Return what became of items, how frequent they are, and which sets decided; of strangers what they see."""
        seen, kept = published.form.seen(published.tables), published.private
        if not isinstance(seen, BasketSeen):
            return ()
        policy = kept.policy
        if kept.raw is None or not isinstance(policy, BasketPolicy) or not isinstance(published.form, RecodedBaskets):
            return supports_by_rank(None, seen.baskets)
        before, models = _before(kept.raw, policy), kept.requirements()
        least = max([model.smallest() for model in models if isinstance(model, ItemsetModel)], default=10)
        return [
            *fate_of_items(before, seen.baskets, published.certificate),
            *support_before_and_after(before, seen.baskets, least),
            *supports_by_rank(before, seen.baskets),
            *violations_by_size(before, models),
        ]

    def draft(self, source: object, k: int, run: Run) -> str:
        """Return a commented policy with the columns that probably name persons and items."""
        return drafted(source, k, run)

    def profile(self, source: object, run: Run) -> Sequence[str]:
        """Say how many baskets and items there are, and what singles people out."""
        return profiled(source, run)

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[BasketKnowledge]:
        """Return the one who reads the release, and the baskets before masking to compare."""
        seen, known = self.see(published, told, learns=True)
        raw = published.private.raw
        before = None
        if raw is not None and isinstance(seen, BasketSeen):
            baskets = Baskets.of(raw, person="basket", item="item")
            private = [name for name in seen.baskets.private if name in baskets.code_of]
            if seen.baskets.beside is not None:
                baskets = replace(baskets, beside=once_for_each(raw, "basket", seen.baskets.beside.columns))
            before = BasketSeen(raw, roles=seen.roles, baskets=baskets.flagged(private))
        one = Adversary(seen, known, before)
        return Adversaries([one], [one], [])


def _policy(asked: Asked) -> BasketPolicy:
    assert isinstance(asked, BasketPolicy), "baskets are asked for by a policy for transactions"
    return asked


def _before(raw: Table | Baskets, policy: BasketPolicy) -> Baskets:
    """Return the baskets before masking with their private items, as they were kept or given."""
    baskets = raw if isinstance(raw, Baskets) else Baskets.of(raw, person="basket", item="item")
    return baskets.flagged([name for name in policy.items.private if name in baskets.code_of])


def _taxonomy(policy: BasketPolicy, baskets: Baskets) -> Tree | None:
    """Return the taxonomy of the public items, as the policy gives it or has it made."""
    names = [name for name in baskets.items if name not in baskets.private]
    builder, fan_out, groups = policy.taxonomy(), policy.items.fan_out, policy.items.groups
    if builder is not None:
        return builder.build(names, column="items")
    if fan_out is not None and names:
        return neighbour_tree(names, fan_out)
    return group_tree(names, groups) if groups else None


def _beside(other: object) -> Seen | None:
    """Return what an adversary has beside a release: another one, sets, or a text file with a set on each line (a log)."""
    if other is None or isinstance(other, Seen):
        return other
    if isinstance(other, Published) or (isinstance(other, (str, Path)) and Path(other).is_dir()):
        published = open_published(other)
        return published.form.seen(published.tables)
    baskets = other if isinstance(other, Baskets) else Baskets.of(other, format="fimi")
    return BasketSeen(baskets.long_rows(), baskets=baskets)


def _tree_of(published: Published) -> Tree | None:
    """Return the taxonomy, where the policy is at hand."""
    policy = published.private.policy
    if not isinstance(policy, BasketPolicy) or not isinstance(published.form, RecodedBaskets):
        return None
    builder = policy.taxonomy()
    return None if builder is None else builder.build([], column="items")
