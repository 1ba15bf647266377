"""Experiments: what each of them declares, and how it is run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.thing import Thing, param
from sfumato.errors import BadRequest
from sfumato.experiments.result import ExperimentResult

__all__ = ["Experiment", "Reproduction"]

LARGEST_TOP = 9


class Reproduction(Thing):
    """An experiment of a paper, run again; its fields are its options.

    ``deviations`` says in sentences what is known not to agree with the paper, and what agrees only by construction; the
    figures in them are those of the default options. ``hasty`` are options with which it takes seconds.
    """

    kind: ClassVar[str] = "experiment"
    title: ClassVar[str]
    paper: ClassVar[str] = (
        'Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", IEEE TKDE 19(5), 2007, section V, '
        "doi:10.1109/TKDE.2007.1015"
    )
    deviations: ClassVar[tuple[str, ...]] = ()
    hasty: ClassVar[Mapping[str, object]] = {}

    download: bool = param(
        default=False, doc="whether the public table may be fetched if it is not in the cache folder"
    )

    def run(self, progress: Progress | None = None, *, quick: bool = False, **options: object) -> ExperimentResult:
        """Run with these options changed and return what was measured beside what the paper prints.

        ``quick`` takes fewer and smaller tables: everything is tried, and nothing can be compared with a paper.
        """
        return self.from_spec({**self.spec(), **(self.hasty if quick else {}), **options}).measure(progress or Silent())

    @property
    def known_deviations(self) -> tuple[str, ...]:
        """The sentences on what does not agree, after one that says so where the options are not those they speak of."""
        usual = type(self)().spec()
        changed = {
            name: value for name, value in self.spec().items() if usual.get(name) != value and name != "download"
        }
        if not changed or not self.deviations:
            return self.deviations
        asked = ", ".join(f"{name}={value}" for name, value in changed.items())
        return (
            f"The figures in these sentences are those of the default options; this run had {asked}.",
            *self.deviations,
        )

    @abstractmethod
    def measure(self, progress: Progress) -> ExperimentResult:
        """Run as configured."""


class Experiment(Reproduction):
    """An experiment of a paper on top-N quasi-identifiers, for several k."""

    ks: tuple[int, ...] = param(default=(20, 60, 100, 180, 300, 500, 1000), doc="smallest group sizes to ask for")
    tops: tuple[int, ...] = param(default=(5, 7, 9), doc="how many of the most telling columns an adversary may know")

    def validate(self) -> None:
        """Refuse an empty list, a k below 1 and more columns than are ranked."""
        for name, values, least, most in (("ks", self.ks, 1, None), ("tops", self.tops, 1, LARGEST_TOP)):
            wrong = [value for value in values if value < least or (most is not None and value > most)]
            if wrong or not values:
                rule = f"must hold numbers from {least} to {most}" if most else f"must hold numbers from {least} up"
                raise BadRequest(rule, parameter=f"{self.id}.{name}", value=wrong or [])
