"""What invented notes are made of: templates of sentences, and the names, places and illnesses that fill them.

In braces stands what is told of a person; in brackets what is none of it (``[mr]``, ``[he]``). Everything is invented; phone
numbers are those that are kept free for fiction, mail addresses end in example domains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["WORDS", "Words"]


@dataclass(frozen=True)
class Words:
    """The words of one language; headers and footers are lines, the others sentences."""

    women: tuple[str, ...]
    men: tuple[str, ...]
    families: tuple[str, ...]
    streets: tuple[str, ...]
    places: tuple[tuple[str, str], ...]
    hospitals: tuple[str, ...]
    saints: tuple[str, ...]
    diseases: tuple[str, ...]
    occupations: tuple[str, ...]
    months: tuple[str, ...]
    headers: tuple[str, ...]
    sentences: tuple[str, ...]
    plain: tuple[str, ...]
    footers: tuple[str, ...]
    forms: Mapping[str, tuple[str, str]]


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.replace("\\n", "\n") for line in text.strip().splitlines())


def _places(text: str) -> tuple[tuple[str, str], ...]:
    pairs = [line.rsplit(" ", 1) for line in text.strip().splitlines()]
    return tuple((city, code) for city, code in pairs)


_ENGLISH = Words(
    women=_names("""Agatha Bella Cordelia Daphne Edwina Flora Gwendolyn Harriet Imogen Josephine Kitty Lavinia Mabel Nora
        Octavia Penelope Queenie Rosalind Sybil Tabitha Una Violet Winifred Yvonne Zelda Beatrice Carla Dana Esther Fiona
        Greta Heidi Ivy Jasmine Kendra Lola Maya Naomi Paige Regina Shauna Tara Valerie Wanda"""),
    men=_names("""Alistair Barnaby Cedric Desmond Edgar Fergus Gilbert Horace Ivor Jasper Kingsley Leopold Malcolm Nigel
        Orson Percival Quentin Rupert Silas Tobias Ulric Victor Wilfred Xavier Yardley Zane Abel Byron Clive Duncan Elliot
        Floyd Graham Hector Ian Joel Kirk Lionel Mitchell Neil Preston Ross Spencer Trevor"""),
    families=_names("""Abernathy Blackwood Cartwright Dunmore Ellsworth Fairbanks Garrison Hathaway Inglewood Jarvis
        Kensington Lockhart Merriweather Northcott Oakley Pemberton Quigley Ravenscroft Sinclair Thackeray Underhill
        Vandermeer Whitcombe Yarrow Zeller Ashdown Birch Cromwell Drummond Eastwood Fitzgerald Goodwin Hargreaves Irving
        Jessup Kimball Langley Macmillan Norwood Ogilvie Prescott Ransome Sterling Tillman Upton Vickers Wainwright
        Yates O'Connell McAllister Benson Crane Dalton Emerson Fowler Gibbs Holloway Ivers Joyce Kemp Lowell Maddox
        Nash Osborne Pike Rhodes Sawyer Tucker Vaughn Webb"""),
    streets=_names("""Maple Oak Cedar Willow Chestnut Highland Lakeview Sunset Juniper Magnolia Sycamore Hillcrest Orchard
        Meadow Foxglove Brookside Prospect Lincoln Franklin Pinehurst Clover Harbor Quarry Larkspur"""),
    places=_places("""Fairhaven 02719\nSpringdale 72764\nBrookfield 53005\nCedar Falls 50613\nAshland 44805
