"""The population that a table was taken from, read as the table is: given beside it, or named in the policy."""

from __future__ import annotations

from sfumato.contracts.engine import Table
from sfumato.data.schema import MissingRule
from sfumato.data.text import MISSING_LABEL
from sfumato.tables.open import alike, open_table
from sfumato.tables.policy import BY_WEIGHTS
from sfumato.tables.prepare import Prepared

__all__ = ["population"]


def population(prepared: Prepared, external: Table | None) -> Table | None:
    """Return a population in the types of the table, its missing values treated as there; what is given comes first."""
    policy = prepared.policy
    if external is None:
        if policy.population in (None, BY_WEIGHTS):
            return None
        external = open_table(policy.population, None, policy.engine)
    table = alike(external, {name: prepared.table.types[name] for name in prepared.names})
    missing = {name for name, count in table.missing().items() if count}
    rules = {name: policy.columns[name].missing for name in prepared.names if name in missing}
    for name in [name for name, rule in rules.items() if rule == MissingRule.OWN_VALUE]:
        table = table.fill_missing(name, MISSING_LABEL)
    dropping = [name for name, rule in rules.items() if rule == MissingRule.DROP_RECORD]
    return table.drop_missing(dropping) if dropping else table
