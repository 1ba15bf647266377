"""Plain second judgement of each model: what the written text shows, counted and judged by the standard library alone.

Nothing here is shared with searches, models or engines; PyArrow only opens the formats that are no text. ``<id>.py`` judges by
the model of that id, ``kinds/<id>.py`` makes groups of the parts of that kind of release. Both ask by name for what they read:
parameters of the model, parameters of the kind.
"""
