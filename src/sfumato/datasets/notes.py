"""Invented clinical notes, English and German, with tags around all that they tell of persons; the same for the same seed.

Nobody in them exists. Each patient has one to five notes that tell of the same person: name, birth, address, numbers, illness.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TypeVar
from zlib import crc32

import numpy as np

from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.note_phrases import FORMS, JOINTS, PHRASES, Phrases
from sfumato.datasets.note_words import Words
from sfumato.datasets.note_words_de import GERMAN
from sfumato.datasets.note_words_en import ENGLISH
from sfumato.errors import BadRequest

__all__ = ["notes"]

T = TypeVar("T")
_WORDS = {"en": ENGLISH, "de": GERMAN}
_PARTS = ("all", "train", "test")
_HOLE = re.compile(r"\{(\w+)\}|\[([^\]]+)\]")
_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "'": None, "-": None})
# Relatives, and whether they are women where that is fixed.
_KIN: dict[str, bool | None] = {"kin": None, "spouse": None, "sister": True, "brother": False}
_NAMES = {"name", "reversed", "given", "family", *_KIN}
_FROM, _DAYS = date(2015, 1, 1), 4000


def notes(rows: int = 1000, seed: int = 7, *, language: str | None = None, part: str = "all") -> Dataset:
    """Return so many notes: ``patient``, ``language`` and ``note``, a text with tags such as ``<name>Ann</name>``.

    ``language`` is ``en`` or ``de``; without it, patients speak either. ``part`` draws templates, names, places and illnesses
    from four fifths of all (``train``) or from the others (``test``), so that the one part shares none with the other.

    >>> few = notes(5)
    >>> few.columns, len(few), "<name>" in str(few.values("note"))
    (('patient', 'language', 'note'), 5, True)
    """
    if rows < 1:
        raise BadRequest("must be at least 1", parameter="rows", value=rows)
    if language is not None and language not in _WORDS:
        raise BadRequest("is no language of notes", parameter="language", value=language, available=[*_WORDS])
    if part not in _PARTS:
        raise BadRequest("is no part of notes", parameter="part", value=part, available=_PARTS)
    rng = np.random.default_rng(seed)
    out: dict[str, list[str]] = {"patient": [], "language": [], "note": []}
    width, patient = max(4, len(str(rows))), 0
    while len(out["note"]) < rows:
        patient += 1
        spoken = language or ("en", "de")[int(rng.integers(2))]
        person = _Patient(rng, _WORDS[spoken], PHRASES[spoken], part, german=spoken == "de")
        for _ in range(min(int(rng.geometric(0.4)), 5, rows - len(out["note"]))):
            out["patient"].append(f"P{patient:0{width}}")
            out["language"].append(spoken)
            out["note"].append(person.note())
    return Dataset(
        "notes",
        out,
        roles={"patient": Role.IDENTIFIER},
        source=f"invented, notes(rows={rows}, seed={seed}, part={part})",
    )


@dataclass
class _Patient:
    """One person, and how notes tell of them: what stays the same in every note is drawn once."""

    rng: np.random.Generator
    words: Words
    phrases: Phrases
    part: str
    german: bool
    facts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.woman = bool(self.rng.integers(2))
        facts = self.facts
        facts["given"], facts["family"] = self._given(self.woman), self._called(self.words.families)
        facts["city"], facts["zip"] = self._one(self.words.places)
        facts["address"] = self._street()
        born = _FROM - timedelta(days=int(self.rng.integers(18 * 365, 90 * 365)))
        facts["age"], facts["born"] = str(2025 - born.year), self._written(born)
        facts["occupation"], facts["disease"] = self._one(self.words.occupations), self._one(self.words.diseases)
        facts["doctor"], facts["hospital"] = self._doctor(), self._hospital()
        for name, make in self._makers().items():
            facts[name] = make()

    def note(self) -> str:
        """Return one note: a header or some fields, some sentences, and mostly a footer."""
        words, rng = self.words, self.rng
        lines = [self._filled(self._one(words.headers) if rng.random() < 0.4 else self._fields())]
        body = [self._filled(self._sentence()) for _ in range(int(rng.integers(2, 7)))]
        body += [self._filled(self._one(words.plain)) for _ in range(int(rng.integers(0, 4)))]
        order = rng.permutation(len(body)).tolist()
        lines.append((" " if rng.random() < 0.8 else "\n").join(body[at] for at in order))
        if rng.random() < 0.3:
            lines.append(self._filled(self._fields()))
        if rng.random() < 0.6:
            lines.append(self._filled(self._one(words.footers)))
        return ("\n\n" if rng.random() < 0.5 else "\n").join(lines)

    def _fields(self) -> str:
        """Return some fields with their labels."""
        labels, rng = self.phrases.labels, self.rng
        chosen = rng.choice(list(labels), int(rng.integers(2, 6)), replace=False).tolist()
        form, joint = FORMS[int(rng.integers(len(FORMS)))], JOINTS[int(rng.integers(len(JOINTS)))]
        doctor = "Dr. " if rng.random() < 0.5 else ""
        return joint.join(
            form.format(label=self._one(labels[name]), hole=f"{doctor if name == 'doctor' else ''}{{{name}}}")
            for name in chosen
        )

    def _sentence(self) -> str:
        """Return a sentence as it stands, or one that is put together."""
        if self.rng.random() < 0.5:
            return self._one(self.words.sentences)
        phrases = self.phrases
        subject, predicate = self._one(phrases.subjects), self._one(phrases.predicates)
        if self.rng.random() < 0.4:
            opening = self._one(phrases.openings)
            if self.german:
                verb, _, rest = predicate.partition("|")
                return f"{opening} {verb} {subject.replace('[Der', '[der').replace('[Die', '[die')} {rest}."
            return f"{opening} {subject} {predicate}."
        whole = f"{subject} {predicate.replace('|', ' ')}."
        return whole[0].upper() + whole[1:] if whole[0] != "[" else f"[{whole[1].upper()}{whole[2:]}"

    def _one(self, given: Sequence[T]) -> T:
        """Draw one of the part: every fifth is for the test."""
        if self.part != "all":
            given = [one for at, one in enumerate(given) if (at % 5 == 4) == (self.part == "test")]
        return given[int(self.rng.integers(len(given)))]

    def _called(self, given: Sequence[str]) -> str:
        """Draw a name of the part: by its letters, for one that two languages or lists share is in one part only."""
        if self.part != "all":
            given = [one for one in given if (crc32(one.encode()) % 5 == 4) == (self.part == "test")]
        return given[int(self.rng.integers(len(given)))]

    def _filled(self, template: str) -> str:
        def fill(hole: re.Match[str]) -> str:
            if hole[2] == "n":
                return str(int(self.rng.integers(2, 60)))
            if hole[2] is not None:
                return self.words.forms[hole[2]][0 if self.woman else 1]
            said, type_ = self._said(hole[1])
            return f"<{type_}>{said}</{type_}>"

        return _HOLE.sub(fill, template)

    def _said(self, what: str) -> tuple[str, str]:
        """Return what is written for a hole, and its type; a second illness or place of the same note is another one."""
        facts, rng = self.facts, self.rng
        if what in _NAMES:
            return self._name(what), "name"
        if what in ("date", "born"):
            return self._date() if what == "date" else facts["born"], "date"
        if what == "town":
            return self._one(self.words.places)[0], "city"
        again = {"disease": 0.5, "hospital": 0.6, "doctor": 0.6, "phone": 0.6, "age": 0.7, "record": 0.8}
        if what in again and rng.random() > again[what]:
            makers: dict[str, Callable[[], str]] = {
                "disease": lambda: self._one(self.words.diseases),
                "hospital": self._hospital,
                "doctor": self._doctor,
                "age": lambda: str(int(rng.integers(1, 100))),
                **self._makers(),
            }
            return makers[what](), what
        return facts[what], what

    def _name(self, what: str) -> str:
        given, family = self.facts["given"], self.facts["family"]
        if what in _KIN:
            woman = _KIN[what]
            given = self._given(
                (not self.woman if what == "spouse" else bool(self.rng.integers(2))) if woman is None else woman
            )
            return f"{given} {family}" if self.rng.random() < 0.6 else f"{given} {self._called(self.words.families)}"
        if what == "reversed":
            return f"{family}, {given}"
        if what == "name":
            middle = f" {chr(65 + int(self.rng.integers(26)))}." if self.rng.random() < 0.1 else ""
            return f"{given}{middle} {family}"
        return given if what == "given" else family

    def _given(self, woman: bool) -> str:
        return self._called(self.words.women if woman else self.words.men)

    def _doctor(self) -> str:
        family = self._called(self.words.families)
        return family if self.rng.random() < 0.5 else f"{self._given(bool(self.rng.integers(2)))} {family}"

    def _street(self) -> str:
        name, number = self._one(self.words.streets), int(self.rng.integers(1, 400))
        if self.german:
            return f"{name}{('straße', 'weg', 'allee', 'str.', 'platz')[int(self.rng.integers(5))]} {number % 99 + 1}"
        kind = ("Street", "Avenue", "Road", "Lane", "Drive", "St.", "Court")[int(self.rng.integers(7))]
        flat = f", Apt. {int(self.rng.integers(1, 40))}" if self.rng.random() < 0.2 else ""
        return f"{number} {name} {kind}{flat}"

    def _hospital(self) -> str:
        words = self.words
        return self._one(words.hospitals).format(
            city=self._one(words.places)[0],
            saint=self._one(words.saints),
            family=self._called(words.families),
            street=self._one(words.streets),
        )

    def _date(self) -> str:
        return self._written(_FROM + timedelta(days=int(self.rng.integers(_DAYS))))

    def _written(self, day: date) -> str:
        form = int(self.rng.integers(6))
        month = self.words.months[day.month - 1]
        if self.german:
            shapes = (
                f"{day:%d.%m.%Y}", f"{day.day}. {month} {day.year}", f"{day.day}.{day.month}.{day:%y}", f"{day:%Y-%m-%d}",
                f"{month} {day.year}", f"{day:%d.%m.%Y}",
            )  # fmt: skip
        else:
            shapes = (
                f"{day:%m/%d/%Y}", f"{month} {day.day}, {day.year}", f"{day.day} {month} {day.year}", f"{day:%Y-%m-%d}",
                f"{month} {day.year}", f"{day.month}/{day.day}/{day:%y}",
            )  # fmt: skip
        return shapes[form]

    def _digits(self, form: str) -> str:
        """Fill a form: # is a digit, @ a capital."""
        rng = self.rng
        return "".join(
            str(int(rng.integers(10))) if sign == "#" else chr(65 + int(rng.integers(26))) if sign == "@" else sign
            for sign in form
        )

    def _makers(self) -> dict[str, Callable[[], str]]:
        """Return how each kind of number or address is made."""
        rng = self.rng

        def form(*forms: str) -> Callable[[], str]:
            return lambda: self._digits(forms[int(rng.integers(len(forms)))])

        def mail() -> str:
            given, family = (self.facts[name].lower().translate(_LETTERS) for name in ("given", "family"))
            sign = ("{}.{}", "{}{}", "{}_{}")[int(rng.integers(3))].format(given, family)
            return f"{sign}@{('example.org', 'example.com', 'mail.example.net')[int(rng.integers(3))]}"

        def address() -> str:
            return f"{'.'.join(str(int(rng.integers(1, 255))) for _ in range(4))}"

        phone = (
            form("030 23125 ###", "(030) 23125-###", "+49 30 23125 ###", "0171 39200 ##", "040 / 66969 ###")
            if self.german
            else form("555-01##", "(212) 555-01##", "+1 312 555 01##", "415-555-01##", "646.555.01##")
        )
        site = ("https://portal.example.org/p/", "www.example.com/labs/", "https://my.example.net/r?id=")
        return {
            "phone": phone,
            "fax": phone,
            "email": mail,
            "url": lambda: self._digits(f"{site[int(rng.integers(3))]}######"),
            "ip": address,
            "ssn": form("## ###### @ ###") if self.german else form("9##-##-####"),
            "record": form("#######", "MR-######", "##-##-##", "@######"),
            "insurance": form("@#########") if self.german else form("@@@ ### ### ###", "#@@#-@@#-@@##", "W#########"),
            "account": form("DE## #### #### #### #### ##", "##########")
            if self.german
            else form("########", "####-######"),
            "licence": form("@###@@@@@##") if self.german else form("@### #### ####", "D#######"),
            "plate": form("B-@@ ###", "HH @@ ####", "M-@ ####") if self.german else form("#@@@###", "@@@-####"),
            "device": form("SN ########", "PM-####-@@", "@@######"),
            "id": form("E-#####", "##-####"),
        }
