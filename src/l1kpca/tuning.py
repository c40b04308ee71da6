"""Every number that was tuned, with the measurement behind it; `benchmarks.tuning` repeats it.

Results may depend on these numbers, never on the number of threads: work is cut by them alone.
"""

# --- how work is cut -----------------------------------------------------------------------------

SMALL_WORK = 2_000_000
"""Multiplications below which a hand-over to another thread costs more than it saves: with a tenth
of it, 100 components of 1000 rows take 1.5 times as long."""

TILE_SIDE = 512
"""Side of a block of K that is evaluated at once: 2 MB, in the second-level cache; 256 and 1024
take 1.1 times as long."""

MIN_TILE_SIDE = 64
"""Below this, numpy's overhead is as large as the work; a smaller memory limit is refused."""

TILE_TEMPORARIES = 4
"""Arrays of the size of a tile that a thread holds at once, for the bound on memory."""

MAX_LANES = 32
"""Sums over tiles that are kept apart: enough for 16 threads, and little memory beside K."""

TRIANGLE_PIECES = 16
"""Pieces of a product with a stored K: enough for 16 threads."""

ROW_SPAN = 16_384
"""Rows of a factor or of new data that are looked at at once: 13 MB at 100 columns."""

LANDMARK_SPAN = 4096
"""Rows whose similarities to the landmarks are whitened at once: 16 MB at 500 landmarks."""

SINGLE_FEATURES = 2**28
"""Features of landmarks of more bytes are kept in single precision: half the memory; their
errors of 1e-7 are far below what landmarks miss of K."""

SINGLE_SPAN = 256
"""Rows of them that are widened at once, for a product: in the cache, a seventh of the time."""

PARTITION_SPAN = 4096
"""Rows of a partition that a worker looks at at once: 1 MB at 30 columns, in the second-level cache
for the second product."""

UPDATE_SPAN = 4096
"""Entries of the accumulator of an update by few columns: in the first-level cache (1.3 times)."""

# --- which way is quicker ------------------------------------------------------------------------

FEW_FLIPS = 0.5
"""Share of flipped rows below which an update by columns is quicker than a pass over K."""

FEW_VECTORS = 3
"""Vectors for which passes over the triangle of K are quicker than BLAS with all of K."""

SMALL_ROWS, STORED_TIMES = 1000, 8
"""Rows up to which searches run in one compiled call, on one core, and how many times as many if K
is stored: 100 components of 5000 rows take half of the time, 10 of 10 000 as long."""

CACHED_BYTES = 2**25
"""A stored K of up to this size stays in the third-level cache, where BLAS takes a quarter of the
time of a pass over the triangle."""

MANY_SCORES = 16
"""From this many on, scores are taken off a copy of a small K, and the paper's start takes them off
a copy of any stored K: each single flip, and each start, then reads K alone."""

LARGEST_COPY = 2**30
"""Bytes that this copy may take."""

WRITTEN_ROWS = 64
"""Rows of it that are written at once: in the cache."""

LOCAL_ENTRIES = 20_000_000
"""Entries of K that are evaluated here rather than on the cluster: 0.1 s."""

CLUSTER_PASS_SECONDS = 30
"""A pass over all pairs of Dask rows that takes longer is not made: landmarks instead."""

NO_WORKER_SECONDS = 120
"""A cluster without any worker for so long is given up; a nanny starts a new one within 5 s."""

PAIR_SECONDS = 3.5e-9
"""One core for one pair of rows of 30 columns under the Gaussian kernel (docs/scaling.md)."""

# --- samples -------------------------------------------------------------------------------------

START_ROWS = 128
"""Rows on which the sampled start is sought: on five sets with both kernels the mean objective is
.1 % higher than with 128 columns judged by 1024 rows, at an eighth of the entries of K."""

MEDIAN_ROWS = 1000
"""Rows whose medians and distances stand for those of all: half a million distances."""

SEEDING_ROWS = 20_000
"""Rows among which landmarks are spread out."""

EXACT_ROWS = 20_000
"""Rows up to which `l1kpca reduce` is exact; beyond it uses landmarks (200 000 took 158 s)."""

LANDMARKS = 500
"""Default number of landmarks."""

SAMPLED_STARTS, FEWEST_SAMPLED, MOST_SAMPLED, SAMPLED_SHARE = 4000, 512, 2048, 16
"""With more rows than the first, random starts compete on a sixteenth of the rows, within the
bounds: 16 starts of 7603 rows take a tenth of the time."""

SPAN_ROWS, SPAN_COMPONENTS, DAMPING = 2000, 10, 1e-5
"""Clean rows whose span is taken, components that are shown of it, and the damping of its
directions as a share of the variance: mean ROC-AUC and average precision over 42 tables are .879
and .706; with 1000 rows .877 and .695, with a damping of 1e-4 .878 and .707."""

