"""Top-Down Disclosure: start with everything suppressed, disclose values while every privacy template holds."""

from __future__ import annotations

from typing import ClassVar

from sfumato.algorithms.stepwise._algorithm import RefiningAlgorithm, refining_traits
from sfumato.algorithms.stepwise._confidence_refinement import ConfidenceRefinery
from sfumato.contracts.algorithm import AlgorithmTraits, Task
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.metrics.igpl import IGPL
from sfumato.metrics.loss_decrease import LossDecrease

__all__ = ["TopDownDisclosure"]


class TopDownDisclosure(RefiningAlgorithm):
    """Start with every value suppressed and disclose the value of best score until no disclosure is valid.

    Made for privacy templates ``<QID -> s, h>``, each a requirement ``confidence-bounding``. At first all values of a column
    are one symbol; disclosing ``v`` lets the records that hold ``v`` leave it. A disclosure is *valid* if every template
    holds after it; violations never heal, so an invalid one is out for good. ``Score(v) = InfoGain(v) / (PL(v) + 1)``, where
    ``PL`` is the mean, over the templates whose QID has the column, of the increase of ``Conf(QID -> s)``. Without a target,
    the share of domain given back takes the place of the gain (``loss-decrease``). A column with a tree is specialized along
    it instead. Numbers need a hierarchy. Requirements of other kinds that are decided group by group and kept under merging
    may be added; they do not count in the score.

    Adversary: that of the templates. The trace says after each step, under ``confidences``, how sure each value is;
    ``facts["confidences"]`` says it at the end.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("Clerk", "US", "Flu"), ("Clerk", "CA", "HIV"), ("Cook", "US", "Flu"), ("Cook", "CA", "Flu")]
    >>> release = sfumato.anonymize(
    ...     sfumato.from_rows(["Job", "Country", "Disease"], rows),
    ...     {
    ...         "columns": {
    ...             "Job": {"role": "quasi-identifier"},
    ...             "Country": {"role": "quasi-identifier"},
    ...             "Disease": {"role": "sensitive"},
    ...         },
    ...         "requirements": [{"id": "confidence-bounding", "sensitive": "Disease", "value": "HIV", "h": 0.5}],
    ...         "algorithm": {"id": "top-down-disclosure"},
    ...     },
    ... )
    >>> release.table.to_rows()
    [('Clerk', '*', 'Flu'), ('Clerk', '*', 'HIV'), ('Cook', '*', 'Flu'), ('Cook', '*', 'Flu')]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.2.3.
    Wang, Fung, Yu, "Handicapping attacker's confidence: an alternative to k-anonymization", 2007.
    """

    id: ClassVar[str] = "top-down-disclosure"
    traits: ClassVar[AlgorithmTraits] = refining_traits(
        cost="linear in the number of records for each disclosed value or level of each column", cuts_numbers=False
    )

    require_beneficial: bool = param(
        default=False, doc="whether a step must be able to tell something about the target"
    )

    def start(self, task: Task) -> ConfidenceRefinery:
        """Return the search with everything suppressed; refuse numbers without a hierarchy."""
        for attribute in task.attributes:
            if attribute.kind == "interval":
                raise BadRequest(
                    "holds numbers and needs a hierarchy, for example {id: intervals}: top-down-disclosure does not cut "
                    "intervals (tdr does)",
                    column=attribute.name,
                    parameter="hierarchy",
                )
        return ConfidenceRefinery(
            task,
            IGPL() if task.target is not None else LossDecrease(),
            require_beneficial=self.require_beneficial,
            keep_dead=self.trace == "full",
        )
