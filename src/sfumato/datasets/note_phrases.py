"""What sentences and lists of invented notes are put together from: openings, subjects, predicates, and labels of fields.

Holes are those of :mod:`sfumato.datasets.note_words`; ``[n]`` is a number that tells of nobody. In German the verb stands
before the bar: it goes before the subject where the sentence has an opening.
"""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.data.frozen import frozen

__all__ = ["FORMS", "JOINTS", "PHRASES", "Phrases"]


@frozen
class Phrases:
    """The phrases of one language."""

    openings: tuple[str, ...]
    subjects: tuple[str, ...]
    predicates: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip().splitlines())


def _labels(text: str) -> dict[str, tuple[str, ...]]:
    pairs = (line.split(": ", 1) for line in text.strip().splitlines())
    return {name: tuple(labels.split("; ")) for name, labels in pairs}


FORMS = (
    "{label}: {hole}",
    "{label} {hole}",
    "{label}: {hole}",
    "{label} = {hole}",
    "{label} ({hole})",
    "{label}:\t{hole}",
)
"""How a field is written."""
JOINTS = (", ", "\n", "; ", " | ", "  ", "\n", " / ")
"""What stands between fields."""

_ENGLISH = Phrases(
    openings=_lines("""On {date},
Since {date},
Today,
According to Dr. {doctor},
At {hospital},
After [n] days,
In {date},
As noted by Dr. {doctor} on {date},
For [n] years,
During the stay,
Because of {disease},
As far as we know,
In the emergency room of {hospital},
Before the visit on {date},
Last week,"""),
    subjects=_lines("""[mr] {family}
{name}
{given}
[he]
the patient
our patient [mr] {family}
the patient, [mr] {name},
{name}, {age},
{name}, a {age}-year-old {occupation},
[mr] {family} ({age})
[mr] {name}, aged {age},
this {age}-year-old {occupation}
a {age}-year-old [man] from {town}
[mr] {name} from {town}
[his] [wife] {spouse}
[his] son {brother}
{sister}, a neighbour,
this {age} year old {occupation}
{given}, who is {age} years old,
patient {name}"""),
    predicates=_lines("""was admitted to {hospital} on {date}
complained of {disease}
was seen by Dr. {doctor}
lives in {town}
worked as a {occupation}
has a history of {disease}
was discharged on {date}
denied any {disease}
was referred to Dr. {doctor} at {hospital}
took [n] tablets a day
reported pain for [n] days
moved to {address} in {city}
was born on {born}
can be called at {phone}
gave {email} as address
was treated for {disease} and {disease}
asked to speak to Dr. {doctor}
lost [n] kg in [n] months
was diagnosed with {disease} at the age of {age}
drove [n] miles to the clinic
received the last dose on {date}
is employed as a {occupation} in {town}
had surgery at {hospital}
has smoked for [n] years
slept well and ate [n] meals
is allergic to penicillin
left a message on {phone} on {date}
signed the form on {date}
was transferred from {hospital}
feels better after [n] weeks
lives alone at {address}
came back with suspected {disease}
has [n] children
was examined by Dr. {doctor} on {date}
retired as a {occupation}
knows Dr. {doctor} from {town}
scored [n] of [n] points in the test
stayed at {hospital} until {date}
will turn {age} next month
recovered from {disease} in {date}
wrote to {email}
had a fever of [n] degrees
waited [n] minutes
was told about {disease} by Dr. {doctor}
travelled to {town} on {date}"""),
    labels=_labels("""name: Name; Patient; Patient name; Full name; Pt; Pat.; Client; Patient's name
reversed: Name; Patient; Last name, first name; Pt. name; Surname and name
born: DOB; Date of birth; Born; D.O.B.; Birth date; Birthday
date: Date; Admitted; Discharged; Visit; Seen on; Date of visit; Date of admission; Next visit; Surgery; Valid until
age: Age; Age (years); Age at admission; Pt age; Years of age
phone: Phone; Tel.; Tel; Telephone; Mobile; Cell; Contact number; Phone no.; Home phone; Call
fax: Fax; Fax no.; Telefax; Fax number; Facsimile; Fax to
email: E-mail; Email; Mail; E-mail address; Contact mail
url: Web; Website; Link; Homepage; URL; Portal
ip: IP; IP address; Client IP; Log-in from; Host
address: Address; Street; Home address; Lives at; Residence; Mailing address
city: City; Town; Place; Place of residence; Home town
zip: ZIP; ZIP code; Postal code; Zip; Postcode
ssn: SSN; Social security number; Social security no.; Soc. sec. no.; SS#
record: MRN; Medical record; Record no.; Chart no.; Case number; Hospital number; Patient ID; Chart
insurance: Insurance ID; Member ID; Policy no.; Health plan no.; Subscriber ID; Insurance number; Plan ID
account: Account; Account no.; Bank account; Acct.; Billing account; Account number
licence: License; Driver's license; License no.; Licence; DL no.; Driver license number
plate: License plate; Plate; Plate no.; Vehicle; Car; Number plate
device: Device; Serial number; Serial no.; Device ID; Implant; S/N; Pacemaker; Pump
id: Employee no.; Staff ID; Badge; Worker no.; Employee ID; Badge no.
doctor: Physician; Doctor; Attending; Surgeon; Referring physician; PCP; Primary care; Seen by; GP
hospital: Hospital; Clinic; Facility; Institution; Referred by; Sent to; Department of; Center
disease: Diagnosis; Dx; Diagnoses; Main diagnosis; Known; Reason for visit; Suspected; PMH; Problem
occupation: Occupation; Job; Profession; Works as; Employment; Trade"""),
)

