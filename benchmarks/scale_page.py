"""The page docs/scaling.md, from the results of scale_run.py; no figure is typed here."""

# ruff: noqa: E501  (paragraphs of a page, not code)

from scale_cluster import cluster
from scale_words import COMPONENTS, count, duration, growth, size, table

EXACT = ("exact-10k", "exact-20k", "exact-40k", "exact-80k")
APPROXIMATE = ("nystroem-100k", "nystroem-300k", "nystroem-1M")


def page(results):
    parts = [
        introduction(results),
        what_to_use(results),
        exact(results),
        beside_scikit_learn(results),
        nystroem(results),
        landmarks(results["mnist"]),
        cluster(results),
        STOPPING,
    ]
    return "\n".join(parts)


def introduction(results):
    machine = results["machine"]
    loads = [case["load"] for case in results.values() if "load" in case]
    versions = ", ".join(f"{k} {machine[k]}" for k in ("python", "numpy", "scikit-learn"))
    return f"""# Scaling

Kernel PCA by the book stores the kernel matrix: n^2 numbers. Here it need not be stored. This page says what to use for
how many rows, and what it costs.

Every figure is written by `benchmarks/scale_run.py`. Each case runs in a fresh process; peak memory is the
largest resident size of that process, as the operating system counts it. Data: {COMPONENTS} directions and noise in 30 columns, one row
in fifty far off; Gaussian kernel, {COMPONENTS} components, default settings otherwise.
Machine: {machine["cores"]} cores ({machine["processor"]}), {versions}. The load average, this work included, was
{min(loads):.1f} to {max(loads):.1f}; where it is above the number of cores, other work ran at the same time and wall times are upper bounds. CPU seconds
count what the fit itself used; divided by the {machine["cores"]} cores they estimate the time on an idle machine.
"""


def what_to_use(results):
    idle = {
        name: results[name]["cpu_seconds"] / results["machine"]["cores"]
        for name in results
        if "cpu_seconds" in results[name]
    }
    rows = [
        ("up to about 10 000", "nothing to set", "K is stored", duration(idle["dense-10k"])),
        (
            "10 000 to 100 000",
            '`memory_limit="1GB"`',
            "exact; blocks of K are computed when needed",
            f"{duration(idle['exact-20k'])} (20 000) to {duration(idle['exact-80k'])} (80 000)",
        ),
        (
            "100 000 to millions",
            '`gram="nystroem"`',
            "K is approximated through landmark rows",
            f"{duration(idle['nystroem-100k'])} (100 000) to {duration(idle['nystroem-1M'])} (1 000 000)",
        ),
        ("more, or exact", "a Dask array as `X`", "the cluster of your `Client`", "see below"),
        ("any, linear kernel", "nothing to set", "K is never formed, only X is used", "O(n d)"),
    ]
    header = ("rows", "use", "what happens", f"{COMPONENTS} components: CPU time / cores")
    return f"""## What to use when

{table(header, rows)}
`gram_` of the fitted estimator says what was chosen and why. `memory_limit` bounds the kernel matrix or its blocks; on
top of it come X, the components, and a few vectors of n numbers.
Rows may be a memory map (`np.load(path, mmap_mode="r")`): they are read block by block and never copied whole.
"""


def exact(results):
    cases = [results[name] for name in EXACT]
    cores = results["machine"]["cores"]
    header = (
        "rows",
        "wall time",
        "CPU time",
        f"on {cores} idle cores",
        "peak memory",
        "K would take",
        "passes per component",
    )
    rows = [
        (
            count(case["n"]),
            duration(case["seconds"]),
            duration(case["cpu_seconds"]),
            duration(case["cpu_seconds"] / cores),
            size(case["peak_megabytes"] * 1e6),
            size(case["n"] ** 2 * 8),
            f"{case['passes_per_component']:.2f}",
        )
        for case in cases
    ]
    double, single = results["pass-float64"], results["pass-float32"]
    return f"""## Exact, in bounded memory

`L1KernelPCA({COMPONENTS}, kernel="rbf", memory_limit="1GB").fit(X)`, nothing of K stored:

{table(header, rows)}
A pass looks at each pair of rows once. CPU time grows with the power {growth(cases, "cpu_seconds"):.2f} of n, peak memory with
{growth(cases, "peak_megabytes"):.2f}. One pass takes {double["core_nanoseconds_per_evaluation"]:.1f} ns of one core for each pair in
double precision and {single["core_nanoseconds_per_evaluation"]:.1f} ns in single precision (`dtype="float32"`), that is
{double["core_nanoseconds_per_evaluation"] / 2 / cores:.2f} and {single["core_nanoseconds_per_evaluation"] / 2 / cores:.2f} ns for each entry of K on {cores} idle cores.
"""


