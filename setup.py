"""The data files of the wheel: the folders of the metric modules, as they are. All else is in setup.cfg."""

from glob import glob

from setuptools import setup

setup(
    data_files=[(f"share/spanometer/{folder}", sorted(glob(f"{folder}/*.*"))) for folder in sorted(glob("metrics/*"))]
)
