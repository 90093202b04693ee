"""The page of the Space of grounding."""

from spanometer.space.grounding_page import form
from spanometer.space.serving import launch

launch(form())
