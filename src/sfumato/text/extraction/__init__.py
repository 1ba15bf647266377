"""Extraction: which words of a document tell something of a person."""

from __future__ import annotations

from sfumato.text.extraction.extract import TypeRule, extract, uncertainty
from sfumato.text.extraction.model import TextModel, shipped_model
from sfumato.text.extraction.scores import Agreement, Scores, score
from sfumato.text.extraction.training import train

__all__ = [
    "Agreement",
    "Scores",
    "TextModel",
    "TypeRule",
    "extract",
    "score",
    "shipped_model",
    "train",
    "uncertainty",
]
