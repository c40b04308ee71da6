"""Seeded synthetic data of the paper's experiments."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

RandomState = int | np.random.RandomState | None
Toy = tuple[NDArray[np.float64], NDArray[np.int8]]

# Along the line and across it: they tilt the first component of L2.
_LINE_FAR = np.array([[-9.0, 0.0], [9.0, 0.0]])
_LINE_OFF = np.array([[3.75, 2.25], [4.5, 4.75], [5.25, 5.75]])


@dataclass(frozen=True, eq=False)
class LowRankData:
    """A low-rank matrix before and after noise on some of its rows."""

    X: NDArray[np.float64]  #: The noisy matrix
    X_normal: NDArray[np.float64]  #: Without noise; columns have mean 0 and standard deviation 1
    corrupted: NDArray[np.bool_]  #: True for the rows that noise was added to


def make_low_rank(
    n_samples: int = 1000, n_features: int = 50, rank: int = 10, corrupted: float = 0.1, *,
    noise_scale: float = 12.5, noise_share: float = 0.1, random_state: RandomState = None,
) -> LowRankData:  # fmt: skip
    r"""Low-rank data with noise on single entries of some rows.

    The normal matrix is :math:`U \operatorname{diag}(\lambda) V^T` with standard normal entries in
    U and V and scales :math:`\lambda` that fall evenly from 3 to 1; its columns are brought to mean
    0 and deviation 1. In ``round(corrupted * n_samples)`` rows, each entry gets noise
    :math:`N(0, s^2)` with probability q.

    Parameters
    ----------
    n_samples, n_features, rank : int, default=1000, 50, 10
        Size and rank of the normal matrix.
    corrupted : float in [0, 1], default=0.1
        Share of the rows that get noise (r in the paper).
    noise_scale, noise_share : float, default=12.5, 0.1
        s, in standard deviations of a normal column, and q.
    random_state : int, RandomState or None, default=None
        Seed. With one seed, a larger `corrupted` corrupts the same rows in the same way, and more.

    Returns
    -------
    data : LowRankData

    Notes
    -----
    The paper describes its generator and does not publish it. With the default noise, four
    components of classical linear PCA explain about 90 % of what four can explain of the normal
    matrix, as in the paper; with ``noise_scale=10`` it is about 96 %.

    Examples
    --------
    >>> from l1kpca.datasets import make_low_rank
    >>> data = make_low_rank(200, 20, rank=3, corrupted=0.25, random_state=0)
    >>> data.X.shape, int(data.corrupted.sum())
    ((200, 20), 50)
    """
    _check("n_samples", n_samples, Integral, 2)
    _check("n_features", n_features, Integral, 1)
    _check("rank", rank, Integral, 1, min(n_samples - 1, n_features))
    _check("corrupted", corrupted, Real, 0, 1)
    _check("noise_scale", noise_scale, Real, 0)
    _check("noise_share", noise_share, Real, 0, 1)
    rng = check_random_state(random_state)
    factors = rng.standard_normal((n_samples, rank)) * np.linspace(3.0, 1.0, rank)
    normal = factors @ rng.standard_normal((rank, n_features))
    normal = (normal - normal.mean(axis=0)) / normal.std(axis=0)
    # Drawn for every row, so that the noise of a row does not depend on how many are corrupted.
    mask = rng.permutation(n_samples).argsort() < round(corrupted * n_samples)
    hit = rng.uniform(size=normal.shape) < noise_share
    noise = noise_scale * rng.standard_normal(normal.shape)
    return LowRankData(normal + np.where(mask[:, None] & hit, noise, 0.0), normal, mask)


def make_line(n_normal: int = 40, *, noise: float = 0.1, random_state: RandomState = None) -> Toy:
    r"""Toy one: points along a line, two far points on it, six points off it.

    Normal points are even along a line at 30 degrees, from -5 to 5, with normal noise across it.
    The far points are at -9 and 9; the off points pull a first component away from the line.

    Parameters
    ----------
    n_normal : int, default=40
        Number of normal points.
    noise : float, default=0.1
        Standard deviation of the normal points across the line.
    random_state : int, RandomState or None, default=None
        Seed of the noise. The outliers have fixed places.

    Returns
    -------
    X : ndarray of shape (n_normal + 8, 2)
        Normal points, then the far ones, then those off the line.
    kind : ndarray of shape (n_normal + 8,)
        int8: 0 = normal, 1 = far (drawn as triangles), 2 = off the line (drawn as squares).

    Notes
    -----
    The paper shows its points only in a picture. These places were searched for, so that the circle
    around the normal points takes in two squares for L2, and none for Algorithm 1 and R1: this can
    happen, which does not say how often it does.
    """
    _check("n_normal", n_normal, Integral, 2)
    _check("noise", noise, Real, 0)
    rng = check_random_state(random_state)
    normal = np.column_stack([np.linspace(-5, 5, n_normal), noise * rng.standard_normal(n_normal)])
    cos, sin = np.cos(np.pi / 6), np.sin(np.pi / 6)
    frame = np.array([[cos, sin], [-sin, cos]])
    return _toy(normal @ frame, _LINE_FAR @ frame, np.vstack([_LINE_OFF, -_LINE_OFF]) @ frame)


def make_spiral(
    n_normal: int = 150, *, noise: float = 0.1, random_state: RandomState = None, turns: float = 2.0
) -> Toy:
    r"""Toy two: points along a spiral, two points far outside, six between its arms.

    Normal points are about equally dense along the curve. The far points are opposite each other at
    1.6 times the spiral's radius, the off points halfway between two turns.

    Parameters
    ----------
    n_normal, noise, random_state : optional
        As in `make_line`; the noise is about the curve, in either coordinate.
    turns : float, default=2.0
        How often the spiral winds around; at least 1.

    Returns
    -------
    X, kind : ndarrays of shape (n_normal + 8, 2) and (n_normal + 8,)
        As in `make_line`; 2 = between the arms.
    """
    _check("n_normal", n_normal, Integral, 2)
    _check("turns", turns, Real, 1)
    _check("noise", noise, Real, 0)
    rng = check_random_state(random_state)
    t = np.sqrt(np.linspace(1 / 16, turns**2, n_normal))
    t_off = np.linspace(0.6 * turns, turns, 6)
    return _toy(
        polar(3 * t, t) + noise * rng.standard_normal((n_normal, 2)),
        polar(1.6 * 3 * turns, np.array([1 / 8, 5 / 8])),
        polar(3 * (t_off - 0.5), t_off),
    )


def polar(radius: Any, turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points in the plane from radius and angle, which is in turns."""
    angle = 2 * np.pi * turn
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _toy(*kinds: NDArray[np.float64]) -> Toy:
    """Normal, far and off points in one array, with their kinds."""
    return np.vstack(kinds), np.repeat(np.arange(3, dtype=np.int8), [len(X) for X in kinds])


def _check(name: str, value: Any, kind: type, low: int, high: float = np.inf) -> None:
    """Refuse what is not a finite number of this kind and in this range."""
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if not (is_number and low <= value <= high and value != np.inf):
        what = "an int" if kind is Integral else "a finite number"
        upper = "" if high == np.inf else f" and at most {high}"
        raise ValueError(f"{name}={value!r} is out of range; give {what} of at least {low}{upper}.")