def beside_scikit_learn(results):
    fails, works = results["scikit-learn-80k"], results["scikit-learn-10k"]
    ours, small, dense = results["exact-80k"], results["exact-10k"], results["dense-10k"]
    header = ("rows", "method", "CPU time", "peak memory")
    rows = [
        (
            count(fails["n"]),
            'scikit-learn `KernelPCA(eigen_solver="randomized")`',
            f"fails: {fails['error']}",
            "-",
        ),
        (
            count(ours["n"]),
            '`L1KernelPCA(memory_limit="1GB")`',
            duration(ours["cpu_seconds"]),
            size(ours["peak_megabytes"] * 1e6),
        ),
        (
            count(works["n"]),
            'scikit-learn `KernelPCA(eigen_solver="randomized")`',
            duration(works["cpu_seconds"]),
            size(works["peak_megabytes"] * 1e6),
        ),
        (
            count(dense["n"]),
            "`L1KernelPCA`, K stored",
            duration(dense["cpu_seconds"]),
            size(dense["peak_megabytes"] * 1e6),
        ),
        (
            count(small["n"]),
            '`L1KernelPCA(memory_limit="1GB")`',
            duration(small["cpu_seconds"]),
            size(small["peak_megabytes"] * 1e6),
        ),
    ]
    return f"""## Beside scikit-learn

On {count(fails["n"])} rows the kernel matrix takes {fails["kernel_matrix_gigabytes"]:.0f} GB.
`KernelPCA` ran here with {size(fails["allowed_bytes"])} of address space.

{table(header, rows)}"""


def nystroem(results):
    cases = [results[name] for name in APPROXIMATE]
    cores = results["machine"]["cores"]
    header = (
        "rows",
        "wall time",
        "CPU time",
        f"on {cores} idle cores",
        "peak memory",
        "X",
        "share of trace K missed",
    )
    rows = [
        (
            count(case["n"]),
            duration(case["seconds"]),
            duration(case["cpu_seconds"]),
            duration(case["cpu_seconds"] / cores),
            size(case["peak_megabytes"] * 1e6),
            size(case["rows_megabytes"] * 1e6),
            f"{case['lost_share']:.1%}",
        )
        for case in cases
    ]
    return f"""## Approximate: landmarks

`gram="nystroem"` replaces K by F F^T with features F of 500 landmark rows, spread out by k-means++. `Nystroem(n_landmarks=...)` as `gram`
sets their number and how they are chosen; without it, `memory_limit` bounds it. If F does not fit into `memory_limit`,
it is computed anew in each pass, span by span. With `memory_limit="1GB"`:

{table(header, rows)}
CPU time grows with the power {growth(cases, "cpu_seconds"):.2f} of n. What the approximation misses is positive semidefinite, so its trace is its size; `gram_.lost_share` gives it as a share of trace K.
"""


def landmarks(mnist):
    best = mnist["rows"][0]
    header = (
        "landmarks",
        "objective, share of exact",
        "average precision",
        "share of trace K missed",
        "CPU time",
    )
    rows = [
        (
            "exact" if case["landmarks"] is None else str(case["landmarks"]),
            f"{case['objective'] / best['objective']:.4f}",
            f"{case['average_precision']:.4f}",
            f"{case['lost_share']:.2%}",
            duration(case["cpu_seconds"]),
        )
        for case in mnist["rows"]
    ]
    return f"""### How many landmarks

Mnist ({count(mnist["n"])} rows, standardized columns, `gamma="paper"`). Objective: what the sign vectors of the first {COMPONENTS} components reach on the
exact matrix. Average precision: the paper's detection rule on {mnist["n_components"]} components (or as many as the landmarks give).

{table(header, rows)}"""


STOPPING = """## Stopping and going on

`verbose=1` shows a bar: components done, how far the pass under way is, and the time left. Ctrl-C ends a fit within a
second or so, also in the middle of a pass, and leaves the estimator unfitted. With `checkpoint="fit.npz"` each finished component is kept:
a new fit with the same data and settings goes on from there, also after the process was killed, and ends with the same result. A file of
other data or other settings is refused.
"""
