"""The page of the Space of agreement."""

from spanometer.space.agreement_page import launch

launch()