_GERMAN = Phrases(
    openings=_lines("""Am {date}
Seit {date}
Heute
Laut Dr. {doctor}
Im {hospital}
Nach [n] Tagen
Im {date}
Wie Dr. {doctor} am {date} vermerkte,
Seit [n] Jahren
Während des Aufenthalts
Wegen {disease}
Soweit bekannt
In der Notaufnahme des {hospital}
Vor dem Termin am {date}
In der letzten Woche"""),
    subjects=_lines("""[mr] {family}
{name}
{given}
[Der Patient]
[Der Patient] [mr] {family}
[mr] {name}
{name}, {age},
{name}, {age} Jahre,
[mr] {family} ({age})
[mr] {name}, {age} Jahre alt,
[mr] {name} aus {town}
[Die Ehefrau] {spouse}
der Sohn {brother}
Frau {sister}, eine Nachbarin,
[mr] {family}, {occupation} aus {town},
Pat. {name}
{given}, {age} Jahre alt,
[mr] {family}, von Beruf {occupation},
Patient {name}
[mr] {name} (geb. {born})"""),
    predicates=_lines("""wurde|am {date} ins {hospital} aufgenommen
klagte|über {disease}
wurde|von Dr. {doctor} gesehen
wohnt|in {town}
arbeitete|als {occupation}
hat|{disease} in der Vorgeschichte
wurde|am {date} entlassen
verneinte|{disease}
wurde|an Dr. {doctor} im {hospital} überwiesen
nahm|[n] Tabletten am Tag
berichtete|über Schmerzen seit [n] Tagen
zog|in die {address} in {city}
ist|am {born} geboren
ist|unter {phone} erreichbar
nannte|{email} als Adresse
wurde|wegen {disease} und {disease} behandelt
bat|um ein Gespräch mit Dr. {doctor}
verlor|[n] kg in [n] Monaten
erkrankte|im Alter von {age} Jahren an {disease}
fuhr|[n] Kilometer zur Klinik
erhielt|die letzte Dosis am {date}
ist|als {occupation} in {town} angestellt
wurde|im {hospital} operiert
raucht|seit [n] Jahren
schlief|gut und nahm [n] Mahlzeiten ein
ist|gegen Penicillin allergisch
hinterließ|am {date} eine Nachricht unter {phone}
unterschrieb|den Bogen am {date}
kam|aus {hospital}
fühlt|sich nach [n] Wochen besser
lebt|allein in der {address}
kam|mit Verdacht auf {disease} zurück
hat|[n] Kinder
wurde|am {date} von Dr. {doctor} untersucht
war|bis zur Rente {occupation}
kennt|Dr. {doctor} aus {town}
erreichte|[n] von [n] Punkten im Test
blieb|bis {date} im {hospital}
wird|im nächsten Monat {age}
genas|im {date} von {disease}
schrieb|an {email}
hatte|Fieber bis [n] Grad
wartete|[n] Minuten
wurde|von Dr. {doctor} über {disease} aufgeklärt
reiste|am {date} nach {town}"""),
    labels=_labels("""name: Name; Patient; Patientin; Name des Patienten; Pat.; Vor- und Nachname; Versicherter; Betrifft
reversed: Name; Patient; Name, Vorname; Pat.; Nachname, Vorname
born: Geb.; Geburtsdatum; geb. am; Geb.-Datum; Geboren; Geburtstag
date: Datum; Aufnahme; Entlassung; Besuch; Gesehen am; Termin; Aufnahmedatum; Nächster Termin; Operation; Gültig bis
age: Alter; Alter (Jahre); Lebensalter; Alter bei Aufnahme; Jahre
phone: Telefon; Tel.; Tel; Mobil; Handy; Rufnummer; Telefonnummer; Tel.-Nr.; Privat; Anruf
fax: Fax; Fax-Nr.; Telefax; Faxnummer; Fax an; Faxen an
email: E-Mail; Email; Mail; E-Mail-Adresse; Kontakt
url: Web; Webseite; Link; Homepage; Internet; Portal
ip: IP; IP-Adresse; Rechner; Anmeldung von; Host
address: Adresse; Anschrift; Straße; Wohnhaft; Wohnadresse; Postanschrift
city: Ort; Wohnort; Stadt; Gemeinde; Heimatort
zip: PLZ; Postleitzahl; Plz; PLZ Wohnort; Post
ssn: SV-Nummer; Sozialversicherungsnummer; SVNR; Sozialvers.-Nr.; RV-Nummer
record: Fallnummer; Fall-Nr.; Aktenzeichen; Akte; Patientennummer; Pat.-Nr.; Patienten-ID; Aufnahmenummer
insurance: Versichertennummer; Versicherten-Nr.; Mitgliedsnummer; Versicherungsnummer; KV-Nummer; Kassen-Nr.; Krankenkasse
account: Konto; Kontonummer; Bankkonto; Konto-Nr.; IBAN; Kto.
licence: Führerschein; Führerschein-Nr.; Fahrerlaubnis; Führerscheinnummer; FS-Nr.; Lizenz
plate: Kennzeichen; Kfz; Auto; Kfz-Kennzeichen; Fahrzeug; Nummernschild
device: Gerät; Seriennummer; Serien-Nr.; Gerätenummer; Implantat; SN; Schrittmacher; Pumpe
id: Personalnummer; Personal-Nr.; Dienstausweis; Mitarbeiter-Nr.; Ausweis; Ausweis-Nr.
doctor: Arzt; Ärztin; Hausarzt; Operateur; Einweiser; Überweiser; Behandler; Gesehen von; Oberarzt
hospital: Krankenhaus; Klinik; Einrichtung; Haus; Überwiesen von; Verlegt nach; Abteilung; Zentrum
disease: Diagnose; Dg.; Diagnosen; Hauptdiagnose; Bekannt; Grund der Vorstellung; Verdacht auf; Vorerkrankung; Problem
occupation: Beruf; Tätigkeit; Arbeitet als; Erlernter Beruf; Beschäftigung; Job"""),
)

PHRASES: Mapping[str, Phrases] = {"en": _ENGLISH, "de": _GERMAN}
"""Phrases by language."""
