"""What this room offers by name; written by tools/stubs.py."""

from sfumato.sequels.models.bcf_anonymity import Asked as Asked
from sfumato.sequels.models.bcf_anonymity import BCFAnonymity as BCFAnonymity
from sfumato.sequels.models.bcf_anonymity import BCFLevels as BCFLevels
from sfumato.sequels.models.bcf_anonymity import attacked as attacked
from sfumato.sequels.models.bcf_anonymity import bcf_levels as bcf_levels
from sfumato.sequels.models.bcf_anonymity import levels_of as levels_of
from sfumato.sequels.models.bcf_beyond_anonymity import BCFBeyondAnonymity as BCFBeyondAnonymity
from sfumato.sequels.models.bcf_beyond_anonymity import residual_groups as residual_groups
from sfumato.sequels.models.hd_composition import HDComposition as HDComposition
from sfumato.sequels.models.m_invariance import MInvariance as MInvariance
from sfumato.sequels.models.seq_monotonicity import SeqMonotonicity as SeqMonotonicity
from sfumato.sequels.models.xy_privacy_join import JoinQuestion as JoinQuestion
from sfumato.sequels.models.xy_privacy_join import XYPrivacyJoin as XYPrivacyJoin
