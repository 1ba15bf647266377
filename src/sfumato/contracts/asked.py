"""What was asked, as far as no shape of data matters: requirements, algorithm, seed, and who answers for it."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, Protocol

from sfumato.contracts.algorithm import Search
from sfumato.contracts.metric import ReleaseMetric
from sfumato.contracts.model import MechanismModel, Requirement

__all__ = ["AcceptedAsked", "Asked", "OutputAsked", "SeriesAsked"]


class AcceptedAsked(Protocol):
    """What an attack may find, and why that is borne."""

    @property
    def id(self) -> str:
        """The attack."""

    @property
    def reason(self) -> str:
        """Why, in words."""


class OutputAsked(Protocol):
    """How a release is to be written."""

    @property
    def format(self) -> str | None:
        """The file format, if one is asked for."""

    @property
    def row_order(self) -> str:
        """``sorted`` or ``keep``."""


class SeriesAsked(Protocol):
    """What a release is one of."""

    @property
    def name(self) -> str:
        """What the ledger calls the series."""

    @property
    def kind(self) -> str | None:
        """How releases follow each other, if the next one is to be checked against those before."""


class Asked(Protocol):
    """What every policy tells; each shape adds its own keys."""

    @property
    def shape(self) -> str:
        """The shape of the data."""

    @property
    def title(self) -> str:
        """What the release is, in words."""

    @property
    def purpose(self) -> str:
        """What the recipients want to do with it."""

    @property
    def recipients(self) -> str:
        """Who gets it."""

    @property
    def steward(self) -> str:
        """Who answers for it."""

    @property
    def date(self) -> datetime.date | None:
        """The day of the release, if it is told."""

    @property
    def accepted(self) -> Sequence[AcceptedAsked]:
        """Attacks whose *yes* is accepted, each with the reason."""

    @property
    def seed(self) -> int:
        """Seed of all randomness."""

    @property
    def output(self) -> OutputAsked:
        """How the release is written."""

    @property
    def ledger(self) -> str | None:
        """The ledger that remembers the release, if there is one."""

    @property
    def series(self) -> SeriesAsked | None:
        """What the release is one of, if it is."""

    @property
    def budgets(self) -> tuple[str, ...]:
        """The budgets of the ledger that pay for noise."""

    def models(self) -> Sequence[Requirement]:
        """Return the requirements on what is published."""

    def procedures(self) -> Sequence[MechanismModel]:
        """Return the requirements on the procedure."""

    def search(self) -> Search[Any]:
        """Return the algorithm."""

    def measures(self) -> Sequence[ReleaseMetric[Any]]:
        """Return the metrics to report."""

    def digest(self) -> str:
        """Return the fingerprint of what was asked."""

    def to_yaml(self) -> str:
        """Return the policy as a document."""
