"""Skyline (B,t)-privacy: the release moves no adversary's belief by more than t, for several bandwidths of prior knowledge."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from sfumato.contracts.model import TableModel, TableTraits, Verdict, Violation, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, columns, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models._value_combinations import refuse_protected

__all__ = ["Beliefs", "SkylineBTPrivacy", "belief_change", "exact_posterior", "omega_posterior"]

_BLOCK = 512
_MOST_STATES = 4_000_000

KERNELS: Mapping[str, Callable[[Floats], Floats]] = {
    "epanechnikov": lambda x: np.where(x < 1, 1 - x * x, 0.0),
    "triangular": lambda x: np.maximum(1 - x, 0.0),
    "uniform": lambda x: np.where(x < 1, 1.0, 0.0),
}


@frozen(eq=False)
class Beliefs:
    """A distribution over sensitive values for each record: ``records x values``."""

    values: tuple[Hashable, ...]
    probability: Floats

    def rows(self) -> list[dict[Hashable, float]]:
        """Return one ``{value: probability}`` per record."""
        return [dict(zip(self.values, row, strict=True)) for row in self.probability.tolist()]


class SkylineBTPrivacy(TableModel):
    """For each bandwidth B no record's distribution of sensitive values moves by more than t from prior to posterior.

    Prior of an adversary with bandwidths ``B``: kernel regression on the raw table, ``P(s | q)`` proportional to the sum of
    ``K(q, q_j)`` over records ``j`` with ``s``; ``K`` is the product over attributes of ``K(d(q_i, q_ji) / B_i)``. Distances
    ``d`` lie in [0, 1]: ``|a - b| / range`` for numbers, height of the lowest common ancestor / height of the tree
    otherwise. A small ``B`` means much knowledge, a large one little more than the overall distribution.

    Posterior in a group with value counts ``n_s``: ``omega``, proportional to ``n_s P(s | q_j) / sum over the group of P(s |
    q)``; or ``exact``, the share of ``s`` for record ``j`` over all assignments weighted by the product of priors.

    The model holds iff, for every (B, t), the distance between prior and posterior is at most ``t`` for every record:
    ``tv`` total variation, ``js`` Jensen-Shannon divergence in bits, ``emd`` earth mover's distance (over the tree of the
    sensitive column, or the order of its numbers). It is not kept under merging.

    The raw table must list the same records in the same order as the published one.

    Adversary: knows the quasi-identifiers of everybody and how the sensitive value depends on them, up to bandwidth B.

    Examples
    --------
    >>> from sfumato.contracts.publication import Publication
    >>> from sfumato.engines import from_rows
    >>> rows = [(20, "Flu", 1), (30, "HIV", 1), (40, "Flu", 2), (60, "HIV", 2)]
    >>> table = from_rows(["Age", "Disease", "Group"], rows)
    >>> publication = Publication(table=table, qids=("Group",), raw=table)
    >>> model = SkylineBTPrivacy(sensitive="Disease", known=("Age",), skyline=({"bandwidth": 0.5, "t": 0.2},))
    >>> verdict = model.judge(publication)
    >>> verdict.satisfied, round(verdict.strongest, 6)
    (True, 0.197802)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.5.3.
    Li, Li, Zhang, "Modeling and integrating background knowledge in data anonymization", 2009, doi:10.1109/ICDE.2009.86.
    """

    id: ClassVar[str] = "skyline-bt-privacy"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute", "probabilistic"}),
        evaluation="record",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.skyline-bt-privacy")
    level: ClassVar[str] = "largest change of belief"

    sensitive: str = column("sensitive", doc="column with the values to protect")
    skyline: tuple[Mapping[str, Any], ...] = param(
        doc="adversaries, each as {bandwidth: number or {column: number}, t: largest change of belief}"
    )
    known: tuple[str, ...] | None = columns(
        "quasi-identifier", default=None, doc="raw columns that the adversary knows; the quasi-identifiers if not given"
    )
    distance: str = param(default="tv", choices=("tv", "js", "emd"), doc="how a change of belief is measured")
    posterior: str = param(
        default="omega", choices=("omega", "exact"), doc="how the belief after the release is computed"
    )
    kernel: str = param(default="epanechnikov", choices=tuple(KERNELS), doc="shape of the kernel of the prior")

    def validate(self) -> None:
        """Refuse an empty skyline and adversaries without a positive bandwidth and a t from 0 to 1."""
        super().validate()
        where = f"{self.id}.skyline"
        if not self.skyline:
            raise BadRequest("must hold at least one adversary", parameter=where)
        for entry in self.skyline:
            if not isinstance(entry, Mapping) or set(entry) != {"bandwidth", "t"}:
                raise BadRequest("each adversary must have bandwidth and t", parameter=where)
            given = entry["bandwidth"]
            for width in given.values() if isinstance(given, Mapping) else [given]:
                if not _is_number(width) or not width > 0:
                    raise BadRequest("bandwidth must be > 0", parameter=where, value=width)
            if not _is_number(entry["t"]) or not 0 <= entry["t"] <= 1:
                raise BadRequest("t must be >= 0 and <= 1", parameter=where, value=entry["t"])
        if self.known is not None and self.sensitive in self.known:
            raise BadRequest(
                "holds a column that the model protects", parameter=f"{self.id}.known", value=self.sensitive
            )

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column."""
        return (self.sensitive,)

    def prior(self, publication: Publication, bandwidth: float | Mapping[str, float]) -> Beliefs:
        """Return what an adversary of this bandwidth believes of each record before the release."""
        return self._prior(_Records.of(self, publication), publication, bandwidth)

    def after(self, publication: Publication, prior: Beliefs) -> Beliefs:
        """Return what an adversary with this prior believes of each record after the release."""
        return self._after(_Records.of(self, publication), prior)

    def change(self, publication: Publication, prior: Beliefs, posterior: Beliefs) -> Floats:
        """Return the distance between two beliefs about each record."""
        tree = publication.trees.get(self.sensitive) if self.distance == "emd" else None
        return belief_change(prior, posterior, self.distance, tree)

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge every adversary of the skyline; each violation is one record group with its largest change of belief."""
        records = _Records.of(self, publication)
        groups = publication.groups(self.qid, self.needs())
        found: list[tuple[float, Violation]] = []
        touched = np.zeros(len(groups), bool)
        unsafe = np.zeros(len(records.group), bool)
        strongest: float | None = None
        for entry in self.skyline:
            if not len(records.group):
                break
            prior = self._prior(records, publication, entry["bandwidth"])
            moved = self.change(publication, prior, self._after(records, prior))
            highest = np.zeros(len(groups))
            np.maximum.at(highest, records.group, moved)
            strongest = max(strongest or 0.0, float(highest.max()))
            bound = at_most(float(entry["t"]))
            unsafe |= ~bound.holds(moved)
            broken = np.flatnonzero(~bound.holds(highest))
            touched[broken] = True
            found += [
                (
                    float(entry["t"]) - float(highest[at]),
                    Violation(
                        groups.key(int(at)),
                        int(groups.sizes[at]),
                        float(highest[at]),
                        {"bandwidth": entry["bandwidth"], "t": entry["t"], "distance": self.distance},
                    ),
                )
                for at in broken[np.argsort(-highest[broken], kind="stable")][:worst]
            ]
        found.sort(key=lambda pair: pair[0])
        return self.verdict(
            qid=groups.columns,
            satisfied=not touched.any(),
            strongest=strongest,
            bound=say("bound.bandwidths"),
            groups=len(groups),
            records=int(groups.sizes.sum()),
            violations=[violation for _, violation in found[:worst]],
            violating_groups=int(touched.sum()),
            violating_records=int(unsafe.sum()),
        )

    def _prior(self, records: _Records, publication: Publication, bandwidth: float | Mapping[str, float]) -> Beliefs:
        shape = KERNELS[self.kernel]
        tables = []
        for name, values in zip(records.columns, records.known, strict=True):
            if isinstance(bandwidth, Mapping) and name not in bandwidth:
                raise BadRequest("has no bandwidth", parameter=f"{self.id}.skyline", column=name, available=bandwidth)
            width = bandwidth[name] if isinstance(bandwidth, Mapping) else bandwidth
            tables.append(shape(_distances(publication, name, values) / width))
        # Persons with the same quasi-identifier share their prior.
        distinct, person = np.unique(records.codes, axis=0, return_inverse=True)
        person = person.reshape(-1)
        counts = np.zeros((len(distinct), len(records.values)))
        np.add.at(counts, (person, records.sensitive), 1.0)
        out = np.empty_like(counts)
        for low in range(0, len(distinct), _BLOCK):
            block = distinct[low : low + _BLOCK]
            weight = np.ones((len(block), len(distinct)))
            for at, table in enumerate(tables):
                weight *= table[block[:, at]][:, distinct[:, at]]
            summed = weight @ counts
            out[low : low + _BLOCK] = summed / summed.sum(axis=1, keepdims=True)
        return Beliefs(records.values, out[person])

    def _after(self, records: _Records, prior: Beliefs) -> Beliefs:
        compute = exact_posterior if self.posterior == "exact" else omega_posterior
        return compute(prior, records.group, records.sensitive)


@frozen(eq=False)
class _Records:
    """Raw records as codes, with the published group of each."""

    columns: tuple[str, ...]
    known: list[list[Hashable]]
    codes: Ints
    values: tuple[Hashable, ...]
    sensitive: Ints
    group: Ints

    @classmethod
    def of(cls, model: SkylineBTPrivacy, publication: Publication) -> _Records:
        if publication.raw is None:
            raise BadRequest("needs the raw table, from which the adversary's prior is learnt", parameter="raw")
        names = model.known or model.qid or publication.qids
        for name in (*names, model.sensitive):
            if name not in publication.raw.types:
                raise BadRequest("is not a column of the raw table", column=name, available=publication.raw.columns)
        if publication.weights is not None:
            raise BadRequest("beliefs are about single records, which weights do not change", parameter="weights")
        refuse_protected(model, publication, model.needs())
        group = publication.group_of_record(model.qid)
        rows = publication.raw.select([*names, model.sensitive]).to_rows()
        secret = publication.column(model.sensitive)
        if None in secret:
            raise BadRequest("holds missing sensitive values", column=model.sensitive)
        if secret != [row[-1] for row in rows]:
            raise BadRequest(
                "the raw table must hold the published records in the same order",
                column=model.sensitive,
                parameter="raw",
            )
        known: list[list[Hashable]] = []
        codes = np.zeros((len(rows), len(names)), np.int64)
        for at in range(len(names)):
            place: dict[Hashable, int] = {}
            codes[:, at] = [place.setdefault(row[at], len(place)) for row in rows]
            known.append(list(place))
        values = tuple(sorted(set(secret), key=lambda value: (str(type(value)), value)))
        number = {value: code for code, value in enumerate(values)}
        sensitive = np.array([number[value] for value in secret], np.int64)
        return cls(tuple(names), known, codes, values, sensitive, group)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _distances(publication: Publication, name: str, values: Sequence[Hashable]) -> Floats:
    """Return the distances between the values of a column: a number's by its range, any other's by its tree."""
    if None in values:
        raise BadRequest("holds missing values, which have no distance", column=name)
    if all(_is_number(value) for value in values):
        numbers = np.array(values, np.float64)
        spread = float(np.ptp(numbers)) if len(numbers) else 0.0
        return np.abs(numbers[:, np.newaxis] - numbers) / (spread or 1.0)
    tree = publication.tree(name)
    leaf = tree.encode(values, column=name)
    # The lowest common ancestor is the first level from below at which both have the same node.
    out = np.zeros((len(leaf), len(leaf)))
    apart = np.ones(out.shape, bool)
    for nodes in tree.level_nodes:
        same = apart & (nodes[leaf][:, np.newaxis] == nodes[leaf])
        out[same] = np.broadcast_to(tree.rise[nodes[leaf]], out.shape)[same]
        apart &= ~same
    return out / max(tree.height, 1)


def omega_posterior(prior: Beliefs, group: Ints, sensitive: Ints) -> Beliefs:
    """Return the Omega-estimate: every value of a group is shared out to its members in proportion to their priors.

    ``group`` numbers the group of each record, ``sensitive`` its value; of the latter only the counts in each group count.
    """
    p = prior.probability
    groups = int(group.max()) + 1 if len(group) else 0
    count = np.zeros((groups, len(prior.values)))
    np.add.at(count, (group, sensitive), 1.0)
    total = np.zeros_like(count)
    np.add.at(total, group, p)
    share = np.divide(count, total, out=np.zeros_like(count), where=total > 0)
    weight = p * share[group]
    summed = weight.sum(axis=1, keepdims=True)
    return Beliefs(prior.values, np.divide(weight, summed, out=np.zeros_like(weight), where=summed > 0))


def exact_posterior(prior: Beliefs, group: Ints, sensitive: Ints) -> Beliefs:
    """Return the share of each value for each record over all assignments of its group, weighted by the product of priors.

    A dynamic program over the records with the counts used so far as its state; refused where there are too many states.
    """
    out = np.zeros_like(prior.probability)
    order = np.argsort(group, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if len(order) else []:
        codes, count = np.unique(sensitive[members], return_counts=True)
        states = int(np.prod(count + 1.0)) * len(members)
        if states > _MOST_STATES:
            raise Unsupported(
                f"the exact posterior of a group of {len(members)} records with {len(codes)} values has too many cases",
                thing=SkylineBTPrivacy.id,
                alternatives=["posterior='omega'"],
            )
        out[np.ix_(members, codes)] = _exact_in_group(prior.probability[np.ix_(members, codes)], count)
    return Beliefs(prior.values, out)


def _exact_in_group(p: Floats, count: Ints) -> Floats:
    records, values = p.shape
    # Every assignment uses a value equally often, so a factor of its own cancels; it keeps rare values within range.
    p = p / np.where(p.max(axis=0) > 0, p.max(axis=0), 1.0)
    shape = tuple(int(number) + 1 for number in count)
    lower = [tuple(slice(0, -1) if axis == v else slice(None) for axis in range(values)) for v in range(values)]
    upper = [tuple(slice(1, None) if axis == v else slice(None) for axis in range(values)) for v in range(values)]

    def with_one_more(state: Floats, chances: Floats) -> Floats:
        grown = np.zeros(shape)
        for v in range(values):
            grown[upper[v]] += state[lower[v]] * chances[v]
        # Only proportions matter; without rescaling, long products would vanish.
        return grown / (grown.max() or 1.0)

    start = np.zeros(shape)
    start[(0,) * values] = 1.0
    before = [start]
    for record in range(records - 1):
        before.append(with_one_more(before[-1], p[record]))
    out: Floats = np.zeros_like(p)
    after = start
    for record in range(records - 1, -1, -1):
        # The values used before, the record's own, and those used after it must add up to the counts of the group.
        rest = np.flip(after)
        for v in range(values):
            out[record, v] = p[record, v] * float((before[record][lower[v]] * rest[upper[v]]).sum())
        after = with_one_more(after, p[record])
    total = out.sum(axis=1, keepdims=True)
    if (total <= 0).any():
        raise BadRequest("no assignment of the group's values agrees with the priors", parameter="prior")
    out /= total
    return out


def belief_change(prior: Beliefs, posterior: Beliefs, distance: str = "tv", tree: Tree | None = None) -> Floats:
    """Return the distance between two beliefs about each record: ``tv``, ``js`` (in bits) or ``emd``.

    The earth mover's distance needs the tree of the sensitive values, or values that are numbers.
    """
    p, q = prior.probability, posterior.probability
    if distance == "tv":
        total: Floats = np.abs(p - q).sum(axis=1) / 2
        return total
    if distance == "js":
        middle = (p + q) / 2
        mean: Floats = (_divergence(p, middle) + _divergence(q, middle)) / 2
        return mean
    if tree is not None:
        return _tree_distance(p - q, tree, prior.values)
    if not all(_is_number(value) for value in prior.values):
        raise BadRequest(
            "the earth mover's distance needs a hierarchy of the sensitive column, or numbers",
            parameter="distance",
            value="emd",
        )
    places = np.argsort(np.array(prior.values, np.float64), kind="stable")
    flow: Floats = np.abs(np.cumsum((p - q)[:, places], axis=1)[:, :-1]).sum(axis=1)
    return flow / max(len(prior.values) - 1, 1)


def _divergence(p: Floats, q: Floats) -> Floats:
    ratio = np.divide(p, q, out=np.ones_like(p), where=(p > 0) & (q > 0))
    out: Floats = (p * np.log2(ratio)).sum(axis=1)
    return out


def _tree_distance(extra: Floats, tree: Tree, values: Sequence[Hashable]) -> Floats:
    """Return the cost of the best transport over a tree: what cannot be settled below a node crosses it at its height."""
    surplus = np.zeros((len(extra), len(tree)))
    surplus[:, tree.leaf_nodes[tree.encode(values)]] = extra
    gain, loss = np.zeros_like(surplus), np.zeros_like(surplus)
    out = np.zeros(len(extra))
    for node in range(len(tree) - 1, -1, -1):
        if tree.children[node]:
            out += tree.rise[node] / max(tree.height, 1) * np.minimum(gain[:, node], loss[:, node])
        if node:
            above = int(tree.parent[node])
            surplus[:, above] += surplus[:, node]
            gain[:, above] += np.maximum(surplus[:, node], 0)
            loss[:, above] += np.maximum(-surplus[:, node], 0)
    return out
