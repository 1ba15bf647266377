"""Common given and family names of several countries, in plain letters: enough to tell a column of names, not every name.

Words that mean something else in a table are left out on purpose: colours, months, flowers, occupations, religions, states.
"""

from __future__ import annotations

__all__ = ["FAMILY", "GIVEN"]

_GIVEN = """
james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony donald steven paul
andrew joshua kenneth kevin brian george timothy ronald edward jason jeffrey ryan jacob gary nicholas eric jonathan stephen
larry justin scott brandon benjamin samuel gregory frank alexander raymond patrick jack dennis jerry tyler aaron jose adam
nathan henry douglas zachary peter kyle noah ethan jeremy walter keith roger terry sean austin carl arthur lawrence dylan
jesse jordan bryan billy bruce gabriel joe logan alan juan albert willie elijah wayne randy vincent mason roy ralph eugene
russell bobby philip louis harry howard fred oliver leo theodore oscar hugo felix simon martin owen liam lucas isaac caleb
mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley kimberly
emily donna michelle carol amanda melissa deborah stephanie rebecca sharon laura cynthia dorothy amy kathleen angela shirley
emma brenda pamela nicole anna samantha katherine christine debra rachel carolyn janet maria catherine heather diane olivia
julie joyce ruth virginie lauren kelly christina joan evelyn judith andrea hannah megan cheryl jacqueline martha madison teresa
gloria sara janice ann kathryn abigail sophia frances jean alice judy isabella julia denise danielle marilyn beverly
ada cora gerda hilda edda ulla selma mira tilda odile dalia anton emil fabio dario goran ivo otto rolf ludwig konrad ernst kurt
karl gustav friedrich wilhelm heinrich hermann gerhard horst rudolf alfred erwin bertha clara elsa erna irma irene rita vera
charlotte natalie theresa diana brittany doris kayla alexis lori mia chloe zoe ella ava lucy eleanor edith agnes ethel
hans klaus wolfgang heinz helmut manfred jurgen juergen gunther guenther dieter uwe bernd holger jens sven torsten thorsten
matthias stefan stephan markus tobias sebastian florian dominik johannes jonas maximilian moritz lukas leon finn paul jan
ursula helga renate gisela monika ingrid brigitte petra sabine birgit heike susanne claudia martina silke katrin kathrin anke
anja antje tanja nadine melanie franziska lena leonie johanna greta frieda hanna lotte mathilda katharina elisabeth
jean pierre michel andre philippe alain bernard jacques francois francoise christophe nicolas laurent thierry pascal olivier
julien antoine maxime guillaume camille lea manon jeanne marie isabelle sylvie nathalie valerie sandrine celine aurelie
elodie chantal monique jacqueline brigitte martine veronique dominique helene juliette louise
jose antonio manuel francisco javier carlos jesus alejandro miguel rafael pedro pablo sergio jorge alberto fernando diego
alvaro adrian ruben ramon enrique vicente andres joaquin santiago eduardo raul roberto ignacio mateo emilio
carmen josefa isabel dolores pilar teresa ana francisca laura antonia mercedes cristina rosario elena rosa paula lucia sofia
beatriz raquel silvia guadalupe margarita veronica leticia fernanda valentina camila ximena daniela gabriela mariana
giuseppe giovanni antonio mario luigi francesco angelo vincenzo pietro salvatore carlo franco domenico bruno paolo michele
giorgio aldo sergio luciano marco andrea alessandro matteo lorenzo riccardo davide simone federico stefano
giulia chiara francesca federica elisa alessia martina giovanna angela lucia rosa anna paola carla caterina ilaria sofia
joao antonio pedro tiago rui luis miguel goncalo duarte thiago gustavo felipe rodrigo leonardo caio vitor
ines beatriz matilde leonor carolina mariana catarina fernanda juliana larissa leticia bruna
pieter johan willem cornelis hendrik gerrit kees henk bram daan sem thijs joost ruben sander bas jeroen maarten
sanne anouk femke fleur lotte iris marieke annelies marloes saskia ingeborg wilhelmina
lars anders johan erik karl nils per olof sven bjorn magnus gustav axel mikael henrik jorgen soren mads rasmus kasper
kari inger ingrid astrid solveig sigrid anneli karin birgitta kerstin margareta elin ebba saga freja mette kirsten hanne
juhani mikko matti timo jukka antti pekka heikki eero aino aada helmi kaisa liisa päivi tuula
jan andrzej piotr krzysztof stanislaw tomasz pawel jozef marcin marek michal grzegorz jerzy tadeusz adam lukasz zbigniew
anna maria katarzyna malgorzata agnieszka krystyna barbara ewa elzbieta zofia janina teresa joanna magdalena monika danuta
petr pavel jiri josef jaroslav martin tomas miroslav zdenek vaclav frantisek milan
jana eva hana lenka katerina lucie vera alena petra veronika zdenka ludmila
aleksandr sergey vladimir dmitry andrey alexey nikolai ivan mikhail yuri boris igor oleg pavel viktor evgeny anatoly
olga tatiana natalia irina svetlana galina ludmila yelena elena ekaterina nadezhda oksana yulia
mehmet mustafa ahmet ali huseyin hasan ibrahim ismail osman yusuf murat omer emre fatma ayse emine hatice zeynep elif
meryem busra mohammed muhammad mohamed ahmed mahmoud abdullah omar khaled hassan hussein youssef karim tariq bilal hamza
fatima aisha khadija maryam zainab amina layla noor salma yasmin nadia hala rania
aarav arjun rahul rohit amit sanjay rajesh suresh ramesh vijay anil sunil deepak manoj vikram ravi krishna ganesh arun
priya anjali pooja neha kavita sunita anita lakshmi sita geeta meena rekha asha usha divya shreya sneha swati
wei jing ming xin yan hui ying xiaoming jun hao fang xiuying guoqiang jianguo lei qiang
hiroshi takashi kenji akira satoshi makoto takeshi yuki haruto sota ren yuto daiki kenta
yoko keiko sachiko hanako akiko yumiko naomi yui aoi sakura misaki haruka ayumi emiko
minjun seojun jiho jiwoo seoyeon minji jisoo hyun youngsoo sunhee
thabo sipho lerato nomsa chinedu ngozi amara kwame kofi ama abena fatou mamadou ousmane aminata wanjiru
nguyet thanh linh huong tuan dung minh
"""

