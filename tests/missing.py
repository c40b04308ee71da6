"""What some tests need that may not be there, and how to get it."""

DATA_SETS = ("wbc", "ionosphere", "breastw", "cardio", "musk", "mnist")
DATA_VARIABLE = "L1KPCA_DATA"
DATA_MISSING = "data sets not found"
BROWSER_MISSING = "no Chromium with its driver found"

DATA_FILES = ", ".join(f"{name}.npz" for name in DATA_SETS)
REMEDIES = {
    DATA_MISSING: f"set {DATA_VARIABLE} to a folder that holds {DATA_FILES} (arrays X and y)",
    BROWSER_MISSING: "install both (Debian: apt-get install chromium chromium-driver)",
}
