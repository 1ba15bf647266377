"""Groups of records that follow from a mining result: from itemsets and rules, from the leaves of trees, from whole models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.itemsets.patterns import Channel, Patterns

__all__ = ["Found", "SmallGroup", "groups_of_leaves", "groups_of_model", "groups_of_patterns", "patterns_of_rules"]


@frozen
class SmallGroup:
    """``count`` records, and in words what is told of them."""

    count: int
    words: str


@frozen
class Found:
    """The groups that are too small, what else must be said of the result, and whether it keeps records as they are."""

    groups: tuple[SmallGroup, ...] = ()
    notes: tuple[str, ...] = ()
    keeps_records: bool = False


def groups_of_patterns(patterns: Patterns, k: int) -> Found:
    """Return the groups of fewer than ``k`` records that supports of sets of items tell of, published small sets among them."""
    few = {items: support for items, support in patterns.supports.items() if 0 < support < k}
    small = [Channel(items, items, support) for items, support in few.items()]
    return Found(tuple(SmallGroup(one.count, _words(one)) for one in (*small, *patterns.channels(k))))


def _words(channel: Channel) -> str:
    if not channel.inside:
        return say("results.all", outside=list(channel.outside))
    if not channel.outside:
        return say("results.rule", words=", ".join(channel.inside))
    return say("results.set", inside=list(channel.inside), outside=list(channel.outside))


def patterns_of_rules(rules: Iterable[Mapping[str, Any]], records: int | None = None) -> Patterns:
    """Return the supports that rules tell: a rule X -> Y with support s and confidence c says sup(X and Y) = s, sup(X) = s / c.

    >>> dict(patterns_of_rules([{"if": ["a"], "then": ["b"], "support": 3, "confidence": 0.75}]).supports)
    {('a',): 4, ('a', 'b'): 3}
    """
    out: dict[tuple[str, ...], int] = {} if records is None else {(): records}
    for rule in rules:
        try:
            left, right = ([str(item) for item in rule[side]] for side in ("if", "then"))
            support, confidence = float(rule["support"]), float(rule["confidence"])
        except (KeyError, TypeError, ValueError):
            raise BadRequest(say("results.bad.rules"), parameter="rules") from None
        if isinstance(rule["if"], str) or isinstance(rule["then"], str) or set(left) & set(right) or not right:
            raise BadRequest(say("results.bad.sides"), parameter="rules")
        if not 0 < confidence <= 1:
            raise BadRequest(say("results.bad.share"), parameter="rules.confidence", value=str(confidence))
        if support < 1 and records is not None:
            support *= records  # a share, as many programs write it
        if support < 0 or abs(support - round(support)) > 1e-6 * max(support, 1):
            raise BadRequest(say("results.bad.support"), parameter="rules.support")
        out[tuple(sorted({*left, *right}))] = round(support)
        if left:
            out[tuple(sorted(set(left)))] = round(support / confidence)
    return Patterns.of(out)


def groups_of_leaves(leaves: Iterable[Mapping[str, Any]], k: int, *, tree: int | None = None) -> Found:
    """Return the leaves of a tree with fewer than ``k`` records, and the classes in leaves with fewer."""
    out: list[SmallGroup] = []
    for leaf in leaves:
        way, counts = (leaf.get("if", ()), leaf.get("counts")) if isinstance(leaf, Mapping) else ((), None)
        if (
            not isinstance(way, (list, tuple))
            or not isinstance(counts, Mapping)
            or any(not isinstance(one, (int, float)) or not 0 <= one < float("inf") for one in counts.values())
        ):
            raise BadRequest(say("results.bad.leaves"), parameter="leaves")
        conditions = " and ".join(map(str, way)) or "*"
        total = round(sum(counts.values()))
        place = (
            say("results.leaf", conditions=conditions)
            if tree is None
            else say("results.tree_leaf", number=tree, conditions=conditions)
        )
        if 0 < total < k:
            out.append(SmallGroup(total, place))
        else:
            out += [
                SmallGroup(round(count), say("results.leaf_class", conditions=conditions, name=str(name)))
                for name, count in counts.items()
                if 0 < round(count) < k
            ]
    return Found(tuple(out))


# ---- models of scikit-learn ----------------------------------------------------------------------------------------------

_RECORDS = (
    *("_fit_X", "support_vectors_", "X_train_", "X_fit_", "training_data_"),
    *("core_sample_indices_", "cluster_centers_indices_"),  # components and centres that are records
)
_VALUES = ("vocabulary_", "categories_", "quantiles_", "X_thresholds_")


def groups_of_model(model: Any, k: int) -> Found:
    """Return what a fitted scikit-learn model, or pipeline of several, tells of fewer than ``k`` records.

    Leaves of trees and of forests, classes of few records, and parts that keep training records as they are. One that has
    learnt nothing yet is refused: that it tells of nobody says nothing.
    """
    if not _fitted(model.steps[-1][1] if hasattr(model, "steps") else model):
        raise BadRequest(say("results.bad.unfitted"), parameter="result", value=type(model).__name__)
    groups: list[SmallGroup] = []
    notes: list[str] = []
    keeps = False
    steps = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    names = _feature_names(model, steps)
    inner = list(_inner(model, set()))
    for step in inner:
        called = type(step).__name__
        if any(getattr(step, kept, None) is not None for kept in _RECORDS):
            keeps = True
            notes.append(say("results.keeps_records", name=called))
        if any(getattr(step, kept, None) is not None for kept in _VALUES):
            notes.append(say("results.keeps_values", name=called))
    last = steps[-1]
    classes = getattr(last, "classes_", None)
    trees = [
        *(_leaves(one.tree_, names, classes) for one in inner if hasattr(one, "tree_")),
        *(_histogram_leaves(one) for one in inner if hasattr(one, "get_n_leaf_nodes")),
    ]
    for number, leaves in enumerate(trees):
        groups += groups_of_leaves(leaves, k, tree=number + 1 if len(trees) > 1 else None).groups
    if len(trees) > 1 and any(getattr(one, "bootstrap", False) for one in inner):
        notes.append(say("results.bootstrap"))
    sizes = getattr(last, "class_count_", None)
    if sizes is not None:
        for name, count in zip(last.classes_, sizes, strict=True):
            if 0 < count < k:
                groups.append(SmallGroup(round(float(count)), say("results.classes", name=str(name))))
    if not trees and sizes is None and not notes:
        notes.append(say("results.no_groups", name=type(last).__name__))
    return Found(tuple(groups), tuple(dict.fromkeys(notes)), keeps)


def _fitted(model: Any) -> bool:
    """Tell whether a model has learnt something: by then it has attributes that end with an underscore."""
    own = getattr(model, "__dict__", {})
    return any(name.endswith("_") and not name.startswith("__") for name in own) or "_fit_X" in own


def _inner(part: Any, seen: set[int]) -> Iterable[Any]:
    """Yield a model and all models inside of it: steps, members, the best of a search, what is calibrated or wrapped."""
    if id(part) in seen:
        return
    seen.add(id(part))
    if isinstance(part, Mapping):
        inside = list(part.values())
    elif isinstance(part, (list, tuple)):
        inside = list(part)
    elif getattr(getattr(part, "dtype", None), "hasobject", False):
        inside = part.ravel().tolist()
    elif not isinstance(part, type) and (hasattr(part, "get_params") or type(part).__module__.startswith("sklearn.")):
        yield part
        inside = list(getattr(part, "__dict__", {}).values())
    else:
        return
    for one in inside:
        yield from _inner(one, seen)


def _feature_names(model: Any, steps: Sequence[Any]) -> list[str] | None:
    if len(steps) > 1:
        try:
            return [str(name) for name in model[:-1].get_feature_names_out()]
        except (AttributeError, ValueError):
            return None
    named = getattr(steps[0], "feature_names_in_", None)
    return None if named is None else [str(name) for name in named]


def _histogram_leaves(tree: Any) -> Iterable[Mapping[str, object]]:
    """Yield the leaves of a tree that was grown on binned values, which tells how many records each of them holds."""
    for leaf in tree.nodes[tree.nodes["is_leaf"] == 1]:
        yield {"if": (), "counts": {"": int(leaf["count"])}}


def _leaves(tree: Any, names: Sequence[str] | None, classes: Any) -> Iterable[Mapping[str, object]]:
    """Yield the leaves of a fitted tree with the conditions on the way there, and records by class."""
    if names is not None and len(names) != tree.n_features:
        names = None  # of a member that sees other columns than the whole model
    waiting: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while waiting:
        node, way = waiting.pop()
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            records, shares = int(tree.n_node_samples[node]), tree.value[node][0]
            many = classes is not None and len(shares) == len(classes) and shares.sum() > 0
            by_class = zip(classes, (shares / shares.sum() * records).tolist(), strict=True) if many else ()
            yield {"if": way, "counts": dict(by_class) if many else {"": records}}
            continue
        name = f"x{tree.feature[node]}" if names is None else names[int(tree.feature[node])]
        cut = f"{float(tree.threshold[node]):.6g}"
        waiting += [(right, (*way, f"{name} > {cut}")), (left, (*way, f"{name} <= {cut}"))]
