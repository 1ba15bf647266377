"""What a holder offers, as whoever may ask is told: names, roles, types of columns, hashes of hierarchies; never a value."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest, SfumatoError
from sfumato.parties.contract import Contract, without_fractions
from sfumato.parties.conversation.message import canonical
from sfumato.parties.horizontal import opened_site
from sfumato.parties.vertical import opened_holder

__all__ = ["holder_schema"]


def holder_schema(contract: Contract, holder: str, source: object) -> dict[str, Json]:
    """Return the schema of a holder: the hash of its contract, and each of its columns that is published."""
    try:
        vertical = contract.vertical
        table = opened_holder(contract, holder, source).table if vertical else opened_site(contract, holder, source)
    except SfumatoError:  # what is wrong with the data is said to their holder alone
        raise BadRequest(say("party.bad.closed"), parameter="source") from None
    entries = contract.document().get("columns")
    columns: dict[str, Json] = {}
    for name, role in contract.roles().items():
        if name not in table.types or role.hidden:
            continue
        told: dict[str, Json] = {"role": role.value, "type": table.types[name].value}
        entry = entries.get(name) if isinstance(entries, Mapping) else None
        if isinstance(entry, Mapping) and entry.get("hierarchy") is not None:
            told["hierarchy"] = sha256(canonical(without_fractions(entry["hierarchy"]))).hexdigest()
        columns[name] = told
    return {"holder": holder, "contract": contract.hash(), "columns": columns}
