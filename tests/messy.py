"""Three invented tables as people export them: names, notes, gaps, doubles, commas and dates in the ways of their countries."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np

__all__ = ["MESSY", "clinic", "staff", "survey"]

_GIVEN_W = (
    "Anna", "Maria", "Julia", "Sabine", "Petra", "Monika", "Ursula", "Claudia", "Birgit", "Heike", "Jürgen",
    "Günther",
)  # fmt: skip
_GIVEN_M = (
    "Thomas", "Michael", "Andreas", "Peter", "Stefan", "Wolfgang", "Klaus", "Dieter", "Uwe", "Jörg",
)  # fmt: skip
_FAMILY = (
    "Müller", "Schmidt", "Schneider", "Fischer", "Weber", "Meyer", "Wagner", "Becker", "Schulz", "Hoffmann",
    "Schäfer", "Köhler", "Krüger", "Böhm", "Groß",
)  # fmt: skip
_TOWNS = (("80331", "München"), ("50667", "Köln"), ("20095", "Hamburg"), ("10115", "Berlin"), ("01067", "Dresden"),
          ("70173", "Stuttgart"), ("90402", "Nürnberg"), ("04109", "Leipzig"))  # fmt: skip
_ILL = ("I10", "E11.9", "J45.0", "M54.5", "F32.1", "N39.0", "K21.0", "C50.9", "G40.1", "E84.0")
_FIRST, _LAST = ("James", "Mary", "Robert", "Linda", "David"), ("Smith", "Jones", "Brown", "Davis", "Clark")
_SAID = ("Patient klagt über Schmerzen im Rücken seit", "Angehörige wurden informiert am Abend durch Frau",
         "Verlegung von Station wegen Verdacht auf Sepsis durch", "Entlassung in gutem Zustand nach Gespräch mit")  # fmt: skip


def _decimal(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace(".", ",")


def _thousands(value: float, mark: str, point: str) -> str:
    return f"{value:,.2f}".replace(",", "\0").replace(".", point).replace("\0", mark)


def _with_gaps(rows: list[list[str]], at: Sequence[int], share: float, gap: str, rng: np.random.Generator) -> None:
    for row in rows:
        for column in at:
            if rng.random() < share:
                row[column] = gap


def _text(header: Sequence[str], rows: Sequence[Sequence[str]], separator: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def clinic(folder: Path, records: int = 3000, seed: int = 1) -> Path:
    """A German hospital export: latin-1, semicolons, decimal commas, 40 columns, notes, 2 % doubles, a title and totals."""
    rng = np.random.default_rng(seed)
    header = ["Patientennr", "Vorname", "Nachname", "Geschlecht", "Geb.datum", "Straße", "PLZ", "Wohnort", "Telefon", "E-Mail",
              "Versichertennummer", "Familienstand", "Aufnahmedatum", "Entlassdatum", "Station", "Hauptdiagnose",
              "Nebendiagnose", "Größe_cm", "Gewicht_kg", "Blutdruck_sys", "Puls", "Temperatur", "Leukozyten", "HbA1c",
              "Kreatinin", "CRP", "Natrium", "Kalium", "Kosten", "Eigenanteil", "Pflegegrad", "Raucher", "Allergie",
              "Wiederaufnahme", "Bemerkung", "", "Wert", "Wert", "Mandant", "Bearbeiter"]  # fmt: skip
    rows = []
    for number in range(records):
        sex = rng.choice(["w", "m"], p=[0.55, 0.45])
        born = date(1930, 1, 1) + timedelta(days=int(rng.beta(2, 1.6) * 32_000))
        came = date(2023, 1, 1) + timedelta(days=int(rng.integers(0, 365)))
        code, town = _TOWNS[int(rng.choice(len(_TOWNS), p=[0.3, 0.2, 0.15, 0.1, 0.1, 0.06, 0.05, 0.04]))]
        zip_code = code[:3] + f"{int(rng.integers(0, 12)):02}"
        first, last = str(rng.choice(_GIVEN_W if sex == "w" else _GIVEN_M)), str(rng.choice(_FAMILY))
        weights = np.array([30, 20, 12, 12, 8, 7, 6, 3, 1.5, 0.5])
        ill = rng.choice(_ILL, 2, p=weights / weights.sum())
        rows.append([
            str(100_000 + number), first, last, str(sex), born.strftime("%d.%m.%Y"), f"Hauptstraße {rng.integers(1, 200)}",
            zip_code, town, f"0{rng.integers(30, 99)} {rng.integers(1_000_000, 9_999_999)}",
            f"{first}.{last}{number}@example.org".lower().translate(str.maketrans("äöüß", "aous")),
            f"{chr(65 + number % 26)}{rng.integers(10**8, 10**9)}",
            str(rng.choice(["ledig", "verheiratet", "geschieden", "verwitwet"])),
            came.strftime("%d.%m.%Y"), (came + timedelta(days=int(rng.integers(1, 20)))).strftime("%d.%m.%Y"),
            str(rng.choice(["A1", "A2", "B1", "ITS"])), str(ill[0]), str(ill[1]), _decimal(rng.normal(171, 9), 1),
            _decimal(rng.normal(78, 14), 1), str(int(rng.normal(130, 15))), str(int(rng.normal(75, 9))),
            _decimal(rng.normal(37, 0.6), 1), _decimal(abs(rng.normal(7.5, 2)), 1), _decimal(abs(rng.normal(6, 1)), 1),
            _decimal(abs(rng.normal(1, 0.2)), 2), _decimal(abs(rng.normal(12, 20)), 1), str(int(rng.normal(140, 3))),
            _decimal(rng.normal(4.2, 0.4), 1), _thousands(abs(rng.normal(4000, 2500)) + 50, ".", ","),
            _decimal(float(rng.choice([0, 10, 20, 50.5])), 2), str(rng.integers(0, 6)), str(rng.choice(["ja", "nein"])),
            str(rng.choice(["keine", "Penicillin", "Pollen"], p=[0.8, 0.1, 0.1])),
            str(rng.choice(["ja", "nein"], p=[0.2, 0.8])),
            f"{rng.choice(_SAID)} {rng.integers(1, 28)}.{rng.integers(1, 12)}. ({last})", "", str(rng.integers(1, 5)),
            _decimal(rng.normal(0, 1), 2), "7", str(rng.choice(["hz", "mk", "tw"])),
        ])  # fmt: skip
    _with_gaps(rows, (4, 6, 11), 0.03, "", rng)
    _with_gaps(rows, (17, 18, 23, 24), 0.2, "k.A.", rng)
    _with_gaps(rows, (16,), 0.4, "", rng)
    rows += [rows[int(at)] for at in rng.choice(records, records // 50, replace=False)]
    title = "Export KIS vom 05.01.2024;;;\r\nMandant: Musterklinik\r\n\r\n"
    path = folder / "clinic.csv"
    path.write_bytes((title + _text(header, rows, ";") + "Summe;" + ";" * 38 + "\r\n").encode("latin-1"))
    return path


def staff(folder: Path, records: int = 4000, seed: int = 2) -> Path:
    """An American staff list: commas, mm/dd/yyyy, thousands in quotes, N/A, e-mail and social security numbers."""
    rng = np.random.default_rng(seed)
    header = ["Employee ID", "Full Name", "Email", "SSN", "Gender", "Date of Birth", "ZIP Code", "State", "Job Title",
              "Department", "Hire Date", "Salary", "Bonus %", "Performance Rating", "Marital Status", "Education", "Children",
              "Badge", "Comments", "Left"]  # fmt: skip
    rows = []
    for number in range(records):
        born = date(1955, 1, 1) + timedelta(days=int(rng.beta(2, 2) * 17_000))
        hired = date(2000, 1, 1) + timedelta(days=int(rng.integers(0, 8700)))
        name = f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
        rows.append([
            f"E{number:06}", name, f"{name.replace(' ', '.').lower()}{number}@example.com",
            f"{rng.integers(100, 665)}-{rng.integers(10, 99)}-{rng.integers(1000, 9999)}", str(rng.choice(["F", "M"])),
            born.strftime("%m/%d/%Y"), str(rng.choice([90210, 90211, 10001, 10002, 60601, 60602, 73301])),
            str(rng.choice(["CA", "NY", "IL", "TX"])), str(rng.choice(["Engineer", "Analyst", "Manager", "Clerk", "Director"],
            p=[0.4, 0.25, 0.15, 0.18, 0.02])), str(rng.choice(["R&D", "Sales", "Finance", "HR"])), hired.strftime("%m/%d/%Y"),
            _thousands(float(rng.lognormal(11, 0.4)), ",", "."), f"{rng.uniform(0, 20):.1f}", str(rng.integers(1, 6)),
            str(rng.choice(["single", "married", "divorced"])), str(rng.choice(["HS", "BSc", "MSc", "PhD"])),
            str(rng.integers(0, 5)), f"B-{rng.integers(10**6, 10**7)}",
            f"Reviewed by {name.split()[0]} on day {rng.integers(1, 365)} and no issue was found",
            str(rng.choice(["yes", "no"], p=[0.15, 0.85])),
        ])  # fmt: skip
    _with_gaps(rows, (5, 11, 14), 0.04, "N/A", rng)
    path = folder / "staff.csv"
    path.write_text(_text(header, rows, ","), encoding="utf-8")
    return path


def survey(folder: Path, records: int = 2000, seed: int = 3) -> Path:
    """A Swiss survey: tabs, cp1252, apostrophes between thousands, dd.mm.yy, doubled headers."""
    rng = np.random.default_rng(seed)
    header = ["Nr", "Datum", "Alter", "Geschlecht", "Kanton", "Gemeinde", "Nationalität", "Beruf", "Einkommen", "Vermögen",
              "Partei", "Konfession", "Zufriedenheit", "Zufriedenheit", "Kinder", "Kommentar"]  # fmt: skip
    towns = [
        f"{name} {part}" for name in ("Zürich", "Bern", "Genf", "Basel", "Uster") for part in ("Nord", "Süd", "West")
    ]
    rows = []
    for number in range(records):
        town = str(rng.choice(towns))
        rows.append([
            str(number + 1), (date(2024, 1, 1) + timedelta(days=int(rng.integers(0, 90)))).strftime("%d.%m.%y"),
            str(int(18 + rng.beta(1.5, 2) * 75)), str(rng.choice(["f", "m", "d"], p=[0.5, 0.49, 0.01])),
            {"Z": "ZH", "B": "BE", "G": "GE", "U": "ZH"}[town[0]], town,
            str(rng.choice(["CH", "DE", "IT", "PT", "LI"], p=[0.75, 0.1, 0.08, 0.065, 0.005])),
            str(rng.choice(["Lehrer", "Bäcker", "Ärztin", "Bauer", "Richter", "Pilot"], p=[0.3, 0.25, 0.2, 0.15, 0.08, 0.02])),
            _thousands(float(rng.lognormal(8.7, 0.5)), "'", "."), _thousands(float(rng.lognormal(10, 1)), "'", "."),
            str(rng.choice(["SP", "SVP", "FDP", "Mitte", "keine"])), str(rng.choice(["rk", "ref", "keine"])),
            str(rng.integers(1, 11)), str(rng.integers(1, 11)), str(rng.integers(0, 4)),
            "" if rng.random() < 0.8 else f"Ich finde die Umfrage Nummer {rng.integers(1, 999)} gut gemacht und freue mich",
        ])  # fmt: skip
    _with_gaps(rows, (2, 8), 0.05, "keine Angabe", rng)
    path = folder / "survey.tsv"
    path.write_bytes(_text(header, rows, "\t").encode("cp1252"))
    return path


MESSY: dict[str, Callable[[Path], Path]] = {"clinic": clinic, "staff": staff, "survey": survey}
