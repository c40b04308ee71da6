"""Slow, obvious twins of the outlier rules, row by row; they share no code with the library."""

import math

import numpy as np
from scipy import stats

import oracles

KERNELS = {"linear": {}, "rbf": {"gamma": 0.1}, "poly": {"gamma": 0.2, "degree": 2}}
MAD = 1 / stats.norm.ppf(0.75)


def bounded_columns(X, X_new):
    """Robustly standardized columns of new rows, one entry at a time."""
    out = []
    for j in range(X.shape[1]):
        column = X[:, j]
        if np.ptp(column) == 0:
            continue
        center = np.median(column)
        scale = MAD * np.median(np.abs(column - center))
        scale = scale if scale > 0 else column.std()
        z = [(value - center) / scale for value in X_new[:, j]]
        out.append([value / math.sqrt(1 + (value / 3) ** 2) for value in z])
    return np.array(out).T


def deflated_scores(K, K_new, sign_vectors):
    """Scores of training and new rows on the components with these signs, deflating both."""
    K, K_new = K.copy(), K_new.copy()
    scores, scores_new = [], []
    for c in sign_vectors:
        norm = math.sqrt(c @ K @ c)
        y, y_new = K @ c / norm, K_new @ c / norm
        scores.append(y)
        scores_new.append(y_new)
        K -= np.outer(y, y)
        K_new -= np.outer(y_new, y)
    return np.array(scores).T, np.array(scores_new).T


def paper_abnormality(Y, Y_new, variance_kept):
    """Section 6.2.2: the largest variances up to a share of their sum; sum of (Y - m)^2 / var."""
    variances = [Y[:, j].var() for j in range(Y.shape[1])]
    order = sorted(range(len(variances)), key=lambda j: -variances[j])
    kept, reached = [], 0.0
    for j in order:
        kept.append(j)
        reached += variances[j]
        if reached >= variance_kept * sum(variances):
            break
    means = Y.mean(axis=0)
    return np.array([sum((y[j] - means[j]) ** 2 / variances[j] for j in kept) for y in Y_new])


def paper_detector(X, X_new, variance_kept=0.8):
    """The paper's detection from raw rows: standardize, Gaussian of width d, d components."""
    center, deviation = X.mean(axis=0), X.std(axis=0)
    Z, Z_new = (X - center) / deviation, (X_new - center) / deviation
    n, d = Z.shape
    K = np.array([[gaussian(Z[i], Z[j], d) for j in range(n)] for i in range(n)])
    K_new = np.array([[gaussian(z, Z[j], d) for j in range(n)] for z in Z_new])
    Y, Y_new = deflated_scores(K, K_new, oracles.algorithm_1(K, d))
    return paper_abnormality(Y, Y_new, variance_kept)


def gaussian(x, y, width):
    return math.exp(-np.sum((x - y) ** 2) / (2 * width**2))


def robust_abnormality(Y, norms, Y_new, norms_new):
    """Mean over k of SD_k^2 / k + OD_k^2 / mean(OD_k^2), every sum written out."""
    n_kept = Y.shape[1]
    median = [np.median(Y[:, j]) for j in range(n_kept)]
    scale = [math.sqrt(math.pi / 2) * np.mean(np.abs(Y[:, j] - median[j])) for j in range(n_kept)]
    unit = [
        np.mean([t - sum(y[:k] ** 2) for y, t in zip(Y, norms, strict=True)])
        for k in range(1, n_kept + 1)
    ]
    out = []
    for y, t in zip(Y_new, norms_new, strict=True):
        terms = []
        for k in range(1, n_kept + 1):
            within = sum(((y[j] - median[j]) / scale[j]) ** 2 for j in range(k))
            outside = t - sum(y[j] ** 2 for j in range(k))
            terms.append(within / k + outside / unit[k - 1])
        out.append(sum(terms) / n_kept)
    return np.array(out)


