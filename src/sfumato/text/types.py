"""What documents tell of persons: the types of spans that extraction finds by itself, and what each is to an adversary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sfumato.data.schema import Role

__all__ = ["TYPES", "EntityType"]


class EntityType(NamedTuple):
    """What a type is: its role, and its letter in :data:`sfumato.contracts.identifier.SAFE_HARBOR` ("" where it has none)."""

    role: Role
    category: str


TYPES: Mapping[str, EntityType] = {
    "name": EntityType(Role.IDENTIFIER, "A"),
    "doctor": EntityType(Role.IDENTIFIER, "A"),
    "address": EntityType(Role.IDENTIFIER, "B"),
    "zip": EntityType(Role.QUASI_IDENTIFIER, "B"),
    "city": EntityType(Role.QUASI_IDENTIFIER, "B"),
    "hospital": EntityType(Role.QUASI_IDENTIFIER, "B"),
    "date": EntityType(Role.QUASI_IDENTIFIER, "C"),
    "age": EntityType(Role.QUASI_IDENTIFIER, "C"),
    "phone": EntityType(Role.IDENTIFIER, "D"),
    "fax": EntityType(Role.IDENTIFIER, "E"),
    "email": EntityType(Role.IDENTIFIER, "F"),
    "ssn": EntityType(Role.IDENTIFIER, "G"),
    "record": EntityType(Role.IDENTIFIER, "H"),
    "insurance": EntityType(Role.IDENTIFIER, "I"),
    "account": EntityType(Role.IDENTIFIER, "J"),
    "licence": EntityType(Role.IDENTIFIER, "K"),
    "plate": EntityType(Role.IDENTIFIER, "L"),
    "device": EntityType(Role.IDENTIFIER, "M"),
    "url": EntityType(Role.IDENTIFIER, "N"),
    "ip": EntityType(Role.IDENTIFIER, "O"),
    "id": EntityType(Role.IDENTIFIER, "R"),
    "occupation": EntityType(Role.QUASI_IDENTIFIER, ""),
    "disease": EntityType(Role.SENSITIVE, ""),
}
"""Types by name, in the order of the rule."""
