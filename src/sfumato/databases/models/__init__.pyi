"""What this room offers by name; written by tools/stubs.py."""

from sfumato.databases.models.multir_k_anonymity import OwnerKAnonymity as OwnerKAnonymity
