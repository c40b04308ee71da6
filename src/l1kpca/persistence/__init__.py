"""Fitted models in files that are safe to open.

A model file is a zip archive as skops writes it, with one more entry, ``l1kpca.json``: the version
of the format, the versions of the packages, and whatever plain data the caller wants to keep with
the model.  Reading it runs no code of the file: sizes and names are checked by the table of
contents (`l1kpca.persistence.archive`), types are looked up in a list
(`l1kpca.persistence.schema`), and a file that holds anything else is refused before anything is
built.
"""

from l1kpca.persistence.errors import ModelFileError
from l1kpca.persistence.files import FORMAT, SavedModel, load, save
from l1kpca.persistence.schema import TRUSTED_TYPES

__all__ = ["FORMAT", "TRUSTED_TYPES", "ModelFileError", "SavedModel", "load", "save"]
