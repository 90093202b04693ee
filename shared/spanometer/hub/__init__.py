"""The metric modules on the Hub: Spaces that do not need this package, built from it and pushed."""

from __future__ import annotations

from .building import NAMESPACE, build, space
from .cards import write_cards
from .pushing import Change, push

__all__ = ["NAMESPACE", "Change", "build", "push", "space", "write_cards"]
