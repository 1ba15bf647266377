"""MPALM: cuts of the population, as Mondrian makes them, that hide who of it is in the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.algorithms.boxes._median_partition import Medians, partition
from sfumato.algorithms.boxes.mondrian import MONDRIAN_TRAITS, published_boxes
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.model import by_group
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest, Unsupported
from sfumato.models.delta_presence import DeltaPresence
from sfumato.searches.part_requirements import ModelCheck, PartRequirements, by_parts
from sfumato.searches.population import Population, PresenceCheck

__all__ = ["MPALM"]


class MPALM(Algorithm):
    """Cut the population along its widest attribute, at the median, as long as nobody's presence gets too certain.

    An adversary knows a public table E that holds everybody who may be in the private table T. E is cut as
    :class:`Mondrian` cuts a table; a cut is allowed if in every part the share ``|T| / |E|`` lies between ``delta_min`` and
    ``delta_max`` of the requirement ``delta-presence``. A part without a record of T has the share 0, which is allowed only if
    ``delta_min`` is 0. The share of a union lies between those of its parts, so other columns and fewer of them are safe
    too. Records of T are published as the boxes of their parts. Other requirements of the policy are asked about the
    records of T in each part.

    The public table is given as ``external`` (``sfumato anonymize --external FILE``).

    Facts of an outcome: those of Mondrian for the parts of E, and ``presence``: the share of T in each, in the order of
    the boxes.

    Examples
    --------
    >>> import sfumato
    >>> public = sfumato.from_rows(["Age"], [(20,), (21,), (30,), (31,), (40,), (45,)])
    >>> private = sfumato.from_rows(["Age"], [(21,), (30,), (40,)])
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "delta-presence", "delta_min": 0.3, "delta_max": 0.7}],
    ...     "algorithm": {"id": "mpalm"},
    ... }
    >>> release = sfumato.anonymize(private, policy, external=public)
    >>> release.private.operations[0].boxes
    (('[20-30]',), ('[31-45]',))
    >>> [round(share, 4) for share in release.private.facts["presence"]]
    [0.6667, 0.3333]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.3.1.
    Nergiz, Atzori, Clifton, "Hiding the presence of individuals from shared databases", 2007,
    doi:10.1145/1247480.1247554.
    """

    id: ClassVar[str] = "mpalm"
    promises: ClassVar[Mapping[str, object]] = {"id": "delta-presence", "delta_min": 0.2, "delta_max": 1.0}
    traits: ClassVar[AlgorithmTraits] = replace(
        MONDRIAN_TRAITS, cost="records of the population times quasi-identifiers for each level of cuts"
    )

    threshold: Literal["median", "any"] = param(
        default="median", choices=("median", "any"), doc="whether other cuts of an attribute are tried after the median"
    )
    publish: Literal["box", "region"] = param(
        default="box",
        choices=("box", "region"),
        doc="whether a group is shown as the values its records span, or as the part of the space it was cut down to",
    )
    trace: bool = param(default=False, doc="whether the trace lists every cut")

    def run(self, task: Task, run: Run) -> Outcome:
        """Cut until no part has an allowed cut; the generator is not used."""
        asked = [model for model in task.models if isinstance(model, DeltaPresence)]
        if not asked:
            raise Unsupported(
                f"{self.id} needs a requirement delta-presence",
                thing=task.models[0].id,
                alternatives=by_group(["mondrian"], task.models),
            )
        if task.external is None:
            raise BadRequest("mpalm needs the public table of everybody who may be in this one", parameter="external")
        people = Population.of(task, task.external)
        rest = by_parts([model for model in task.models if model not in asked], task.qids, thing=self.id)
        presence = [PresenceCheck(model, people.inside) for model in asked]
        requirements = PartRequirements(
            people.counted, 1, (*presence, *(ModelCheck(model, people.inside) for model in rest))
        )
        requirements.refuse_hopeless()
        found = partition(
            people.space,
            people.codes,
            requirements,
            Medians(people.space, 1, anywhere=self.threshold == "any"),
            regions=self.publish == "region",
            trace=self.trace,
            run=run,
        )
        rows = np.arange(len(people.inside))
        shares = presence[0].shares(people.counted, rows, found.group_of, len(found.groups))
        return replace(published_boxes(task, found), facts=replace(found.facts(), presence=shares.tolist()))
