"""The error of model files."""


class ModelFileError(ValueError):
    """A model cannot be saved or loaded; the text is one sentence that says why."""
