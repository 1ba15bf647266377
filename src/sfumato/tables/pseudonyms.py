"""Pseudonyms that a policy asks for: identifiers become keyed names as soon as they are read, and the release says so.

The key is read where the policy says it is, used, and forgotten. Searches, groups and metrics never see these columns.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sfumato.contracts.certificate import PseudonymEntry
from sfumato.contracts.engine import Table
from sfumato.data.messages import say
from sfumato.data.text import MISSING_LABEL
from sfumato.errors import BadRequest
from sfumato.recodings.pseudonymization import SHORTEST_KEY, Pseudonymization
from sfumato.tables.policy import Policy

__all__ = ["STATEMENT", "pseudonym_entry", "pseudonym_warnings", "pseudonymized", "unmasked_operation"]

STATEMENT = say("pseudonyms.statement")


def pseudonymized(table: Table, policy: Policy) -> Table:
    """Return the table with pseudonyms in the columns that the policy names; missing values stay missing.

    Columns with the same parameters are done together, so that a collision between two of them is seen as well.
    """
    together: dict[str, list[str]] = {}
    asked = policy.pseudonyms()
    for name, spec in asked.items():
        together.setdefault(json.dumps(spec, sort_keys=True), []).append(name)
    for names in together.values():
        operation = Pseudonymization.from_spec({**asked[names[0]], "columns": names})
        try:
            table = operation.apply(table)
        except BadRequest as error:
            if error.parameter not in ("key_file", "key_variable"):
                raise
            raise _without_key(names, operation, error.rule) from None
    return table


def _without_key(names: Sequence[str], operation: Pseudonymization, rule: str) -> BadRequest:
    file = operation.key_file
    place = f"the environment variable {operation.key_variable}" if file is None else f"the key file {file}"
    return BadRequest(
        f"there is no key for the pseudonyms: {place} {rule}; put at least {SHORTEST_KEY} random bytes there, or let the "
        "policy name another key_variable or key_file",
        column=names[0],
        parameter="pseudonym",
    )


def unmasked_operation(policy: Policy, column: str) -> str:
    """Return what the certificate says was done to a column that no search touched."""
    return Pseudonymization.id if policy.columns[column].pseudonym else "none"


def pseudonym_entry(policy: Policy) -> PseudonymEntry | None:
    """Return what the certificate says about pseudonyms: which columns, and what they are not. Nothing without any."""
    asked = policy.pseudonyms()
    return PseudonymEntry(tuple(asked), _statement(policy)) if asked else None


def pseudonym_warnings(policy: Policy, public: Table) -> list[str]:
    """Return what the publisher should know about the pseudonyms of a release."""
    asked = policy.pseudonyms()
    if not asked:
        return []
    out: list[str] = [say("pseudonyms.published", names=", ".join(asked), statement=_statement(policy))]
    for name in asked:
        held = public.dictionary(name)
        counts = [int(count) for value, count in zip(held.values, held.counts, strict=True) if value != MISSING_LABEL]
        names, records = len(counts), sum(counts)
        if names < records:
            out.append(say("pseudonyms.repeated", name=name, names=names, records=records))
    return out


def _statement(policy: Policy) -> str:
    shaped = [name for name, spec in policy.pseudonyms().items() if spec.get("keep_format")]
    return say("pseudonyms.shaped", statement=STATEMENT, names=", ".join(shaped)) if shaped else STATEMENT
