"""What this room offers by name; written by tools/stubs.py."""

from sfumato.sequels.algorithms.bcf_anonymizer import BCFAnonymizer as BCFAnonymizer
from sfumato.sequels.algorithms.bcf_anonymizer import BCFFacts as BCFFacts
from sfumato.sequels.algorithms.byun_incremental import ByunFacts as ByunFacts
from sfumato.sequels.algorithms.byun_incremental import ByunIncremental as ByunIncremental
from sfumato.sequels.algorithms.hd_composition import HDComposition as HDComposition
from sfumato.sequels.algorithms.hd_composition import HDFacts as HDFacts
from sfumato.sequels.algorithms.hd_composition import HDRelease as HDRelease
from sfumato.sequels.algorithms.incremental_baselines import BaselineFacts as BaselineFacts
from sfumato.sequels.algorithms.incremental_baselines import IncrementalBaselines as IncrementalBaselines
from sfumato.sequels.algorithms.m_invariance_anonymize import CounterfeitFacts as CounterfeitFacts
from sfumato.sequels.algorithms.m_invariance_anonymize import Counterfeited as Counterfeited
from sfumato.sequels.algorithms.m_invariance_anonymize import MInvarianceAnonymize as MInvarianceAnonymize
from sfumato.sequels.algorithms.m_invariance_anonymize import auxiliary_table as auxiliary_table
from sfumato.sequels.algorithms.seq_baselines import Baseline as Baseline
from sfumato.sequels.algorithms.seq_baselines import SeqBaselines as SeqBaselines
from sfumato.sequels.algorithms.seq_baselines import baselines as baselines
from sfumato.sequels.algorithms.seq_baselines import recoded as recoded
from sfumato.sequels.algorithms.seq_baselines import share_lost as share_lost
from sfumato.sequels.algorithms.tds4sa import JoinRefinery as JoinRefinery
from sfumato.sequels.algorithms.tds4sa import TDS4SA as TDS4SA
