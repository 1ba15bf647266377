"""What the publisher asks for where data are documents: where the texts are, what is told in them, what may be lost."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from sfumato.catalogue import build, requirement
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.model import TableModel
from sfumato.contracts.thing import Thing
from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.identifiers.small_zips import DEFAULT_ZIPS, known_zip_lists, small_zips
from sfumato.policy import LimitPolicy, Section, SharedPolicy, Spec, SpecOrId, without
from sfumato.tables.policy import KEY_VARIABLE
from sfumato.text.contexts import Contexts
from sfumato.text.linking import Comparison
from sfumato.text.recodings.date_shift import DateShift
from sfumato.text.recodings.surrogates import Surrogates
from sfumato.text.replacing import PARTLY, Replace, Replacing
from sfumato.text.safe_harbor import SAFE_HARBOR_TYPES
from sfumato.text.vault import Vault

__all__ = [
    "ContextPolicy",
    "DocumentPolicy",
    "EntityPolicy",
    "KeyPolicy",
    "LinkingPolicy",
    "TextLimits",
    "TextPolicy",
]


class DocumentPolicy(Section):
    """Where the texts are."""

    column: str | None = None
    """The column that holds the texts; a folder of text files has none."""
    tagged: bool = False
    """Whether texts hold tags around what they tell of persons: <name>Ann</name>."""
    language: Literal["en", "de"] | None = None
    """How dates are read that may mean two days, and whose names and places surrogates have; that of each text if not given."""
    extract: bool | None = None
    """Whether texts without tags are searched for what they tell; if not said, where types are named and nothing is tagged."""
    model: str | None = None
    """File of a model that finds it (``sfumato text train``); that of the package if not given."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.tagged and (self.extract or self.model is not None):
            raise PydanticCustomError("documents", "texts are tagged, or extraction finds what they tell: not both")
        return self


class EntityPolicy(Section):
    """What one type of span is to an adversary, and how it may be masked."""

    role: Role
    """What a span of this type is: identifier, quasi-identifier, sensitive or plain."""
    hierarchy: SpecOrId | None = None
    """How values become more general, in the statistical mode: the id of a hierarchy and its parameters."""
    link: bool | Literal["similar"] = False
    """Whether documents that tell the same of this type are of the same person; ``similar`` is weighed with others like it."""
    replace: Replace | None = None
    """What spans of this type become in every mode: surrogate, shift (dates), hash, year, zip3, age90, placeholder."""
    like: Literal["name", "email", "username", "town", "code", "street", "house", "employer", "url", "form"] | None = (
        None
    )
    """What surrogates look like, where the name of the type does not tell."""
    days: int | None = Field(default=None, ge=1, le=3660)
    """Most days by which dates move; half a year if not given."""
    keep_weekday: bool = False
    """Whether dates that move keep their day of the week."""
    allow: tuple[str, ...] = ()
    """Words that are no such thing, wherever they are tagged or found."""
    deny: tuple[str, ...] = ()
    """Words that are such a thing wherever they stand."""

    threshold: float | None = Field(default=None, gt=0.0, le=1.0)
    """How likely it must be, in texts without tags; the best reading of the whole sentence decides if not given."""
    context: tuple[str, ...] = ()
    """Words that hint at it shortly before, in texts without tags: half of the threshold is enough then."""

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.replace != "shift" and (self.days is not None or self.keep_weekday):
            raise PydanticCustomError("entity", "days and keep_weekday are for replace: shift")
        if self.replace != "surrogate" and self.like is not None:
            raise PydanticCustomError("entity", "like is for replace: surrogate")
        if self.replace is not None and self.hierarchy is not None:
            raise PydanticCustomError("entity", "give a hierarchy or replace, not both")
        if set(map(str.casefold, self.allow)) & set(map(str.casefold, self.deny)):
            raise PydanticCustomError("entity", "a word is allowed and denied")
        return self


class KeyPolicy(Section):
    """Where the key of surrogates, hashes and shifts is; as for pseudonyms."""

    key_file: str | None = None
    """File that holds the key, at least 16 random bytes."""
    key_variable: str | None = None
    """Environment variable that holds the key; SFUMATO_PSEUDONYM_KEY if no place is named."""
    namespace: str = ""
    """What is made under different namespaces cannot be compared."""
    vault: str | None = None
    """File that remembers what was invented, by keyed hashes; it holds no original. Nothing is remembered if not given."""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.key_file is not None and self.key_variable is not None:
            raise PydanticCustomError("surrogates", "needs either key_file or key_variable")
        return self

    def place(self) -> dict[str, str]:
        """Return where the key is, as things take it."""
        if self.key_file is not None:
            return {"key_file": self.key_file}
        return {"key_variable": self.key_variable or KEY_VARIABLE}


