"""A project: a folder with the table, the policy that the screen edits, what was searched, and the release.

``policy.yaml`` is the only thing that decides what is published; ``project.json`` remembers where somebody is, and holds no
value of a person. The table and all runs stay in the folder, which only its owner can open.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from sfumato.contracts.engine import SourceOptions
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.finding import Findings
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import ENGLISH
from sfumato.data.schema import ColumnType, MissingRule, Role
from sfumato.data.yaml import yaml_reader
from sfumato.engines.delimited import Delimited, inspect
from sfumato.engines.found import Found, open_found, with_decimal_sign
from sfumato.engines.sources import FORMATS, Described, format_of, locate
from sfumato.engines.spreadsheets import sheets
from sfumato.errors import BadRequest, SfumatoError, Taken
from sfumato.hierarchies.frequency import Frequency
from sfumato.hierarchies.proposals import propose
from sfumato.jobs.book import JobBook
from sfumato.jobs.crew import Crew
from sfumato.jobs.job import Job
from sfumato.ledger.folder import certificate_digest
from sfumato.ledger.ledger import Ledger
from sfumato.publishing.acceptance import Yes, answered_yes
from sfumato.publishing.kept import QUESTIONS, keep_findings, keep_questions, read_evidence
from sfumato.publishing.signature import FILE as SIGNATURE
from sfumato.tables.policy import Policy
from sfumato.tables.profile import Profile, profile_of
from sfumato.verbs.draft import draft
from sfumato.verbs.report import report
from sfumato.web.history import History

__all__ = ["OUTSIDE", "Place", "Project", "RunEntry", "Spec"]

Spec = dict[str, Json]

T = TypeVar("T")

_UNLOCKED = 15 * 60.0  # seconds

OUTSIDE = ("register", "earlier")
"""Tables that outsiders may have: a register of persons, an earlier release."""

_KEPT_OUT = "# Tables, runs and what must stay are not for a repository.\n*\n!policy.yaml\n!.gitignore\n"


@frozen
class RunEntry:
    """A search that was asked for: its number, its job, and the policy it had."""

    number: int
    job: int
    policy: str
    digest: str
    language: str = ENGLISH


@dataclass
class Place:
    """Where somebody is in a project; no values of persons."""

    source: str | None = None
    name: str = ""
    reading: dict[str, Json] = field(default_factory=dict)
    language: str = ENGLISH
    chosen: int | None = None
    done: list[str] = field(default_factory=list)
    yours: list[str] = field(default_factory=list)
    audience: str = ""
    use: str = ""
    used: str = ""
    predicted: str = ""
    outside: dict[str, str] = field(default_factory=dict)
    names: str = ""
    again: dict[str, list[int]] = field(default_factory=dict)
    runs: list[RunEntry] = field(default_factory=list)


def _sheets(place: Path | str | None) -> list[str]:
    """Return the sheets of a file; nothing else has any."""
    if not isinstance(place, Path) or place.suffix.lower() not in FORMATS["xlsx"] or not place.is_file():
        return []
    return sheets(locate(str(place), SourceOptions()))


def _read_findings(file: Path) -> Findings:
    return Findings.from_document(json.loads(file.read_bytes()))


class Project:
    """The folder, and what was read of the table while the workbench is open."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            if not (self.folder / ".gitignore").exists():
                (self.folder / ".gitignore").write_text(_KEPT_OUT, encoding="utf-8")
        except OSError as error:
            raise BadRequest(
                f"cannot be a project ({error.strerror})", parameter="project", value=str(folder)
            ) from None
        self.place = self._remembered()
        self.book = JobBook(self.folder / "jobs.sqlite")
        self.crew = Crew(self.book, self.folder / "runs")
        self._found: Found | None = None
        self._profile: Profile | None = None
        self._counted: dict[object, object] = {}
        self._last: tuple[str, Spec, Policy] | None = None
        self._unlocked = 0.0
        self.history = History()
        self.shown = ""  # the column whose levels somebody looked at last

    # ---- remembering ---------------------------------------------------------------------------------------------------

    def _remembered(self) -> Place:
        try:
            held = json.loads((self.folder / "project.json").read_text(encoding="utf-8"))
            runs = [RunEntry(**one) for one in held.pop("runs", [])]
            held.pop("accepted", None)  # what an older version kept here stands in the policy now
            return Place(**held, runs=runs)
        except FileNotFoundError:
            return Place()
        except (OSError, ValueError, TypeError):
            raise BadRequest("is not the memory of a project", parameter="project.json") from None

    def remember(self) -> None:
        """Write down where somebody is."""
        beside = self.folder / ".project.json"
        beside.write_text(json.dumps(asdict(self.place), indent=1) + "\n", encoding="utf-8")
        beside.replace(self.folder / "project.json")

    # ---- the table -----------------------------------------------------------------------------------------------------

    @property
    def source(self) -> Path | str | None:
        """The file with the table, or the address of a database, if there is one."""
        return None if self.place.source is None else self._placed(self.place.source)

    def _placed(self, name: str) -> Path | str:
        return name if "://" in name else self.folder / name  # an absolute name stays what it is

    def connect(self, address: str, table: str) -> None:
        """Take a table of a database: a file, or an address that holds no password, since scripts and policies show it."""
        if urlsplit(address).password is not None:
            raise BadRequest(
                "must not hold a password, which scripts would show; PGPASSWORD or ~/.pgpass may hold it",
                parameter="address",
            )
        place = address if "://" in address else str(Path(address).expanduser().resolve())
        self.take(place, {"table": table} if table else {})

    def bring(self, file: Path, name: str) -> None:
        """Take a file as the table of this project under a name, which it gets once it could be read."""
        self.take(name, beside=file)

    def take(self, name: str, reading: Mapping[str, Json] | None = None, *, beside: Path | None = None) -> None:
        """Read a file that lies in the folder, or anywhere else, and draft a policy; what was there before is forgotten.

        ``reading`` says how it is written, where that is not to be found. A file ``beside`` gets the name when it was read.
        """
        path = self._placed(name) if beside is None else beside
        said = dict(reading or {})
        pages = _sheets(path)
        if len(pages) > 1:
            said.setdefault("sheet", pages[0])
        found = open_found(Described.of(str(path), said))
        text = draft(str(path), source_options=said)
        profiled = profile_of(found.table)
        if beside is not None:
            beside.replace(self.folder / name)
        self._found, self._profile, self._counted = found, profiled, {}
        document = self._read(text)
        # Every choice of levels can be looked at and proven best; finer searches are a choice of their own.
        document["algorithm"] = {"id": "optimal"}
        self._write(document)
        called = str(said.get("table") or Path(name).stem)
        kept, who = self.place.outside, self.place.names
        self.place = Place(
            source=name, name=called, reading=said, language=self.place.language, outside=kept, names=who
        )
        self.history = History()  # another table has no earlier policy
        self.remember()

    def retype(self, name: str, kind: ColumnType) -> None:
        """Read the table again with a column of another type; a type that its values do not have is refused."""
        held = self.place.reading.get("types")
        types: Spec = {**(held if isinstance(held, dict) else {}), name: str(kind)}
        self.take(self.place.source or "", {**self.place.reading, "types": types})

    def decimal(self, sign: str) -> None:
        """Read the table again with another sign before the fraction of numbers."""
        changed = with_decimal_sign(str(self.source), self.found, sign)
        settled = {name for told in changed.values() for name in told}
        new = {key: value for key, value in self.place.reading.items() if key not in changed}
        for key, told in changed.items():
            held = self.place.reading.get(key)
            other = {name: one for name, one in held.items() if name not in settled} if isinstance(held, dict) else {}
            if told or other:
                new[key] = {**other, **told}
        self.take(self.place.source or "", new)

    @property
    def written(self) -> Delimited | None:
        """How the file is written, if it is a text with separators."""
        if not isinstance(self.source, Path) or format_of(self.source)[0] not in ("csv", "tsv"):
            return None
        return self.counted(
            "written", lambda: inspect(locate(str(self.source), self.found.options), self.found.options)
        )

    @property
    def sheets(self) -> list[str]:
        """The sheets of the file, if it has some."""
        return self.counted("sheets", lambda: _sheets(self.source))

    @property
    def found(self) -> Found:
        """The table as it was read."""
        if self._found is None:
            if self.source is None:
                raise BadRequest("there is no table yet", parameter="project")
            self._found = open_found(Described.of(str(self.source), self.place.reading))
        return self._found

    @property
    def profile(self) -> Profile:
        """What each column holds."""
        if self._profile is None:
            self._profile = profile_of(self.found.table)
        return self._profile

    def counted(self, question: object, count: Callable[[], T]) -> T:
        """Return an answer that was counted before on this table, or count it."""
        if question not in self._counted:
            self._counted[question] = count()
        return cast("T", self._counted[question])

    def known(self, question: object) -> bool:
        """Tell whether an answer was counted already."""
        return question in self._counted

    # ---- the policy ----------------------------------------------------------------------------------------------------

    @property
    def policy_file(self) -> Path:
        """Where the policy is."""
        return self.folder / "policy.yaml"

    @property
    def text(self) -> str:
        """The policy as it is written."""
        return self.policy_file.read_text(encoding="utf-8") if self.policy_file.exists() else ""

    @property
    def document(self) -> Spec:
        """The policy as plain data, to be read; :meth:`edit` changes it."""
        return self._held()[1]

    def _held(self) -> tuple[str, Spec, Policy]:
        """Return the policy as it was read last, or read it: reading takes longer than drawing a page."""
        text = self.text
        if self._last is None or self._last[0] != text:
            self._last = text, self._plain(text), Policy.load(self.policy_file)
        return self._last

    @property
    def promises(self) -> list[Spec]:
        """The requirements of the policy, each with its id."""
        return [dict(one) for one in cast("list[Spec]", self.document["requirements"])]

    @property
    def algorithm(self) -> Spec:
        """The search of the policy."""
        return dict(cast("Spec", self.document["algorithm"]))

    @staticmethod
    def columns(document: Spec) -> dict[str, Spec]:
        """Return the columns of a policy, to be changed in place."""
        return cast("dict[str, Spec]", document["columns"])

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self._held()[2]

    def _read(self, text: str) -> Spec:
        read: Spec = yaml_reader("rt").load(text) or {}
        return read

    def _plain(self, text: str) -> Spec:
        """Return a policy without how it is written: numbers that remember their spelling cannot be sent to a page."""
        read: Spec = yaml_reader("safe").load(text) or {}
        return read

    def _write(self, document: Spec) -> None:
        written, yaml = StringIO(), yaml_reader("rt")
        yaml.width = 120
        yaml.dump(document, written)
        self.write(written.getvalue())

    def write(self, text: str) -> None:
        """Take a text as the policy; one that is wrong is refused and the old one stays."""
        beside = self.folder / ".policy.yaml"
        beside.write_text(text, encoding="utf-8", newline="\n")
        try:
            made = Policy.load(beside)
        except SfumatoError as error:
            beside.unlink()
            raise BadRequest(str(error).replace(".policy.yaml", "policy.yaml")) from None
        if self.text and self.text != text:
            self.history.changed(self.text)
        beside.replace(self.policy_file)
        self._last = text, self._plain(text), made

    def undo(self) -> None:
        """Take back the last change of the policy."""
        self.policy_file.write_text(self.history.back(self.text), encoding="utf-8", newline="\n")

    def redo(self) -> None:
        """Do again what was taken back last."""
        self.policy_file.write_text(self.history.forward(self.text), encoding="utf-8", newline="\n")

    def edit(self, change: Callable[[Spec], None]) -> None:
        """Change the policy; comments that nobody touched stay."""
        document = self._read(self.text)
        change(document)
        self._write(document)
        self.remember()

    def roles(self) -> Mapping[str, Role]:
        """Return the role of each column of the table."""
        return self.policy.roles()

    def set_role(self, names: list[str], role: Role) -> None:
        """Give columns a role, and what a column of that role needs."""

        def change(document: Spec) -> None:
            columns = self.columns(document)
            missing, formats = self.found.table.missing(), self.found.options.formats
            for name in names:
                entry = columns[name]
                entry["role"] = str(role)
                if role is Role.QUASI_IDENTIFIER and "hierarchy" not in entry:
                    entry["hierarchy"] = self.proposal(name)
                if role is not Role.QUASI_IDENTIFIER:
                    entry.pop("hierarchy", None)
                form = formats.get(name)  # a draft says how values are written only of columns that are published
                if form is not None and not role.hidden:
                    entry["format"] = form
                else:
                    entry.pop("format", None)
                if missing[name] and not role.hidden and role is not Role.PLAIN:
                    entry["missing"] = str(MissingRule.OWN_VALUE)
                else:
                    entry.pop("missing", None)

        self.edit(change)
        self.place.yours = [*dict.fromkeys([*self.place.yours, *names])]
        self.remember()

    def proposal(self, name: str) -> Spec:
        """Return the hierarchy that fits the values of a column."""
        dictionary = self.found.table.dictionary(name)
        builder = propose(dictionary, self.found.table.types[name]) or Frequency.flat(dictionary)
        return dict(builder.drafted())

    # ---- runs ----------------------------------------------------------------------------------------------------------

    def search(self) -> RunEntry:
        """Ask for a search with the policy as it is now."""
        number = 1 + max((run.number for run in self.place.runs), default=0)
        text = self.text
        kept = self.folder / "runs" / f"run-{number}.yaml"
        kept.parent.mkdir(mode=0o700, exist_ok=True)
        kept.write_text(text, encoding="utf-8")
        asked: dict[str, Json] = {"source": str(self.source), "policy": str(kept), "language": self.place.language}
        job = self.book.submit("anonymize", asked)
        entry = RunEntry(number, job.number, text, self.policy.digest(), self.place.language)
        self.place.runs.append(entry)
        self.remember()
        return entry

    def job(self, run: RunEntry) -> Job:
        """Return the job of a run."""
        return self.book.job(run.job)

    def made(self, run: RunEntry) -> Path | None:
        """Return the release that a run made, if it has."""
        job = self.job(run)
        return self.crew.folder(job) if job.state == "done" else None

    @property
    def chosen(self) -> RunEntry | None:
        """The run that is looked at: the one somebody chose, else the last that has a release."""
        done = [run for run in self.place.runs if self.made(run) is not None]
        return next((run for run in done if run.number == self.place.chosen), done[-1] if done else None)

    @property
    def language(self) -> str:
        """The language of the report: that of the run that is looked at, else the one of the screen."""
        return self.place.language if self.chosen is None else self.chosen.language

    @property
    def stale(self) -> bool:
        """Whether the policy was changed since the run that is looked at."""
        return self.chosen is not None and self.chosen.digest != self.policy.digest()

    def questions(self, run: RunEntry) -> Job:
        """Return the job that asks the three questions about a run; runs that ask for the same share one."""
        first = next(one for one in self.place.runs if one.digest == run.digest)
        kept = self.folder / "runs" / f"run-{first.number}.yaml"
        asked: dict[str, Json] = {"source": str(self.source), "policy": str(kept)}
        return self.book.submit("questions", asked, key=f"questions-{first.number}-{first.job}")

    def pseudonym_key(self) -> Path:
        """Return the file with the key of pseudonyms, which only its owner can read; it is made where there is none."""
        file = self.folder.resolve() / "pseudonym.key"
        if not file.exists():
            held = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(held, "w", encoding="ascii") as written:
                written.write(secrets.token_hex(32))
        return file

    @property
    def predictable(self) -> list[str]:
        """Columns that somebody may want to predict from a release: published as they are, and with values that recur."""
        roles, rows = self.roles(), self.found.table.rows
        kept = (Role.TARGET, Role.SENSITIVE, Role.PLAIN)
        return [
            one.name
            for one in self.profile
            if roles[one.name] in kept and 2 <= one.distinct <= rows / 2 and not one.missing
        ]

    def predicting(self, run: RunEntry) -> Job | None:
        """Return the job that predicts the chosen column from the release of a run, if one is chosen; it is asked for once."""
        folder, target = self.made(run), self.place.predicted
        if folder is None or not target:
            return None
        asked: dict[str, Json] = {"source": str(self.source), "release": str(folder), "target": target}
        if self.place.reading:
            asked["reading"] = self.place.reading
        key = f"utility-{run.number}-{run.job}-{target}"
        number = self.counted(key, lambda: self.book.submit("utility", asked, key=key).number)
        return self.book.job(number)

    # ---- what outsiders have -------------------------------------------------------------------------------------------

    def outside(self, kind: str) -> Path | None:
        """Return the table of outsiders of a kind, if there is one: a ``register`` of persons, or an ``earlier`` release."""
        held = self.place.outside.get(kind)
        return None if held is None else self.folder / "outside" / held

    def outside_columns(self, kind: str) -> list[str]:
        """Return the columns of a table of outsiders; none if it is not there."""
        file = self.outside(kind)
        return [] if file is None or not file.is_file() else list(open_found(Described.of(str(file), {})).table.columns)

    def bring_outside(self, file: Path, kind: str) -> None:
        """Take a file as a table that outsiders have; one that tells of no column that is known outside is refused."""
        table = open_found(Described.of(str(file), {})).table
        known = self.policy.of_role(Role.QUASI_IDENTIFIER)
        if not set(known) & set(table.columns):
            raise BadRequest("has none of the columns that are known outside", parameter="file", available=known)
        room = self.folder / "outside"
        room.mkdir(mode=0o700, exist_ok=True)
        self.drop_outside(kind)
        held = f"{kind}{file.suffix.lower()}"  # what somebody called it may name a person
        file.replace(room / held)
        self.place.outside[kind] = held
        self.remember()

    def drop_outside(self, kind: str) -> None:
        """Remove a table of outsiders."""
        file = self.outside(kind)
        if file is None:
            return
        file.unlink(missing_ok=True)
        del self.place.outside[kind]
        self.place.names = "" if kind == "register" else self.place.names
        self.remember()

    def attack_again(self, run: RunEntry) -> Job:
        """Ask a worker to attack a run with what outsiders have."""
        folder = self.made(run)
        if folder is None or not self.place.outside:
            raise BadRequest("needs a release, and a table to attack it with", parameter="outside")
        asked: dict[str, Json] = {"source": str(self.source), "release": str(folder)}
        asked |= {kind: str(self.outside(kind)) for kind in self.place.outside}
        if self.place.reading:
            asked["reading"] = self.place.reading
        if self.place.names:
            asked["name"] = self.place.names
        job = self.book.submit("outside", asked)
        self.place.again.setdefault(str(run.job), []).append(job.number)
        self.remember()
        return job

    def attacked_again(self, run: RunEntry) -> Job | None:
        """Return the last job that attacked a run with what outsiders have, if it was asked for."""
        numbers = self.place.again.get(str(run.job))
        return None if not numbers else self.book.job(numbers[-1])

    def _attacks(self, run: RunEntry) -> list[Path]:
        """Return where jobs left what they found on a run with what outsiders have; one that was stopped takes nothing back."""
        jobs = [self.book.job(number) for number in self.place.again.get(str(run.job), ())]
        return [self.crew.folder(job) for job in jobs if job.state == "done"]

    def findings(self, run: RunEntry) -> Findings | None:
        """Return what attacks found on a run when it was made, joined with what they found with what outsiders have."""
        folder, evidence = self.made(run), Evidence()
        if folder is not None:
            evidence = self.counted(("evidence", run.number, run.job), lambda: read_evidence(folder / "private"))
        found = evidence.findings
        for place in () if found is None else self._attacks(run):
            later = self.counted(("outside", str(place)), partial(_read_findings, place / "audit.json"))
            found = later if found is None else found.joined(later)
        return found

    def register_groups(self, run: RunEntry) -> dict[str, dict[str, list[int]]]:
        """Return the sizes of groups before and after in records and in persons of the register; nothing without one."""
        files = [place / "groups.json" for place in self._attacks(run)]
        held = [file for file in files if file.is_file()]
        groups: dict[str, dict[str, list[int]]] = json.loads(held[-1].read_bytes()) if held else {}
        return groups

    def said_yes(self, run: RunEntry) -> list[Yes]:
        """Return which attacks on a run say yes: those that were tried on it, and the three questions once answered."""
        answers = self.answers(self.questions(run))
        questions = () if answers is None else answers["questions"]
        return answered_yes(Evidence(findings=self.findings(run), questions=questions))

    def answers(self, job: Job) -> dict[str, Any] | None:
        """Return the answers to the three questions, if they are there."""
        if self.book.job(job.number).state != "done":
            return None
        found: dict[str, Any] = json.loads((self.crew.folder(job) / QUESTIONS).read_bytes())
        return found

    def accept(self, attacks: Sequence[str], reason: str) -> None:
        """Accept what attacks found, with a reason that stands in the policy; without one it is taken back."""

        def change(document: Spec) -> None:
            held = cast("list[dict[str, Json]]", document.pop("accepted", []))
            kept = [dict(one) for one in held if one["id"] not in attacks]
            kept += [{"id": attack, "reason": reason.strip()} for attack in attacks if reason.strip()]
            if kept:
                document["accepted"] = cast("Json", kept)

        self.edit(change)

    def forget(self, run: RunEntry) -> None:
        """Leave a run out of the list; its job is ended."""
        self.book.cancel(run.job, "discard")
        self.place.runs.remove(run)
        self.remember()

    def copied(self) -> Path:
        """Give the release of the chosen run its name in the project; one that is signed is never replaced."""
        run = self.chosen
        made = None if run is None else self.made(run)
        if made is None:
            raise BadRequest("there is no release yet; search first", parameter="run")
        target = self.folder / "release"
        if (target / "public" / SIGNATURE).exists():
            raise Taken("is signed already and stays; move it away to write another", parameter="release")
        beside = self.folder / ".release"
        if beside.exists():
            shutil.rmtree(beside)
        shutil.copytree(made, beside)
        self.tell(beside)
        if target.exists():
            shutil.rmtree(target)
        beside.replace(target)
        return target

    def tell(self, release: Path) -> None:
        """Put what was answered and accepted since the chosen run into its release, and make the page of the house anew."""
        run, inside = self.chosen, release / "private"
        kept = Policy.load(inside / "policy.yaml")
        if run is None or not kept.digest() == run.digest == self.policy.digest():
            raise BadRequest("the policy asks for another release now; write it again", parameter="release")
        answers = self.answers(self.questions(run))
        if answers is not None:
            keep_questions(inside, answers)
        found = self.findings(run)
        if found is not None and str(run.job) in self.place.again:
            keep_findings(inside, found)
        asked = kept.model_copy(update={"accepted": self.policy.accepted})
        (inside / "policy.yaml").write_text(asked.to_yaml(), encoding="utf-8")
        report(release, language=run.language)

    def enter(self, release: Path, series: str) -> None:
        """Enter a release in the ledger of the project, as the next of a series; the first one begins the ledger."""
        place = self.folder / "ledger"
        with Ledger(place) if place.exists() else Ledger.create(place) as ledger:
            ledger.add(release, series)

    def entered(self, release: Path) -> tuple[str, int] | None:
        """Return the series and the number under which the ledger of the project knows a release, if it does."""
        place = self.folder / "ledger"
        if not place.exists() or not release.exists():
            return None
        digest = certificate_digest(release)
        with Ledger(place) as ledger:
            past = (one for series in ledger.series for one in ledger.history(series))
            return next(((one.series, one.release) for one in past if one.certificate == digest), None)

    # ---- real rows -----------------------------------------------------------------------------------------------------

    @property
    def unlocked(self) -> float:
        """For how many seconds rows of real people may still be shown."""
        return max(self._unlocked - time.monotonic(), 0.0)

    def unlock(self, reason: str) -> None:
        """Show rows of real people for a quarter of an hour; when and why is written down, and stays in the house."""
        if not reason.strip():
            raise BadRequest("must be given, in words", parameter="reason")
        log = os.open(self.folder / "unlocked.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        with os.fdopen(log, "a", encoding="utf-8") as written:
            written.write(json.dumps({"at": round(time.time()), "reason": reason.strip()}) + "\n")
        self._unlocked = time.monotonic() + _UNLOCKED

    def lock(self) -> None:
        """Show nobody any more."""
        self._unlocked = 0.0

    def speak(self, language: str) -> None:
        """Show pages in another language from now on."""
        self.place = replace(self.place, language=language)
        self.remember()
