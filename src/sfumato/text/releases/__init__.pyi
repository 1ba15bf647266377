"""What this room offers by name; written by tools/stubs.py."""

from sfumato.text.releases.masked_documents import MaskedDocuments as MaskedDocuments
from sfumato.text.releases.surrogate_documents import SurrogateDocuments as SurrogateDocuments
