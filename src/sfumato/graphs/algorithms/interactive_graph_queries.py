"""Interactive graph queries as an algorithm: questions that a policy lists are answered with noise; no graph is published."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, SearchTraits
from sfumato.contracts.built import Built
from sfumato.contracts.mechanism import Mechanism
from sfumato.contracts.model import Audit, MechanismModel
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.graphs.models.edge_differential_privacy import EdgeDifferentialPrivacy
from sfumato.graphs.recodings.interactive_graph_queries import GraphSession, InteractiveGraphQueries
from sfumato.graphs.releases.noisy_graph_answers import NoisyGraphAnswers
from sfumato.graphs.task import GraphTask

__all__ = ["AnsweredGraphQueries"]


class AnsweredGraphQueries(Mechanism[GraphTask]):
    """Answer the listed questions about a graph with Laplace noise; each gets an equal share of epsilon.

    What each question tells and how much one link changes it is said with the operation of the same name. A budget of a ledger
    that the policy names is charged once for all answers, before anything is drawn. No seed repeats the noise.

    Adversary: may know every link but one and sees all answers.

    Examples
    --------
    >>> AnsweredGraphQueries(epsilon=1.0).promised(EdgeDifferentialPrivacy(epsilon=1.0)).satisfied
    True

    References
    ----------
    Rastogi, Hay, Miklau, Suciu, "Relationship privacy: output perturbation for queries with joins", 2009,
    doi:10.1145/1559795.1559812.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.6.
    """

    id: ClassVar[str] = "interactive-graph-queries"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=NoisyGraphAnswers.id,
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        cost="linear in the number of links",
    )
    procedures: ClassVar[tuple[str, ...]] = (EdgeDifferentialPrivacy.id,)

    epsilon: float = param(gt=0, doc="what all answers together may spend on every link")
    questions: tuple[str, ...] = param(
        default=("links", "degree-histogram", "triangles"),
        doc="links, degree-histogram, triangles, two-paths, label-pairs",
    )
    cap: int = param(default=20, ge=2, doc="how many links of a node count for triangles and paths")

    def validate(self) -> None:
        """Refuse questions that nobody can answer, or none."""
        strange = [one for one in self.questions if one not in GraphSession.QUESTIONS]
        if strange or len(set(self.questions)) < len(self.questions) or not self.questions:
            raise BadRequest(
                "must be different questions",
                parameter=f"{self.id}.questions",
                value=strange[0] if strange else list(self.questions),
                available=GraphSession.QUESTIONS,
            )

    def run(self, task: GraphTask, run: Run) -> Outcome:
        """Charge what all answers spend, then draw them."""
        self.refuse_counted(task.models)
        task.graph.refuse_unlisted()  # the certificate tells how many there are
        session = InteractiveGraphQueries(epsilon=self.epsilon, cap=self.cap).session(task.graph)
        costs = [session.noise(question, self.epsilon / len(self.questions)).epsilon for question in self.questions]
        run.charge(sum(costs))
        answers = [session.ask(question, self.epsilon / len(self.questions)) for question in self.questions]
        held: dict[str, list[object]] = {"question": [], "about": [], "value": []}
        for answer in answers:
            about = session.about(answer.question)
            held["question"] += [answer.question] * len(about)
            held["about"] += about
            held["value"] += answer.values
        table = read(held, types={"question": "text", "about": "text", "value": "integer"})
        built = Built(NoisyGraphAnswers(epsilon=sum(costs), questions=self.questions), {"data": table})
        return self.drawn(built, EdgeDifferentialPrivacy(epsilon=self.epsilon), sum(costs))

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return what the parameters alone say: shares of epsilon add up, and no noise spends more than its share."""
        return model.audit(self.epsilon) if isinstance(model, EdgeDifferentialPrivacy) else None
