"""What an adversary has before her, put together from a release and whatever tables the steward gives beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.catalogue import build
from sfumato.contracts.attack import Attack, Reading, Scene
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Model
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.data.schema import ColumnType, Role
from sfumato.data.tree import Tree
from sfumato.engines import read
from sfumato.errors import BadRequest, SfumatoError
from sfumato.groups.stats import GroupStats
from sfumato.policy import Policy, policy_of
from sfumato.publishing.published import open_published
from sfumato.recodings.record_recoding import RecordRecoding
from sfumato.recodings.scales import TreeScale
from sfumato.releases.grouped import GroupedKind
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.open import open_table

__all__ = ["Shown", "by_groups", "offered", "open_scene", "open_shown"]


@dataclass(frozen=True, eq=False)
class Shown:
    """What is published: the main table, all tables by part, roles, requirements, and what masked the columns.

    ``raw`` is the table before masking where it is still in memory. ``buckets`` are the groups of a release that publishes
    sensitive values by group. ``policy`` tells what labels stand for where no recoding does.
    """

    table: Table
    kind: str | None = None
    parts: Mapping[str, Table] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    recodings: Mapping[str, ColumnRecoding] = field(default_factory=dict)
    operations: Sequence[TableRecoding] = ()
    models: tuple[Model, ...] = ()
    raw: Table | None = None
    buckets: GroupStats | None = None
    policy: Policy | None = None

    def of_role(self, role: Role) -> list[str]:
        """Return the columns with a role, in order."""
        return [name for name, known in self.roles.items() if known is role]


def open_scene(
    source: Any,
    *,
    external: Any = None,
    name: str | None = None,
    qid: Sequence[str] | None = None,
    sensitive: str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    owners: Any = None,
    raw: Any = None,
    control: Any = None,
    corrupted: Any = None,
    other: Any = None,
    models: Sequence[Any] = (),
    progress: Progress | None = None,
    learns: bool = True,
) -> Scene:
    """Return the scene of an attack; :func:`sfumato.attack` says what the parameters mean.

    ``learns`` tells whether the attack looks at a sensitive column: if not, none of several need be named.
    """
    shown = source if isinstance(source, Shown) else open_shown(source)
    readings = _readings(shown, hierarchies)
    beside = None if external is None else _read_alike(external, readings)
    before = None if raw is None else _read_alike(raw, readings)
    qids = tuple(qid) if qid is not None else _shared(shown, beside, name, sensitive)
    if len(set(qids)) < len(qids):
        raise BadRequest("names a column twice", parameter="qid", value=list(qids))
    readings |= _declared(shown.policy, [name for name in qids if name not in readings], [before, beside, shown.raw])
    return Scene(
        published=shown.table,
        external=beside,
        name=name,
        qids=qids,
        sensitive=sensitive if sensitive is not None else _protected(shown, qids, learns),
        readings=readings,
        owners=None if owners is None else _read_alike(owners, readings),
        raw=before,
        control=None if control is None else _read_alike(control, readings),
        corrupted=None if corrupted is None else _read_alike(corrupted, readings),
        other=None if other is None else open_shown(other).table,
        parts=shown.parts,
        models=tuple(one if isinstance(one, Model) else build(one, "model") for one in models) or shown.models,
        progress=progress or Silent(),
    )


def by_groups(attack: Attack, scene: Scene, shown: Shown) -> Scene:
    """Return the scene as an attack sees it: one that learns values from a release that publishes them by group reads these."""
    traits = attack.traits
    grouped = shown.buckets is not None and scene.sensitive in shown.buckets.histograms
    # What is compared with a control group goes by the records themselves.
    learns = traits.victims == "records" and "attribute" in traits.aims_at and "control" not in traits.needs
    return replace(scene, counted=shown.buckets) if grouped and learns else scene


def open_shown(source: Any, policy: Policy | Mapping[str, Any] | str | Path | None = None) -> Shown:
    """Return what is published: of a release in memory, a release folder, an operation, parts by name, or any table.

    ``policy`` tells roles, requirements and hierarchies of a bare table; a release knows its own.
    """
    published = open_published(source, policy)
    single = published.kind == RecodedTable.id and len(published.tables) == 1
    groups = published.form.groups(published.tables) if isinstance(published.form, GroupedKind) else None
    return Shown(
        published.table,
        published.kind if published.certificate is not None else None,
        {} if single else published.tables,
        published.roles,
        published.recodings,
        published.private.operations,
        published.models,
        published.private.raw,
        groups,
        policy_of(published),
    )


def _read_alike(source: Any, readings: Mapping[str, Reading]) -> Table:
    """Open a table; where a hierarchy holds texts a file is read as texts, so that codes with leading zeros stay codes."""
    texts = [
        name
        for name, reading in readings.items()
        if isinstance(reading, TreeScale) and all(isinstance(leaf, str) for leaf in reading.tree.leaves)
    ]
    if not texts or not isinstance(source, (str, Path)):
        return open_table(source)
    known = open_table(source).columns
    return read(source, types={name: ColumnType.TEXT for name in texts if name in known})


def _shared(shown: Shown, external: Table | None, name: str | None, sensitive: str | None) -> tuple[str, ...]:
    """Return the columns to link by: quasi-identifiers where roles are known, else whatever both tables have."""
    if external is None:
        return offered(shown, sensitive)
    known = offered(shown, sensitive) if shown.roles else shown.table.columns
    return tuple(column for column in known if column not in (name, sensitive) and column in external.types)


def offered(shown: Shown, sensitive: str | None) -> tuple[str, ...]:
    """Return the quasi-identifiers of a release, as its roles tell; of a bare table none."""
    named = shown.of_role(Role.QUASI_IDENTIFIER)
    return tuple(column for column in named if column in shown.table.types and column != sensitive)


def _protected(shown: Shown, qids: Sequence[str], learns: bool) -> str | None:
    """Return the sensitive column of a release; one that the adversary is said to know is not to be learnt."""
    tables = shown.parts.values() if shown.parts else [shown.table]
    held = {column for table in tables for column in table.types if column not in qids}
    found = [one for one in shown.of_role(Role.SENSITIVE) if one in held]
    if len(found) > 1 and not learns:
        return None
    if len(found) > 1:
        raise BadRequest("say which sensitive column is to be learnt", parameter="sensitive", available=found)
    return found[0] if found else None


def _declared(policy: Policy | None, columns: Sequence[str], tables: Sequence[Table | None]) -> dict[str, Reading]:
    """Return what the hierarchies of a policy make of values at hand: a release that keeps no recoding shows their labels."""
    out: dict[str, Reading] = {}
    for column in columns:
        builder = policy.hierarchy(column) if policy is not None and column in policy.columns else None
        held = [table.dictionary(column).values for table in tables if table is not None and column in table.types]
        if builder is None or not held:
            continue
        try:
            out[column] = TreeScale(builder.build(held[0], column=column))
        except SfumatoError:
            continue  # values without a place in the hierarchy: labels stand for themselves
    return out


def _readings(shown: Shown, hierarchies: Mapping[str, Any] | None) -> dict[str, Reading]:
    out: dict[str, Reading] = {}
    for operation in shown.operations:
        if isinstance(operation, RecordRecoding):
            out.update(operation.scales)
    for column, recoding in shown.recodings.items():
        tree = getattr(recoding, "tree", None)
        if isinstance(tree, Tree):
            out[column] = TreeScale(tree)
    for column, given in (hierarchies or {}).items():
        if not isinstance(given, (Tree, Mapping)) or (isinstance(given, Mapping) and "id" in given):
            raise BadRequest("must be a tree or a nested mapping", column=column, parameter="hierarchies")
        out[column] = TreeScale(given if isinstance(given, Tree) else Tree.from_nested(given))
    return out
