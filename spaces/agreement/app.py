"""The page of the Space of agreement."""

from spanometer.space.agreement_page import form
from spanometer.space.serving import launch

launch(form())
