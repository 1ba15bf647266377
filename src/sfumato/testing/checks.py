"""The common checks: what every thing in the catalogue inherits the moment its file exists.

Each check takes a thing and, where it draws random data, a NumPy generator; it returns nothing and raises
``AssertionError`` with the name of the thing and the promise that is broken. :func:`check` finds the right one:

>>> import numpy as np
>>> from sfumato.models.k_anonymity import KAnonymity
>>> check(KAnonymity, np.random.default_rng(0))

- every thing: :func:`check_thing`, and :func:`check_docstring` for what the literature defines
- by kind: :func:`check_model` (:func:`check_claims` where groups do not decide), :func:`check_metric`,
  :func:`check_recoding`, :func:`check_operation`, :func:`check_perturbation`, :func:`check_hierarchy`, :func:`check_release`,
  :func:`check_algorithm` (:func:`check_procedure` where the procedure is what is promised), :func:`check_attack`,
  :func:`check_identifier`

The instances come from the example in the thing's docstring, so a new thing is checked without being listed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sfumato.catalogue import TABLE, shapes, things
from sfumato.contracts.algorithm import Algorithm
from sfumato.contracts.attack import TableAttack
from sfumato.contracts.engine import Table
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.identifier import Identifier
from sfumato.contracts.metric import AttributeMetric, CoarseningMetric, DataMetric, SearchMetric
from sfumato.contracts.model import GroupModel, MechanismModel, TableModel
from sfumato.contracts.perturbation import Perturbation
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.release import ReleaseKind
from sfumato.contracts.thing import Thing
from sfumato.groups.stats import GroupStats
from sfumato.testing.check_algorithm import check_algorithm
from sfumato.testing.check_attack import check_attack
from sfumato.testing.check_hierarchy import check_hierarchy
from sfumato.testing.check_identifier import check_identifier
from sfumato.testing.check_metric import check_metric
from sfumato.testing.check_model import check_claims, check_model
from sfumato.testing.check_perturbation import check_perturbation
from sfumato.testing.check_procedure import check_procedure
from sfumato.testing.check_recoding import check_operation, check_recoding
from sfumato.testing.check_release import check_release
from sfumato.testing.check_thing import check_docstring, check_thing
from sfumato.testing.examples import Example, example_of

__all__ = [
    "check",
    "check_algorithm",
    "check_attack",
    "check_claims",
    "check_docstring",
    "check_hierarchy",
    "check_identifier",
    "check_metric",
    "check_model",
    "check_operation",
    "check_perturbation",
    "check_procedure",
    "check_recoding",
    "check_release",
    "check_thing",
]

# Kinds that describe our own work, not something the literature defines: no references, no example that runs.
OWN = ("engine", "experiment")


def check(thing: type[Thing], rng: np.random.Generator) -> None:
    """Run every check that a class of things inherits, on the instances that its docstring builds."""
    if thing.kind not in OWN:
        check_docstring(thing)
    example = example_of(thing)
    for built in example.built:
        _check_one(built, example, rng)


def _check_one(built: Thing, example: Example, rng: np.random.Generator) -> None:
    match built:
        case GroupModel():
            check_model(built, rng, values=_values(example))
        case TableModel() | MechanismModel():
            check_claims(built)
        case DataMetric() | SearchMetric() | CoarseningMetric() | AttributeMetric():
            check_metric(built, rng)
        case ColumnRecoding():
            check_recoding(built, rng)
        case HierarchyBuilder():
            known = [value for value in example.arguments("path") if _has_place(built, value)]
            check_hierarchy(built, rng, values=known)
        case Algorithm(procedures=(_, *_)):
            check_procedure(built, _table(built, example), example.names.get("policy"))
        case Algorithm():
            check_algorithm(built, rng)
        case Identifier():
            check_identifier(built, rng)
        case TableAttack():
            check_attack(built, rng)
        case ReleaseKind():
            check_release(built, rng)
        case Thing(kind="operation") if not _of_another_shape(built):
            check_operation(built, _table(built, example))
        case Perturbation():
            check_perturbation(built, _table(built, example), rng)
        case _:
            check_thing(built)


def _of_another_shape(built: Thing) -> bool:
    """Tell whether an operation works on data of another shape than a table."""
    return any(type(built) in things("operation", shape) for shape in shapes() if shape != TABLE)


def _table(built: Thing, example: Example) -> Table:
    table = example.names.get("table")
    if not isinstance(table, Table):
        raise AssertionError(f"{built.id}: broken promise: the example calls its table 'table'")
    return table


def _values(example: Example) -> dict[str, Sequence[Hashable]]:
    """Return the values of each column that the groups of an example count."""
    groups = [found for found in example.names.values() if isinstance(found, GroupStats)]
    return {name: histogram.values for found in groups for name, histogram in found.histograms.items()}


def _has_place(builder: HierarchyBuilder, value: object) -> bool:
    try:
        builder.path(value)
    except KeyError:
        return False
    return True
