"""What this room offers by name; written by tools/stubs.py."""

from sfumato.text.attacks.context_attack import ContextAttack as ContextAttack
from sfumato.text.attacks.context_attack import Traced as Traced
from sfumato.text.attacks.left_words_attack import LeftWords as LeftWords
from sfumato.text.attacks.left_words_attack import LeftWordsAttack as LeftWordsAttack
from sfumato.text.attacks.rare_term_attack import RareTermAttack as RareTermAttack
from sfumato.text.attacks.rare_term_attack import RareTerms as RareTerms
from sfumato.text.attacks.recogniser_attack import Recognised as Recognised
from sfumato.text.attacks.recogniser_attack import RecogniserAttack as RecogniserAttack
