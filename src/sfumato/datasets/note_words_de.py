"""German words of invented notes."""

from __future__ import annotations

from sfumato.datasets.note_words import Words, lines, names, places

__all__ = ["GERMAN"]

GERMAN = Words(
    women=names("""Adelheid Babette Cosima Dorothea Elfriede Friederike Gudrun Hedwig Isolde Jutta Kunigunde Liesel
        Margarethe Notburga Ottilie Philippa Roswitha Sieglinde Traudl Ute Viktoria Walburga Annegret Bärbel Carola Dagmar
        Edeltraud Gabriele Hannelore Ilse Jolanda Kirsten Lieselotte Marlene Nele Pauline Ramona Sonja Theresia Ulrike
        Verena Waltraud Zita Käthe
        Almut Brunhilde Christa Doris Elke Frauke Gerlinde Henriette Inge Julia Karla Linda Mechthild Nora Olga Petra Rita
        Sabine Tina Wiebke"""),
    men=names("""Albrecht Benedikt Clemens Detlef Eberhard Ferdinand Gottfried Hartmut Ingo Joachim Korbinian Lothar
        Meinhard Norbert Ottokar Philipp Reinhard Siegfried Theodor Ulrich Volker Winfried Alois Burkhard Christoph Dietmar
        Egon Fridolin Günter Hubert Ingolf Jochen Kilian Leopold Matthäus Nepomuk Quirin Roland Severin Thilo Urban Valentin
        Wendelin Xaver Arno Bernd Carsten Dirk Erich Falk Gerd Heiko Ivo Jörg Knut Ludger Mario Nils Ole Peer Ralf
        Sven Till Uwe"""),
    families=names("""Ackermann Birkenfeld Christmann Dornseif Eichhorn Falkenberg Grünewald Holzapfel Immenhof Jungbluth
        Kirchgässner Lindemann Mühlbauer Niedermeier Oberhauser Pfannenstiel Quandt Rosenbaum Sonnleitner Tannhäuser Ullrich
        Vollmer Wiesengrund Zuckmayer Achterberg Bachmann Dietrich Engelhardt Feldmann Gottschalk Heidenreich Jacobsen
        Kleinschmidt Löwenstein Morgenstern Nagel Ostermann Petersen Rabe Steinbach Thalheim Uhlig Voss Wegener Ziegler
        Baumgartner Decker Ebert Franke Giesecke Hübner Jahn Kuhn Lorenz Menzel Naumann Ott Paulus Röder Seidel Trautmann
        Unger Vetter Wolff Zander Brandl Dörfler Esch Fink Gärtner Albers Böhm Claussen Dreyer Ehlers Förster Graf Haas
        Ihde Jost Kessler Lutz Marx Nowitzki Oehler Pohl Rieger Sauer Thoma Ulmer Vogt Winkler Zeidler Arnold Beyer Conrad
        Döring Eckert Friedrich Gruber Heller Janke Kraft Ludwig Moser Noack Opitz Pfeiffer Reuter Stark Thiel Urban Vieth
        Walther Zimmer Abel Blum Cramer Dahl Erdmann Forst Geiger Hauser Jäger Kunz Linde Mai Nickel Oswald Probst Rauch
        Sommer Tietz Wirth"""),
    streets=names("""Linden Goethe Bahnhof Kastanien Mozart Garten Schiller Wiesen Beethoven Rosen Eichen Mühlen Kirch
        Birken Ahorn Berg Wald Ulmen Amsel Tannen Park Fichten Hölderlin Blumen"""),
    places=places("""Bad Lindenau 34537\nNeustadt 67433\nOberkirchen 66629\nAltenburg 04600\nRosenheim 83022\nGotha 99867
Celle 29221\nFulda 36037\nHusum 25813\nEmden 26721\nBad Homburg 61348\nPassau 94032\nWismar 23966\nSoest 59494
Zwickau 08056\nPirna 01796\nAalen 73430\nWetzlar 35576\nGera 07545\nCoburg 96450\nLandau 76829\nStade 21680
Hof 95028\nMeppen 49716\nBautzen 02625\nLingen 49808\nCham 93413\nNeuss 41460\nHerne 44623\nGoslar 38640
Tuttlingen 78532\nBad Tölz 83646\nSenftenberg 01968\nEisenach 99817"""),
    hospitals=lines("""Klinikum {city}\nUniversitätsklinikum {city}\nSt.-{saint}-Krankenhaus\nKrankenhaus {city}
{saint}-Klinik {city}\nRehaklinik {street}berg\nKreiskrankenhaus {city}\nStädtisches Klinikum {city}
{family}-Klinik\nDiakoniekrankenhaus {city}\nEvangelisches Krankenhaus {city}\nFachklinik {street}tal
{saint}-Hospital
Augenklinik {city}
Klinik am {street}park
Waldkrankenhaus {city}
{saint}-Krankenhaus
Herzzentrum {city}"""),
    saints=names("Marien Elisabeth Vinzenz Josefs Katharinen Antonius Hedwigs Lukas Barbara Bonifatius Raphael"),
    diseases=lines("""Asthma bronchiale\nchronische Bronchitis\nLungenentzündung\nGrippe\nDiabetes mellitus Typ 2
Diabetes mellitus Typ 1\narterielle Hypertonie\nHerzinsuffizienz\nHerzinfarkt\nVorhofflimmern\nSchlaganfall\nMigräne
Epilepsie\nMorbus Parkinson\nMultiple Sklerose\nDepression\nbipolare Störung\nSchizophrenie\nBrustkrebs\nLungenkrebs
Darmkrebs\nProstatakrebs\nakute Leukämie\nHIV-Infektion\nHepatitis C\nLeberzirrhose\nBlinddarmentzündung
Pankreatitis\nNierensteine\nNiereninsuffizienz\nrheumatoide Arthritis\nGicht\nSchuppenflechte\nEndometriose
tiefe Beinvenenthrombose\nLungenembolie\nMeningitis\nGürtelrose\nMorbus Crohn\nColitis ulcerosa
Schilddrüsenunterfunktion\nSchwangerschaftsdiabetes\nAlkoholabhängigkeit\nMorbus Alzheimer\nZöliakie
Bandscheibenvorfall"""),
    occupations=lines("""Lehrer\nBusfahrer\nTischler\nBibliothekar\nSoftwareentwickler\nKrankenpfleger\nBäcker
Elektriker\nBuchhalter\nLandwirt\nPolizist im Ruhestand\nLastwagenfahrer\nKellner\nRechtsanwalt\nKlempner\nArchitekt
Friseur\nSchweißer\nFlugbegleiter\nFeuerwehrmann\nVerkäufer\nKoch\nPostbote\nMusiker\nGrafiker\nBankkaufmann
Dachdecker\nLagerist\nImmobilienmakler\nZahntechniker"""),
    months=names("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    headers=lines(r"""Patient: {name}\nGeburtsdatum: {born}\nFallnummer: {record}
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
    sentences=lines(r"""[mr] {family} ist {age} Jahre alt, von Beruf {occupation}, bekannt ist {disease}.
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
Arbeitgeber unbekannt; von Beruf {occupation}.
Um Rückruf wird gebeten ({phone}).
Die Station ist jederzeit erreichbar ({phone}).
Die Fahrt von [n] Kilometern dauerte [n] Minuten.
Dienst hat Dr. {doctor} ({phone}).
[mr] {family} läuft täglich [n] Kilometer mit {given}.
Befunde nur per Fax ({fax}).
Die Aufnahme vom {date} wurde mit der vom {date} verglichen.
Siehe Hinweise unten, Dr. {doctor}."""),
    plain=lines("""Der Blutdruck lag bei 130/85 mmHg, Puls [n], Temperatur 37,2.
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
    footers=lines(r"""Dr. {doctor}\n{hospital}, Telefon {phone}
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
