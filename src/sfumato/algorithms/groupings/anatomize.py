"""Anatomize: groups in which no sensitive value occurs twice, published apart from exact quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.algorithms.groupings._diverse_buckets import diverse_groups, eligible
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.alike import Alike
from sfumato.contracts.facts import GroupFacts
from sfumato.contracts.model import TableModel, by_group
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.releases.anatomy_pair import AnatomyPair
from sfumato.searches.grouping import left_out, records_of, sensitive_column

__all__ = ["Anatomize"]

PROMISED = ("l-diversity-distinct", "l-diversity-frequency", "l-diversity-entropy")


class Anatomize(Algorithm):
    """Groups in which no sensitive value occurs twice, published apart from exact quasi-identifiers.

    Records are put into buckets by their sensitive value. While l buckets hold a record, a random record is taken from
    each of the l fullest and these l records become a group. At most ``l - 1`` records are left over, all with different
    values; each joins a random group that lacks its value. So every group has l to 2l - 1 records with different values,
    a record has a given value with probability at most 1/l, and there are ``floor(n / l)`` groups. All this is possible
    iff no value occurs in more than ``n / l`` records; otherwise no grouping can bound the probability by 1/l and the run
    stops with ``Infeasible``.

    l is the largest that a requirement asks for: distinct, frequency and entropy l-diversity mean the same in such groups.
    Others are refused. Several requirements must name one sensitive column; further sensitive columns are listed with it,
    without a promise. Plain columns and the target are not published.

    The release is an ``anatomy-pair``: quasi-identifiers stay exact and true of their record, sensitive values are true of
    their group. Record linkage is not prevented. ``form="bucketized"`` publishes one table in which sensitive values are
    shuffled inside groups; a row of it is then no longer true of one record. Count queries are answered from either form.
    The facts hold ``l``, ``groups``, ``residues`` and ``residues_by_bucket``.

    Adversary: finds the record of a person by exact quasi-identifiers and guesses the sensitive value. Who knows the seed
    can undo the shuffle: it stays private, and is fresh if the policy names none. Cost: linear in the number of records.

    Draws go over the records in the order of their values, as an engine counts them. Alike records are interchangeable, so the
    release is the same wherever they lie and in whatever order they came; a few bytes for each record are held.

    Examples
    --------
    >>> import sfumato
    >>> rows = [(30, "Flu"), (32, "HIV"), (38, "Flu"), (36, "Heart"), (41, "HIV")]
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}, "Disease": {"role": "sensitive"}},
    ...     "requirements": [{"id": "l-diversity-frequency", "l": 2, "sensitive": "Disease"}],
    ...     "algorithm": Anatomize().spec(),
    ...     "seed": 7,
    ... }
    >>> release = sfumato.anonymize(sfumato.from_rows(["Age", "Disease"], rows), policy)
    >>> release.certificate["guarantee"], sorted(release.tables["qit"].groups(["GroupID"]).sizes.tolist())
    ({'max_link_probability': 0.5, 'l': 2}, [2, 3])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 3.2 and 5.2.4.
    Xiao, Tao, "Anatomy: simple and effective privacy preservation", 2006.
    """

    id: ClassVar[str] = "anatomize"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="none",
        release="anatomy-pair",
        optimal=False,
        deterministic=False,
        truthful=True,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="linear in the number of records",
        works_on="groups",
        most_rows=ROWS_IN_MEMORY,
    )

    promises: ClassVar[Mapping[str, object]] = {"id": "l-diversity-frequency", "l": 2, "sensitive": "class"}

    form: str = param(
        default="pair", choices=("pair", "bucketized"), doc="two tables, or one with values shuffled inside groups"
    )

    def run(self, task: Task, run: Run) -> Outcome:
        """Group the records and build the release."""
        raw = records_of(task, self.id)
        name = sensitive_column(task, self.id)
        l = max(self._level(model) for model in task.models)
        listed = (name, *(other for other in task.sensitive if other != name))
        records = Alike.counted(raw, [*task.qids, *listed], task.table)
        codes = records.codes(name)
        if (codes < 0).any():
            raise BadRequest(f"has {int((codes < 0).sum()):,} missing values", column=name)
        self._refuse_hopeless(task, name, np.bincount(codes), l)
        groups, residues = diverse_groups(codes, l, run.rng)
        built = AnatomyPair.build(
            records, groups, task.qids, listed, run.rng, form="bucketized" if self.form == "bucketized" else "pair"
        )
        warnings = left_out(task, self.id, (*task.qids, *listed))
        if len(listed) > 1:
            warnings.append(say("warning.listed_unasked", names=", ".join(listed[1:]), name=name))
        if self.form == "bucketized":
            warnings.append(say("warning.shuffled", name=name))
        return Outcome(
            built=built,
            warnings=warnings,
            facts=GroupFacts(
                l=l,
                groups=int(groups.max()),
                residues=len(residues),
                residues_by_bucket=np.bincount(codes[residues], minlength=int(codes.max()) + 1).tolist(),
            ),
        )

    def _level(self, model: TableModel) -> int:
        """Return how many different values a group needs."""
        if model.id not in PROMISED:
            raise Unsupported(
                f"{self.id} makes groups of different sensitive values and cannot promise {model.id}; what it can promise is "
                f"{', '.join(PROMISED)}",
                thing=model.id,
                alternatives=by_group(["tdr"] if model.traits.closed_under_merge else [], [model]),
            )
        # In a group of m different values all three measure m, so l rounded up is enough.
        level = model.least_size()
        if level < 2:
            raise BadRequest(
                "must be above 1: in groups of one record every value is known",
                parameter=f"{model.id}.l",
                value=level,
            )
        return level

    def _refuse_hopeless(self, task: Task, name: str, counts: Ints, l: int) -> None:
        if eligible(counts, l):
            return
        records, values = int(counts.sum()), int((counts > 0).sum())
        ids = ", ".join(dict.fromkeys(model.id for model in task.models))
        if values < l:
            raise Infeasible(
                f"l={l} is larger than the number of different values of {name!r}, {values}; no grouping can satisfy {ids}",
                measured=values,
                bound=l,
                requirement=ids,
            )
        raise Infeasible(
            f"the most frequent value of {name!r} has {int(counts.max()):,} of {records:,} records, and with l={l} at most "
            f"{records // l:,} may share one; no grouping without a repeated value exists for {ids}",
            measured=int(counts.max()),
            bound=records // l,
            requirement=ids,
        )
