"""The page of the Space of mentions: mention F1 of an answer, by the rules of projects."""

from spanometer.space.grounding_page import form
from spanometer.space.serving import launch

launch(form("mention_f"))
