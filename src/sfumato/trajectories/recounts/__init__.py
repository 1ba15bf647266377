"""Plain second judgement of paths; see :mod:`sfumato.recounts`."""
