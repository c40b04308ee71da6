"""The gallery from why, over what for, to how much."""

ORDER = (
    "why_l1", "toys", "sensor_outliers", "promise", "denoising", "grid_search", "pyod_ensemble",
    "certificates", "million_rows", "dask",
)  # fmt: skip


class WhyToScale:
    """Sorts the files of a gallery; one that is not named comes last."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, file_name):
        name = file_name.removeprefix("plot_").removesuffix(".py")
        return ORDER.index(name) if name in ORDER else len(ORDER)

    def __repr__(self):
        return "WhyToScale()"
