"""The folders of the metric modules, in a checkout or in the installed wheel."""

from importlib import metadata
from pathlib import Path

from ..exceptions import InputError, shown


def path(name: str) -> str:
    """Return the folder of a metric module.

    Raises:
        InputError: if there is no such module.
    """
    folders = module_folders()
    if not isinstance(name, str) or name not in folders:
        raise InputError(f"unknown module {shown(name)}.", f"The modules are {', '.join(sorted(folders))}.")
    return str(folders[name])


def module_folders() -> dict[str, Path]:
    """Return the folders of all metric modules by name."""
    checkout = Path(__file__).parents[3]
    if (checkout / "setup.cfg").is_file() and (checkout / "metrics").is_dir():
        scripts = list((checkout / "metrics").glob("*/*.py"))
    else:
        recorded = (Path(str(file.locate())) for file in metadata.files("spanometer") or ())
        # pip --target moves these files beside the package, but its record has their old paths
        beside = (Path(__file__).parents[2] / "share" / "spanometer" / "metrics").glob("*/*.py")
        scripts = [file for file in (*recorded, *beside) if file.match("spanometer/metrics/*/*.py") and file.is_file()]
    return {script.stem: script.resolve().parent for script in scripts if script.stem == script.parent.name}
