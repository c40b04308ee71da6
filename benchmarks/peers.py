"""The peers on the paper's data: accuracy and time; fills docs/methods.md.

    python -m benchmarks.peers [--only accuracy] [--threads 1]

Times on Cardio are medians, beside a plain NumPy/SciPy version of the same method, which takes
turns with ours and has as many threads.
"""

import sys
import warnings
from functools import partial

from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from benchmarks.results import ROOT, options, publish, rows_of
from benchmarks.timing import in_turn, median, seconds_of
from l1kpca import L1KernelPCA, peers
from paper.methods import METHODS, standardized
from paper.metrics import paper_abnormality, pr_auc

SETS = ("wbc", "ionosphere", "breastw", "cardio", "musk")
PLAIN = {  # functions of the tests' oracles
    "Algorithm 1": "algorithm_1", "L1KernelPCA": "greedy", "KwakKernelPCA": "kwak",
    "XiaoKernelPCA": "xiao", "R1KernelPCA": "r1_dual", "L2KernelPCA": "l2",
    "JointL1KernelPCA": "joint",
}  # fmt: skip
FAR_BEHIND = 2  # times ours in the first round: a plain version is not timed again
TABLES = {
    "accuracy": {"": "`{}`", **dict.fromkeys(SETS, "{:.3f} / {:.3f}")},
    "seconds": {"": "`{}`", "seconds": "{:.3g}", "plain": "{:.3g}", "ratio": "{:.2f}"},
}


def estimator(method, d, kernel, **settings):
    settings |= {"kernel": kernel, "gamma": "paper", "center": False, "random_state": 0}
    ours = {"Algorithm 1": METHODS["Algorithm 1"], "L1KernelPCA": L1KernelPCA}
    return (ours.get(method) or getattr(peers, method))(d, **settings)


def accuracy(method, quick):
    """Area under the curve for the linear and the Gaussian kernel, on each data set."""
    found = {"": method}
    for name in SETS[:1] if quick else SETS:
        X, y = standardized(name)
        models = [estimator(method, X.shape[1], kernel) for kernel in ("linear", "rbf")]
        found[name] = [pr_auc(y, paper_abnormality(model.fit_transform(X))) for model in models]
    return found


def plain(method, K, k):
    """The same method as one writes it."""
    import oracles
    from peers import twins  # in tests/

    if method == "JointL1KernelPCA":
        return twins.joint(K, twins.greedy(K, k))
    return getattr(oracles if method == "Algorithm 1" else twins, PLAIN[method])(K, k)


def speed(method, threads, quick):
    """Seconds of ours and of the plain version, in turn."""
    X, _ = standardized("wbc" if quick else "cardio")
    d = X.shape[1]
    ours = estimator(method, d, "rbf", n_jobs=threads)
    ours.fit(X[:100])  # loads the compiled loops

    def theirs():
        with threadpool_limits(threads):
            plain(method, rbf_kernel(X, gamma=0.5 / d**2), d)

    works = {
        "seconds": partial(seconds_of, lambda: ours.fit(X)),
        "plain": partial(seconds_of, theirs),
    }
    runs = in_turn(works, 1)
    if runs["plain"][0] > FAR_BEHIND * runs["seconds"][0]:
        del works["plain"]
    for side, seconds in ({} if quick else in_turn(works, 4)).items():
        runs[side] += seconds
    medians = {side: median(seconds).value for side, seconds in runs.items()}
    return {"": method, "runs": runs, "ratio": medians["seconds"] / medians["plain"], **medians}


if __name__ == "__main__":
    given = options(__doc__, threads={"type": int, "default": 1, "help": "of both sides"})
    warnings.simplefilter("ignore")  # Cardio has rank 20, one less than is asked for
    sys.path.append(str(ROOT / "tests"))
    tasks = {f"accuracy/{m}": partial(accuracy, m, given.quick) for m in PLAIN}
    tasks |= {f"seconds/{m}": partial(speed, m, given.threads, given.quick) for m in PLAIN}
    makers = {
        f"peers: {name}": partial(rows_of, [f"{name}/{m}" for m in PLAIN], formats)
        for name, formats in TABLES.items()
    }
    publish("peers", "methods.md", tasks, makers, given)