# --- searches ------------------------------------------------------------------------------------

START_BATCH, START_PATIENCE, MAX_STARTS = 8, 16, 128
"""``n_starts="auto"``: if one start in six would improve, 16 in a row that do not have a chance
below 6 %."""

START_IMPROVEMENT = 1e-4
"""Relative gain of c^T K c below which a start does not count as an improvement."""

NEGLIGIBLE_GAIN = 1e-7
"""Share of the objective that single flips must promise together: for 200 000 rows with variances
1/j they gain 2e-8 in two thirds of the time; where they gain more, they are made."""

FLIPS_PER_ROW = 20
"""Bound on single flips, a guard against rounding errors: a search needs fewer than one."""

FEWEST_NEAR, MOST_NEAR, NEAR_FOR_EACH, NEAR_SHARE = 128, 2048, 16, 32
"""Signs that single flips look at together: a pass over K so serves hundreds of flips."""

# --- tables --------------------------------------------------------------------------------------

DATE_TRIALS = 200
"""Cells that a form of dates is tried on: 20 ms; more cells never changed a choice."""

UNREAD_SHARE = 0.02
"""Share of cells that may be no number in a column of numbers; what is more is no slip."""

KIND_ROWS = 50_000
"""Rows that the kinds and levels of a column are learned from: a second for 20 columns of text."""

MOST_LEVELS = 1000
"""Levels of a category: a table of two such columns takes 8 MB."""

PARENTS, PAIRS = 32, 5000
"""Columns before a category that may predict it, and pairs of columns in all; one takes 0.5 ms."""

PARENT_SURPRISE = 0.75
"""Share of its surprise that a category keeps at most, given its parent: .99 explains rare levels
away (celeba: ROC-AUC .71, at .75 .74); a column that repeats another keeps nothing."""

# --- false flags and drift -----------------------------------------------------------------------

LINE_STEP = 1.25
"""From one line at which false flags are bounded to the next: how many times the rows beyond it."""

APART = 0.02
"""Chance that a gap is seen among reference rows without outliers, at most: in 0 to 6 of 1000
references of 90 to 900 rows, normal, of Student's t (3) or log-normal.  Fifteen rows that are seven
deviations off are seen among 285 normal ones in 76 %."""

MIDDLE = 0.1, 0.75
"""Shares of the rows between which the scores of ordinary rows are fitted."""

SHOULDER = 1e-4, 0.02
"""The part of the fitted tail that must hold no more rows than it says, within two deviations:
normal scores pass, of 2000 with the tail of Student's t (5) 95 % are refused."""

DRIFT_ROWS = 5000
"""Rows of a batch, drawn at random, that are tested for drift, in 30 ms: a shift of the scores by a
tenth of their deviation is found in four of ten such batches."""

# --- cells ---------------------------------------------------------------------------------------

CELL_ROWS, WIDE_CELL_ROWS = 5000, 1000
"""Rows that tell how columns depend on each other: medians to 2 %; the second for many columns."""

CELL_RANK = 500
"""Columns up to which their dependence is kept in full, directions that are kept of more."""

CELL_VALUES = 1_000_000
"""Cells that are judged at once: a few arrays of 8 MB."""

HOLE_COLUMNS = 200
"""Columns up to which each row with holes has a regression of its own: 3 ms for a row."""

EXPLAIN_MOVES = 400
"""Moves of columns on the way from the median row to a row that is explained, at most, but two of
each column.  Eight of 166 columns take four times as long; culprits come first as often (musk:
100 % if far, 95 instead of 96 % if out of place)."""

SHRINKAGE = 0.1
"""Least share of the identity in the correlations: from .05 to .2, mean ROC-AUC and average
precision of 43 tables move by less than .0003 and .003, the culprits named first by 1 %."""

SURPLUS_ERRORS, RAREST = 3, 0.7
"""Standard errors that are taken off the share of odd rows that is too many; a row is an outlier if
its like is rarer than one in n to that power.  Without errors, 42 public tables have the same mean
F1 with 5.4 instead of 4.5 % false alarms, and small tables many more flags (Lymphography 14 instead
of 10 %, WDBC 11 instead of 7 %)."""

HEAVY, HEAVY_SHARE, MOST_HEAVY_SHARE = 1.05, 0.08, 0.1
"""Heaviness of residuals from which it tells of outliers, the share of rows for each unit of it,
and the largest such share.  42 public tables have a mean F1 of .265 with 5 % false alarms, .242
with 4 % without; with .12, .262 with 6 %.  Normal residuals of 400 rows have at most 1.1."""