Maplewood 63143\nRiver Heights 84321\nOakdale 95361\nNewbury Park 91320\nClearwater 33755\nStonebridge 20120
Grand Rapids 49503\nEugene 97401\nBoise 83702\nTulsa 74103\nAlbany 12207\nSavannah 31401\nFlagstaff 86001
Duluth 55802\nMobile 36602\nTrenton 08608\nToledo 43604\nSalem 97301\nNorfolk 23510\nPeoria 61602\nLaredo 78040
Spokane 99201\nBurlington 05401\nBangor 04401\nCasper 82601\nHelena 59601\nPueblo 81003\nDayton 45402\nMacon 31201"""),
    hospitals=_lines("""{city} General Hospital\nSt. {saint} Hospital\n{family} Memorial Hospital\n{city} Medical Center
{saint} Clinic\nUniversity Hospital {city}\n{street} Hill Hospital\nSacred Heart Hospital\n{city} Community Health Center
{family} Children's Hospital\n{street} Valley Medical Center\n{city} Regional Hospital"""),
    saints=_names("Mary's Luke's Vincent's Agnes Bernard's Joseph's Catherine's Anthony's Clare's Raphael's Monica's"),
    diseases=_lines("""asthma\nchronic bronchitis\npneumonia\ninfluenza\ntype 2 diabetes\ntype 1 diabetes\nhypertension
congestive heart failure\nmyocardial infarction\natrial fibrillation\nischemic stroke\nmigraine\nepilepsy
Parkinson's disease\nmultiple sclerosis\nmajor depression\nbipolar disorder\nschizophrenia\nbreast cancer\nlung cancer
colon cancer\nprostate cancer\nacute leukemia\nHIV infection\nhepatitis C\nliver cirrhosis\nacute appendicitis
pancreatitis\nkidney stones\nrenal failure\nrheumatoid arthritis\ngout\npsoriasis\nendometriosis\ndeep vein thrombosis
pulmonary embolism\nmeningitis\nshingles\nCrohn's disease\nulcerative colitis\nhypothyroidism\ngestational diabetes
alcohol dependence\nAlzheimer's disease\ncoeliac disease\nsickle cell anemia"""),
    occupations=_lines("""school teacher\ntruck driver\ncarpenter\nlibrarian\nsoftware developer\nnurse\nbaker\nelectrician
accountant\nfarmer\nretired police officer\nbus driver\nwaitress\nlawyer\nplumber\narchitect\nhairdresser\nwelder
flight attendant\nfirefighter\nshop assistant\nchef\npostal worker\nmusician\ngraphic designer\nbank clerk\nroofer
warehouse worker\nreal estate agent\ndentist"""),
    months=_names("January February March April May June July August September October November December"),
    headers=_lines(r"""Patient: {name}\nDate of birth: {born}\nMRN: {record}
Name: {name}  DOB: {born}  MRN {record}
RE: {name}, born {born}
Discharge summary for {name} ({age} years), record no. {record}
PATIENT {name}\nADDRESS {address}, {city} {zip}\nPHONE {phone}
Admission note, {date}. Patient {name}, {address}, {zip} {city}.
{hospital}\nVisit of {date}\nPatient: {reversed}
Emergency department, {hospital}, {date}\nName {name}\nSSN {ssn}
To: Dr. {doctor}\nConcerning your patient {name}, DOB {born}
Chart {record} | {reversed} | {date}
{date}\nClinic letter\nPatient name: {name}\nInsurance ID: {insurance}
Consultation report: {name}, age {age}, seen on {date} by Dr. {doctor}
Outpatient visit {date}\n{name}\n{address}\n{city}, {zip}
Telephone call, {date}. Caller: {name}, {phone}
Referral of {name} (DOB {born}, phone {phone}) to {hospital}
Progress note {date}, patient {reversed}, bed 12
Patient: {reversed}\nRecord: {record}\nAge: {age}
Letter of {date} to Dr. {doctor}, {hospital}
{hospital} | {name} | {born} | {record}
Patient {name} (record {record})
Visit on {date}: {name}, {age} y/o
Dr. {doctor}, {town}\nReport on {name}, {born}"""),
    sentences=_lines(r"""[mr] {family} is a {age}-year-old {occupation} with a history of {disease}.
The patient, a {age} year old [man], presented with symptoms of {disease} on {date}.
{name} was admitted to {hospital} on {date} because of {disease}.
[He] was seen by Dr. {doctor}, who confirmed the diagnosis of {disease}.
[mr] {family} lives at {address} in {city} and works as a {occupation}.
[He] can be reached at {phone} or by e-mail at {email}.
Please fax the results to {fax}, attention Dr. {doctor}.
[His] social security number is {ssn}.
Insurance: member ID {insurance}.
The family moved to {town} on {date}.
{given} reports that [he] has felt tired since {date}.
Dr. {doctor} of {hospital} recommended surgery.
[mr] {family} was discharged home on {date} in stable condition.
A follow-up visit is planned for {date} with Dr. {doctor}.
[His] [wife] {spouse} was informed by phone ({phone}).
We spoke to [his] daughter {sister}, who lives in {town}.
At the age of {age} [he] was first diagnosed with {disease}.
The pacemaker with serial number {device} was checked on {date}.
Bills should be sent to {address}, {city} {zip}.
The co-payment was charged to account {account}.
Lab results are available at {url}.
[He] drove [himself] in; the car with plate {plate} is parked in lot B.
Driver's license {licence} was shown at the desk.
The appointment was booked online from {ip}.
Past medical history: {disease}, {disease}.
Assessment: {disease}. Plan discussed with [mr] {family}.
Family history is notable for {disease} in [his] mother.
{name} denies any history of {disease}.
On {date}, [mr] {family} called from {phone} asking for a refill.
Transferred from {hospital} to {hospital} on {date}.
[mr] {family}, aged {age}, was brought in by ambulance from {town}.
Primary care physician: Dr. {doctor}, {town}.
The biopsy of {date} showed no sign of {disease}.
[He] worked as a {occupation} until {date}.
Emergency contact: {kin}, {phone}.
Prescription sent to the pharmacy in {city} ({zip}).
Employee number {id} was noted for the company doctor.
Thank you for referring {name} to our clinic.
[mr] {family} was last treated for {disease} in {date}.
Dr. {doctor} examined {given} on {date} and found signs of {disease}.
Since [his] stay at {hospital}, {given} has been well.
{name}, {age}, a {occupation} from {city}, returned for follow-up of {disease}.
Copies to: Dr. {doctor}, {hospital}.
Contact by mail: {email}.
Password reset was sent to {email} on {date}.
Born on {born} in {town}, [he] has no siblings.
Medical record {record} was merged with {record}.
Health plan number {insurance} is valid until {date}.
Correspondence address: {address}, {zip} {city}.
The patient's neighbour, Mr. {brother}, found [him] on the floor.
[His] sister {sister} died of {disease} at the age of {age}.
An implant (lot {device}) was used.
Patient portal: {url}, user {email}.
The report can be read online: {url}
Log-in from {ip} at night was noticed.
Pump no. {device} was returned to the manufacturer.
License plate {plate} was given to security.
The license number {licence} expired last year.
Refund to bank account {account}.
Staff ID {id}, night shift.
Fax: {fax}. Phone: {phone}. E-mail: {email}.
[His] SSN ({ssn}) was verified at registration.
Subscriber {insurance}, group plan.
Videos of the exercises: {url}.
The device with ID {device} sent an alarm on {date}.
Messages came from the address {ip}.
Parking permit issued for {plate}.
[He] holds commercial license {licence}.
Payment from account no. {account} failed.
Worker id {id} must be renewed.
Send records by fax ({fax}).
SSN: {ssn}
Policy no. {insurance} covers the stay.
Write to {email} for the consent form.
See also {url} for instructions.
Hearing aid {device} was adjusted by [mr] {brother}.
Access from IP {ip} was blocked.
[His] car ({plate}) was towed from the clinic.
License no. {licence}, issued in {town}.
The deposit went to account number {account}.
Badge {id} was returned.
Fax number of the practice: {fax}.
Social security no. {ssn} is missing from the form.
Record number {record} belongs to [mr] {family}.
Fax {fax} is out of order, please use {phone}.
Former records ({record}) were requested from {hospital}.
[mr] {family} commutes from {town} every day.
{given} works as a {occupation} and has two children.
Chart number {record}, seen in {town}.
The occupational history: {occupation} for [n] years, then {occupation}.
Diagnosis: {disease}
[He] is {age} years old and lives with [his] [wife] {spouse} in {town}.
Known conditions include {disease} and {disease}.
Dear Dr. {doctor}, thank you for seeing {name}, {age} years of age.
Reports were mailed to Dr. {doctor} in {town} and to {hospital}.
[mr] {family} suffers from {disease}; [his] father had {disease} too.
Treated for {disease} at {hospital} from {date} to {date}.
Attending physician was Dr. {doctor}; the nurse was {sister}.
{name} ({age}) was found to have {disease}.
No evidence of {disease} on the scan of {date}.
The {occupation} was off work until {date}.
[mr] {name} agreed to the transfer to {hospital}.
Dr. {doctor} called {given} on {phone}.
Consent was signed by {kin} on {date}.
We suspect {disease}; {given} will be seen again on {date}.
Home address {address}, {city}, ZIP {zip}.
Because of {disease}, [mr] {family} cannot work as a {occupation} any more.
[He] was born in {town} and grew up in {town}.
After {disease} in {date}, [he] changed [his] doctor to Dr. {doctor}.
Age {age}, {occupation}, married to {spouse}.
{hospital} sent its report on {date}.
According to Dr. {doctor}, {disease} is unlikely.
Patient's brother {brother} ({age}) was tested for {disease}.
Today [mr] {family} came together with [his] son {brother}.
The surgery at {hospital} was performed by Dr. {doctor}.
Mobile: {phone}; office: {phone}.
Zip code {zip}, {town}.
MRN {record}, insurance {insurance}.
Name of employer unknown; [he] is a {occupation}."""),
    plain=_lines("""Blood pressure was 130/85 mmHg, pulse [n], temperature 37.2.
No known drug allergies.
The abdomen is soft and not tender.
Metoprolol 50 mg twice daily was started.
Chest X-ray without pathological findings.
The wound is healing well and the stitches were removed after [n] days.
Hemoglobin 13.4 g/dl, leukocytes 7.8, creatinine 0.9.
Continue current medication for [n] more weeks.
The patient was advised to rest and to drink plenty of water.
Pain was rated [n] of 10 this morning.
Review of systems is otherwise negative.
An ECG showed a normal sinus rhythm at a rate of [n].
Weight [n] kg, height 178 cm, body mass index 25.9.
Lungs are clear on both sides.
We discussed the risks and benefits of the procedure.
Ibuprofen 400 mg as needed, no more than [n] tablets a day.
Sleep and appetite have improved since the last visit.
Oxygen saturation was 97 % on room air.
Physiotherapy 2 times a week was prescribed.
There were no complications during the stay.
The next dose is due in [n] months.
Neurological examination is normal.
Follow up if symptoms get worse.
Smoking cessation was recommended; [n] cigarettes a day for [n] years.
The operation took [n] minutes and went well.
He has been on this medication for [n] years.
Two brothers and [n] cousins are healthy.
Room [n], second floor, was too warm.
The test was repeated [n] times within [n] hours.
A dose of [n] mg in the evening is enough.
Nothing new was found in the last [n] months.
The scale goes from 0 to 10; values above [n] are rare.
About [n] of 100 patients have side effects.
Vaccination against tetanus is up to date.
Please bring all reports to the next visit.
Diet and exercise were discussed at length."""),
    footers=_lines(r"""Dr. {doctor}\n{hospital}, phone {phone}
Signed electronically by Dr. {doctor} on {date}
Sincerely,\n{doctor}, MD
Dictated by {doctor}, MD, {date}
{doctor}, M.D.\nTel. {phone}, Fax {fax}
Electronically signed: {doctor} MD
Best regards, Dr. {doctor}, {hospital}
cc: {name}, {address}, {city}
{doctor}, MD, {hospital}
Reported by: Dr. {doctor}, {town}
Kind regards\n{doctor}\n{hospital}
Physician: {doctor}, MD. Fax {fax}."""),
    forms={
        "mr": ("Mrs.", "Mr."), "Mr": ("Mrs.", "Mr."),
        "He": ("She", "He"), "he": ("she", "he"), "His": ("Her", "His"), "his": ("her", "his"),
        "him": ("her", "him"), "man": ("woman", "man"), "wife": ("husband", "wife"), "himself": ("herself", "himself"),
    },
)  # fmt: skip

