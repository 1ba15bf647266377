"""What metrics read: where each published value stands, how many records show it, and which are left out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sfumato.catalogue import name_of
from sfumato.contracts.engine import Table
from sfumato.contracts.metric import DataMetric, Measured
from sfumato.contracts.progress import SILENT, Progress
from sfumato.contracts.published import Published
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.contracts.run import Run
from sfumato.data.compressed import CompressedTable, Dictionary, Weighed
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.engines import read
from sfumato.engines.sources import format_of
from sfumato.errors import BadRequest
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.policy import LimitPolicy
from sfumato.publishing.published import open_published
from sfumato.tables.labels import Labels, labels_of_recoding, read_labels
from sfumato.tables.open import open_table
from sfumato.tables.policy import Policy, policy_of
from sfumato.tables.prepare import prepare, settle_missing
from sfumato.tables.recode import Applied, Recoded, tree_of

__all__ = ["measure_all", "operation_stats", "published_stats", "release_stats"]


_LOOKED_UP = 1 << 24  # label combinations that are looked up in a table; more are searched for


def measure_all(
    published: PublishedStats, metrics: Sequence[DataMetric], progress: Progress = SILENT
) -> dict[str, Measured]:
    """Return the value of every metric that applies."""
    out = {}
    progress.stage("measuring", len(metrics))
    for done, metric in enumerate(metrics):
        progress.tick(done, metric.id)
        if metric.applies(published) is None:
            out[metric.id] = replace(metric.measure(published), metric=name_of(type(metric)))
    return out


def release_stats(
    raw: object,
    release: object,
    *,
    qid: Sequence[str] | None = None,
    target: str | None = None,
    hierarchies: Mapping[str, object] | None = None,
    policy: Policy | Mapping[str, object] | str | None = None,
    added: Sequence[int] = (),
    run: Run | None = None,
) -> PublishedStats:
    """Return what metrics read of a release; see :func:`measure` for the parameters."""
    asked = Policy.of(policy) if policy is not None else None
    run = Run() if run is None else run.part()
    published = _opened(release, asked, run.memory)
    released, recodings, operations = published.table, published.recodings, published.private.operations
    asked = asked or policy_of(published)
    unknown = published.unknown if isinstance(published, Applied) else "declared"
    table, weights = open_table(raw, asked, run=run), None
    trees: dict[str, Tree] = {name: entry.tree for name, entry in recodings.items() if hasattr(entry, "tree")}
    known = tuple(recodings) or tuple(hierarchies or ())
    if asked is not None:
        # Only roles, missing values and hierarchies matter here: what was required of the release does not.
        prepared = prepare(table, _without_demands(asked))
        table, weights = prepared.table, asked.weights
        if target is None and prepared.target in released.types:
            target = prepared.target
        trees = {**{entry.name: entry.tree for entry in prepared.attributes if entry.tree is not None}, **trees}
        known = tuple(recodings) or tuple(entry.name for entry in prepared.attributes)
    elif isinstance(published, Applied) and published.policy is not None:
        # New values may have no place in the hierarchies, and the recoding has its rule for them.
        table, known = _prepared_again(table, published.policy)
    if isinstance(published, Recoded) and published.operation is not None and not hierarchies and not len(added):
        return operation_stats(published.operation, table, tuple(qid or ()), target)
    names = list(qid or known)
    _refuse_columns(table, released, names, target)
    if len(operations) == 1 and not recodings and not hierarchies and not len(added):
        stats = operation_stats(operations[0], table, names, target, unknown=unknown)
        if _texts_and_sizes(stats.groups) == _texts_and_sizes(released.groups(names)):
            return stats
    trees |= {name: tree_of(table, name, given)[0] for name, given in (hierarchies or {}).items() if name in names}
    dictionaries = {name: table.dictionary(name) for name in names}
    compressed = table.compress(names, dictionaries=dictionaries)
    weighed = None
    if weights is not None and asked is not None:
        compressed = table.compress(names, [] if target is None else [target], dictionaries)
        weighed = prepared.weighed(compressed, table)
    groups = released.groups(names, [target] if target is not None else [])
    extra = _added_rows(released, groups, added)
    if all(name in recodings for name in names):
        mapped = {name: recodings[name].map(dictionaries[name].values, column=name, unknown=unknown) for name in names}
        labels = {name: labels_of_recoding(mapped[name], dictionaries[name]) for name in names}
        found = _matched(labels, dictionaries, groups, compressed, extra, target, weighed)
        if found is not None:
            return found
    # Not what the recodings alone would give: the published values themselves must tell what they stand for.
    labels = {}
    for name in names:
        counted = _published_values(released, name)
        labels[name] = read_labels(name, dictionaries[name], counted, trees.get(name))
    found = _matched(labels, dictionaries, groups, compressed, extra, target, weighed)
    if found is None and weighed is not None:
        raise BadRequest(
            "equal records were published in different ways, so that nobody can tell whose weights went where",
            parameter="weights",
            value=weights,
        )
    return found or _unmatched(labels, dictionaries, groups, compressed, extra, target)


def _prepared_again(table: Table, policy: Policy) -> tuple[Table, tuple[str, ...]]:
    """Return a raw table as ``apply`` recodes it, without its pseudonyms, and its quasi-identifiers."""
    plain = policy.without_pseudonyms()
    kept = [name for name in plain.columns if name in table.types and name not in plain.dropped()]
    table, _ = settle_missing(table.select(kept), plain)
    return table, tuple(name for name in plain.of_role(Role.QUASI_IDENTIFIER) if name in table.types)


def _texts_and_sizes(groups: GroupStats) -> dict[tuple[str | None, ...], int]:
    """Return groups by the texts of their values: what was written and read again has lost its types."""
    columns = []
    for keys in groups.keys:
        values, codes = _coded(keys)
        texts = [*map(to_text, values), None]  # the last entry answers for missing, -1
        columns.append([texts[code] for code in codes.tolist()])
    return dict(zip(zip(*columns, strict=True), groups.sizes.tolist(), strict=True))


def operation_stats(
    operation: TableRecoding,
    raw: Table,
    qid: Sequence[str],
    target: str | None,
    *,
    unknown: str = "declared",
    published: Table | None = None,
) -> PublishedStats:
    """Return what a recoding of whole records says of itself."""
    counted = [] if target is None else [target]
    stats = operation.stats(raw, qid=qid, histograms=counted, unknown=unknown, published=published)
    if operation.mixed_granularity:
        # A value that was published in several ways has no one published value that its records could be counted by.
        attributes = {name: replace(entry, paired=False) for name, entry in stats.attributes.items()}
        stats = replace(stats, attributes=attributes)
    return replace(stats, target=target)


def published_stats(
    dictionaries: Mapping[str, Dictionary],
    recodings: Mapping[str, ColumnRecoding],
    groups: GroupStats,
    records: int,
    suppressed: int = 0,
    *,
    raw: CompressedTable | None = None,
    target: str | None = None,
    weighed: Weighed | None = None,
) -> PublishedStats:
    """Return what metrics read, from the raw value counts of the published records and their recodings.

    With the compressed ``raw`` table it is also known which group each raw record went to; a record without a group is
    suppressed. ``target`` names the class column that the groups count. ``weighed`` is that table with sampling weights: every
    number is then a sum of these.
    """
    # Where the groups show the same columns, their order counts.
    names = groups.columns if set(groups.columns) == set(recodings) else tuple(recodings)
    labels = {
        name: labels_of_recoding(recodings[name].map(dictionaries[name].values, column=name), dictionaries[name])
        for name in names
    }
    if raw is not None:
        found = _matched(labels, dictionaries, groups, raw, None, target, weighed)
        if found is None:
            raise BadRequest("does not hold the groups that the recodings make of the raw records", parameter="groups")
        return found
    attributes = {name: _paired(name, entry, dictionaries[name].counts, None) for name, entry in labels.items()}
    shown = _shown(labels, groups)
    return PublishedStats(
        records,
        suppressed,
        groups,
        attributes,
        group_cover=_cover(labels, shown),
        cover_domain=np.array([entry.value_domain for entry in labels.values()], np.float64),
        target=target,
    )


def _matched(
    labels: Mapping[str, Labels],
    dictionaries: Mapping[str, Dictionary],
    groups: GroupStats,
    raw: CompressedTable,
    added: Ints | None,
    target: str | None,
    weighed: Weighed | None = None,
) -> PublishedStats | None:
    """Return the statistics if every group holds exactly the raw records that its published values cover, else ``None``."""
    shown = _shown(labels, groups)
    if shown is None or set(raw.columns) != set(labels):
        return None
    codes, weights = _without_extra(raw)
    codes = codes if raw.columns == tuple(labels) else codes[:, [raw.columns.index(name) for name in labels]]
    sent: list[Ints] = []
    for at, entry in enumerate(labels.values()):
        if entry.of_value is None:
            return None
        sent.append(entry.of_value[codes[:, at]])
    keys, cells = _packed(sent, shown, [len(entry.texts) + 1 for entry in labels.values()])
    raw_group = _find(keys, cells)
    kept = raw_group >= 0
    held = _counted(raw_group[kept], weights[kept], len(groups))
    if not np.array_equal(held, groups.sizes if added is None else groups.sizes - added):
        return None
    if weighed is not None:
        groups = _weighed_groups(groups, raw, weighed.table, raw_group)
        raw, dictionaries = weighed.table, weighed.table.dictionaries
        weights = _without_extra(raw)[1]
    gone = np.flatnonzero(~kept)
    suppressed = weights[gone].sum().item()
    placed = all((part[gone] >= 0).all() for part in sent)
    attributes, climb = {}, {}
    for at, (name, entry) in enumerate(labels.items()):
        lost = _counted(codes[gone, at], weights[gone], len(dictionaries[name]))
        attributes[name] = _paired(name, entry, dictionaries[name].counts - lost, lost if placed else None)
        climb[name] = (np.where(entry.root_climb < 0, 1, entry.root_climb) @ lost).item()
    sizes = None
    if placed:
        _, number = np.unique(keys[gone], return_inverse=True)
        sizes = _counted(number, weights[gone], int(number.max(initial=-1)) + 1)
    return PublishedStats(
        raw.weights.sum().item(),
        suppressed,
        groups,
        attributes,
        climb,
        _cover(labels, shown),
        weights,
        raw_group,
        target,
        sizes,
        np.array([entry.value_domain for entry in labels.values()], np.float64),
        added,
    )


def _without_extra(raw: CompressedTable) -> tuple[Codes, Ints]:
    """Return the distinct rows over the quasi-identifiers alone; rows that differ in extra columns lie side by side."""
    if not raw.extra or len(raw) == 0:
        return raw.codes, raw.weights
    first = np.flatnonzero(_begins(raw))
    return raw.codes[first], np.add.reduceat(raw.weights, first)


def _begins(raw: CompressedTable) -> Bools:
    """Tell which rows are the first with their quasi-identifiers."""
    return np.append(True, (raw.codes[1:] != raw.codes[:-1]).any(axis=1))


def _weighed_groups(groups: GroupStats, raw: CompressedTable, weighed: CompressedTable, raw_group: Ints) -> GroupStats:
    """Return groups of published records by the sampling weights of the raw rows that went there."""
    group = raw_group if not raw.extra or len(raw) == 0 else raw_group[np.cumsum(_begins(raw)) - 1]
    kept = np.flatnonzero(group >= 0)
    histograms = {}
    for name in groups.histograms:
        code = weighed.extra_codes[kept, weighed.extra.index(name)].astype(np.int64)
        values = weighed.dictionaries[name].values
        histograms[name] = Histogram.from_pairs(len(groups), values, group[kept], code, weighed.weights[kept])
    return replace(groups, sizes=_counted(group[kept], weighed.weights[kept], len(groups)), histograms=histograms)


def _unmatched(
    labels: Mapping[str, Labels],
    dictionaries: Mapping[str, Dictionary],
    groups: GroupStats,
    raw: CompressedTable,
    added: Ints | None,
    target: str | None,
) -> PublishedStats:
    """Return what published values alone can tell; records with equal values may have become different ones."""
    sizes = groups.sizes if added is None else groups.sizes - added
    suppressed = raw.records - int(sizes.sum())
    if suppressed < 0:
        raise BadRequest(
            f"holds {int(sizes.sum()):,} rows, the raw table {raw.records:,} records; rows that stand for nobody must be named",
            parameter="release",
        )
    shown = _shown(labels, groups)
    if shown is None:
        raise BadRequest("has missing values where the raw table has none", parameter="release")
    attributes, climb = {}, {}
    for part, (name, entry) in zip(shown, labels.items(), strict=True):
        counts = _counted(part, sizes, len(entry.texts))
        attributes[name], climb[name] = _by_label(name, entry, counts, dictionaries[name].counts, suppressed)
    return PublishedStats(
        raw.records,
        suppressed,
        groups,
        attributes,
        climb,
        _cover(labels, shown),
        target=target,
        cover_domain=np.array([entry.value_domain for entry in labels.values()], np.float64),
        added=added,
    )


def _by_label(name: str, labels: Labels, counts: Ints, raw: Ints, suppressed: int) -> tuple[AttributeStats, int]:
    """Return an attribute from the counts of its labels, and the levels that suppressed records climb.

    Labels take raw records from small to large, so that each finds enough; what climbs how far in total does not depend on who
    takes which record.
    """
    left = raw.copy()
    pairs: list[tuple[int, int, int]] = []
    for number in np.argsort(labels.covered, kind="stable").tolist():
        reach = labels.reach[number]
        wanted = int(counts[number])
        taken = np.minimum(left[reach], np.maximum(wanted - np.cumsum(left[reach]) + left[reach], 0))
        if taken.sum() < wanted and not labels.continuous:
            raise BadRequest(
                f"{wanted:,} records are published as this value, more than there are below it in the raw table",
                column=name,
                value=labels.texts[number],
            )
        left[reach] -= taken
        pairs += [(int(value), number, int(part)) for value, part in zip(reach, taken, strict=True) if part]
    if labels.continuous:
        # Intervals may overlap in any way; they have no levels, so that their counts are all there is to know.
        pairs = [(0, number, int(count)) for number, count in enumerate(counts.tolist()) if count]
    value, label, count = (np.array(part, np.int64) for part in zip(*pairs, strict=True)) if pairs else [_none()] * 3
    levels = labels.root_climb[value]
    stats = AttributeStats(
        name,
        count,
        label,
        labels.covered[label],
        labels.domain,
        np.where(levels < 0, -1, np.maximum(levels - labels.depth[label], 0)),
        levels,
        labels.continuous,
        paired=False,
    )
    return stats, suppressed if labels.continuous else int(labels.root_climb @ left)


def _paired(name: str, labels: Labels, counts: Ints, suppressed: Ints | None) -> AttributeStats:
    label = labels.of_value if labels.of_value is not None else _none()
    keep = label >= 0
    if not keep.all():
        counts, label = counts[keep], label[keep]
        suppressed = None if suppressed is None else suppressed[keep]
    levels = labels.root_climb[keep]
    return AttributeStats(
        name,
        counts,
        label,
        labels.covered[label],
        labels.domain,
        np.where(levels < 0, -1, np.maximum(levels - labels.depth[label], 0)),
        levels,
        labels.continuous,
        suppressed,
    )


def _shown(labels: Mapping[str, Labels], groups: GroupStats) -> list[Ints] | None:
    """Return the label of each group, column by column; ``None`` if a group shows something that is no label."""
    if groups.columns != tuple(labels):
        return None
    out: list[Ints] = []
    for keys, entry in zip(groups.keys, labels.values(), strict=True):
        values, codes = _coded(keys)
        numbers = np.append(entry.number([to_text(value) for value in values]), -1)  # a missing value has code -1
        out.append(numbers[codes])
        if len(codes) and int(out[-1].min()) < 0:
            return None
    return out


def _coded(keys: Sequence[Hashable]) -> tuple[Sequence[Hashable], Codes]:
    if isinstance(keys, CodedKeys):
        return keys.values, keys.codes
    numbers: dict[Hashable, int] = {}
    codes = [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys]
    return list(numbers), np.array(codes, np.int32)


def _cover(labels: Mapping[str, Labels], shown: list[Ints] | None) -> Floats | None:
    if shown is None or not shown:
        return None
    return np.column_stack([entry.values[part] for entry, part in zip(labels.values(), shown, strict=True)])


def _packed(rows: list[Ints], cells: list[Ints], widths: list[int]) -> tuple[Ints, Ints]:
    """Return each combination of labels as one number, for raw rows and for groups; -1 is a label of its own."""
    left, right = np.zeros(len(rows[0]), np.int64), np.zeros(len(cells[0]), np.int64)
    span = 1
    for row, cell, width in zip(rows, cells, widths, strict=True):
        if span * width >= 2**62:
            # Out of bits: combinations so far are replaced by their rank.
            _, rank = np.unique(np.concatenate([left, right]), return_inverse=True)
            left, right, span = rank[: len(left)], rank[len(left) :], len(rank)
        left, right, span = left * width + (row + 1), right * width + (cell + 1), span * width
    return left, right


def _find(keys: Ints, cells: Ints) -> Ints:
    """Return the position of each key among the cells, -1 if it is none of them."""
    if len(cells) == 0:
        return np.full(len(keys), -1, np.int64)
    top = max(int(keys.max(initial=0)), int(cells.max()))
    if top < _LOOKED_UP:
        table = np.full(top + 1, -1, np.int64)
        table[cells] = np.arange(len(cells))
        return table[keys]
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    place = np.minimum(np.searchsorted(ordered, keys), len(cells) - 1)
    return np.where(ordered[place] == keys, order[place], -1)


def _counted(codes: Ints, weights: Ints, length: int) -> Ints:
    # Sums of whole numbers below 2^53 are exact in floats.
    return np.bincount(codes, weights=weights, minlength=length).astype(weights.dtype)


def _none() -> Ints:
    return np.empty(0, np.int64)


def _published_values(released: Table, name: str) -> Dictionary:
    counted = released.dictionary(name)
    if counted.missing:
        raise BadRequest("the release has missing values in a quasi-identifier", column=name, value=counted.missing)
    return counted


def _added_rows(released: Table, groups: GroupStats, added: Sequence[int]) -> Ints | None:
    """Return how many rows of each group stand for nobody."""
    if not len(added):
        return None
    wrong = [row for row in added if not 0 <= row < released.rows]
    if wrong or len(set(added)) < len(added):
        raise BadRequest(
            f"must be different row numbers in 0..{released.rows - 1}", parameter="added", value=wrong or None
        )
    place = {groups.key(number): number for number in range(len(groups))}
    rows = released.select(groups.columns).to_rows()
    return _counted(np.array([place[rows[row]] for row in added], np.int64), np.ones(len(added), np.int64), len(groups))


def _refuse_columns(raw: Table, released: Table, names: Sequence[str], target: str | None) -> None:
    if not names:
        raise BadRequest("needs the columns that were masked", parameter="qid", available=released.columns)
    for table, parameter in ((raw, "raw"), (released, "release")):
        for name in names:
            if name not in table.types:
                raise BadRequest(
                    "is not a column of the table", parameter=parameter, value=name, available=table.columns
                )
    if target is not None and target not in released.types:
        raise BadRequest("is not a column of the release", parameter="target", value=target, available=released.columns)
    if target in names:
        raise BadRequest("is a quasi-identifier", parameter="target", value=target)


def _without_demands(policy: Policy) -> Policy:
    plain: dict[str, object] = {"requirements": ({"id": "k-anonymity", "k": 1},), "limits": LimitPolicy()}
    # Only some searches know weights; none of them is run.
    plain |= {"algorithm": {"id": "tdr" if policy.weights is None else "optimal"}, "population": None}
    return policy.without_pseudonyms().model_copy(update=plain)


def _opened(source: object, policy: Policy | None, memory: int | None) -> Published:
    """Open a release; how a raw file was to be read says nothing about a released one, but its masked columns hold texts."""
    file = Path(source) if isinstance(source, (str, Path)) and "://" not in str(source) else None
    if policy is not None and file and not file.is_dir() and format_of(file)[0] in ("csv", "tsv"):
        texts = dict.fromkeys(policy.of_role(Role.QUASI_IDENTIFIER), ColumnType.TEXT)
        source = read(source, types=texts, memory=memory)
    published = open_published(source, memory=memory)
    if published.folder is not None and not (published.recodings or published.private.operations):
        raise BadRequest(
            "private/recoding.json is not there; give a whole release folder, or a released file and a policy",
            parameter="release",
            value=str(source),
        )
    return published
