"""What this room offers by name; written by tools/stubs.py."""

from sfumato.graphs.releases.edited_graph import EditedGraph as EditedGraph
from sfumato.graphs.releases.noisy_graph_answers import NoisyGraphAnswers as NoisyGraphAnswers
from sfumato.graphs.releases.supernode_graph import SupernodeFacts as SupernodeFacts
from sfumato.graphs.releases.supernode_graph import SupernodeGraph as SupernodeGraph
from sfumato.graphs.releases.synthetic_graph import SyntheticGraph as SyntheticGraph
