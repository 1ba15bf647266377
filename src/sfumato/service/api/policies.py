"""Policies of strangers: what one names lies in the room of whoever sent it, and runs where the service runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from sfumato.data.yaml import yaml_reader
from sfumato.errors import BadRequest
from sfumato.policy import SharedPolicy

__all__ = ["policy_text", "refuse_elsewhere"]

_WORDS = frozenset({"title", "purpose", "recipients", "steward"})  # for people: nobody opens what they name
_ELSEWHERE = re.compile(r"^[/\\~]|^[A-Za-z]:[/\\]|^[a-z][a-z0-9+.-]*://|(^|[/\\])\.\.([/\\]|$)|\0")
_ENGINES = ("polars", "duckdb")
_OURS = ("ledger", "key_variable")


def policy_text(given: str | Mapping[str, object]) -> tuple[str, SharedPolicy]:
    """Return a policy as text and as it is read: a wrong one is refused before any work, and one that leads elsewhere, too."""
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return text, _looked_through(text)


@lru_cache(maxsize=256)
def _looked_through(text: str) -> SharedPolicy:
    from ruamel.yaml.error import YAMLError

    try:
        document = yaml_reader("safe").load(text)
    except (YAMLError, ValueError, RecursionError):
        raise BadRequest("is no YAML or JSON document", parameter="policy") from None
    if not isinstance(document, dict):
        raise BadRequest("must be a mapping with the keys columns and requirements", parameter="policy")
    plain: dict[str, object] = {str(key): value for key, value in document.items()}
    engine, source = plain.get("engine", "polars"), plain.get("source")
    if (engine.get("id") if isinstance(engine, dict) and len(engine) == 1 else engine) not in _ENGINES:
        raise BadRequest("must be one of these, without parameters", parameter="engine", available=_ENGINES)
    if isinstance(source, dict) and str(source.get("format")).lower() == "duckdb":
        raise BadRequest("may hold questions to other files; bring it as Parquet", parameter="source.format")
    refuse_elsewhere(plain)
    return SharedPolicy.of(plain)


def refuse_elsewhere(document: object, *, parameter: str = "policy") -> None:
    """Refuse a document that names a place outside of the room, a ledger or a key of its own."""
    for key, value in _texts(document):
        if key in _OURS:
            raise BadRequest("is kept by the service; leave it out", parameter=f"{parameter}: {key}")
        if key not in _WORDS and _ELSEWHERE.search(value):
            raise BadRequest("leads out of the data", parameter=f"{parameter}: {key[:40]}")


def _texts(document: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield all texts of a document with the key that they stand under."""
    if isinstance(document, str):
        yield key, document
    elif isinstance(document, Mapping):
        for name, value in document.items():
            yield from _texts(value, str(name))
    elif isinstance(document, Sequence):
        for value in document:
            yield from _texts(value, key)
