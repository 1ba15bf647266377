"""Given names that tell, in English or German, what a person is called like: a surrogate is of the same gender."""

from __future__ import annotations

__all__ = ["GIVEN_TO_MEN", "GIVEN_TO_WOMEN"]

_WOMEN = """
alexandra alice amanda amelia amy andrea angela angelika anja anke ann anna anne annette annie antje ashley astrid
barbara beate beatrice bella bettina betty birgit brenda brigitte britta carla carmen carol caroline carolyn
catherine charlotte cheryl chloe christa christiane christina christine cindy clara claudia cornelia cynthia dagmar
daniela deborah debra diana diane dora doris dorothy edith eleanor elena elfriede elisabeth elise elizabeth elke
ella ellen emily emma erika erna esther eva evelyn fatima fiona florence frances frieda gabriele gerda gertrud
gisela gloria grace greta hanna hannah heather heidi heike helen helena helga hildegard ida ilse ingeborg ingrid
irene iris isabel isabella jacqueline jana jane janet janice jasmin jean jennifer jessica joan joanna johanna
josephine joyce judith judy julia juliane julie karen karin karla karoline katharina katherine kathleen kathrin
katja katrin kelly kerstin kimberly lara laura lea lena leonie lieselotte lilly linda lisa lotte louise lucia lucy
luise lydia magdalena maja manuela mara margaret margarete margit maria marianne marie marilyn marion marlene martha
martina mary megan melanie melissa mia michelle mila miriam monica monika nadine nancy naomi natalie nicole nina
nora olga olivia pamela patricia paula pauline petra rachel rebecca regina renate rita rosa rose rosemarie ruth
sabine sabrina samantha sandra sara sarah sharon shirley silke silvia simone sofia sonja sophia sophie stefanie
stella stephanie susan susanne svenja sylvia tamara tanja teresa theresa tina ulrike ursula ute valentina vanessa
vera verena veronika victoria viktoria virginia wendy yvonne zoe
"""
_MEN = """
aaron adam alan albert alexander alfred andreas andrew anthony anton arnold arthur axel ben benjamin bernd bernhard
bill bob brandon brian bruce bruno carl carlos charles christian christopher clemens colin craig daniel david dennis
detlef dieter dietmar dirk dominik donald douglas eberhard edgar edward egon emil eric erich erik ernst erwin ethan
eugene fabian felix ferdinand finn florian frank franz frederick friedrich fritz gary georg george gerald gerd
gerhard gordon gottfried gregor gregory guenter gunther gustav günter hans harald harold harry hartmut hector
heinrich heinz helmut henri henry herbert hermann holger horst howard hubert hugo ingo isaac ivan jack jacob jakob
james jan jason jeff jeffrey jens jeremy jerry jim joachim joe joerg johann johannes john jonas jonathan jose josef
joseph joshua juan juergen julian justin jörg jürgen kai karl keith kenneth kevin klaus konrad kurt larry lars leo
leon leonard liam lothar louis luca lucas ludwig luis luka lukas manfred marc marcel marco mario mark markus martin
mathias matthew matthias max maximilian michael miguel mike mohammed moritz nathan nicholas nico niklas nils noah
norbert olaf oliver oscar oskar otto patrick paul pedro peter philip philipp rainer ralf ralph raymond reinhard
reinhold rene richard robert roger roland rolf ronald rudi rudolf ryan samuel scott sebastian siegfried simon stefan
stephen steve steven sven theo theodor thomas thorsten tim timothy tobias todd tom torsten udo ulf ulrich uwe victor
viktor vincent volker walter werner wilhelm william winfried wolfgang zachary
"""

GIVEN_TO_WOMEN, GIVEN_TO_MEN = frozenset(_WOMEN.split()), frozenset(_MEN.split())