class LinkingPolicy(Section):
    """When documents that share no key are of one person: weights of Fellegi and Sunter, in bits."""

    link_at: float = 8.0
    """From this weight on two documents are of one person."""
    review_at: float = 3.0
    """From this weight on somebody should look; the list is kept in the private folder."""
    alike: float = Field(default=0.9, ge=0.0, le=1.0)
    """How similar two texts must be to agree, from 0 to 1."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.review_at > self.link_at:
            raise PydanticCustomError("linking", "review_at must not be above link_at")
        return self


class ContextPolicy(Section):
    """What the public knows of entities, for k-safety."""

    file: str | None = None
    """A JSON file of lists of terms by entity, or a table with a column of entities and a column of terms."""
    entries: dict[str, tuple[str, ...]] | None = None
    """The terms of each entity, where no file holds them."""
    protected: tuple[str, ...] | None = None
    """The entities that no document may be traced to; all of them if not given."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.file is None) == (self.entries is None):
            raise PydanticCustomError("contexts", "give a file or entries")
        return self

    def known(self) -> Contexts:
        """Return the contexts."""
        return Contexts.of(self.entries if self.file is None else self.file, self.protected)


class TextLimits(LimitPolicy):
    """What masking may not exceed."""

    suppress_at_most: float = Field(default=0.0, ge=0.0, le=0.0)
    """No document is left out."""
    lose_at_most: float = Field(default=1.0, ge=0.0, le=1.0)
    """Largest share of words that may be masked."""


