"""sfumato: turn personal data into data that can be published, and prove that it may be.

What you want to do, and the name for it:

- look at a table: :func:`profile`, :func:`draft` (a policy to start from)
- find what names a person: :func:`detect`; judge a table by the Safe Harbor rule of HIPAA: :func:`safe_harbor`
- ask what to ask for: :func:`advise` (who gets the data, and what follows); say what you want: :class:`Policy`
- publish: :func:`anonymize` (in memory), :func:`publish` (to a folder), :func:`apply` (the same to later data)
- choose between levels: :func:`explore` (every choice that satisfies a policy, and what it costs)
- choose an algorithm, or a k: :func:`compare` (what each reaches and costs, and which is best)
- judge: :func:`check` (any table), :func:`verify` (a release folder), :func:`measure` (what it cost)
- judge what data mining found, before it is given away: :func:`check_results`
- say whose a release is: :func:`sign`
- ask what an outsider could find: :func:`attack` (one way), :func:`audit` (every way that can be tried),
  :func:`three_questions` (singling out, linkability, inference, against a control group)
- show it to a person: :func:`report` (the page of a release folder, internal or public), :func:`dossier` (for experts to sign)
- decide by hand: :func:`recode`, :func:`perturb`, :func:`release` (every other kind of release)
- publish counts and sums: :func:`tabulate`; counts beside a release: :func:`marginals`
- ask what a release is still good for: :func:`classification_utility`, :func:`utility_against_k`, :func:`cluster_utility`,
  :func:`survey_utility`
- read about anything by its id: :func:`describe`
- remember what was published, and what privacy budgets have left: :class:`Ledger`
- answer questions about a table that is not published: :class:`Desk`
- watch long work, cancel it, give it a deadline: :class:`Run`, which every verb above takes that can take long

What answers are made of: :class:`Release`, :class:`Certificate`, :class:`Verdict`, :class:`Judgement`. What models judge
outside of a verb: :class:`Publication` (a table with its quasi-identifiers), :class:`GroupStats` (groups alone), :class:`Tree`
(a hierarchy). What an adversary knows: :class:`TableKnowledge`.

Things live in rooms by kind: ``sfumato.models``, ``sfumato.metrics``, ``sfumato.hierarchies``, ``sfumato.recodings``,
``sfumato.algorithms``; tables of the papers in ``sfumato.datasets``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.contracts.certificate import Certificate
    from sfumato.contracts.engine import Table
    from sfumato.contracts.knowledge import TableKnowledge
    from sfumato.contracts.model import Verdict
    from sfumato.contracts.publication import Publication
    from sfumato.contracts.published import Judgement, Published, Release
    from sfumato.contracts.run import Run
    from sfumato.data.schema import ColumnType, Role
    from sfumato.data.tree import Tree
    from sfumato.engines import from_rows, read
    from sfumato.errors import BadRequest, Cancelled, Infeasible, InternalError, SfumatoError, Unsupported
    from sfumato.groups.anatomy import anatomy_groups
    from sfumato.groups.stats import GroupStats
    from sfumato.interactive.desk import Desk
    from sfumato.ledger.ledger import Ledger
    from sfumato.tables.open import from_dataset
    from sfumato.tables.policy import ColumnPolicy, Policy
    from sfumato.verbs.advise import advise
    from sfumato.verbs.anonymize import anonymize
    from sfumato.verbs.apply import apply
    from sfumato.verbs.attack import attack
    from sfumato.verbs.audit import audit
    from sfumato.verbs.check import check
    from sfumato.verbs.check_results import check_results
    from sfumato.verbs.cluster_utility import cluster_utility
    from sfumato.verbs.compare import Comparison, compare
    from sfumato.verbs.describe import describe
    from sfumato.verbs.detect import detect
    from sfumato.verbs.dossier import dossier
    from sfumato.verbs.draft import draft
    from sfumato.verbs.explore import explore
    from sfumato.verbs.marginals import marginals
    from sfumato.verbs.measure import measure
    from sfumato.verbs.perturb import perturb
    from sfumato.verbs.profile import profile
    from sfumato.verbs.publish import publish
    from sfumato.verbs.recode import recode
    from sfumato.verbs.release import release
    from sfumato.verbs.report import report
    from sfumato.verbs.safe_harbor import safe_harbor
    from sfumato.verbs.sign import sign
    from sfumato.verbs.survey_utility import survey_utility
    from sfumato.verbs.tabulate import tabulate
    from sfumato.verbs.three_questions import three_questions
    from sfumato.verbs.utility import classification_utility, utility_against_k
    from sfumato.verbs.verify import verify

__version__ = "0.2.0"

# Names are looked up on first use, so that importing sfumato stays quick.
_HOMES = {
    "Verdict": "sfumato.contracts.model",
    "Tree": "sfumato.data.tree",
    "TableKnowledge": "sfumato.contracts.knowledge",
    "Role": "sfumato.data.schema",
    "Publication": "sfumato.contracts.publication",
    "Judgement": "sfumato.contracts.published",
    "ColumnType": "sfumato.data.schema",
    "Certificate": "sfumato.contracts.certificate",
    "Table": "sfumato.contracts.engine",
    "Published": "sfumato.contracts.published",
    "Release": "sfumato.contracts.published",
    "Run": "sfumato.contracts.run",
    "from_rows": "sfumato.engines",
    "BadRequest": "sfumato.errors",
    "Cancelled": "sfumato.errors",
    "Infeasible": "sfumato.errors",
    "InternalError": "sfumato.errors",
    "SfumatoError": "sfumato.errors",
    "Unsupported": "sfumato.errors",
    "anatomy_groups": "sfumato.groups.anatomy",
    "GroupStats": "sfumato.groups.stats",
    "Desk": "sfumato.interactive.desk",
    "Ledger": "sfumato.ledger.ledger",
    "ColumnPolicy": "sfumato.tables.policy",
    "Policy": "sfumato.tables.policy",
    "advise": "sfumato.verbs.advise",
    "anonymize": "sfumato.verbs.anonymize",
    "apply": "sfumato.verbs.apply",
    "attack": "sfumato.verbs.attack",
    "audit": "sfumato.verbs.audit",
    "check": "sfumato.verbs.check",
    "check_results": "sfumato.verbs.check_results",
    "classification_utility": "sfumato.verbs.utility",
    "cluster_utility": "sfumato.verbs.cluster_utility",
    "Comparison": "sfumato.verbs.compare",
    "compare": "sfumato.verbs.compare",
    "describe": "sfumato.verbs.describe",
    "detect": "sfumato.verbs.detect",
    "dossier": "sfumato.verbs.dossier",
    "draft": "sfumato.verbs.draft",
    "explore": "sfumato.verbs.explore",
    "marginals": "sfumato.verbs.marginals",
    "measure": "sfumato.verbs.measure",
    "from_dataset": "sfumato.tables.open",
    "read": "sfumato.engines",
    "perturb": "sfumato.verbs.perturb",
    "profile": "sfumato.verbs.profile",
    "publish": "sfumato.verbs.publish",
    "recode": "sfumato.verbs.recode",
    "release": "sfumato.verbs.release",
    "report": "sfumato.verbs.report",
    "safe_harbor": "sfumato.verbs.safe_harbor",
    "sign": "sfumato.verbs.sign",
    "survey_utility": "sfumato.verbs.survey_utility",
    "tabulate": "sfumato.verbs.tabulate",
    "three_questions": "sfumato.verbs.three_questions",
    "utility_against_k": "sfumato.verbs.utility",
    "verify": "sfumato.verbs.verify",
}

__all__ = [
    "BadRequest",
    "Cancelled",
    "Certificate",
    "ColumnPolicy",
    "ColumnType",
    "Comparison",
    "Desk",
    "GroupStats",
    "Infeasible",
    "InternalError",
    "Judgement",
    "Ledger",
    "Policy",
    "Publication",
    "Published",
    "Release",
    "Role",
    "Run",
    "SfumatoError",
    "Table",
    "TableKnowledge",
    "Tree",
    "Unsupported",
    "Verdict",
    "advise",
    "anatomy_groups",
    "anonymize",
    "apply",
    "attack",
    "audit",
    "check",
    "check_results",
    "classification_utility",
    "cluster_utility",
    "compare",
    "describe",
    "detect",
    "dossier",
    "draft",
    "explore",
    "from_dataset",
    "from_rows",
    "marginals",
    "measure",
    "perturb",
    "profile",
    "publish",
    "read",
    "recode",
    "release",
    "report",
    "safe_harbor",
    "sign",
    "survey_utility",
    "tabulate",
    "three_questions",
    "utility_against_k",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
