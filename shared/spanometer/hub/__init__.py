"""The metric modules on the Hub: Spaces that need nothing of this package, built from it and pushed."""

from __future__ import annotations

from .building import NAMESPACE, build, space
from .pushing import Change, push

__all__ = ["NAMESPACE", "Change", "build", "push", "space"]