_FAMILY = """
smith johnson williams jones davis garcia rodriguez martinez hernandez lopez gonzalez wilson anderson thomas taylor moore
jackson martin lee perez thompson harris sanchez clark ramirez lewis robinson walker allen wright scott torres nguyen flores
adams nelson hall rivera campbell mitchell roberts gomez phillips evans turner diaz edwards collins reyes stewart morris
morales murphy rogers gutierrez ortiz morgan peterson bailey reed howard ramos kim cox richardson watson brooks chavez
bennett mendoza ruiz hughes alvarez castillo sanders patel myers ross foster jimenez powell jenkins perry russell sullivan
bell coleman butler henderson barnes fisher vasquez simmons romero graham hamilton reynolds griffin wallace moreno
mueller muller schmidt schneider weber meyer wagner schulz becker hoffmann schaefer koch bauer richter klein schroeder
neumann schwarz zimmermann braun krueger hofmann hartmann lange werner krause lehmann maier huber kaiser fuchs vogel
dubois durand leroy moreau simon laurent lefebvre michel bertrand roux fournier girard bonnet lambert fontaine rousseau
fernandez dominguez vazquez castro suarez ortega delgado marin iglesias medina cortes rossi russo ferrari esposito bianchi
romano colombo ricci marino greco gallo conti costa giordano mancini rizzo lombardi moretti barbieri
silva santos ferreira pereira oliveira rodrigues alves carvalho gomes ribeiro pinto
jong vries bakker visser smit meijer bos mulder dekker dijkstra jansen janssen peeters maes
andersson johansson karlsson nilsson eriksson larsson olsson persson svensson gustafsson hansen johansen olsen larsen
andersen pedersen nielsen jensen christensen rasmussen korhonen virtanen nieminen makinen
nowak kowalski kowalska wisniewski wojcik kowalczyk kaminski lewandowski zielinski szymanski novak svoboda novotny dvorak
horvath nagy kovacs szabo toth popescu ionescu popa petrov ivanov ivanova smirnov kuznetsov popov sokolov
yilmaz kaya demir celik sahin yildiz ozturk aydin khan hussain ahmad malik sheikh sharma singh kumar gupta verma
reddy iyer nair mehta joshi wang zhang chen liu yang huang zhao zhou sato suzuki takahashi tanaka watanabe ito
yamamoto nakamura kobayashi kato yoshida park choi jung kang tran pham hoang okafor mensah diallo traore ndiaye nkosi dlamini
"""

GIVEN: frozenset[str] = frozenset(_GIVEN.split())
FAMILY: frozenset[str] = frozenset(_FAMILY.split())