class TextPolicy(SharedPolicy):
    """A policy for documents."""

    person: str | None = None
    """The column that says whom a document is about; never published. Without it, documents are linked by what they tell."""
    documents: DocumentPolicy = DocumentPolicy()
    """Where the texts are."""
    entities: Mapping[str, EntityPolicy] = Field(default_factory=dict)
    """What is told in them, by the type of span."""
    profile: Literal["hipaa-safe-harbor"] | None = None
    """A set of entities that a rule names; those of the policy count more. HIPAA: eighteen classes, 45 CFR 164.514(b)(2)."""
    small_zips: str | tuple[str, ...] = DEFAULT_ZIPS
    """ZIP prefixes of few people, for zip3: a known list, a CSV file with zip3 and population, or the prefixes."""
    surrogates: KeyPolicy = KeyPolicy()
    """Where the key of surrogates, hashes and shifts is."""
    linking: LinkingPolicy = LinkingPolicy()
    """When documents that share no key are of one person."""
    contexts: ContextPolicy | None = None
    """What the public knows of entities, for k-safety."""
    limits: TextLimits = TextLimits()
    """What masking may not exceed."""
    algorithm: Spec = Field(default={"id": "hide-framework"})
    """Id and parameters of the algorithm; erase-greedy where k-safety alone is required."""
    metrics: tuple[SpecOrId, ...] = ()
    """Metrics to report: ids, or id and parameters."""

    @model_validator(mode="before")
    @classmethod
    def _asked(cls, given: object) -> object:
        """Where nothing is required, direct identifiers must go: a column of a table need say no more than what is in it.

        Where k-safety alone is required, terms are erased.
        """
        if isinstance(given, Mapping) and not {"requirements", "contexts"} & set(given):
            return {**given, "requirements": [{"id": "hide-deidentification-models"}]}
        if (
            isinstance(given, Mapping)
            and "algorithm" not in given
            and _asks_for_safety_alone(given.get("requirements"))
        ):
            return {**given, "algorithm": {"id": "erase-greedy"}}
        return given

    def known_entities(self) -> dict[str, EntityPolicy]:
        """Return what is told in the texts, with what the profile says of it."""
        rules = SAFE_HARBOR_TYPES if self.profile is not None else {}
        return {name: EntityPolicy.model_validate(rule) for name, rule in rules.items()} | dict(self.entities)

    def extracts(self) -> bool:
        """Tell whether texts without tags are searched for what they tell; k-safety looks for terms alone."""
        if self.documents.extract is not None:
            return self.documents.extract
        return not self.documents.tagged and any(spec["id"] != "k-safety" for spec in self.requirements)

    def roles(self) -> dict[str, Role]:
        """Return what each type of span is."""
        return {name: entry.role for name, entry in self.known_entities().items()}

    def links(self) -> tuple[str, ...]:
        """Return the types that tell whose a document is."""
        return tuple(name for name, entry in self.entities.items() if entry.link is True)

    def comparison(self) -> Comparison | None:
        """Return how documents without an equal key are compared, if they are."""
        types = tuple(name for name, entry in self.entities.items() if entry.link == "similar")
        asked = self.linking
        return Comparison(types, asked.link_at, asked.review_at, asked.alike) if types else None

    def release_year(self) -> int:
        """Return the year of the release, from which ages are reckoned: this year if the policy has no date."""
        return (self.date or datetime.date.today()).year

    def replacing(self) -> Replacing:
        """Return what is replaced by something else than a placeholder, and by which key."""
        known, place = self.known_entities(), {**self.surrogates.place(), "namespace": self.surrogates.namespace}
        language = self.documents.language
        spoken = {} if language is None else {"language": language}
        return Replacing(
            how={name: entry.replace for name, entry in known.items() if entry.replace is not None},
            surrogates=Surrogates.from_spec({**place, **spoken}),
            shifts={
                name: DateShift.from_spec(
                    {
                        **place,
                        **spoken,
                        "keep_weekday": entry.keep_weekday,
                        **({} if entry.days is None else {"days": entry.days}),
                    }
                )
                for name, entry in known.items()
                if entry.replace == "shift"
            },
            like={name: entry.like for name, entry in known.items() if entry.like is not None},
            vault=Vault() if self.surrogates.vault is None else Vault.load(Path(self.surrogates.vault)),
            language=language,
            year=self.release_year(),
            small_zips=small_zips(self.small_zips),
        )

    def hierarchies(self) -> dict[str, HierarchyBuilder]:
        """Return how types become more general, of those that do."""
        given = {name: entry.hierarchy for name, entry in self.entities.items() if entry.hierarchy is not None}
        return {name: build(spec, "hierarchy") for name, spec in given.items()}

    def _requirement(self, spec: Mapping[str, object]) -> Thing:
        """Return a requirement on documents, or one of tables: that is about what texts tell of each person."""
        kind = requirement(str(spec["id"]), self.shape)
        if not issubclass(kind, TableModel) or "qid" in spec:
            return kind.from_spec(spec)
        known = {name: entry for name, entry in self.known_entities().items() if entry.role is Role.QUASI_IDENTIFIER}
        partly = sorted(name for name, entry in known.items() if entry.replace in PARTLY)
        if partly:
            raise BadRequest(
                f"{kind.id} masks quasi-identifiers itself; give these a hierarchy instead of replace",
                parameter="entities",
                values=partly,
            )
        quasi = [name for name, entry in known.items() if entry.replace is None]
        if not quasi:
            raise BadRequest(f"{kind.id} needs a type with the role quasi-identifier", parameter="entities")
        return kind.from_spec({**spec, "qid": quasi})

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield from super()._things()
        for name, entry in self.entities.items():
            given = entry.hierarchy
            if given is not None and not (isinstance(given, dict) and given.get("file") is not None):
                yield ("entities", name, "hierarchy"), partial(build, given, "hierarchy")

    def _with_files_read(self, base: Path) -> Self:
        """Return the policy with its hierarchies and contexts read in, so that it stands on its own."""
        entities = {
            name: entry.model_copy(update={"hierarchy": build(entry.hierarchy, "hierarchy").resolved(base).spec()})
            if isinstance(entry.hierarchy, dict) and entry.hierarchy.get("file") is not None
            else entry
            for name, entry in self.entities.items()
        }
        contexts = self.contexts
        if contexts is not None and contexts.file is not None:
            known = Contexts.of(str(base / contexts.file))
            entries = {
                name: tuple(term for bit, term in enumerate(known.terms) if known.held[at] >> bit & 1)
                for name, at in known.place.items()
            }
            contexts = ContextPolicy(entries=entries, protected=contexts.protected)
        keys = self.surrogates
        model = self.documents.model
        documents = self.documents.model_copy(update={"model": None if model is None else str(base / model)})
        beside = {name: str(base / file) for name in ("key_file", "vault") if (file := getattr(keys, name)) is not None}
        keys = keys.model_copy(update=beside)
        zips = self.small_zips
        if isinstance(zips, str) and zips not in known_zip_lists():
            zips = tuple(sorted(small_zips(base / zips)))
        return self.model_copy(
            update={
                "entities": entities,
                "contexts": contexts,
                "surrogates": keys,
                "documents": documents,
                "small_zips": zips,
            }
        )

    def _fingerprinted(self) -> dict[str, Json]:
        out = super()._fingerprinted()
        held = out.pop("surrogates", None)
        told = without(held, "key_file", "key_variable", "vault") if isinstance(held, dict) else {}
        return {**out, "surrogates": told} if told else out

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        inside: dict[str, type[Section]] = {
            "documents": DocumentPolicy,
            "contexts": ContextPolicy,
            "surrogates": KeyPolicy,
            "linking": LinkingPolicy,
            "limits": TextLimits,
        }
        if len(path) > 1 and str(path[0]) in inside:
            return list(inside[str(path[0])].model_fields)
        if len(path) > 2 and path[0] == "entities":
            return list(EntityPolicy.model_fields)
        return super()._known_keys(path)


def _asks_for_safety_alone(requirements: object) -> bool:
    if not isinstance(requirements, (list, tuple)) or not requirements:
        return False
    ids = [one.get("id") if isinstance(one, Mapping) else getattr(one, "id", one) for one in requirements]
    return all(one == "k-safety" for one in ids)
