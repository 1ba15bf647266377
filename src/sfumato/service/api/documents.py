"""What is asked and answered, as typed documents: fields of forms, of the OpenAPI description, and of clients."""

from __future__ import annotations

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from sfumato.data.json import Json
from sfumato.jobs.job import Job, State
from sfumato.policy import SourcePolicy
from sfumato.tables.profile import ColumnProfile

__all__ = [
    "AllotAsked",
    "AnonymizeAsked",
    "Answered",
    "AuditAsked",
    "Audited",
    "CancelAsked",
    "CheckAsked",
    "Checked",
    "DataTold",
    "DeskAsked",
    "DraftAsked",
    "Drafted",
    "JobTold",
    "ProfileAsked",
    "Profiled",
    "QuestionAsked",
    "ReleaseTold",
    "ReportAsked",
    "Reported",
    "TokenTold",
    "VerdictTold",
    "Verified",
    "VerifyAsked",
]

_REQUIREMENT = {"$ref": "#/components/schemas/Requirement"}
PolicyGiven = Annotated[
    str | dict[str, object], WithJsonSchema({"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/Policy"}]})
]
Requirement = Annotated[str | dict[str, object], WithJsonSchema(_REQUIREMENT)]
Language = Annotated[str, Field(min_length=2, max_length=8)]


class Closed(BaseModel):
    """A document that has no other keys, and no number that is none."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)


# ---- asked -------------------------------------------------------------------------------------------------------------


class DataAsked(Closed):
    """Something about data in the room."""

    data: str
    """Name of the data, brought or laid there."""
    reading: SourcePolicy | None = None
    """How they are written, where they do not say so themselves."""


class ProfileAsked(DataAsked):
    """What do the columns hold?"""

    shape: str = "table"
    """Shape of the data."""


class DraftAsked(ProfileAsked):
    """Propose a policy."""

    k: int = Field(default=5, ge=2, le=1_000_000)
    """How many records must look alike."""


class CheckAsked(DataAsked):
    """Does a table satisfy requirements as it stands?"""

    policy: PolicyGiven | None = None
    """The policy, as a document or as YAML."""
    requirements: list[Requirement] | None = Field(default=None, max_length=100)
    """Requirements without a policy: ids, or ids with parameters."""
    qid: list[str] | None = None
    """Columns that an adversary may know."""
    worst: int = Field(default=5, ge=0, le=1000)
    """How many violating groups are listed, by size alone."""


class AnonymizeAsked(DataAsked):
    """Make a release."""

    policy: PolicyGiven
    """The policy, as a document or as YAML."""
    language: Language = "en"
    """Language of the pages."""


class VerifyAsked(Closed):
    """Does a release hold what it certifies?"""

    release: str
    """Its id."""


class AuditAsked(VerifyAsked):
    """Which attacks work on a release?"""

    raw: str | None = None
    """Data before masking, to compare with."""
    external: str | None = None
    """Data that an adversary has."""
    threshold: float = Field(default=0.2, ge=0, lt=1)
    """A risk above it counts as exposed."""
    thorough: bool = False
    """Whether attacks that take long are tried."""


class ReportAsked(VerifyAsked):
    """Make a page about a release."""

    edition: Literal["public", "internal"] = "public"
    """The internal one must stay in the house, and needs the permission for private files."""
    language: Language = "en"
    """Language of the page."""


class DeskAsked(DataAsked):
    """A table that is asked and never shown."""

    policy: PolicyGiven
    """The policy of the desk."""


class QuestionAsked(Closed):
    """A question to a desk."""

    question: str = Field(min_length=1, max_length=10_000)
    """Such as: count where age >= 30 group by sex."""
    epsilon: float | None = Field(default=None, gt=0)
    """What each aggregate may cost; that of the policy if not given."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """Confidence of the stated errors."""
    way: Literal["ask", "explain", "practice"] = "ask"
    """Ask; or say what it would cost; or ask an invented table."""


class AllotAsked(Closed):
    """A privacy budget."""

    epsilon: float = Field(gt=0)
    """How much epsilon."""
    delta: float = Field(default=0.0, ge=0, lt=1)
    """How much delta."""
    days: float | None = Field(default=None, gt=0, le=36525)
    """Bound what is spent within any so many days; ever if not given."""


class CancelAsked(Closed):
    """End a job."""

    how: Literal["keep", "discard"] = "discard"
    """With the best valid result so far, or with none."""


# ---- answered ------------------------------------------------------------------------------------------------------------


class JobTold(BaseModel):
    """A piece of work: how far it is, and what came of it."""

    job: int
    verb: str
    state: State
    stage: str
    done: float
    total: float | None
    note: str
    made: float
    begun: float | None
    ended: float | None
    error: str
    release: str | None
    """The release that it makes, if it makes one; it is there when the job is done."""

    @classmethod
    def facts(cls, job: Job) -> dict[str, object]:
        """Return what every document about a job says."""
        release = job.asked.get("release") if job.task == "anonymize" else None
        return {
            "job": job.number,
            "verb": job.task,
            "release": None if release is None else str(release).rpartition("/")[2],
            **{name: getattr(job, name) for name in ("state", "stage", "done", "total", "note")},
            **{name: getattr(job, name) for name in ("made", "begun", "ended", "error")},
        }


Result = TypeVar("Result")


class Answered(JobTold, Generic[Result]):
    """A piece of work with its result: of a kind of its own for each verb, nothing before it is done."""

    result: Result | None


class Profiled(BaseModel):
    """The columns in numbers; data that are no table are told in sentences."""

    columns: list[ColumnProfile]
    told: list[str]


class Drafted(BaseModel):
    """A commented policy in YAML."""

    policy: str


class VerdictTold(BaseModel):
    """The answer of one requirement; values of groups stay where the table is."""

    model_config = ConfigDict(extra="allow")

    model: str
    parameters: dict[str, Json]
    qid: list[str]
    satisfied: bool
    strongest: float | int | str | None
    bound: str
    groups: int
    records: int
    violating_groups: int
    violating_records: int
    violations: list[dict[str, Json]]
    adversary: str


class Checked(BaseModel):
    """Whether all requirements hold, and each of them."""

    satisfied: bool
    verdicts: list[VerdictTold]


class Verified(BaseModel):
    """What a stranger can establish from the public files."""

    model_config = ConfigDict(extra="allow")

    verified: bool
    checked: bool
    verdicts: list[VerdictTold]
    certificate: dict[str, Json]


class Audited(BaseModel):
    """What attacks found: counts and shares."""

    model_config = ConfigDict(extra="allow")

    threshold: float
    records: int
    tried: list[dict[str, Json]]
    untried: list[dict[str, Json]]


class Reported(BaseModel):
    """The page lies at ``/v1/jobs/NUMBER/report``."""

    edition: str
    bytes: int


class DataTold(BaseModel):
    """A file in the room."""

    name: str
    bytes: int


class ReleaseTold(BaseModel):
    """A release: its files that may go, whether somebody signed it, and what is certified."""

    release: str
    files: list[DataTold]
    certificate: dict[str, Json] | None = None


class TokenTold(BaseModel):
    """Whose token it is, what it may, what it may use and has used."""

    name: str
    role: str
    room: str
    scopes: list[str]
    until: float | None
    quota: dict[str, int]
    used: dict[str, int]
