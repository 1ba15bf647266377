"""Invented persons to choose from, by language: given names, family names, places with their postal codes, streets, houses.

Nobody is meant: names are frequent ones, put together by a key.
"""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.data.frozen import frozen

__all__ = ["DOMAINS", "LANGUAGES", "Lists", "Place", "lists_of"]

DOMAINS = ("example.org", "example.com", "example.net")
"""Domains that are reserved for examples (RFC 2606): no mail ever reaches anybody."""


@frozen
class Place:
    """A town and one of its postal codes."""

    town: str
    code: str


@frozen(eq=False)
class Lists:
    """What surrogates of one language are chosen from."""

    female: tuple[str, ...]
    male: tuple[str, ...]
    family: tuple[str, ...]
    places: tuple[Place, ...]
    streets: tuple[str, ...]
    houses: tuple[str, ...]
    employers: tuple[str, ...]
    number_first: bool


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


def _places(text: str) -> tuple[Place, ...]:
    return tuple(Place(town, code) for town, code in (line.rsplit(" ", 1) for line in _lines(text)))


_ENGLISH = Lists(
    female=_words(
        """
        Abigail Alice Amanda Amelia Amy Anna Audrey Barbara Beth Brenda Caroline Catherine Charlotte Chloe Christine
        Claire Deborah Diana Donna Dorothy Eleanor Elizabeth Ella Emily Emma Esther Evelyn Frances Gillian Gloria
        Hannah Harriet Heather Helen Irene Isabel Jane Janet Jennifer Jessica Joan Joyce Judith Julia Karen Kate Laura
        Lauren Leah Linda Lisa Lucy Margaret Martha Megan Melissa Michelle Naomi Natalie Nora Olivia Pamela Patricia
        Paula Rachel Rebecca Rosemary Ruth Sandra Sarah Sharon Sheila Sophie Stella Susan Sylvia Teresa Valerie
        Victoria Wendy Zoe
        """
    ),
    male=_words(
        """
        Aaron Adam Adrian Alan Albert Andrew Anthony Arthur Barry Benjamin Brian Bruce Callum Carl Charles Christopher
        Colin Daniel David Dennis Derek Dominic Donald Douglas Dylan Edgar Edward Elliot Eric Ethan Francis Frank
        Gareth Geoffrey George Gerald Gordon Graham Gregory Harold Henry Howard Hugh Ian Isaac Jacob James Jason
        Jeremy Joel John Jonathan Joseph Joshua Keith Kenneth Kevin Kyle Lawrence Leonard Lewis Louis Malcolm Martin
        Matthew Michael Neil Nicholas Nigel Oliver Oscar Patrick Paul Peter Philip Ralph Raymond Richard Robert Roger
        Ronald Ross Samuel Scott Simon Stephen Stuart Thomas Timothy Trevor Victor Vincent Walter Wayne William
        """
    ),
    family=_words(
        """
        Abbott Adams Allen Anderson Archer Armstrong Atkins Bailey Baldwin Ball Barker Barnes Barton Bates Beckett
        Bennett Benson Bishop Blake Bolton Bowman Bradley Brennan Briggs Brooks Bryant Burgess Burton Butler Byrne
        Caldwell Cameron Campbell Carlson Carpenter Carr Carter Chandler Chapman Clarke Clayton Coleman Collins Conway
        Cooper Craig Crawford Cross Cunningham Curtis Dalton Davidson Dawson Dixon Donovan Doyle Drake Duncan Dunn
        Edwards Elliott Ellis Evans Farrell Ferguson Fisher Fletcher Floyd Ford Foster Fowler Fraser Freeman Fuller
        Gardner Gibson Gilbert Goodwin Gordon Grant Graves Greene Griffin Hale Hamilton Hansen Harding Harper
        Harrington Harris Harvey Hawkins Hayes Henderson Hicks Higgins Hodges Holland Holmes Hopkins Horton Houston
        Howell Hudson Hughes Hunt Ingram Jarvis Jenkins Jennings Johnston Kendall Kennedy Kirby Lambert Lawson Leonard
        Lindsay Logan Lowe Lynch Malone Marsh Mason Maxwell McCarthy McDonald Mercer Mills Morgan Morrison Murray Nash
        Newton Norris Norton Osborne Owens Palmer Parker Parsons Patterson Payne Pearson Perkins Perry Peters Porter
        Potter Preston Quinn Ramsey Randall Reed Reeves Reynolds Rhodes Richards Riley Roberts Robertson Rogers Ross
        Rowe Russell Sanders Saunders Sawyer Sharp Shaw Shelton Simpson Sinclair Slater Spencer Stanley Stephens
        Stevens Stewart Stokes Sutton Swanson Talbot Thornton Todd Townsend Tucker Turner Vaughan Wade Walker Wallace
        Walsh Walters Warner Warren Watkins Watson Watts Weaver Webb Webster Wells West Wheeler Whitaker Wilkins
        Willis Winters Woods Wright Yates
        """
    ),
    places=_places(
        """Akron 44304
        Albany 12207
        Amarillo 79101
        Boise 83702
        Buffalo 14202
        Canton 44702
        Dayton 45402
        Des Moines 50309
        Durham 27701
        El Paso 79901
        Eugene 97401
        Fresno 93721
        Garland 75040
        Hartford 06103
        Irving 75060
        Jackson 39201
        Knoxville 37902
        Lansing 48933
        Lincoln 68508
        Madison 53703
        Mesa 85201
        Mobile 36602
        Newark 07102
        Omaha 68102
        Orlando 32801
        Peoria 61602
        Plano 75074
        Reno 89501
        Richmond 23219
        Rockford 61101
        Salem 97301
        Savannah 31401
        Spokane 99201
        Springfield 62701
        Stockton 95202
        Syracuse 13202
        Tacoma 98402
        Toledo 43604
        Topeka 66603
        Tulsa 74103"""
    ),
    streets=_lines(
        """Maple Street
        Oak Avenue
        Cedar Lane
        Elm Street
        Park Road
        Church Street
        Mill Lane
        Station Road
        Highland Avenue
        River Road
        School Lane
        Spring Street
        Orchard Road
        Meadow Lane
        Chestnut Avenue
        Garden Street
        Walnut Street
        Victoria Road"""
    ),
    houses=_lines(
        """Lakeside Hospital
        Northfield Clinic
        Riverside Medical Center
        St Agnes Hospital
        Hillcrest Clinic
        Mercy General Hospital
        Oakwood Medical Center
        Westbrook Hospital
        Eastgate Clinic
        Fairview Hospital"""
    ),
    employers=_lines(
        """Ashdown Ltd
        Barrow Brothers
        Calder Works
        Denholm and Sons
        Eastway Foods
        Fernhill Press
        Glenmore Mills
        Harbour Lines
        Ironbridge Tools
        Kestrel Systems"""
    ),
    number_first=True,
)

