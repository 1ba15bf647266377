"""Policies that somebody will read and change: YAML with a comment before a key."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO

__all__ = ["commented_yaml"]


def commented_yaml(document: Mapping[str, object], said: Mapping[str, str]) -> str:
    """Write a document as YAML; what is said of a key stands before it.

    >>> print(commented_yaml({"version": 1, "k": 5}, {"k": "at least so many look alike"}))
    version: 1
    # at least so many look alike
    k: 5
    <BLANKLINE>
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    noted = CommentedMap(document)
    for key, text in said.items():
        noted.yaml_set_comment_before_after_key(key, before=text)
    yaml, written = YAML(), StringIO()
    yaml.width = 120
    yaml.dump(noted, written)
    return written.getvalue()
