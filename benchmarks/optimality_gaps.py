"""How good the solvers are: certified gaps on six data sets, narrow kernels, small instances.

    python benchmarks/optimality_gaps.py [--data-dir DIR] [--sets wbc,musk] [--seconds 10]
        [--tables exact,narrow,musk,gaps] [--write]

Columns are standardised, constant ones dropped; kernels are centered.  For each component all
solvers are given the same problem: the Gram matrix with the components of "10 starts" before it
taken out.  A gap is bound / (c^T K c) - 1, the bound being the relaxation, tightened by wedges and
by branch and bound for at most ``--seconds``.  ``--write`` puts the tables into docs/optimality.md.
"""

import argparse
import time
from itertools import product

import numpy as np
from optimality_docs import markdown, percent, write
from sklearn.metrics.pairwise import rbf_kernel

from l1kpca import L1KernelPCA, datasets
from l1kpca.components.certificate import Certifier
from l1kpca.directions import BitFlip, SignFixedPoint, Then, best_direction
from l1kpca.directions.bounds import DENSE_ROWS
from l1kpca.directions.sdp import SdpRounding
from l1kpca.directions.starts import column, several
from l1kpca.gamma_rules import resolve_gamma
from l1kpca.gram.builders import Resources
from l1kpca.gram.centers import mean_weights
from l1kpca.gram.choose import choose
from l1kpca.gram.dense import PrecomputedGram
from l1kpca.gram.wrappers import Deflated
from l1kpca.kernels import Kernel
from l1kpca.optimality import exact
from l1kpca.threads import Workers, available_cores, single_threaded_blas

SETS = ("wbc", "ionosphere", "breastw", "cardio", "musk", "mnist")
N_COMPONENTS = 5
WORKERS = Workers(available_cores())
POLISHED = Then(SignFixedPoint(), BitFlip())
BEST = "10 starts"


def from_column(finder, gram):
    return finder.find(gram, column(gram, np.random.default_rng(0)))


SOLVERS = {
    "Algorithm 1": lambda gram: from_column(SignFixedPoint(), gram),
    "polished": lambda gram: from_column(POLISHED, gram),
    BEST: lambda gram: best_direction(
        POLISHED, gram, several(column, 10, gram, np.random.default_rng(0))
    ),
    "sdp": lambda gram: SdpRounding().find(gram, np.ones(gram.n_samples)),
}


def centered_gram(X, kernel):
    gram, _ = choose("auto", X, kernel, Resources(2 * 10**9, WORKERS, 0))
    return gram.center(mean_weights(gram))


def standardised(name, data_dir):
    X, _ = datasets.load(name, data_dir, return_X_y=True)
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def solved(gram):
    """Value and seconds of each solver, and the direction of the best-known one."""
    values, seconds, best = {}, {}, None
    for name, solver in SOLVERS.items():
        begin = time.perf_counter()
        direction = solver(gram)
        seconds[name] = time.perf_counter() - begin
        values[name] = direction.value
        best = direction if name == BEST else best
    return values, seconds, best


def bounds_of(gram, direction, budget):
    """The relaxation's bound and the tightened one, with their seconds."""
    found = []
    coef, signs = np.empty((gram.n_samples, 0)), direction.coef[np.newaxis]
    # Beyond, each wedge takes minutes.
    nodes = 10**6 if gram.n_samples <= DENSE_ROWS else 1
    for max_nodes in sorted({1, nodes}):
        certifier = Certifier(max_nodes=max_nodes, max_seconds=budget)
        begin = time.perf_counter()
        certificate = certifier.certify(gram, coef, signs)
        found.append((float(certificate.upper_bound[0]), time.perf_counter() - begin))
    return found[0], found[-1]


def components(gram, budget):
    """For each component: values, seconds, bounds."""
    scores = np.empty((0, gram.n_samples))
    for _ in range(N_COMPONENTS):
        problem = Deflated(gram, scores) if len(scores) else gram
        values, seconds, direction = solved(problem)
        yield values, seconds, bounds_of(problem, direction, budget)
        scores = np.vstack([scores, direction.image / np.sqrt(direction.value)])


