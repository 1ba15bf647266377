"""Try an attack on a release or a table: what an outsider could find, for the steward's eyes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.catalogue import build
from sfumato.contracts.attack import Attack, Reading, Risk, Scene
from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.data.schema import ColumnType, Role
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.policy import Policy
from sfumato.recodings.record_recoding import RecordRecoding
from sfumato.recodings.scales import TreeScale
from sfumato.releases.recoded_table import RecodedTable
from sfumato.releases.release import Release
from sfumato.verbs.measure import open_folder
from sfumato.verbs.opening import open_table, read
from sfumato.verbs.recode import Recoded

__all__ = ["attack"]


def attack(
    source: Any,
    attack: Any = "linking-attack",
    *,
    external: Any,
    name: str,
    qid: Sequence[str] | None = None,
    sensitive: str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    owners: Any = None,
) -> Risk:
    """Return what an adversary with a table of named persons finds in published rows.

    ``source`` is what ``anonymize`` or ``recode`` gave, a whole release folder, or any table. ``attack`` is an attack, its
    spec, or its id. ``external`` is the adversary's table, and ``name`` its column of names. ``qid`` are the columns to link
    by: the quasi-identifiers of a release that the external table has, or all columns that two tables share. ``sensitive``
    is the column to learn, the one of that role if there is one. ``hierarchies`` tell what labels of a bare table stand for.
    ``owners`` is a table of names, quasi-identifiers and sensitive values for attacks that ask about the true value.

    The answer says counts and risks; its methods also name persons. It stays with the steward: nothing of it is written to a
    release.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Disease"], [("[20-30)", "Flu"), ("[30-40)", "Flu")])
    >>> people = from_rows(["Name", "Age"], [("Rama", 26), ("Sita", 42)])
    >>> attack(table, external=people, name="Name", sensitive="Disease").details["record_disclosures"]
    1
    """
    made: Attack = attack if isinstance(attack, Attack) else build(attack, "attack")
    published, recodings, operations, policy = _opened(source)
    readings = _readings(recodings, operations, hierarchies)
    beside = _read_alike(external, readings)
    scene = Scene(
        published=published,
        external=beside,
        name=name,
        qids=tuple(qid) if qid is not None else _shared(published, beside, policy, name, sensitive),
        sensitive=sensitive if sensitive is not None else _protected(published, policy),
        readings=readings,
        owners=None if owners is None else _read_alike(owners, readings),
    )
    return made.run(scene)


def _opened(
    source: Any,
) -> tuple[Table, Mapping[str, ColumnRecoding], Sequence[TableRecoding], Policy | None]:
    """Return the published rows, what masked them, and the policy."""
    if isinstance(source, Release):
        if source.kind != RecodedTable.id:
            raise Unsupported(
                f"a release of the kind {source.kind} has no rows of masked records to link with", thing=source.kind
            )
        return source.table, source.recodings, source.private.operations, source.private.policy
    if isinstance(source, Recoded):
        operations = [] if source.operation is None else [source.operation]
        return source.table, source.recodings, operations, None
    if isinstance(source, (str, Path)) and Path(source).is_dir():
        return open_folder(Path(source))
    return open_table(source), {}, [], None


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


def _shared(
    published: Table, external: Table, policy: Policy | None, name: str, sensitive: str | None
) -> tuple[str, ...]:
    """Return the columns to link by: quasi-identifiers where roles are known, else whatever both tables have."""
    offered = published.columns if policy is None else policy.of_role(Role.QUASI_IDENTIFIER)
    return tuple(column for column in offered if column in external.types and column not in (name, sensitive))


def _protected(published: Table, policy: Policy | None) -> str | None:
    found = [] if policy is None else [one for one in policy.of_role(Role.SENSITIVE) if one in published.types]
    if len(found) > 1:
        raise BadRequest("say which sensitive column is to be learnt", parameter="sensitive", available=found)
    return found[0] if found else None


def _readings(
    recodings: Mapping[str, ColumnRecoding], operations: Sequence[TableRecoding], hierarchies: Mapping[str, Any] | None
) -> dict[str, Reading]:
    out: dict[str, Reading] = {}
    for operation in operations:
        if isinstance(operation, RecordRecoding):
            out.update(operation.scales)
    for column, recoding in recodings.items():
        tree = getattr(recoding, "tree", None)
        if isinstance(tree, Tree):
            out[column] = TreeScale(tree)
    for column, given in (hierarchies or {}).items():
        if not isinstance(given, (Tree, Mapping)) or (isinstance(given, Mapping) and "id" in given):
            raise BadRequest("must be a tree or a nested mapping", column=column, parameter="hierarchies")
        out[column] = TreeScale(given if isinstance(given, Tree) else Tree.from_nested(given))
    return out