_GERMAN = Lists(
    female=_words(
        """
        Andrea Angelika Anja Anke Annegret Annette Antje Astrid Barbara Beate Bettina Birgit Brigitte Carina Carola
        Christa Christiane Claudia Cornelia Dagmar Doris Elfriede Elisabeth Elke Ellen Erika Eva Franziska Frieda
        Gabriele Gerda Gisela Greta Gudrun Hanna Heidi Heike Helga Hilde Ilse Ines Inge Ingrid Irmgard Johanna Julia
        Jutta Karin Katharina Katja Katrin Kerstin Klara Lena Leonie Luise Magdalena Margit Marion Marlene Martina
        Melanie Monika Nadine Nicole Petra Regina Renate Rita Rosemarie Sabine Sandra Silke Simone Sonja Stefanie
        Susanne Svenja Sybille Tanja Ulrike Ursula Ute Vera Waltraud
        """
    ),
    male=_words(
        """
        Achim Albert Alexander Alfred Andreas Anton Armin Arno Axel Benedikt Bernd Bernhard Bruno Carsten Christian
        Christoph Clemens Daniel Detlef Dieter Dirk Dominik Eckhard Edgar Emil Erich Ernst Erwin Fabian Felix Florian
        Frank Franz Friedrich Georg Gerd Gerhard Gregor Guido Hannes Harald Hartmut Heinrich Heinz Helmut Henning
        Herbert Hermann Holger Horst Ingo Jakob Jan Jens Joachim Jochen Johannes Jonas Josef Julian Karl Kilian Klaus
        Konrad Kurt Lars Leonhard Lothar Ludwig Lukas Manfred Marcel Markus Matthias Max Michael Moritz Norbert Oliver
        Oskar Otto Paul Peter Philipp Rainer Ralf Reinhard Robert Roland Rolf Rudolf Sebastian Siegfried Simon Stefan
        Sven Theodor Thomas Tobias Torsten Udo Ulrich Uwe Volker Walter Werner Wilhelm Wolfgang
        """
    ),
    family=_words(
        """
        Albrecht Arnold Bachmann Barth Bauer Baumann Beck Becker Behrens Berger Bergmann Beyer Binder Böhm Brandt
        Braun Brenner Brinkmann Buchholz Burkhardt Busch Conrad Diehl Dietrich Döring Dreyer Ebert Eckert Eggert
        Ehlers Engel Engelhardt Ernst Fiedler Fink Fischer Fleischer Forster Franke Freund Fritsch Fuchs Funk Gebhardt
        Geiger Gerlach Giese Götz Graf Groß Günther Haas Hagen Hahn Hammer Hartmann Heinemann Heller Hellwig Henkel
        Hennig Herrmann Hesse Hirsch Hofer Hoffmann Hohmann Horn Huber Jacobs Jahn Janssen Jung Kaiser Kaufmann Keller
        Kern Kessler Kirchner Klein Klose Knoll Koch Köhler König Konrad Kraft Krämer Kramer Kraus Krebs Kröger Krüger
        Kuhn Kühn Lange Lauer Lehmann Lenz Lindner Link Lorenz Ludwig Lutz Maier Marquardt Martens Marx May Menzel
        Merkel Metzger Michel Möller Moser Mohr Nagel Naumann Neubauer Neumann Nickel Niemann Noack Nowak Opitz Ott
        Otto Pape Paul Peters Petersen Pfeiffer Pohl Popp Preuß Probst Rau Reich Reichert Reimann Reinhardt Renner
        Richter Ritter Rohde Römer Rose Roth Rudolph Ruppert Sander Sauer Schäfer Schenk Scherer Schilling Schindler
        Schlegel Schlüter Schmitz Schneider Scholz Schramm Schreiber Schröder Schubert Schulte Schumacher Schuster
        Schwarz Seidel Siebert Simon Sommer Stahl Stark Stein Steiner Stephan Stolz Strauß Thiel Thomas Ullrich Unger
        Vetter Vogel Vogt Voigt Voß Wagner Walther Weber Wegner Weidner Weiß Wendt Wenzel Werner Wiegand Wilhelm
        Winkler Winter Witt Wolf Wolff Wulf Zander Ziegler Zimmer
        """
    ),
    places=_places(
        """Aachen 52062
        Aalen 73430
        Ansbach 91522
        Bamberg 96047
        Bayreuth 95444
        Bocholt 46397
        Celle 29221
        Coburg 96450
        Cottbus 03046
        Detmold 32756
        Düren 52349
        Emden 26721
        Erfurt 99084
        Flensburg 24937
        Fulda 36037
        Gera 07545
        Gießen 35390
        Görlitz 02826
        Gotha 99867
        Hameln 31785
        Hanau 63450
        Heilbronn 74072
        Herford 32052
        Jena 07743
        Kempten 87435
        Landshut 84028
        Lüneburg 21335
        Marburg 35037
        Minden 32423
        Passau 94032
        Plauen 08523
        Siegen 57072
        Soest 59494
        Stade 21680
        Suhl 98527
        Trier 54290
        Weimar 99423
        Wetzlar 35576
        Worms 67547
        Zwickau 08056"""
    ),
    streets=_lines(
        """Gartenstraße
        Bahnhofstraße
        Schulstraße
        Lindenweg
        Bergstraße
        Kirchgasse
        Mühlenweg
        Rosenweg
        Ringstraße
        Waldstraße
        Feldweg
        Amselweg
        Birkenallee
        Hauptstraße
        Wiesenweg
        Talstraße
        Am Anger
        Marktgasse"""
    ),
    houses=_lines(
        """Klinikum am Park
        St.-Anna-Krankenhaus
        Waldklinik
        Klinikum Nord
        Marienhospital
        Seeklinik
        Krankenhaus am Ring
        Klinik Sonnenberg
        Elisabethkrankenhaus
        Klinikum Süd"""
    ),
    employers=_lines(
        """Adler und Söhne
        Bergwerk Steinfeld
        Brunnen GmbH
        Eichen Möbel
        Falken Druck
        Gebrüder Hollmann
        Hafen Logistik
        Linden Apotheke
        Nordlicht Systeme
        Talmühle"""
    ),
    number_first=False,
)

LANGUAGES: Mapping[str, Lists] = {"en": _ENGLISH, "de": _GERMAN}


def lists_of(language: str) -> Lists:
    """Return the lists of a language; those of English where there are none."""
    return LANGUAGES.get(language, _ENGLISH)
