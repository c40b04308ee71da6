"""The figures of docs/scaling.md, from the results of scale.py; none is typed."""

from benchmarks.results import count, duration, growth, rows_table, size

COMPONENTS = 10
FITS = {"rows": count, "wall time": duration, "CPU time": duration, "CPU time / cores": duration,
        "peak memory": size}  # fmt: skip


def power(cases, what):
    """How something grows with n."""
    return f"{growth([case['rows'] for case in cases], [case[what] for case in cases]):.2f}"


def in_passes(results, case):
    """The CPU time of a component in units of one pass over the pairs of rows."""
    one = case["rows"] * (case["rows"] + 1) / 2 * results["pass-float64"] * 1e-9
    return case["CPU time"] / one / COMPONENTS


def fits_of(results, start, *sizes):
    """The fits of so many thousand rows, with the time on idle cores."""
    found, cores = [results[f"{start}-{size}k"] for size in sizes], results["about"][-1]["cores"]
    return [case | {"CPU time / cores": case["CPU time"] / cores} for case in found]


def exact(results):
    cases, cores = fits_of(results, "exact", 10, 20, 40, 80), results["about"][-1]["cores"]
    for case in cases:
        case["K would take"] = 8 * case["rows"] ** 2
        case["a component in passes"] = in_passes(results, case)
    double, single = results["pass-float64"], results["pass-float32"]
    columns = FITS | {"K would take": size, "a component in passes": "{:.2f}"}
    return rows_table(cases, columns) + (
        "\n\nA pass looks at each pair of rows once; the last column is the CPU time of a component"
        f" over that of a pass. CPU time grows with the power {power(cases, 'CPU time')} of n, peak"
        f" memory with {power(cases, 'peak memory')}. One pass takes {double:.1f} ns of one core"
        f" for each pair in double precision and {single:.1f} ns in single precision"
        f' (`dtype="float32"`), that is {double / 2 / cores:.2f} and {single / 2 / cores:.2f} ns'
        f" for each entry of K on {cores} idle cores."
    )


def beside_scikit_learn(results):
    fails, theirs = results["scikit-learn-80k"], 'scikit-learn `KernelPCA("randomized")`'
    bounded = '`L1KernelPCA(memory_limit="1GB")`'
    names = {"scikit-learn-80k": theirs, "exact-80k": bounded, "scikit-learn-10k": theirs,
             "dense-10k": "`L1KernelPCA`, K stored", "exact-10k": bounded}  # fmt: skip
    rows = [results[name] | {"method": method} for name, method in names.items()]
    columns = {"rows": count, "method": "{}", "CPU time": duration, "peak memory": size}
    return (
        f"On {count(fails['rows'])} rows the kernel matrix takes {size(8 * fails['rows'] ** 2)}."
        f" `KernelPCA` ran here with {size(fails['allowed'])} of address space.\n\n"
        + rows_table(rows, columns)
    )


def nystroem(results):
    cases = fits_of(results, "nystroem", 100, 300, 1000)
    grows = f"\n\nCPU time grows with the power {power(cases, 'CPU time')} of n."
    return rows_table(cases, FITS | {"X": size, "share of trace K missed": "{:.1%}"}) + grows


def landmarks(results):
    rows = results["mnist"]
    columns = {"landmarks": "{}", "objective, share of exact": "{:.4f}",
               "average precision": "{:.4f}", "share of trace K missed": "{:.2%}",
               "CPU time": duration}  # fmt: skip
    best = rows[0]["objective"]
    return rows_table(
        [row | {"objective, share of exact": row["objective"] / best} for row in rows], columns
    )


def cluster(results):
    names = {"workers-5M": "linear", "workers-10M-1": "linear", "workers-10M": "linear",
             "workers-20M": "linear", "workers-tasks": "linear, small partitions",
             "workers-dask_ml-10M": "`dask_ml` PCA, randomized",
             "landmarks-5M": "Gaussian, 200 landmarks, workers of 2 GB"}  # fmt: skip
    rows = [results[name] | {"method": names[name]} for name in names if name in results]
    columns = {"method": "{}", "rows": count, "workers": "{}", "wall time": duration,
               "peak memory": size, "partitions": "{}", "steps": "{}",
               "bytes moved": size}  # fmt: skip
    two, large = [results[f"workers-{m}M"] for m in (5, 10, 20)], results["workers-20M"]
    steps = [case | {"a step": case["wall time"] / case["steps"]} for case in two]
    faster = results["workers-10M-1"]["wall time"] / two[1]["wall time"]
    return rows_table(rows, columns) + (
        f"\n\nThe time of a step grows with the power {power(steps, 'a step')} of n; two workers"
        f" are {faster:.2f} times as fast as one; the fit of {count(two[1]['rows'])} rows takes"
        f" {two[1]['wall time'] / results['workers-dask_ml-10M']['wall time']:.1f} times as long as"
        f" `dask_ml`.\n\n{a_billion(large, results['workers-tasks'])}"
    )


def a_billion(large, small):
    """What the rows and the tasks of a step cost, and with that a billion rows on many workers."""
    task = small["wall time"] / small["steps"] / small["partitions"]
    busy = large["wall time"] / large["steps"] - task * large["partitions"]
    row = busy * large["workers"] / large["rows"]
    partitions = 1e9 / large["rows"] * large["partitions"]
    times = [duration(large["steps"] * (row * 1e9 / m + task * partitions)) for m in (100, 1000)]
    return (
        f"A step of n rows in p partitions on m workers takes a n / m + b p, with a ="
        f" {row * 1e9:.0f} ns for a row and b = {task * 1e3:.1f} ms for a partition, which is the"
        " time of the scheduler: partitions of 1000 rows take hardly any other. With as many steps"
        f" as {count(large['rows'])} rows took, a billion rows in {count(partitions)} partitions"
        f" would take {times[0]} on 100 workers and {times[1]} on 1000. Fewer and larger"
        " partitions lower the second term."
    )


MAKERS = {
    "exact": exact, "scikit-learn": beside_scikit_learn, "nystroem": nystroem,
    "landmarks": landmarks, "cluster": cluster,
}  # fmt: skip
