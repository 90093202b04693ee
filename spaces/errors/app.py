"""The page of the Space of errors."""

from spanometer.space.error_page import form
from spanometer.space.serving import launch

launch(form())
