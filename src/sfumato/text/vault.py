"""The vault: what was invented for whom, by keyed hashes; it holds no original, and nobody without the key can look one up."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from sfumato.errors import BadRequest

__all__ = ["Vault"]

_Tag = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class _Written(BaseModel):
    """A vault as it lies in its file: surrogates by keyed hashes, whole names with whose they are, all that was written."""

    model_config = ConfigDict(extra="forbid", strict=True)

    vault: Literal[1]
    held: dict[_Tag, str]
    names: dict[str, _Tag]
    written: list[str]
    key: _Tag | None = None


@dataclass(eq=False)
class Vault:
    """Surrogates by the keyed hash of what they stand for. What it once gave it gives again, and no two persons one name.

    A vault in a file also knows surrogates again: a person of whom nothing but surrogates is told is left alone, so
    that a release of a release changes nothing.

    >>> vault = Vault()
    >>> vault.take("ab" * 32, lambda: "Springfield"), vault.take("ab" * 32, lambda: "Akron")
    ('Springfield', 'Springfield')
    """

    held: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """Whole names that are taken, and by whom."""
    written: set[str] = field(default_factory=set)
    """All that was written for somebody before this run."""
    key: str | None = None
    """A keyed hash of nothing: which key it was kept with."""
    _now: set[str] = field(default_factory=set)

    def open_with(self, key: str) -> None:
        """Refuse another key than it was kept with: everybody would get new names, and nobody would say so."""
        if self.key not in (None, key):
            raise BadRequest("was kept with another key or namespace", parameter="surrogates.vault")
        self.key = key

    def take(self, tag: str, make: Callable[[], str]) -> str:
        """Return what was invented under a keyed hash, or invent it now."""
        if tag not in self.held:
            self.held[tag] = make()
        return self.kept(self.held[tag])

    def kept(self, made: str) -> str:
        """Remember that this was written for somebody."""
        self._now.add(made)
        return made

    def invented(self, said: str) -> bool:
        """Tell whether a text was written by an earlier run."""
        return said in self.written

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return the vault of a file; an empty one if there is none yet."""
        try:
            document = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError):
            raise BadRequest("is not a vault", parameter="surrogates.vault", value=path.name) from None
        try:
            found = _Written.model_validate(document)
        except ValidationError:
            raise BadRequest("is not a vault", parameter="surrogates.vault", value=path.name) from None
        return cls(found.held, found.names, set(found.written), found.key)

    def save(self, path: Path) -> None:
        """Write the vault, for its owner alone; a file that is there is replaced when the new one is whole."""
        document = {
            "vault": 1,
            "held": dict(sorted(self.held.items())),
            "names": dict(sorted(self.names.items())),
            "written": sorted(self.written | self._now),
            "key": self.key,
        }
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            aside.touch(0o600)
            aside.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            aside.replace(path)
        except OSError as error:
            aside.unlink(missing_ok=True)
            reason = error.strerror or type(error).__name__
            raise BadRequest(f"cannot be written ({reason})", parameter="surrogates.vault", value=path.name) from None
