"""A trained chain as a file of ours: what it was trained to find, its attributes, and the weight of each for each label.

The file begins with the line ``sfumato-text-model 1``. A line of JSON follows: the version of the attributes, the labels, what
becomes of recognised forms, lists that were given, counts, and the SHA-256 of the rest. Then the attributes, a line each; the
moves from label to label (16-bit numbers, in 1024ths, row by row); for each attribute where its weights begin (32 bits); of
each weight the label (8 bits); and the weights (16 bits, in 1024ths). Numbers are little-endian.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Self

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats
from sfumato.text.extraction.features import VERSION, Attributes
from sfumato.text.extraction.gazetteers import Gazetteers, shipped_lists

__all__ = ["OUTSIDE", "TextModel", "shipped_model"]

OUTSIDE = "O"
_MAGIC = b"sfumato-text-model 1\n"
_UNIT = 1024.0


@frozen(eq=False)
class TextModel:
    """A linear chain over labels ``O``, ``B-type``, ``I-type``: what a token is, by its attributes and the label before it.

    ``rules`` says of each type that recognisers prove what it is called here, or ``None`` where such places tell nothing.
    Who has the file can read words of the texts that it was trained on: it is as private as they are.
    """

    labels: tuple[str, ...]
    attributes: tuple[str, ...] = field(repr=False)
    weights: Floats = field(repr=False)
    moves: Floats = field(repr=False)
    rules: Mapping[str, str | None]
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    caution: float = 0.0

    @classmethod
    def of(
        cls,
        labels: tuple[str, ...],
        attributes: tuple[str, ...],
        weights: Floats,
        moves: Floats,
        rules: Mapping[str, str | None],
        lists: Mapping[str, tuple[str, ...]],
        caution: float,
    ) -> Self:
        """Return a model with weights as a file holds them; attributes without weight are left out."""
        weights = _rounded(weights)
        kept = np.flatnonzero(weights.any(axis=1))
        order = sorted(kept.tolist(), key=lambda at: attributes[at])
        return cls(
            labels,
            tuple(attributes[at] for at in order),
            weights[order],
            _rounded(moves),
            dict(rules),
            dict(lists),
            caution,
        )

    @property
    def types(self) -> tuple[str, ...]:
        """The types that it was trained to find."""
        return tuple(sorted({label[2:] for label in self.labels if label != OUTSIDE}))

    @cached_property
    def reader(self) -> Attributes:
        """How it reads tokens."""
        return Attributes({name: at for at, name in enumerate(self.attributes)}, self.gazetteers)

    @cached_property
    def gazetteers(self) -> Gazetteers:
        """The lists it looks into: those of the package and those that it was trained with."""
        return Gazetteers.of({**shipped_lists(), **self.lists})

    @cached_property
    def allowed(self) -> Floats:
        """The moves, without those that make no span: ``I-type`` follows its own ``B`` or ``I`` only."""
        out = self.moves.copy()
        for after, label in enumerate(self.labels):
            for before, other in enumerate(self.labels):
                if label.startswith("I-") and other[2:] != label[2:]:
                    out[before, after] = -np.inf
        return out

    @cached_property
    def first(self) -> Floats:
        """What it costs to begin with each label."""
        return np.array([-np.inf if label.startswith("I-") else 0.0 for label in self.labels])

    def to_bytes(self) -> bytes:
        """Return the file."""
        held, label = np.nonzero(self.weights)
        begins = np.searchsorted(held, np.arange(len(self.attributes) + 1))
        body = b"".join(
            [
                "".join(f"{name}\n" for name in self.attributes).encode(),
                _numbers(self.moves),
                begins.astype("<u4").tobytes(),
                label.astype("<u1").tobytes(),
                _numbers(self.weights[held, label]),
            ]
        )
        header = {
            "features": VERSION,
            "labels": list(self.labels),
            "rules": dict(self.rules),
            "lists": {name: list(entries) for name, entries in self.lists.items()},
            "caution": self.caution,
            "attributes": len(self.attributes),
            "weights": len(held),
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        return _MAGIC + json.dumps(header, sort_keys=True, ensure_ascii=False).encode() + b"\n" + body

    @classmethod
    def from_bytes(cls, content: bytes, where: str = "model") -> Self:
        """Read a file; what is none, is damaged, or was made for other attributes is refused."""
        if not content.startswith(_MAGIC):
            raise BadRequest("is not a model of sfumato for texts", parameter="model", value=where)
        line, _, body = content[len(_MAGIC) :].partition(b"\n")
        try:
            header = json.loads(line)
            if hashlib.sha256(body).hexdigest() != header["sha256"]:
                raise BadRequest("is damaged: its content is not what was written", parameter="model", value=where)
            if header["features"] != VERSION:
                raise BadRequest("was trained by another version; train it again", parameter="model", value=where)
            labels, count, weights = tuple(header["labels"]), int(header["attributes"]), int(header["weights"])
            *names, rest = body.split(b"\n", count)
            moves, rest = _split(rest, "<i2", len(labels) ** 2)
            begins, rest = _split(rest, "<u4", count + 1)
            label, rest = _split(rest, "<u1", weights)
            values, rest = _split(rest, "<i2", weights)
            dense = np.zeros((count, len(labels)))
            dense[np.repeat(np.arange(count), np.diff(begins)), label] = values / _UNIT
            return cls(
                labels,
                tuple(name.decode() for name in names),
                dense,
                (moves / _UNIT).reshape(len(labels), len(labels)),
                dict(header["rules"]),
                {name: tuple(entries) for name, entries in header["lists"].items()},
                float(header["caution"]),
            )
        except (KeyError, TypeError, ValueError, IndexError):
            raise BadRequest("is damaged", parameter="model", value=where) from None

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model from a file."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise BadRequest(
                f"cannot be read ({error.strerror or type(error).__name__})", parameter="model", value=str(path)
            ) from None
        return cls.from_bytes(content, Path(path).name)


def _rounded(values: Floats) -> Floats:
    return np.clip(np.round(values * _UNIT), -32768, 32767) / _UNIT


def _numbers(values: Floats) -> bytes:
    return np.round(values * _UNIT).astype("<i2").tobytes()


def _split(content: bytes, kind: str, count: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], bytes]:
    size = count * np.dtype(kind).itemsize
    if len(content) < size:
        raise ValueError
    return np.frombuffer(content[:size], kind).astype(np.int64), content[size:]


@cache
def shipped_model() -> TextModel:
    """Return the model of the package, trained on invented notes, English and German; ``make notes-model`` makes it again."""
    return TextModel.from_bytes((files("sfumato.text.extraction") / "notes.model").read_bytes(), "notes.model")
