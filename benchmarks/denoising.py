"""Noisy digits, brought back by components of training images of which some are ruined.

Prints, for each kind of damage, kernel, width and number of components, the root mean square error
to the clean images: L1 beside L2 components, ridge beside fixed-point pre-images.

    python benchmarks/denoising.py [number of seeds]
"""

import sys

import numpy as np
from sklearn.datasets import load_digits

from l1kpca import L1KernelPCA
from l1kpca.peers import L2KernelPCA

IMAGES = load_digits().data / 16
N_TRAIN, N_TEST, SHARE, NOISE = 500, 200, 0.2, 0.25
N_USED_PIXELS = 60  # the others are always black: the linear kernel has no more components
COMPONENTS = (8, 16, 32, 64)
WIDTHS = (0.5, 1.0, 2.0, 4.0)  # gamma in units of the median rule
ALPHAS = (0.01, 0.1, 1.0)
METHODS = {"L1": L1KernelPCA, "L2": L2KernelPCA}


def blocks(images, rng):
    """A white square of 4 x 4 pixels somewhere in each image."""
    for image in images:
        row, column = rng.integers(0, 5, 2)
        image.reshape(8, 8)[row : row + 4, column : column + 4] = 1


def noise(images, rng):
    """Nothing but noise between black and white."""
    images[:] = rng.uniform(0, 1, images.shape)


def glare(images, rng):
    """One row of pixels, the same in all these images, ten times as bright as white."""
    images[:, 24:32] = 10 * rng.uniform(0, 1, (len(images), 8))


def data(damage, seed):
    """Training images, some ruined; clean images; the same with noise."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(IMAGES))
    train, clean = IMAGES[order[:N_TRAIN]], IMAGES[order[N_TRAIN : N_TRAIN + N_TEST]]
    ruined = train[: int(SHARE * N_TRAIN)]
    damage(ruined, rng)
    return train, clean, clean + rng.normal(0, NOISE, clean.shape)


def error(found, clean):
    """Root mean square."""
    return float(np.sqrt(np.mean((found - clean) ** 2)))


def errors(damage, seed):
    """Every setting on one draw."""
    train, clean, noisy = data(damage, seed)
    yield ("-", "-", "-", "as it is", "-"), error(noisy, clean)
    gamma = L1KernelPCA(1, kernel="rbf", gamma="median").fit(train).gamma_
    for name, method in METHODS.items():
        for count in COMPONENTS:
            if count < N_USED_PIXELS:
                pca = method(count, random_state=0).fit(train)
                yield ("linear", "-", count, "exact", name), error(pca.denoise(noisy), clean)
            for width in WIDTHS:
                settings = {"kernel": "rbf", "gamma": gamma * width, "random_state": 0}
                for alpha in ALPHAS:
                    pca = method(count, **settings, alpha=alpha, fit_inverse_transform=True)
                    pca.fit(train)
                    yield (
                        ("rbf", width, count, f"ridge {alpha}", name),
                        error(pca.denoise(noisy), clean),
                    )
                found = pca.denoise(noisy, method="fixed_point")
                yield ("rbf", width, count, "fixed point", name), error(found, clean)


def main(n_seeds):
    for damage in (blocks, noise, glare):
        table = {}
        for seed in range(n_seeds):
            for key, value in errors(damage, seed):
                table.setdefault(key, []).append(value)
        print(f"\n{damage.__name__}: {damage.__doc__}")
        print("kernel  width  components  way back     L1     L2     L1 - L2 (standard error)")
        for key, values in table.items():
            if key[-1] == "L2":
                continue
            if key[-1] == "-":
                print(f"{'noisy images':35}{np.mean(values):7.4f}")
                continue
            other = np.array(table[(*key[:-1], "L2")])
            gain = np.array(values) - other
            print(
                f"{key[0]:8}{key[1]!s:7}{key[2]!s:12}{key[3]:13}{np.mean(values):.4f} "
                f"{other.mean():.4f} {gain.mean():+.4f} "
                f"({gain.std(ddof=1) / np.sqrt(n_seeds):.4f})",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
