"""Free text: sentences that one record holds, in which anything may stand."""

from __future__ import annotations

from sfumato.data.schema import ColumnType
from sfumato.identifiers.scan import Sample

__all__ = ["free_text", "wordy"]

# A text of so many words is a sentence rather than a code or a name of something.
_SENTENCE = 4
# So many different sentences are no choice from a list.
_LISTED = 50


def free_text(sample: Sample) -> bool:
    """Tell whether most of the values of a column are sentences that one record holds."""
    once = sample.counts == 1
    own = sum(len(text.split()) >= _SENTENCE for text, alone in zip(sample.texts, once, strict=True) if alone)
    return sample.type is ColumnType.TEXT and own * 2 > len(sample.texts)


def wordy(sample: Sample) -> bool:
    """Tell whether a column holds many different sentences, though several records may share one."""
    long = sum(len(text.split()) > _SENTENCE for text in sample.texts)
    return sample.type is ColumnType.TEXT and long > _LISTED and long * 2 > len(sample.texts)
