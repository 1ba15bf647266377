"""Lost words: how much of the texts was replaced."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.text.metric import MaskedTexts, TextMetric
from sfumato.text.terms import words_of

__all__ = ["LostWords"]


class LostWords(TextMetric):
    """The share of words that are not published: ``1 - |words of both| / |words before|``, document by document.

    A word that is replaced by another is lost, whether the other is a placeholder, a more general value or a surrogate. The
    denominator is the number of words before masking.

    Examples
    --------
    >>> from sfumato.text import Documents
    >>> LostWords().measure(MaskedTexts(Documents.of(["Ann has a cold"]), Documents.of(["[NAME] has a cold"]))).value
    0.25

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.2.3.
    """

    id: ClassVar[str] = "lost-words"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def measure(self, published: MaskedTexts) -> Measured:
        read = lost = 0
        for one, two in zip(published.before, published.after, strict=True):
            before, after = (Counter(word.term for word in words_of(text.text)) for text in (one, two))
            read += before.total()
            lost += (before - after).total()
        return Measured(self.id, lost / read if read else 0.0, lowest=0.0, highest=1.0, denominator=read)
