"""What this room offers by name; written by tools/stubs.py."""

from sfumato.transactions.perturbations.select_a_size import BestOperator as BestOperator
from sfumato.transactions.perturbations.select_a_size import Recovered as Recovered
from sfumato.transactions.perturbations.select_a_size import SelectASize as SelectASize
from sfumato.transactions.perturbations.select_a_size import best_operator as best_operator
from sfumato.transactions.perturbations.select_a_size import randomized as randomized
from sfumato.transactions.perturbations.select_a_size import recovered_support as recovered_support
