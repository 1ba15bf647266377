"""A biometric identifier."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.identifier import Identifier, IdentifierTraits

__all__ = ["Biometric"]


class Biometric(Identifier):
    """A biometric identifier (finger print, voice print, iris, face template, genome), in a column that is called so.

    Examples
    --------
    >>> Biometric().named(("finger", "print", "hash"))
    'finger print'

    References
    ----------
    45 CFR 164.514(b)(2)(i)(P).
    """

    id: ClassVar[str] = "biometric"
    traits: ClassVar[IdentifierTraits] = IdentifierTraits("biometric identifier", "P")
    words: ClassVar[tuple[str, ...]] = (
        "biometric", "fingerprint", "finger print", "voiceprint", "voice print", "iris scan", "iris code", "retina scan",
        "face template", "faceprint", "palm print", "dna sequence", "genome", "genotype", "fingerabdruck",
    )  # fmt: skip
    examples: ClassVar[tuple[str, ...]] = ("9f86d081884c7d65", "ACGTACGTTAGC")
    look_alikes: ClassVar[tuple[str, ...]] = ("yes", "no", "*")

    def match(self, text: str) -> bool:
        """Tell whether a text is long enough to describe one body."""
        return len(text.strip()) >= 8
