"""What a certificate says beside its requirements: counted anew where the public files show it, else named as a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.catalogue import known
from sfumato.contracts.certificate import Certificate
from sfumato.contracts.engine import Table
from sfumato.contracts.published import Published
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.publishing.certificate import FILE, weaknesses
from sfumato.publishing.dictionary import schema_parts
from sfumato.publishing.published import SCHEMA, Unknown, json_file

__all__ = ["claims", "refuse_other_figures"]

_SHOWN = {"rows_published", "records_published", "groups_on_all_quasi_identifiers", "smallest_of_these_groups"}


def refuse_other_figures(published: Published) -> None:
    """Refuse counts, weaknesses and a schema that say something else than the public files do."""
    certificate = published.certified
    for name, count in _counts(published).items():
        if name in certificate.counts and certificate.counts[name] != count:
            raise BadRequest(
                f"certifies {certificate.counts[name]:,} for {name}, the files show {count:,}", parameter=FILE
            )
    _refuse_odd_sum(certificate.counts)
    if certificate.release.truthful != published.form.traits.truthful:
        raise BadRequest("certifies another truth than the kind of the release has", parameter=FILE)
    told, stated = certificate.statement, published.form.statement()
    if (None if told is None else told.mechanism) != (None if stated is None else stated.mechanism):
        raise BadRequest("states another procedure than the kind of the release does", parameter=FILE)
    left, told_left = _weaknesses(published), _families(certificate.not_protected_against)
    if not (told_left <= left if _unknown(published) else told_left == left):
        raise BadRequest("names other weaknesses than the requirements leave", parameter=FILE)
    if published.folder is not None:
        _refuse_other_schema(published, json_file(published.folder / SCHEMA))


def claims(certificate: Certificate) -> tuple[str, ...]:
    """Return what a certificate says that nobody can see from the public files."""
    told = {
        "counts": not _SHOWN.issuperset(certificate.counts),
        "dropped_columns": bool(certificate.dropped_columns),
        "metrics": bool(certificate.metrics),
        "algorithm.optimal": certificate.algorithm.optimal,
        "reference": bool(certificate.reference),
        "policy_sha256": certificate.policy_sha256 is not None,
        "versions": bool(certificate.versions),
        "ledger": certificate.ledger is not None,
    }
    return tuple(name for name, said in told.items() if said)


def _counts(published: Published) -> dict[str, int]:
    main = published.tables[published.form.part_names()[0]]
    counts = {"rows_published": main.rows, "records_published": main.rows}
    known = [name for name, role in published.roles.items() if role is Role.QUASI_IDENTIFIER and name in main.columns]
    if "groups_on_all_quasi_identifiers" in published.certified.counts and known:
        sizes = main.counts(known).sizes
        counts["groups_on_all_quasi_identifiers"] = len(sizes)
        counts["smallest_of_these_groups"] = int(sizes.min()) if len(sizes) else 0
    return counts


def _refuse_odd_sum(counts: Mapping[str, int]) -> None:
    """Refuse numbers of records that cannot all be right: what was read was dropped, left out or published."""
    ends = ("records_dropped_for_missing_values", "records_suppressed", "records_published")
    if any(count < 0 for count in counts.values()):
        raise BadRequest("counts less than nothing", parameter=FILE)
    if {"records_read", *ends} <= counts.keys() and counts["records_read"] != sum(counts[name] for name in ends):
        raise BadRequest("counts records that do not add up to those that were read", parameter=FILE)


def _weaknesses(published: Published) -> set[str]:
    """Return the families of attacks that nothing which is known here stops."""
    stopped = published.form.prevented(published.models)
    for entry in published.certified.procedures:
        found = known(entry.model, "model")
        stopped += [] if found is None else sorted(found.traits.prevents)  # type: ignore[attr-defined]
    return _families(weaknesses(stopped))


def _unknown(published: Published) -> bool:
    """Tell whether something is asked that is not known here, and may stop what nobody else does."""
    return any(isinstance(model, Unknown) for model in published.models) or any(
        known(entry.model, "model") is None for entry in published.certified.procedures
    )


def _families(texts: Sequence[str]) -> set[str]:
    return {text.partition(":")[0] for text in texts}


def _refuse_other_schema(published: Published, schema: Mapping[str, object]) -> None:
    """Refuse a schema with other roles or operations than certified, or with values that it does not list."""
    certified = {entry.name: entry for entry in published.certified.columns}
    for part, told in schema_parts(schema, published.form.part_names()[0]):
        for field in told["fields"]:
            entry = certified.get(field["name"])
            if entry is not None and field.get("role") not in (None, entry.role):
                raise BadRequest("gives a column another role than the certificate", parameter=SCHEMA)
            if entry is not None and field.get("operation", entry.operation) != entry.operation:
                raise BadRequest("names another operation than the certificate", parameter=SCHEMA)
            _refuse_unlisted(published.tables[part], field)


def _refuse_unlisted(table: Table, field: Mapping[str, object]) -> None:
    constraints = field.get("constraints", {})
    listed = constraints.get("enum") if isinstance(constraints, Mapping) else ()
    if listed is None:
        return
    values = {to_text(value) for value in table.dictionary(str(field["name"])).values}
    if not isinstance(listed, list) or not values <= {str(value) for value in listed}:
        raise BadRequest("lists other values than the column holds", parameter=SCHEMA)
