"""
Denoising images with pre-images
================================

Noisy digits are projected on components that were learned from other digits, and brought back:
``denoise``. One in five of the training images has a glaring row of pixels, as from a broken
sensor. Two questions: which way back is better, and does it matter whether the components maximize
absolute values (L1) or squares (L2)?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from l1kpca import L1KernelPCA
from l1kpca.peers import L2KernelPCA
from l1kpca.plots import PreimageDisplay

# sphinx_gallery_thumbnail_number = 3  # noqa: ERA001
IMAGES = load_digits().data / 16
WIDTH = {"kernel": "rbf", "gamma": 0.05}


def data(seed):
    """300 training images, a fifth of them ruined; clean images, and the same with noise."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(IMAGES))
    train, clean = IMAGES[order[:300]], IMAGES[order[300:400]]
    train[:60, 24:32] = 10 * rng.uniform(0, 1, (60, 8))
    return train, clean, clean + rng.normal(0, 0.25, clean.shape)


train, clean, noisy = data(seed=0)
figure, axes = plt.subplots(1, 8, figsize=(10, 1.6), layout="constrained")
for ax, image in zip(axes, train[56:64], strict=True):
    ax.imshow(image.reshape(8, 8), cmap="gray", vmin=0, vmax=1)
    ax.set(xticks=[], yticks=[])
figure.suptitle("Some training images: four ruined, four as they should be")
plt.show()

# %%
# The way back
# ------------
# The Gaussian kernel has no exact way back. ``method="ridge"``, scikit-learn's, learns a regression
# of the training rows on their scores, and the ruined rows are among those it learns from.
# ``method="fixed_point"`` looks for the image whose place in feature space is nearest to the
# projection, and learns nothing.

pca = L1KernelPCA(32, **WIDTH, fit_inverse_transform=True, alpha=0.1, random_state=0).fit(train)
for method in ("ridge", "fixed_point"):
    display = PreimageDisplay.from_estimator(
        pca, noisy[:7], shape=(8, 8), method=method, vmin=0, vmax=1
    )
    display.figure_.suptitle(f'denoise(X, method="{method}")')
plt.show()

# %%
# L1 and L2
# ---------
# The root mean square error to the clean images, over five draws of the data. With few components
# of the *linear* kernel, the ruined rows take the first L2 directions, and L1 is better. With many,
# both have room for them. A *Gaussian* kernel bounds what a single row can do, whichever norm is
# maximized: L1 and L2 differ little, sometimes one way and sometimes the other, and what counts is
# the way back.

SETTINGS = {
    "linear, 8 components": ({}, 8, "auto"),
    "linear, 32 components": ({}, 32, "auto"),
    "Gaussian, 8, ridge": (WIDTH | {"fit_inverse_transform": True, "alpha": 0.1}, 8, "ridge"),
    "Gaussian, 8, fixed point": (WIDTH, 8, "fixed_point"),
    "Gaussian, 32, ridge": (WIDTH | {"fit_inverse_transform": True, "alpha": 0.1}, 32, "ridge"),
    "Gaussian, 32, fixed point": (WIDTH, 32, "fixed_point"),
}
METHODS = {"L1": L1KernelPCA, "L2": L2KernelPCA}

errors = np.empty((2, len(SETTINGS), 5))
for seed in range(5):
    train, clean, noisy = data(seed)
    for i, method in enumerate(METHODS.values()):
        for j, (settings, count, way_back) in enumerate(SETTINGS.values()):
            found = method(count, random_state=0, **settings).fit(train)
            rows = found.denoise(noisy, method=way_back)
            errors[i, j, seed] = np.sqrt(np.mean((rows - clean) ** 2))

print("root mean square error          L1      L2")
for name, (l1, l2) in zip(SETTINGS, errors.mean(axis=2).T, strict=True):
    print(f"{name:27} {l1:7.3f} {l2:7.3f}")

figure, ax = plt.subplots(figsize=(8.5, 4), layout="constrained")
places = np.arange(len(SETTINGS))
looks = (("#0072B2", ""), ("#E69F00", "///"))
for i, (name, (color, hatch)) in enumerate(zip(METHODS, looks, strict=True)):
    ax.barh(
        places + 0.4 * i - 0.2,
        errors[i].mean(axis=1),
        0.38,
        xerr=errors[i].std(axis=1),
        color=color,
        hatch=hatch,
        edgecolor="black",
        linewidth=0.6,
        label=f"{name} components",
    )
ax.axvline(0.25, color="black", linestyle=":", label="noisy images")
ax.set_yticks(places, SETTINGS)
ax.invert_yaxis()
ax.set(xlabel="error to the clean images (mean and deviation of five draws)", xlim=(0, 0.52))
ax.set_title("A fifth of the training images ruined by glare")
ax.legend(loc="lower right")
plt.show()
