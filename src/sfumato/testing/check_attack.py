"""What every attack promises: a risk for each victim, the same each time, and a summary that names nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields, replace
from typing import TypeAlias, TypeVar

import numpy as np

from sfumato.contracts.attack import Risk, TableAttack
from sfumato.contracts.knowledge import Seen, TableKnowledge, pieces
from sfumato.contracts.run import Run
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models.k_anonymity import KAnonymity
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.promises import generators_untouched, promise

__all__ = ["check_attack", "random_view"]

View: TypeAlias = tuple[Seen, TableKnowledge]
Person: TypeAlias = tuple[str, int, str, str | int]
S = TypeVar("S", Seen, TableKnowledge)

TRIES = 8
_LABELS = ("[20-30)", "[30-40)", "[20-40)", "25", "35", "*")
_VALUES = ("Flu", "Ulcer", "Cancer")
_NUMBERS = {"Flu": 700110, "Ulcer": 700220, "Cancer": 990330}
_COLUMNS = ("Name", "Age", "Sex", "Disease")


def check_attack(attack: TableAttack, rng: np.random.Generator) -> None:
    """Check an attack on random releases.

    Every victim has a risk between 0 and 1, and the highest and the mean are theirs; the same release gives the same risks;
    the order of persons and of published rows does not matter, unless it claims that it does; what is told of the risk holds
    no name and no value; what lacks something that the attack needs is refused; the tables are not changed; no global generator
    is used. An attack that does not fit texts gets numbers as sensitive values.
    """
    check_thing(attack)
    check_json(attack)
    promise(bool(getattr(attack, "adversary", "")), attack, "says who the adversary is")
    by_number = attack.unfit(*random_view(_people(rng, "person", 4), _people(rng, "stranger", 2))) is not None
    for _ in range(TRIES):
        people = _people(rng, "person", int(rng.integers(4, 15)), by_number)
        others = _people(rng, "stranger", int(rng.integers(2, 8)), by_number)
        order = rng.permutation(len(people))
        _check_alike(
            attack,
            [random_view(people, others) for _ in range(2)],
            random_view([people[at] for at in order], others[::-1], turned=True),
            people,
            order,
        )
        if attack.traits.needs <= {"qid", "external", "name", "sensitive"} and attack.traits.victims == "persons":
            rows = [(rng.choice(_LABELS).item(), rng.choice(_VALUES).item()) for _ in range(int(rng.integers(1, 20)))]
            named = [(name, age, value) for name, age, _, value in people]
            turned = _loose([rows[at] for at in range(len(rows))][::-1], [named[at] for at in order])
            _check_alike(attack, [_loose(rows, named) for _ in range(2)], turned, people, order)
    _check_needs(attack, *random_view(_people(rng, "person", 6, by_number), _people(rng, "stranger", 4, by_number)))


def random_view(people: list[Person], others: list[Person], *, turned: bool = False) -> View:
    """Return a release of some people (name, age, sex, disease), and everything that an adversary may know beside it.

    Ages are published by ten years. The other release shows ages by twenty years, the pair numbers groups by age. ``turned``
    turns the order of published rows around.
    """
    rows = sorted((f"[{age // 10 * 10}-{age // 10 * 10 + 10})", sex, value) for _, age, sex, value in people)
    wide = sorted((f"[{age // 20 * 20}-{age // 20 * 20 + 20})", sex, value) for _, age, sex, value in people)
    tens = sorted({age // 10 for _, age, _, _ in people})
    qit = [(age, sex, tens.index(age // 10) + 1) for _, age, sex, _ in sorted(people, key=lambda one: one[1:3])]
    st: dict[tuple[int, str | int], int] = {}
    for _, age, _, value in people:
        key = (tens.index(age // 10) + 1, value)
        st[key] = st.get(key, 0) + 1
    step = -1 if turned else 1
    seen = Seen(
        from_rows(["Age", "Sex", "Disease"], rows[::step]),
        parts={
            "qit": from_rows(["Age", "Sex", "GroupID"], qit[::step]),
            "st": from_rows(["GroupID", "Disease", "Count"], [(*key, st[key]) for key in sorted(st)]),
        },
    )
    return seen, TableKnowledge(
        known=("Age", "Sex"),
        learn=("Disease",),
        external=from_rows(["Name", "Age", "Sex"], [one[:3] for one in people]),
        name="Name",
        owners=from_rows(list(_COLUMNS), people),
        raw=from_rows(["Age", "Sex", "Disease"], [one[1:] for one in people]),
        control=from_rows(["Age", "Sex", "Disease"], [one[1:] for one in others]),
        corrupted=from_rows(list(_COLUMNS), [min(people)]),
        other=Seen(from_rows(["Age", "Sex", "Disease"], wide[::step])),
        models=(KAnonymity(k=1, qid=("Age", "Sex")),),
    )


def _people(rng: np.random.Generator, word: str, count: int, by_number: bool = False) -> list[Person]:
    """Return people with diseases, or with numbers where an attack is for numbers alone."""
    drawn = [
        (
            f"{word} {number:03}",
            int(rng.integers(20, 40)),
            rng.choice(["f", "m"]).item(),
            rng.choice(_VALUES).item(),
        )
        for number in range(count)
    ]
    return [(*one[:3], _NUMBERS[one[3]]) for one in drawn] if by_number else drawn


def _loose(rows: Sequence[Sequence[object]], people: Sequence[Sequence[object]]) -> View:
    """Return a release whose labels overlap and whose persons need not be published."""
    published, external = from_rows(["Age", "Disease"], rows), from_rows(["Name", "Age", "Disease"], people)
    return Seen(published), TableKnowledge(external=external, name="Name", known=("Age",), learn=("Disease",))


def _check_alike(attack: TableAttack, alike: list[View], turned: View, people: list[Person], order: Ints) -> None:
    with generators_untouched(attack):
        found, again, other = run_untouched(attack, *alike[0]), attack.run(*alike[1], Run()), attack.run(*turned, Run())
    risk = found.per_victim
    by_record = attack.traits.victims == "records"
    victims = alike[0][0].table.rows if by_record else len(people)
    promise(found.victims == victims, attack, "every victim has a risk")
    promise(bool(((risk >= 0) & (risk <= 1)).all()), attack, "a risk lies between 0 and 1")
    promise(found.highest == risk.max(), attack, "the highest risk is somebody's")
    mean = np.average(risk, weights=found.counts)
    promise(abs(found.mean - mean) < 1e-12, attack, "the mean is that of all victims")
    promise(np.array_equal(risk, again.per_victim), attack, "the same release gives the same risks")
    same = (_each(other), _each(found)) if by_record else (other.per_victim, risk[order])
    alike_in_any_order = attack.traits.in_order or bool(np.allclose(*same))
    promise(alike_in_any_order, attack, "the order of rows and persons does not matter")
    promise(bool(found.reading) and found.reading.endswith("."), attack, "one sentence says what was found")
    summary = repr((dict(found.details), found.warnings, found.reading))
    secret = [*_VALUES, *map(str, _NUMBERS.values()), *(str(person[0]) for person in people)]
    promise(not any(text in summary for text in secret), attack, "details name nobody and no value")


def _each(risk: Risk) -> Floats:
    """Return the risk of every record, in order."""
    return np.sort(np.repeat(risk.per_victim, 1 if risk.counts is None else risk.counts))


def _check_needs(attack: TableAttack, seen: Seen, knowledge: TableKnowledge) -> None:
    for need in sorted(attack.traits.needs):
        bare = _without(seen, need), _without(knowledge, need)
        promise(attack.unfit(*bare) is not None, attack, f"says that it needs {need}")
        try:
            attack.run(*bare, Run())
        except BadRequest:
            continue
        promise(False, attack, f"refuses to go on without {need}")


def _without(held: S, need: str) -> S:
    """Return what is seen or known as if nobody had told one piece of it."""
    blank = {one.name: one for one in fields(held)}
    bare = [blank[piece.field] for piece in pieces(type(held)) if piece.said == need]
    return replace(held, **{one.name: {} if one.default is MISSING else one.default for one in bare})


def run_untouched(attack: TableAttack, seen: Seen, knowledge: TableKnowledge) -> Risk:
    """Run an attack and see that no table is changed."""
    other = None if knowledge.other is None else knowledge.other.table
    tables = [
        seen.table,
        knowledge.external,
        knowledge.raw,
        knowledge.control,
        knowledge.corrupted,
        other,
        knowledge.owners,
    ]
    held = [(table, table.to_rows()) for table in tables if table is not None]
    found = attack.run(seen, knowledge, Run())
    promise(all(table.to_rows() == rows for table, rows in held), attack, "the tables are not changed")
    return found