_GERMAN = Words(
    women=_names("""Adelheid Babette Cosima Dorothea Elfriede Friederike Gudrun Hedwig Isolde Jutta Kunigunde Liesel
        Margarethe Notburga Ottilie Philippa Roswitha Sieglinde Traudl Ute Viktoria Walburga Annegret Bärbel Carola Dagmar
        Edeltraud Gabriele Hannelore Ilse Jolanda Kirsten Lieselotte Marlene Nele Pauline Ramona Sonja Theresia Ulrike
        Verena Waltraud Zita Käthe"""),
    men=_names("""Albrecht Benedikt Clemens Detlef Eberhard Ferdinand Gottfried Hartmut Ingo Joachim Korbinian Lothar
        Meinhard Norbert Ottokar Philipp Reinhard Siegfried Theodor Ulrich Volker Winfried Alois Burkhard Christoph Dietmar
        Egon Fridolin Günter Hubert Ingolf Jochen Kilian Leopold Matthäus Nepomuk Quirin Roland Severin Thilo Urban Valentin
        Wendelin Xaver"""),
    families=_names("""Ackermann Birkenfeld Christmann Dornseif Eichhorn Falkenberg Grünewald Holzapfel Immenhof Jungbluth
        Kirchgässner Lindemann Mühlbauer Niedermeier Oberhauser Pfannenstiel Quandt Rosenbaum Sonnleitner Tannhäuser Ullrich
        Vollmer Wiesengrund Zuckmayer Achterberg Bachmann Dietrich Engelhardt Feldmann Gottschalk Heidenreich Jacobsen
        Kleinschmidt Löwenstein Morgenstern Nagel Ostermann Petersen Rabe Steinbach Thalheim Uhlig Voss Wegener Ziegler
        Baumgartner Decker Ebert Franke Giesecke Hübner Jahn Kuhn Lorenz Menzel Naumann Ott Paulus Röder Seidel Trautmann
        Unger Vetter Wolff Zander Brandl Dörfler Esch Fink Gärtner"""),
    streets=_names("""Linden Goethe Bahnhof Kastanien Mozart Garten Schiller Wiesen Beethoven Rosen Eichen Mühlen Kirch
        Birken Ahorn Berg Wald Ulmen Amsel Tannen Park Fichten Hölderlin Blumen"""),
    places=_places("""Bad Lindenau 34537\nNeustadt 67433\nOberkirchen 66629\nAltenburg 04600\nRosenheim 83022\nGotha 99867
Celle 29221\nFulda 36037\nHusum 25813\nEmden 26721\nBad Homburg 61348\nPassau 94032\nWismar 23966\nSoest 59494
Zwickau 08056\nPirna 01796\nAalen 73430\nWetzlar 35576\nGera 07545\nCoburg 96450\nLandau 76829\nStade 21680
Hof 95028\nMeppen 49716\nBautzen 02625\nLingen 49808\nCham 93413\nNeuss 41460\nHerne 44623\nGoslar 38640
Tuttlingen 78532\nBad Tölz 83646\nSenftenberg 01968\nEisenach 99817"""),
    hospitals=_lines("""Klinikum {city}\nUniversitätsklinikum {city}\nSt.-{saint}-Krankenhaus\nKrankenhaus {city}
{saint}-Klinik {city}\nRehaklinik {street}berg\nKreiskrankenhaus {city}\nStädtisches Klinikum {city}
{family}-Klinik\nDiakoniekrankenhaus {city}\nEvangelisches Krankenhaus {city}\nFachklinik {street}tal"""),
    saints=_names("Marien Elisabeth Vinzenz Josefs Katharinen Antonius Hedwigs Lukas Barbara Bonifatius Raphael"),
    diseases=_lines("""Asthma bronchiale\nchronische Bronchitis\nLungenentzündung\nGrippe\nDiabetes mellitus Typ 2
Diabetes mellitus Typ 1\narterielle Hypertonie\nHerzinsuffizienz\nHerzinfarkt\nVorhofflimmern\nSchlaganfall\nMigräne
Epilepsie\nMorbus Parkinson\nMultiple Sklerose\nDepression\nbipolare Störung\nSchizophrenie\nBrustkrebs\nLungenkrebs
Darmkrebs\nProstatakrebs\nakute Leukämie\nHIV-Infektion\nHepatitis C\nLeberzirrhose\nBlinddarmentzündung
Pankreatitis\nNierensteine\nNiereninsuffizienz\nrheumatoide Arthritis\nGicht\nSchuppenflechte\nEndometriose
tiefe Beinvenenthrombose\nLungenembolie\nMeningitis\nGürtelrose\nMorbus Crohn\nColitis ulcerosa
Schilddrüsenunterfunktion\nSchwangerschaftsdiabetes\nAlkoholabhängigkeit\nMorbus Alzheimer\nZöliakie
Bandscheibenvorfall"""),
    occupations=_lines("""Lehrer\nBusfahrer\nTischler\nBibliothekar\nSoftwareentwickler\nKrankenpfleger\nBäcker
Elektriker\nBuchhalter\nLandwirt\nPolizist im Ruhestand\nLastwagenfahrer\nKellner\nRechtsanwalt\nKlempner\nArchitekt
Friseur\nSchweißer\nFlugbegleiter\nFeuerwehrmann\nVerkäufer\nKoch\nPostbote\nMusiker\nGrafiker\nBankkaufmann
Dachdecker\nLagerist\nImmobilienmakler\nZahntechniker"""),
    months=_names("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    headers=_lines(r"""Patient: {name}\nGeburtsdatum: {born}\nFallnummer: {record}
Name: {name}  geb. {born}  Pat.-Nr. {record}
Betreff: {name}, geb. am {born}
Entlassungsbericht {name} ({age} Jahre), Aktenzeichen {record}
PATIENT {name}\nANSCHRIFT {address}, {zip} {city}\nTELEFON {phone}
Aufnahme am {date}. Pat. {name}, {address}, {zip} {city}.
{hospital}\nVorstellung vom {date}\nPatient: {reversed}
Notaufnahme, {hospital}, {date}\nName {name}\nSV-Nummer {ssn}
An Dr. {doctor}\nIhr Patient {name}, geb. {born}
Akte {record} | {reversed} | {date}
{date}\nArztbrief\nName: {name}\nVersichertennummer: {insurance}
Konsil: {name}, {age} Jahre, gesehen am {date} von Dr. {doctor}
Ambulanter Besuch {date}\n{name}\n{address}\n{zip} {city}
Telefonat am {date}. Anrufer: {name}, {phone}
Überweisung von {name} (geb. {born}, Tel. {phone}) an {hospital}
Verlaufsbericht {date}, Patient {reversed}, Bett 12
Patient: {reversed}\nAkte: {record}\nAlter: {age}
Schreiben vom {date} an Dr. {doctor}, {hospital}
{hospital} | {name} | {born} | {record}
Patient {name} (Akte {record})
Besuch am {date}: {name}, {age} J.
Dr. {doctor}, {town}\nBericht über {name}, {born}"""),
    sentences=_lines(r"""[mr] {family} ist {age} Jahre alt, von Beruf {occupation}, bekannt ist {disease}.
[Der Patient], {age} Jahre, stellte sich am {date} mit Verdacht auf {disease} vor.
{name} wurde am {date} wegen {disease} im {hospital} aufgenommen.
Dr. {doctor} bestätigte die Diagnose {disease}.
[mr] {family} wohnt in der {address} in {city} und arbeitet als {occupation}.
Erreichbar unter {phone} oder per E-Mail an {email}.
Befunde bitte per Fax an {fax}, zu Händen Dr. {doctor}.
Die Sozialversicherungsnummer lautet {ssn}.
Krankenkasse: Versichertennummer {insurance}.
Die Familie zog am {date} nach {town}.
{given} berichtet, seit dem {date} müde zu sein.
Dr. {doctor} vom {hospital} empfahl die Operation.
[mr] {family} wurde am {date} in gutem Zustand nach Hause entlassen.
Eine Kontrolle ist für den {date} bei Dr. {doctor} vorgesehen.
[Die Ehefrau] {spouse} wurde telefonisch informiert ({phone}).
Gespräch mit der Tochter {sister}, die in {town} lebt.
Im Alter von {age} Jahren wurde erstmals {disease} festgestellt.
Der Schrittmacher mit der Seriennummer {device} wurde am {date} kontrolliert.
Rechnungen bitte an {address}, {zip} {city}.
Die Zuzahlung wurde von Konto {account} abgebucht.
Laborwerte stehen unter {url} bereit.
Das Auto mit dem Kennzeichen {plate} steht auf Parkplatz B.
Führerschein {licence} lag bei der Anmeldung vor.
Der Termin wurde online von {ip} aus gebucht.
Vorerkrankungen: {disease}, {disease}.
Beurteilung: {disease}. Das Vorgehen wurde mit [mr] {family} besprochen.
In der Familie ist {disease} bei der Mutter bekannt.
{name} verneint {disease} in der Vorgeschichte.
Am {date} rief [mr] {family} von {phone} an und bat um ein Rezept.
Verlegung aus {hospital} nach {hospital} am {date}.
[mr] {family}, {age} Jahre, kam mit dem Rettungswagen aus {town}.
Hausarzt: Dr. {doctor}, {town}.
Die Biopsie vom {date} ergab keinen Hinweis auf {disease}.
Bis {date} war [mr] {family} als {occupation} tätig.
Im Notfall zu verständigen: {kin}, {phone}.
Das Rezept ging an die Apotheke in {city} ({zip}).
Die Personalnummer {id} wurde für den Betriebsarzt notiert.
Vielen Dank für die Überweisung von {name} in unsere Sprechstunde.
[mr] {family} wurde zuletzt {date} wegen {disease} behandelt.
Dr. {doctor} untersuchte {given} am {date} und fand Zeichen von {disease}.
Seit dem Aufenthalt im {hospital} geht es {given} gut.
{name}, {age}, {occupation} aus {city}, kam zur Kontrolle bei {disease}.
Kopie an: Dr. {doctor}, {hospital}.
Kontakt per Mail: {email}.
Das neue Passwort ging am {date} an {email}.
Geboren am {born} in {town}, keine Geschwister.
Akte {record} wurde mit {record} zusammengeführt.
Die Versicherungsnummer {insurance} gilt bis {date}.
Postanschrift: {address}, {zip} {city}.
Ein Nachbar, Herr {brother}, fand [ihn] auf dem Boden.
Die Schwester {sister} starb mit {age} Jahren an {disease}.
Ein Implantat (Charge {device}) wurde eingesetzt.
Patientenportal: {url}, Benutzer {email}.
Der Bericht ist online abrufbar: {url}
Eine Anmeldung von {ip} fiel nachts auf.
Pumpe Nr. {device} ging an den Hersteller zurück.
Das Kennzeichen {plate} liegt dem Wachdienst vor.
Der Führerschein Nr. {licence} ist abgelaufen.
Erstattung auf das Konto {account}.
Mitarbeiternummer {id}, Nachtschicht.
Fax: {fax}. Telefon: {phone}. E-Mail: {email}.
Die SV-Nummer ({ssn}) wurde bei der Anmeldung geprüft.
Mitgliedsnummer {insurance}, gesetzlich versichert.
Videos zu den Übungen: {url}.
Das Gerät mit der Kennung {device} gab am {date} Alarm.
Die Nachrichten kamen von der Adresse {ip}.
Parkausweis ausgestellt für {plate}.
Vorhanden ist der Führerschein {licence}.
Die Zahlung von Konto Nr. {account} schlug fehl.
Der Dienstausweis {id} muss erneuert werden.
Unterlagen bitte faxen ({fax}).
SVNR: {ssn}
Versicherten-Nr. {insurance} deckt den Aufenthalt.
Die Einwilligung bitte an {email} senden.
Siehe auch {url} für Hinweise.
Das Hörgerät {device} wurde von Herrn {brother} eingestellt.
Der Zugriff von IP {ip} wurde gesperrt.
Das Fahrzeug ({plate}) wurde abgeschleppt.
Führerschein-Nr. {licence}, ausgestellt in {town}.
Die Anzahlung ging auf Kontonummer {account}.
Ausweis {id} wurde abgegeben.
Faxnummer der Praxis: {fax}.
Die Sozialversicherungs-Nr. {ssn} fehlt auf dem Bogen.
Die Aktennummer {record} gehört zu [mr] {family}.
Das Fax {fax} ist gestört, bitte {phone} wählen.
Frühere Unterlagen ({record}) wurden im {hospital} angefordert.
[mr] {family} pendelt täglich aus {town}.
{given} arbeitet als {occupation} und hat zwei Kinder.
Patientennummer {record}, gesehen in {town}.
Berufsanamnese: {occupation} für [n] Jahre, danach {occupation}.
Diagnose: {disease}
[mr] {family} ist {age} Jahre alt und lebt mit {spouse} in {town}.
Bekannt sind {disease} und {disease}.
Sehr geehrter Herr Dr. {doctor}, vielen Dank für die Zuweisung von {name}, {age} Jahre.
Berichte gingen an Dr. {doctor} in {town} und an {hospital}.
[mr] {family} leidet an {disease}; auch der Vater hatte {disease}.
Behandlung wegen {disease} im {hospital} vom {date} bis {date}.
Behandelnder Arzt war Dr. {doctor}, die Pflege hatte {sister}.
Bei {name} ({age}) fand sich {disease}.
Kein Anhalt für {disease} in der Aufnahme vom {date}.
Krankgeschrieben als {occupation} bis {date}.
[mr] {name} stimmte der Verlegung nach {hospital} zu.
Dr. {doctor} rief {given} unter {phone} an.
Die Einwilligung unterschrieb {kin} am {date}.
Wir vermuten {disease}; {given} kommt am {date} wieder.
Wohnanschrift {address}, {city}, PLZ {zip}.
Wegen {disease} kann [mr] {family} nicht mehr als {occupation} arbeiten.
Geboren in {town}, aufgewachsen in {town}.
Nach {disease} im {date} wechselte [mr] {family} zu Dr. {doctor}.
Alter {age}, {occupation}, verheiratet mit {spouse}.
Der Bericht aus {hospital} kam am {date}.
Laut Dr. {doctor} ist {disease} unwahrscheinlich.
Der Bruder {brother} ({age}) wurde auf {disease} untersucht.
Heute kam [mr] {family} gemeinsam mit dem Sohn {brother}.
Die Operation im {hospital} führte Dr. {doctor} durch.
Mobil: {phone}; Büro: {phone}.
Postleitzahl {zip}, {town}.
Fall-Nr. {record}, Versicherung {insurance}.
Arbeitgeber unbekannt; von Beruf {occupation}."""),
    plain=_lines("""Der Blutdruck lag bei 130/85 mmHg, Puls [n], Temperatur 37,2.
Keine bekannten Allergien.
Das Abdomen ist weich und nicht druckschmerzhaft.
Metoprolol 50 mg zweimal täglich wurde begonnen.
Röntgenaufnahme des Thorax ohne Befund.
Die Wunde heilt gut, die Fäden wurden nach [n] Tagen gezogen.
Hämoglobin 13,4 g/dl, Leukozyten 7,8, Kreatinin 0,9.
Die Medikation wird für [n] weitere Wochen beibehalten.
Schonung und ausreichendes Trinken wurden empfohlen.
Die Schmerzen wurden heute Morgen mit [n] von 10 angegeben.
Die übrige Anamnese ist unauffällig.
Im EKG normaler Sinusrhythmus mit einer Frequenz von [n].
Gewicht [n] kg, Größe 178 cm, Body-Mass-Index 25,9.
Die Lunge ist beidseits frei.
Risiken und Nutzen des Eingriffs wurden besprochen.
Ibuprofen 400 mg bei Bedarf, höchstens [n] Tabletten am Tag.
Schlaf und Appetit haben sich seit dem letzten Besuch gebessert.
Die Sauerstoffsättigung betrug 97 % bei Raumluft.
Physiotherapie wurde 2 mal in der Woche verordnet.
Während des Aufenthalts traten keine Komplikationen auf.
Die nächste Dosis ist in [n] Monaten fällig.
Der neurologische Befund ist regelrecht.
Bei Verschlechterung bitte sofort wieder vorstellen.
Auf das Rauchen sollte verzichtet werden; [n] Zigaretten am Tag seit [n] Jahren.
Der Eingriff dauerte [n] Minuten und verlief gut.
Das Medikament wird seit [n] Jahren eingenommen.
Zwei Brüder und [n] Vettern sind gesund.
Zimmer [n] im zweiten Stock war zu warm.
Der Test wurde [n] mal innerhalb von [n] Stunden wiederholt.
Eine Dosis von [n] mg am Abend genügt.
In den letzten [n] Monaten fand sich nichts Neues.
Die Skala reicht von 0 bis 10; Werte über [n] sind selten.
Etwa [n] von 100 Patienten haben Nebenwirkungen.
Der Impfschutz gegen Tetanus ist aktuell.
Bitte alle Befunde zum nächsten Termin mitbringen.
Ernährung und Bewegung wurden ausführlich besprochen."""),
    footers=_lines(r"""Dr. {doctor}\n{hospital}, Telefon {phone}
Elektronisch signiert von Dr. {doctor} am {date}
Mit freundlichen Grüßen\nDr. med. {doctor}
Diktiert von Dr. {doctor}, {date}
Dr. med. {doctor}\nTel. {phone}, Fax {fax}
gez. Dr. {doctor}
Mit kollegialen Grüßen, Dr. {doctor}, {hospital}
Kopie: {name}, {address}, {city}
Dr. {doctor}, {hospital}
Berichtet von Dr. {doctor}, {town}
Freundliche Grüße\n{doctor}\n{hospital}
Arzt: Dr. med. {doctor}. Fax {fax}."""),
    forms={
        "mr": ("Frau", "Herr"), "Mr": ("Frau", "Herr"),
        "der Patient": ("die Patientin", "der Patient"),
        "die Ehefrau": ("der Ehemann", "die Ehefrau"), "Der Patient": ("Die Patientin", "Der Patient"), "ihn": ("sie", "ihn"),
        "Die Ehefrau": ("Der Ehemann", "Die Ehefrau"),
    },
)  # fmt: skip

WORDS: Mapping[str, Words] = {"en": _ENGLISH, "de": _GERMAN}
"""Words by language."""
