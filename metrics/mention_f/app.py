"""The page of the Space of mentions: it shows what mentions the rules of projects find in an answer."""

from spanometer.space.grounding_page import form
from spanometer.space.serving import launch

launch(form())
