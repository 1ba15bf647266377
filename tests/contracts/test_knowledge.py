"""What may be known is declared once: arguments, options and what an attack says that it needs follow from it."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from typing import ClassVar, get_type_hints

import numpy as np
import pytest
from typer.main import get_command

import sfumato
from sfumato.cli import commands  # noqa: F401  (importing registers the commands)
from sfumato.cli.main import app
from sfumato.contracts.attack import AttackTraits, Details, Risk, TableAttack
from sfumato.contracts.knowledge import Knowledge, Seen, TableKnowledge, Told, knows, lacking, pieces
from sfumato.contracts.run import Run

TABLE = sfumato.from_rows(["Age", "Disease"], [("[20-30)", "Flu"), ("[30-40)", "Flu")])
PEOPLE = sfumato.from_rows(["Name", "Age"], [("Rama", 26), ("Sita", 42)])
SAID = [piece.said for piece in pieces(TableKnowledge)]


def test_users_say_what_is_declared() -> None:
    assert set(get_type_hints(Told)) == set(SAID)


@pytest.mark.parametrize("verb", [sfumato.attack, sfumato.audit])
def test_a_verb_lists_what_may_be_told(verb: object) -> None:
    assert callable(verb)
    assert set(SAID) <= set(inspect.signature(verb).parameters)
    for piece in pieces(TableKnowledge):
        assert f"``{piece.said}``: {piece.doc}" in str(verb.__doc__)


@pytest.mark.parametrize("verb", [sfumato.attack, sfumato.audit])
def test_what_cannot_be_told_is_refused(verb: object) -> None:
    assert callable(verb)
    with pytest.raises(TypeError, match="'shoe_size'"):
        verb(TABLE, shoe_size=42)
    with pytest.raises(TypeError, match="'zzz'; what may be known is qid, sensitive"):
        verb(TABLE, zzz=42)
    with pytest.raises(TypeError, match=rf"{verb.__name__}\(\) .* 'sensitve'; did you mean 'sensitive'"):
        verb(TABLE, sensitve="Disease")
    with pytest.raises(TypeError, match=rf"{verb.__name__}\(\) .* 'polcy'; did you mean 'policy'"):
        verb(TABLE, polcy=1)


@pytest.mark.parametrize("command", ["attack", "audit"])
def test_a_command_asks_for_all_that_one_word_can_tell(command: str) -> None:
    options = {
        name: one
        for one in get_command(app).commands[command].params
        for name in one.opts  # type: ignore[attr-defined]
    }
    asked = [piece for piece in pieces(TableKnowledge) if piece.said not in ("models", "hierarchies")]
    assert {f"--{piece.flag}" for piece in asked} <= set(options)
    for piece in asked:
        assert piece.doc[1:] in str(options[f"--{piece.flag}"].help)
    assert not {"--models", "--hierarchies"} & set(options)


def test_the_three_questions_speak_of_an_outsider_and_of_no_table_beside() -> None:
    params = get_command(app).commands["questions"].params  # type: ignore[attr-defined]
    questions = {name: str(one.help) for one in params for name in one.opts if name.startswith("--")}
    assert {"--aux", "--sensitive", "--control"} <= set(questions)
    assert not {"--qid", "--raw"} & set(questions)
    assert "an outsider knows" in questions["--aux"]
    assert not any("external" in text for text in questions.values())
    assert "or else the target" in questions["--sensitive"]


def test_knowledge_may_be_an_object() -> None:
    by_name = sfumato.attack(TABLE, external=PEOPLE, name="Name", sensitive="Disease")
    known = TableKnowledge(external=PEOPLE, name="Name", learn=("Disease",))
    assert dict(sfumato.attack(TABLE, knowledge=known).details) == dict(by_name.details)
    told = TableKnowledge(known=("Age",), learn=("Disease",))
    assert (
        sfumato.audit(TABLE, knowledge=told).document()
        == sfumato.audit(TABLE, qid=["Age"], sensitive="Disease").document()
    )


def test_what_is_said_by_name_counts_more() -> None:
    known = TableKnowledge(external=PEOPLE, name="nobody", learn=("Disease",))
    assert sfumato.attack(TABLE, knowledge=known, name="Name").details["persons"] == 2


def test_what_attacks_take_as_their_own_is_passed_on() -> None:
    by_name = sfumato.attack(TABLE, "uniqueness", qid=["Age"], population=1000)
    itself = sfumato.attack(TABLE, {"id": "uniqueness", "population": 1000}, qid=["Age"])
    assert dict(by_name.details) == dict(itself.details)
    assert by_name.details["population"] == 1000


def test_one_column_is_learnt_at_a_time() -> None:
    with pytest.raises(sfumato.BadRequest, match="say which sensitive column"):
        sfumato.attack(TABLE, "attack-skewness", qid=[], sensitive=["Age", "Disease"])


# ---- a shape of somebody else --------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class BasketKnowledge(Knowledge):
    """What is known of baskets."""

    known: tuple[str, ...] = knows((), "items that a person is known to have bought", said="items")
    receipts: int | None = knows(None, "how many receipts were found", said="found", flag="receipts")


def test_another_shape_declares_its_own() -> None:
    assert [(one.said, one.flag) for one in pieces(BasketKnowledge)] == [
        ("items", "items"),
        ("learn", "learn"),
        ("found", "receipts"),
        ("other", "other"),
    ]
    needs = frozenset({"other", "found", "items", "parts"})
    docs = [piece.doc for piece in lacking(needs, BasketKnowledge(known=("beer",)), Seen(TABLE))]
    assert docs == [
        "how many receipts were found",
        "a second release about the same persons",
        "the two tables of an anatomy pair",
    ]
    assert BasketKnowledge(known=("beer",), receipts=0).told() == {"items": ("beer",), "found": 0}


@dataclass(frozen=True, eq=False)
class Counts(Details):
    records: int
    values_: list[int]


class OwnAttack(TableAttack):
    """Counts records."""

    id: ClassVar[str] = "own-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        frozenset({"record"}), "nothing", needs=frozenset({"corrupted", "raw"})
    )
    adversary: ClassVar[str] = "has learnt to count"

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Risk:
        self.refuse_unfit(seen, knowledge)
        details = Counts(seen.table.rows, [1, 2])
        return Risk(attack=self.id, per_victim=np.ones(1), highest=1.0, mean=1.0, reading="Counted.", details=details)


def test_an_own_attack_says_what_it_needs() -> None:
    first, second = (piece.doc for piece in pieces(TableKnowledge) if piece.said in ("raw", "corrupted"))
    assert OwnAttack().unfit(Seen(TABLE), TableKnowledge()) == f"needs {first} and {second}"
    assert OwnAttack().unfit(Seen(TABLE), TableKnowledge(raw=PEOPLE)) == f"needs {second}"
    with pytest.raises(sfumato.BadRequest, match="before masking") as caught:
        sfumato.attack(TABLE, OwnAttack())
    assert caught.value.parameter == "raw"
    assert sfumato.attack(TABLE, OwnAttack(), raw=PEOPLE, corrupted=PEOPLE).highest == 1.0


def test_details_are_fields_and_a_mapping() -> None:
    found = Counts(3, [1])
    assert found.records == found["records"] == 3
    assert json.dumps({**found}) == '{"records": 3, "values": [1]}'
    assert found == {"records": 3, "values": [1]}
    assert "values_" not in found
    with pytest.raises(KeyError):
        found["nobody"]
