"""The room: every builder is found by its id, and every example in it runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import sfumato.hierarchies
from sfumato import catalogue
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import parameters

FILES = [entry.name for entry in pkgutil.iter_modules(sfumato.hierarchies.__path__)]


@pytest.mark.parametrize("name", FILES)
def test_examples_run(name):
    module = importlib.import_module(f"sfumato.hierarchies.{name}")
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried > 0


@pytest.mark.parametrize(
    "name", ["taxonomy", "intervals", "ordered", "dates", "redaction", "frequency", "demographic_counts"]
)
def test_builders_are_found_and_describe_themselves(name):
    builder = catalogue.find(name.replace("_", "-"), "hierarchy")
    assert issubclass(builder, HierarchyBuilder)
    assert builder.__module__ == f"sfumato.hierarchies.{name}"
    assert "section 3.1" in builder.__doc__
    assert all(rule.doc for _, rule, _ in parameters(builder))
