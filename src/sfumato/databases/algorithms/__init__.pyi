"""What this room offers by name; written by tools/stubs.py."""

from sfumato.databases.algorithms.multir_anonymize import DatabaseFacts as DatabaseFacts
from sfumato.databases.algorithms.multir_anonymize import MultirAnonymize as MultirAnonymize