def surprise(values, new, level, normal=False):
    """-log P(larger): a power through two quantiles, steep below, a tangent beyond."""
    ordered = sorted(values)
    level = max(0.5, min(level, 1 - 3 / len(ordered)))
    levels = 1 - math.sqrt(1 - level), level
    low, high = (ordered[max(0, math.ceil(each * len(ordered)) - 1)] for each in levels)
    if normal:
        low = max(low, stats.norm.ppf((1 + levels[0]) / 2))
        high = max(high, stats.norm.ppf((1 + levels[1]) / 2))
    low = max(low, 1e-3 * high)
    power = min(4, math.log(2) / math.log(high / low))
    out = []
    for value in new:
        steep = value > high and power > 1
        times = 1 + power * (value / high - 1) if steep else (value / high) ** power
        if value < low:
            times = (low / high) ** power * (value / low) ** 4
        out.append(-math.log(1 - level) * times)
    return np.array(out)


def cell_oddness(X, X_new):
    """Residuals of each cell given the others, and the three numbers of a row, one at a time."""
    n, d = X.shape
    center = np.median(X, axis=0)
    spread = MAD * np.median(np.abs(X - center), axis=0)

    def bounded(z):
        return z / np.sqrt(1 + (z / 3) ** 2)

    z, z_new = (X - center) / spread, (X_new - center) / spread
    mean, deviation = bounded(z).mean(axis=0), bounded(z).std(axis=0)
    R = np.corrcoef(bounded(z).T)
    noise = sum(1 / n for i in range(d) for j in range(d) if i != j)
    noise /= sum(R[i, j] ** 2 for i in range(d) for j in range(d) if i != j)
    steady, keen = (
        (1 - share) * R + share * np.eye(d) for share in (max(0.1, noise), max(0.003, noise**2))
    )
    reach = [
        max(3, sorted(np.abs(z[:, j]))[math.ceil(min(0.99, 1 - 3 / n) * n) - 1]) for j in range(d)
    ]

    def regressed(S, v, j):
        others = [k for k in range(d) if k != j]
        weights = np.linalg.solve(S[np.ix_(others, others)], S[others, j])
        return weights @ v[others], S[j, j] - S[j, others] @ weights

    def raw(row):
        v = (bounded(row) - mean) / deviation
        residual, distance = [], []
        for j in range(d):
            expected, variance = regressed(keen, v, j)
            beyond = math.copysign(max(abs(row[j]) - reach[j], 0), row[j]) / deviation[j]
            residual.append((v[j] - expected) / math.sqrt(variance) + beyond)
            distance.append(row[j] - (mean[j] + deviation[j] * regressed(steady, v, j)[0]))
        return residual, distance

    old, new = (np.array([raw(row) for row in rows]) for rows in (z, z_new))
    middle = np.median(old, axis=0)
    old, new = old - middle, new - middle
    unit = np.quantile(np.abs(old[:, 0]), 0.9) / stats.norm.ppf(0.95)
    residual = new[:, 0] / unit
    distance = new[:, 1] / (MAD * np.median(np.abs(old[:, 1]), axis=0))
    sums = [(np.arcsinh(values) ** 2).sum(axis=1) for values in (distance, residual)]
    seen = np.abs(old[:, 0]).ravel() / unit  # of all columns: the rows are few
    surprises = [surprise(seen, np.abs(residual[:, j]), 0.98, normal=True) for j in range(d)]
    largest = np.maximum(np.max(surprises, axis=0) - math.log(d), 0)
    return residual, np.array([*sums, largest]).T


def wilson_hilferty(squares):
    """The cube root of a sum of squares is nearly normal; its 97.5 % point by median and MAD."""
    roots = [value ** (1 / 3) for value in squares]
    middle = np.median(roots)
    spread = MAD * np.median([abs(root - middle) for root in roots])
    return (middle + 1.959963984540054 * spread) ** 3
