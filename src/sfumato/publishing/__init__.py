"""One pipeline for every kind of release: judged, certified, written aside, opened again, attacked, named."""
