"""What this room offers by name; written by tools/stubs.py."""

from sfumato.releases.aggregated_table import AggregatedTable as AggregatedTable
from sfumato.releases.anatomy_pair import AnatomyPair as AnatomyPair
from sfumato.releases.cluster_release import ClusterRelease as ClusterRelease
from sfumato.releases.condensed_table import CondensedTable as CondensedTable
from sfumato.releases.distorted_table import DistortedTable as DistortedTable
from sfumato.releases.grouped import GroupedKind as GroupedKind
from sfumato.releases.grouped import distinct_names as distinct_names
from sfumato.releases.grouped import one_or_more as one_or_more
from sfumato.releases.histogram_release import HistogramRelease as HistogramRelease
from sfumato.releases.joint_table import JointTable as JointTable
from sfumato.releases.mechanism import MechanismKind as MechanismKind
from sfumato.releases.mechanism import plain_mapping as plain_mapping
from sfumato.releases.mechanism import refuse_outside as refuse_outside
from sfumato.releases.noisy_answers import NoisyAnswers as NoisyAnswers
from sfumato.releases.permuted_table import PermutedTable as PermutedTable
from sfumato.releases.personal_table import PersonalBlock as PersonalBlock
from sfumato.releases.personal_table import PersonalTable as PersonalTable
from sfumato.releases.personal_table import added_rows as added_rows
from sfumato.releases.personal_table import judge_owners as judge_owners
from sfumato.releases.perturbed_table import PerturbedTable as PerturbedTable
from sfumato.releases.recoded_table import RecodedTable as RecodedTable
from sfumato.releases.sampled_table import SampledTable as SampledTable
from sfumato.releases.statistical_table import StatisticalTable as StatisticalTable
from sfumato.releases.statistical_table import complementary as complementary
from sfumato.releases.statistical_table import lonely_lines as lonely_lines
from sfumato.releases.synthetic_table import SyntheticTable as SyntheticTable
