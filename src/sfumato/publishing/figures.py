"""What a certificate says beside its requirements: counted anew where the public files show it, else named as a claim."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isclose

from sfumato.catalogue import known, recount
from sfumato.contracts.cells import CellRequirement
from sfumato.contracts.certificate import FORMAT, Json, ProcedureEntry, RequirementEntry
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.published import Published
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.errors import Contradiction
from sfumato.publishing.certificate import FILE, weaknesses
from sfumato.publishing.dictionary import MARKED, schema_parts
from sfumato.publishing.published import SCHEMA, Unknown, json_file

__all__ = ["claims", "refuse_other_figures", "refuse_other_reference", "refuse_other_verdict"]

_SHOWN = {"rows_published", "records_published", "groups_on_all_quasi_identifiers", "smallest_of_these_groups"}
_BY_CODE = ("plain", "another engine", "the same engine")


def refuse_other_figures(published: Published) -> None:
    """Refuse counts, weaknesses and a schema that say something else than the public files do."""
    certificate = published.certified
    for name, count in _counts(published).items():
        if name in certificate.counts and certificate.counts[name] != count:
            raise Contradiction(
                f"certifies {certificate.counts[name]:,} for {name}, the files show {count:,}", parameter=FILE
            )
    _refuse_odd_sum(certificate.counts)
    names = [entry.name for entry in certificate.columns]
    shown = {name for entry in certificate.release.files for name in entry.columns}
    if sorted(names) != sorted(shown):
        raise Contradiction("describes other columns than are published", parameter=FILE)
    if certificate.release.truthful != published.form.traits.truthful:
        raise Contradiction("certifies another truth than the kind of the release has", parameter=FILE)
    told, stated = certificate.statement, published.form.statement()
    if (None if told is None else told.mechanism) != (None if stated is None else stated.mechanism):
        raise Contradiction("states another procedure than the kind of the release does", parameter=FILE)
    left, told_left = _weaknesses(published), _families(certificate.not_protected_against)
    if not ({*told_left} <= {*left} if _unknown(published) else told_left == left):
        raise Contradiction("names other weaknesses than the requirements leave", parameter=FILE)
    if published.folder is not None:
        _refuse_other_schema(published, json_file(published.folder / SCHEMA))


def refuse_other_reference(published: Published) -> None:
    """Refuse counts from before records were left out that cannot be: what is published was there then."""
    before = published.certified.records_before
    for name, told in published.certified.reference.items():
        table = next((table for table in published.tables.values() if name in table.types), None)
        if table is None:
            raise Contradiction("compares groups with a column that is not published", parameter=FILE)
        held = table.dictionary(name)
        known_before = all(
            told.get(to_text(value), 0) >= count for value, count in zip(held.values, held.counts.tolist(), strict=True)
        )
        if (
            not known_before
            or min(told.values(), default=0) <= 0
            or (before is not None and sum(told.values()) > before)
        ):
            raise Contradiction(
                "tells of records that were left out what counting the file anew rules out", parameter=FILE
            )


def refuse_other_verdict(entry: RequirementEntry, model: Requirement, found: Verdict) -> None:
    """Refuse an entry of a requirement that differs in anything from what counting the files anew gives."""
    name = found.model
    if not _close(found.strongest, entry.measured):
        raise Contradiction(
            f"certifies {entry.measured} for {name}, counting the file anew gives {found.strongest}", parameter=FILE
        )
    if found.satisfied != entry.satisfied:
        held = "holds" if entry.satisfied else "fails"
        raise Contradiction(
            f"certifies that {name} {held}, counting the file anew gives {found.strongest}, needed {found.bound}",
            parameter=FILE,
        )
    counts: tuple[tuple[str, object, object], ...] = (
        ("groups", entry.groups, found.groups),
        ("records", entry.records, found.records),
        ("as needed", entry.needed, found.bound),
    )
    for what, told, counted in counts:
        if told != counted:
            raise Contradiction(
                f"certifies {told} {what} for {name}, counting the file anew gives {counted}", parameter=FILE
            )
    certified = RequirementEntry.of(found, model, "inside" if model.private() else "outside")
    asked: tuple[tuple[str, object, object], ...] = (
        ("other parameters", _plain(entry.parameters), _plain(certified.parameters)),
        ("other columns", sorted(entry.quasi_identifier), sorted(certified.quasi_identifier)),
        ("other cells", (entry.column, entry.shape), (certified.column, certified.shape)),
        ("another place", entry.judged, certified.judged),
    )
    for what, told, shown in asked:
        if told != shown:
            raise Contradiction(f"names {what} for {name} than it is judged by", parameter=FILE)
    if entry.recounted == "inside" or (entry.recounted in _BY_CODE and recount(type(model)) is None):
        raise Contradiction(f"names a second judge of {name} that there cannot have been", parameter=FILE)


def _close(one: float | None, other: float | None) -> bool:
    """Tell whether two ways to compute a number agree: their last bits may differ."""
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def _plain(parameters: Mapping[str, Json]) -> Json:
    """Return parameters as a file holds them."""
    found: Json = json.loads(json.dumps(parameters))
    return found


def claims(published: Published) -> tuple[str, ...]:
    """Return what a certificate says that nobody can see from the public files.

    Sentences are claims where they are not the ones that this program would say: another version may word them otherwise.
    """
    told = published.certified
    known_models = [model for model in published.models if not isinstance(model, Unknown)]
    said = {
        "counts": not _SHOWN.issuperset(told.counts),
        "dropped_columns": True,
        "metrics": bool(told.metrics),
        "algorithm": True,
        "columns.role": True,
        "columns.operation": True,
        "columns.published_anyway": any(entry.published_anyway for entry in told.columns),
        "pseudonyms": told.pseudonyms is not None,
        "release.row_order": told.release.row_order is not None,
        "release.separator": told.release.format not in ("csv", "tsv"),
        **{f"release.parameters.{name}": True for name in published.form.stated if name in told.release.parameters},
        "requirements.recounted": any(entry.recounted is not None for entry in told.requirements),
        "requirements.adversary": any(
            entry.adversary != (model.model if isinstance(model, CellRequirement) else model).adversary
            for entry, model in zip(told.requirements, published.models, strict=True)
        ),
        "procedures.procedure": bool(told.procedures),
        "procedures.adversary": any(entry.adversary != _adversary(entry) for entry in told.procedures),
        "procedures.checked": any(
            entry.checked != say("checked.repeatable" if entry.repeatable else "checked.measured")
            for entry in told.procedures
        ),
        "not_protected_against": len(known_models) < len(published.models)
        or not {*told.not_protected_against} <= {*weaknesses([])},
        "statement": told.statement is not None and told.statement != published.form.statement(),
        "verifier": told.verifier != say("verifier.anew", kind=published.kind),
        "reference": bool(told.reference),
        "policy_sha256": told.policy_sha256 is not None,
        "versions": bool(told.versions),
        "ledger": told.ledger is not None,
        "charges": bool(told.charges),
    }
    return tuple(name for name, is_said in said.items() if is_said)


def _adversary(entry: ProcedureEntry) -> str | None:
    found = known(entry.model, "model")
    return None if found is None else found.adversary  # type: ignore[attr-defined]


def _counts(published: Published) -> dict[str, int]:
    main = published.tables[published.form.part_names()[0]]
    counts = {"rows_published": main.rows, "records_published": main.rows}
    known = [name for name, role in published.roles.items() if role is Role.QUASI_IDENTIFIER and name in main.columns]
    if {"groups_on_all_quasi_identifiers", "smallest_of_these_groups"} & {*published.certified.counts} and known:
        sizes = main.counts(known).sizes
        counts["groups_on_all_quasi_identifiers"] = len(sizes)
        counts["smallest_of_these_groups"] = int(sizes.min()) if len(sizes) else 0
    return counts


def _refuse_odd_sum(counts: Mapping[str, int]) -> None:
    """Refuse numbers of records that cannot all be right: what was read was dropped, left out or published."""
    ends = ("records_dropped_for_missing_values", "records_suppressed", "records_published")
    if any(count < 0 for count in counts.values()):
        raise Contradiction("counts less than nothing", parameter=FILE)
    if {"records_read", *ends} <= counts.keys() and counts["records_read"] != sum(counts[name] for name in ends):
        raise Contradiction("counts records that do not add up to those that were read", parameter=FILE)


def _weaknesses(published: Published) -> list[str]:
    """Return the families of attacks that nothing which is known here stops."""
    stopped = published.form.prevented([model for model in published.models if not isinstance(model, Unknown)])
    for entry in published.certified.procedures:
        found = known(entry.model, "model")
        stopped += [] if found is None else sorted(found.traits.prevents)  # type: ignore[attr-defined]
    return _families(weaknesses(stopped))


def _unknown(published: Published) -> bool:
    """Tell whether something is asked that is not known here, and may stop what nobody else does."""
    return any(isinstance(model, Unknown) for model in published.models) or any(
        known(entry.model, "model") is None for entry in published.certified.procedures
    )


def _families(texts: Sequence[str]) -> list[str]:
    return sorted(text.partition(":")[0] for text in texts)


_KEYS = {
    "": {"fields", "missingValues", "description", "resources"},
    "resources": {"name", "path", "schema"},
    "schema": {"fields", "missingValues"},
    "fields": {"name", "type", "role", "operation", "constraints"},
    "constraints": {"enum"},
}


def _plainly(told: object, where: str = "") -> bool:
    """Tell whether a schema has no keys but those that are written, and looked at."""
    if isinstance(told, Mapping):
        return set(told) <= _KEYS.get(where, set()) and all(_plainly(value, key) for key, value in told.items())
    return not isinstance(told, list) or all(_plainly(value, where) for value in told)


def _refuse_other_schema(published: Published, schema: Mapping[str, object]) -> None:
    """Refuse a schema with other files, roles or operations than certified, or with other values than it lists."""
    described = published.certified.release
    if schema.get("description", MARKED) != MARKED:
        raise Contradiction("says something that is not checked", parameter=SCHEMA)
    if published.certified.certificate == FORMAT and not _plainly(schema):
        raise Contradiction("says something that is not checked", parameter=SCHEMA)
    resources = schema.get("resources")
    if isinstance(resources, list):
        paths = {entry.part: entry.file for entry in described.files}
        if [(one["name"], one.get("path")) for one in resources] != [
            (one["name"], paths[one["name"]]) for one in resources
        ]:
            raise Contradiction("names other files than the certificate", parameter=SCHEMA)
    certified = {entry.name: entry for entry in published.certified.columns}
    for part, told in schema_parts(schema, published.form.part_names()[0]):
        if told.get("missingValues") != [""]:
            raise Contradiction("reads another text as missing than the release does", parameter=SCHEMA)
        names = [field["name"] for field in told["fields"]]
        if len({*names}) < len(names):
            raise Contradiction("describes a column twice", parameter=SCHEMA)
        for field in told["fields"]:
            entry = certified.get(field["name"])
            if entry is not None and field.get("role") not in (None, entry.role):
                raise Contradiction("gives a column another role than the certificate", parameter=SCHEMA)
            if entry is not None and field.get("operation", entry.operation) != entry.operation:
                raise Contradiction("names another operation than the certificate", parameter=SCHEMA)
            _refuse_unlisted(published.tables[part], field, exactly=published.certified.certificate == FORMAT)


def _refuse_unlisted(table: Table, field: Mapping[str, object], *, exactly: bool) -> None:
    """Refuse a list of values that lacks one of the column or, since version 2, has one more: it may be a left-out record's."""
    constraints = field.get("constraints", {})
    listed = constraints.get("enum") if isinstance(constraints, Mapping) else ()
    if listed is None:
        return
    values = {to_text(value) for value in table.dictionary(str(field["name"])).values}
    named = [str(value) for value in listed] if isinstance(listed, list) else []
    if not isinstance(listed, list) or not values <= {*named} or (exactly and sorted(values) != sorted(named)):
        raise Contradiction("lists other values than the column holds", parameter=SCHEMA)
