"""What releases of random procedures share: the procedure is stated, because no output can show it."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel
from sfumato.contracts.release import ReleaseKind
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported

__all__ = ["MechanismKind", "plain_mapping", "refuse_outside"]


class MechanismKind(ReleaseKind):
    """The output of a stated random procedure: name and parameters are published, seed and input are not."""

    stated: ClassVar[tuple[str, ...]] = ("mechanism", "settings")

    mechanism: str = param(doc="the procedure that made the output, by its id or in words")
    settings: Mapping[str, Any] = param(
        default=None, doc="the parameters of the procedure, as plain data; never a seed"
    )

    def validate(self) -> None:
        """Refuse a procedure without a name, settings that are not plain data, and settings that give away the seed."""
        if not self.mechanism.strip():
            raise BadRequest("must name the procedure", parameter=f"{self.id}.mechanism")
        if self.settings is None:
            object.__setattr__(self, "settings", {})
        plain_mapping(self, "settings", self.settings)
        if any(str(key).lower() in ("seed", "rng", "random_state") for key in self.settings):
            raise BadRequest(
                "must not hold the seed: with it the noise can be taken away again", parameter=f"{self.id}.settings"
            )

    def refuse_models(self, models: Sequence[TableModel]) -> None:
        """Refuse requirements that no output of the procedure can show."""
        if models:
            raise Unsupported(
                f"{models[0].id} cannot be counted in a {self.id}: what protects is the procedure, not its output",
                thing=models[0].id,
                alternatives=["audit the procedure with a model of mechanisms"],
            )

    @abstractmethod
    def visible(self) -> list[str]:
        """Return what a reader can check."""

    def statement(self) -> Statement:
        """Return the procedure, what a reader can check, and what nobody can see from the files."""
        return Statement(
            mechanism=self.mechanism,
            parameters=dict(self.settings),
            checked=self.visible(),
            not_checkable=[
                say("statement.made_so"),
                say("statement.run_once"),
            ],
        )


def plain_mapping(kind: ReleaseKind, name: str, value: object) -> None:
    """Refuse anything but a mapping of texts to plain data."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise BadRequest("must be a mapping by name", parameter=f"{kind.id}.{name}", value=value)
    try:
        json.dumps(dict(value))
    except (TypeError, ValueError):
        raise BadRequest("must hold plain data (numbers, texts, lists)", parameter=f"{kind.id}.{name}") from None


def refuse_outside(table: Table, domains: Mapping[str, Any]) -> None:
    """Refuse a table with values outside declared domains: ``{"range": [low, high]}`` or ``{"values": [...]}``."""
    for name, domain in domains.items():
        if name not in table.types:
            raise BadRequest("is not a column of the table", parameter="domains", value=name, available=table.columns)
        values: Any = table.dictionary(name).values
        if "range" in domain:
            low, high = domain["range"]
            if not table.types[name].numeric:
                raise BadRequest("a range needs numbers", column=name, value=str(table.types[name]))
            strange = sum(not low <= value <= high for value in values)
        else:
            known = {to_text(value) for value in domain["values"]}
            strange = sum(to_text(value) not in known for value in values)
        if strange:
            raise BadRequest(f"holds {strange} values outside the declared domain", column=name)
