"""English words of invented notes."""

from __future__ import annotations

from sfumato.datasets.note_words import Words, lines, names, places

__all__ = ["ENGLISH"]

ENGLISH = Words(
    women=names("""Agatha Bella Cordelia Daphne Edwina Flora Gwendolyn Harriet Imogen Josephine Kitty Lavinia Mabel Nora
        Octavia Penelope Queenie Rosalind Sybil Tabitha Una Violet Winifred Yvonne Zelda Beatrice Carla Dana Esther Fiona
        Greta Heidi Ivy Jasmine Kendra Lola Maya Naomi Paige Regina Shauna Tara Valerie Wanda
        Adele Brenna Celeste Delia Elsie Felicity Georgia Hazel Ingrid Joan Kate Leah Mona Nadine Olive Petra Rhoda
        Selma Thea Vera"""),
    men=names("""Alistair Barnaby Cedric Desmond Edgar Fergus Gilbert Horace Ivor Jasper Kingsley Leopold Malcolm Nigel
        Orson Percival Quentin Rupert Silas Tobias Ulric Victor Wilfred Xavier Yardley Zane Abel Byron Clive Duncan Elliot
        Floyd Graham Hector Ian Joel Kirk Lionel Mitchell Neil Preston Ross Spencer Trevor
        Amos Basil Conrad Dexter Ezra Felix Gordon Hugh Isaac Julian Keith Lewis Miles Nathan Otis Perry Reuben Saul
        Ted Vernon"""),
    families=names("""Abernathy Blackwood Cartwright Dunmore Ellsworth Fairbanks Garrison Hathaway Inglewood Jarvis
        Kensington Lockhart Merriweather Northcott Oakley Pemberton Quigley Ravenscroft Sinclair Thackeray Underhill
        Vandermeer Whitcombe Yarrow Zeller Ashdown Birch Cromwell Drummond Eastwood Fitzgerald Goodwin Hargreaves Irving
        Jessup Kimball Langley Macmillan Norwood Ogilvie Prescott Ransome Sterling Tillman Upton Vickers Wainwright
        Yates O'Connell McAllister Benson Crane Dalton Emerson Fowler Gibbs Holloway Ivers Joyce Kemp Lowell Maddox
        Nash Osborne Pike Rhodes Sawyer Tucker Vaughn Webb Alder Bowman Castle Draper Eaton Farrow Gower Hurst
        Isham Judd Knowles Lambert Mercer Nolan Orton Parrish Quill Redford Shelby Truman Udall Vance Whitaker Yeats Archer
        Barlow Conway Dempsey Ewing Frost Glover Hale Keller Lang Moss Newell Oliver Piper Rollins Stokes Thorne Wilder
        Abbott Bishop Carver Dixon Finch Grady Hodge Jarrett Kirby Lyons Marsh Norris Parks Rowe Snow Tate Wolfe Zimmer
        MacLeod O'Hara"""),
    streets=names("""Maple Oak Cedar Willow Chestnut Highland Lakeview Sunset Juniper Magnolia Sycamore Hillcrest Orchard
        Meadow Foxglove Brookside Prospect Lincoln Franklin Pinehurst Clover Harbor Quarry Larkspur"""),
    places=places("""Fairhaven 02719\nSpringdale 72764\nBrookfield 53005\nCedar Falls 50613\nAshland 44805
Maplewood 63143\nRiver Heights 84321\nOakdale 95361\nNewbury Park 91320\nClearwater 33755\nStonebridge 20120
Grand Rapids 49503\nEugene 97401\nBoise 83702\nTulsa 74103\nAlbany 12207\nSavannah 31401\nFlagstaff 86001
Duluth 55802\nMobile 36602\nTrenton 08608\nToledo 43604\nSalem 97301\nNorfolk 23510\nPeoria 61602\nLaredo 78040
Spokane 99201\nBurlington 05401\nBangor 04401\nCasper 82601\nHelena 59601\nPueblo 81003\nDayton 45402\nMacon 31201"""),
    hospitals=lines("""{city} General Hospital\nSt. {saint} Hospital\n{family} Memorial Hospital\n{city} Medical Center
{saint} Clinic\nUniversity Hospital {city}\n{street} Hill Hospital\nSacred Heart Hospital\n{city} Community Health Center
{family} Children's Hospital\n{street} Valley Medical Center\n{city} Regional Hospital
{saint} Hospital
{saint} Medical Center
{street} Park Clinic
{family} Clinic
{saint} Children's Hospital
{city} Eye Clinic"""),
    saints=names("Mary's Luke's Vincent's Agnes Bernard's Joseph's Catherine's Anthony's Clare's Raphael's Monica's"),
    diseases=lines("""asthma\nchronic bronchitis\npneumonia\ninfluenza\ntype 2 diabetes\ntype 1 diabetes\nhypertension
congestive heart failure\nmyocardial infarction\natrial fibrillation\nischemic stroke\nmigraine\nepilepsy
Parkinson's disease\nmultiple sclerosis\nmajor depression\nbipolar disorder\nschizophrenia\nbreast cancer\nlung cancer
colon cancer\nprostate cancer\nacute leukemia\nHIV infection\nhepatitis C\nliver cirrhosis\nacute appendicitis
pancreatitis\nkidney stones\nrenal failure\nrheumatoid arthritis\ngout\npsoriasis\nendometriosis\ndeep vein thrombosis
pulmonary embolism\nmeningitis\nshingles\nCrohn's disease\nulcerative colitis\nhypothyroidism\ngestational diabetes
alcohol dependence\nAlzheimer's disease\ncoeliac disease\nsickle cell anemia"""),
    occupations=lines("""school teacher\ntruck driver\ncarpenter\nlibrarian\nsoftware developer\nnurse\nbaker\nelectrician
accountant\nfarmer\nretired police officer\nbus driver\nwaitress\nlawyer\nplumber\narchitect\nhairdresser\nwelder
flight attendant\nfirefighter\nshop assistant\nchef\npostal worker\nmusician\ngraphic designer\nbank clerk\nroofer
warehouse worker\nreal estate agent\ndentist"""),
    months=names("January February March April May June July August September October November December"),
    headers=lines(r"""Patient: {name}\nDate of birth: {born}\nMRN: {record}
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
    sentences=lines(r"""[mr] {family} is a {age}-year-old {occupation} with a history of {disease}.
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
Name of employer unknown; [he] is a {occupation}.
A callback was requested ({phone}).
The ward can be called ({phone}) at any time.
The trip of [n] miles took [n] minutes.
On call: Dr. {doctor} ({phone}).
[He] walks [n] kilometers a day with {given}.
Reports go out by fax only ({fax}).
The chest X-ray of {date} was compared with that of {date}.
See the notes below, Dr. {doctor}."""),
    plain=lines("""Blood pressure was 130/85 mmHg, pulse [n], temperature 37.2.
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
    footers=lines(r"""Dr. {doctor}\n{hospital}, phone {phone}
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
