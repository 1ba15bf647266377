"""What this room offers by name; written by tools/stubs.py."""

from sfumato.views.releases.view_set import ViewSetRelease as ViewSetRelease
