"""What this room offers by name; written by tools/stubs.py."""

from sfumato.views.releases.marginal_build import MarginalBuild as MarginalBuild
from sfumato.views.releases.marginal_build import build_marginals as build_marginals
from sfumato.views.releases.view_set import ViewSetRelease as ViewSetRelease
