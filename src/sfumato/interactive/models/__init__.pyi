"""What this room offers by name; written by tools/stubs.py."""

from sfumato.interactive.models.anonymous_patterns import AnonymousPatterns as AnonymousPatterns
from sfumato.interactive.models.anonymous_patterns import PatternVerdict as PatternVerdict
from sfumato.interactive.models.anonymous_patterns import Sanitised as Sanitised
from sfumato.interactive.models.perfect_secrecy import PerfectSecrecy as PerfectSecrecy
from sfumato.interactive.models.perfect_secrecy import RelationQuery as RelationQuery
from sfumato.interactive.models.perfect_secrecy import Secrecy as Secrecy
from sfumato.interactive.models.perfect_secrecy import Tuples as Tuples
from sfumato.interactive.models.query_audit_offline import LogAudit as LogAudit
from sfumato.interactive.models.query_audit_offline import LoggedQuery as LoggedQuery
from sfumato.interactive.models.query_audit_offline import QueryAuditOffline as QueryAuditOffline
from sfumato.interactive.models.query_audit_online import QueryAuditOnline as QueryAuditOnline
from sfumato.interactive.models.query_audit_online import SumAudit as SumAudit
from sfumato.interactive.models.simulatable_audit import AnsweredMaxima as AnsweredMaxima
from sfumato.interactive.models.simulatable_audit import MaximumAudit as MaximumAudit
from sfumato.interactive.models.simulatable_audit import SimulatableAudit as SimulatableAudit