def data_set_table(names, data_dir, budget):
    rows, gaps, plain_gaps = [], [], []
    for name, function in product(names, ("linear", "rbf")):
        X = standardised(name, data_dir)
        params = {"gamma": resolve_gamma("paper", X)} if function == "rbf" else {}
        gram = centered_gram(X, Kernel(function, params))
        found = list(components(gram, budget))
        median = {
            solver: np.median([b[1][0] / v[solver] - 1 for v, _, b in found]) for solver in SOLVERS
        }
        seconds = {solver: np.median([s[solver] for _, s, _ in found]) for solver in SOLVERS}
        relaxed = [b[0][0] / v[BEST] - 1 for v, _, b in found]
        tightened = [b[1][0] / v[BEST] - 1 for v, _, b in found]
        gaps += tightened
        plain_gaps += relaxed
        rows.append(
            [name, "Gaussian" if function == "rbf" else function, len(X)]
            + [f"{percent(median[solver])} ({seconds[solver]:.2g} s)" for solver in SOLVERS]
            + [f"{percent(np.median(relaxed))} ({np.median([b[0][1] for *_, b in found]):.2g} s)"]
            + [sum(gap <= 1e-6 for gap in tightened)]
        )
        print(*rows[-1], sep=" | ", flush=True)
    header = ["data", "kernel", "n", *SOLVERS, f"{BEST}, relaxation alone", "proven optimal"]
    summary = (
        f"\nMedian certified gap of {BEST} over all {len(gaps)} components:"
        f" {percent(np.median(gaps))} (relaxation alone: {percent(np.median(plain_gaps))});"
        f" {sum(gap <= 1e-6 for gap in gaps)} of {len(gaps)} components are proven optimal."
        f" Wedges and branch and bound had {budget:g} s per component, with two cores, up to"
        f" {DENSE_ROWS} rows."
    )
    return markdown(header, rows) + "\n" + summary


def narrow_table(budget):
    """400 standard normal rows in 5 dimensions: the wider gamma, the closer K is to diagonal."""
    X = np.random.default_rng(0).normal(size=(400, 5))
    rows = []
    for gamma in (0.1, 0.5, 1.0, 2.0, 5.0, 20.0):
        gram = centered_gram(X, Kernel("rbf", {"gamma": gamma}))
        values, seconds, direction = solved(gram)
        bound = bounds_of(gram, direction, budget)[1][0]
        rows.append(
            [gamma] + [f"{percent(bound / values[s] - 1)} ({seconds[s]:.2g} s)" for s in SOLVERS]
        )
        print(*rows[-1], sep=" | ", flush=True)
    return markdown(["gamma", *SOLVERS], rows)


def small_instance(seed, n, gamma):
    X = np.random.default_rng([seed, n]).normal(size=(n, 5))
    X[:2] *= 5
    K = X @ X.T if gamma is None else rbf_kernel(X, gamma=gamma)
    K = K - K.mean(axis=0) - K.mean(axis=0)[:, np.newaxis] + K.mean()
    return (K + K.T) / 2


def exact_table():
    """Share of instances solved to the optimum, and the mean distance from it otherwise."""
    rows = []
    for n in (16, 30):
        exact(small_instance(0, n, 0.1))  # compiles what is timed below
    for n, count in ((16, 200), (30, 40), (50, 20)):
        hits, short, spent = dict.fromkeys(SOLVERS, 0), {s: [] for s in SOLVERS}, []
        for seed in range(count):
            K = small_instance(seed, n, (None, 0.02, 0.1, 0.5, 1.0)[seed % 5])
            begin = time.perf_counter()
            optimum = exact(K, max_seconds=300)
            spent.append(time.perf_counter() - begin)
            values, _, _ = solved(PrecomputedGram(K, Workers()))
            for solver, value in values.items():
                hits[solver] += value >= optimum.value * (1 - 1e-9)
                short[solver].append(optimum.value / value - 1)
        rows.append(
            [n, count, f"{np.median(spent):.2g} s (at most {max(spent):.2g} s)"]
            + [f"{hits[s]} ({percent(max(0, np.mean(short[s])))})" for s in SOLVERS]
        )
        print(*rows[-1], sep=" | ", flush=True)
    return markdown(["n", "instances", "time of `exact`", *SOLVERS], rows)


def musk_seconds(data_dir):
    """Fit and certification of one component on Musk."""
    X = standardised("musk", data_dir)
    rows = []
    for settings in ({"kernel": "linear"}, {"kernel": "rbf", "gamma": "paper"}):
        begin = time.perf_counter()
        model = L1KernelPCA(1, random_state=0, **settings).fit(X)
        fitted = time.perf_counter()
        gap = (
            Certifier().certify(model.training_gram(), model.dual_components_, model.signs_).gap[0]
        )
        ended = time.perf_counter()
        kernel = "Gaussian" if settings["kernel"] == "rbf" else "linear"
        rows.append([kernel, f"{fitted - begin:.2f} s", f"{ended - fitted:.2f} s", f"{gap:.1e}"])
    return markdown(["kernel", "fit", "certification", "gap"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--tables", default="exact,narrow,musk,gaps")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    makers = {
        "exact": exact_table,
        "narrow": lambda: narrow_table(options.seconds),
        "musk": lambda: musk_seconds(options.data_dir),
        "gaps": lambda: data_set_table(options.sets.split(","), options.data_dir, options.seconds),
    }
    for name in options.tables.split(","):
        with single_threaded_blas():
            table = makers[name]()
        print(f"\n{name}\n{table}")
        if options.write:
            write(name, table)


if __name__ == "__main__":
    main()
