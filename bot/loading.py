"""The only reader of knowledge/ and data/: once, at start. Everything after works on what was read."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from bot.hardware.catalogue import Catalogue, parse_catalogue
from bot.hardware.models import ModelTable, parse_families, parse_models
from bot.tables import DataError


def files_root() -> Path:
    """Where knowledge/ and data/ lie: the top of a checkout, or inside the installed package."""
    package = Path(__file__).parent
    for root in (package.parent, package / "_files"):
        if (root / "data").is_dir() and (root / "knowledge").is_dir():
            return root
    raise DataError("data/", None, None, "the data folder is missing", "Reinstall whichgpu, or run it in a checkout")


def read_file(path: Path, root: Path | None = None) -> tuple[str, str]:
    """A data file's text and the name that errors call it by. Raises DataError."""
    where = str(path.relative_to(root)) if root and path.is_relative_to(root) else str(path)
    try:
        return path.read_text(encoding="utf-8-sig"), where
    except FileNotFoundError:
        raise DataError(where, None, None, "the file is missing", "Restore it from the repository") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise DataError(where, line, None, "the text is not UTF-8", "Save the file as UTF-8") from None
    except OSError as error:
        raise DataError(where, None, None, f"the file cannot be read ({error.strerror})", "Check its rights") from None


@lru_cache(maxsize=1)
def load_catalogue() -> Catalogue:
    """data/gpus.csv with data/architectures.csv. Raises DataError."""
    root = files_root()
    gpus = read_file(root / "data/gpus.csv", root)
    return parse_catalogue(*gpus, *read_file(root / "data/architectures.csv", root))


@lru_cache(maxsize=1)
def load_models() -> ModelTable:
    """data/models.csv with data/model_families.csv. Raises DataError."""
    root = files_root()
    models = parse_models(*read_file(root / "data/models.csv", root))
    return ModelTable(models, parse_families(*read_file(root / "data/model_families.csv", root), models))
