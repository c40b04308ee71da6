"""All tuned numbers, each with the measurement behind it; `benchmarks.tuning` repeats them.

Results may depend on these numbers, but never on the number of threads.
"""

# --- how work is cut -----------------------------------------------------------------------------

# Multiplications below which handing work to another thread costs more than it saves: with a tenth
# of this, 100 components of 1000 rows take 1.5 times as long.
SMALL_WORK = 2_000_000

# Side of a block of K to evaluate at once: 2 MB, in the second-level cache; 256 and 1024 take 1.1
# times as long.
TILE_SIDE = 512
MIN_TILE_SIDE = 64  # NumPy's overhead is as large as the work; less memory than this is refused
TILE_TEMPORARIES = 4  # arrays of the size of a tile that a thread holds at once, to bound memory
MAX_LANES = 32  # partial sums over tiles: enough for 16 threads, and little memory next to K
TRIANGLE_PIECES = 16  # of a product with a stored K: enough for 16 threads

ROW_SPAN = 16_384  # rows of a factor or of new data to process at once: 13 MB at 100 columns
LANDMARK_SPAN = 1024  # rows whose similarities to landmarks are whitened at once: 4 MB at 500

# Bytes of landmark features above which they are kept in single precision: half the memory, with
# errors of 1e-7, far below what landmarks miss of K.
SINGLE_FEATURES = 2**28
SINGLE_SPAN = 256  # rows of these to widen at once, in the cache: a seventh of the time

# Rows of a partition to process at once: 1 MB at 30 columns, still in the second-level cache for
# the second product.
PARTITION_SPAN = 4096
UPDATE_SPAN = 4096  # entries of K c to update at once: in first-level cache, 1.3 times as fast

# --- which way is faster -------------------------------------------------------------------------

FEW_FLIPS = 0.5  # share of flipped rows below which updates by columns beat a pass over K
FEW_VECTORS = 3  # most vectors for which passes over the triangle of K beat BLAS with all of K

# If the rounded rows of a factor take more bytes than FAR_BYTES, and this share of them is needed,
# all of a span are read: in order, memory is as fast as for a fifth of them here and there.
CROWDED, FAR_BYTES = 0.25, 2**24

# Rows up to which components are found on an explicit K: 10 linear components of 351 rows take a
# quarter of the time.  If K is stored anyway, searches run in one compiled call on one core with so
# many times as many: 100 components of 5000 rows take half the time, 10 of 10 000 the same time.
SMALL_ROWS, STORED_TIMES = 1000, 8

# A stored K of so many bytes stays in the third-level cache, where BLAS takes a quarter of the time
# of a pass over the triangle.
CACHED_BYTES = 2**25

# From this many on, scores are subtracted from a copy of a small K, and for the paper's start from
# a copy of any stored K: each single flip, and each start, then reads only K.
MANY_SCORES = 16
LARGEST_COPY = 2**30  # bytes of this copy
WRITTEN_ROWS = 64  # of this copy to write at once: in the cache

LOCAL_ENTRIES = 20_000_000  # most entries of K to evaluate here, not on the cluster: 0.1 s
CLUSTER_PASS_SECONDS = 30  # if a pass over all pairs of Dask rows takes longer, landmarks are used
PAIR_SECONDS = 3.5e-9  # of one core, for the Gaussian kernel of two rows of 30 columns
NO_WORKER_SECONDS = 120  # to wait for a cluster without workers; a nanny starts one within 5 s

# --- samples -------------------------------------------------------------------------------------

MEDIAN_ROWS = 1000  # sampled for medians and distances: half a million distances
SEEDING_ROWS = 20_000  # sampled as candidates for landmarks
EXACT_ROWS = 20_000  # for which `l1kpca reduce` is exact; else landmarks (200 000 took 158 s)
LANDMARKS = 500

# Searches start at the components of a sixteenth of the rows, between the two limits; with at most
# 1024, ten linear components of 20 000 or 100 000 rows take 1.1 times as long and are no better.
FEWEST_SAMPLED, MOST_SAMPLED, SAMPLED_SHARE = 128, 512, 16

# With more rows, random starts compete on this sample: 16 starts of 7603 rows then take about twice
# the time of one (docs/performance.md).
SAMPLED_STARTS = 4000

# Clean rows whose span is used, components shown of it, and the damping of its directions as a
# share of the variance: mean ROC-AUC and average precision over 42 tables are .879 and .706; with
# 1000 rows .877 and .695, with a damping of 1e-4 .878 and .707.
SPAN_ROWS, SPAN_COMPONENTS, DAMPING = 2000, 10, 1e-5

# --- searches ------------------------------------------------------------------------------------

# Components whose searches start together, after one pass over K: 10 of a stored K of 7603 rows
# take two thirds of the time of five batches of 2.
COMPONENT_BATCHES = 2, 8, 16
BATCH_ENTRIES = 4_000_000  # signs of a batch of starts: 32 MB, and as much for their images
TABLE_ROOM = 64  # columns a table of components has room for at first; what is not filled is free

# ``n_starts="auto"``: if one start in six improves, the chance of 16 failures in a row is below 6
# %.
START_BATCH, START_PATIENCE, MAX_STARTS = 8, 16, 128
START_IMPROVEMENT = 1e-4  # least relative gain of c^T K c that counts as an improvement

# Share of the objective that single flips must promise together: for 200 000 rows with variances
# 1/j they gain 2e-8 in two thirds of the time.
NEGLIGIBLE_GAIN = 1e-7
FLIPS_PER_ROW = 20  # most single flips, against rounding errors: a search needs less than one

# Signs that single flips consider together, so one pass over K serves hundreds of flips.
FEWEST_NEAR, MOST_NEAR, NEAR_FOR_EACH, NEAR_SHARE = 128, 2048, 16, 32

# --- tables --------------------------------------------------------------------------------------

DATE_TRIALS = 200  # cells on which to try a date format: 20 ms; more never changed a choice

# Share of cells in a column of numbers that need not be numbers; more cannot be typos, but one may
# always be.
UNREAD_SHARE = 0.02
KIND_ROWS = 50_000  # to learn the kind and levels of a column: a second for 20 columns of text
MOST_LEVELS = 1000  # of a category: a table of two such columns takes 8 MB
PARENTS, PAIRS = 32, 5000  # columns that may predict a category; pairs of them, at 0.5 ms each

# A parent must cut the surprise of a category to this share: .99 explains rare levels away
# (celeba: ROC-AUC .71, at .75 .74); a column that repeats another keeps nothing.
PARENT_SURPRISE = 0.75

# --- false flags and drift -----------------------------------------------------------------------

LINE_STEP = 1.25  # ratio of rows beyond successive lines at which false flags are bounded

# Largest chance to see a gap among reference rows without outliers: 0 to 6 of 1000 references of 90
# to 900 rows show one, normal, Student's t (3) or log-normal.  Fifteen rows that are seven
# deviations off are seen among 285 normal ones in 76 %.
APART = 0.02
MIDDLE = 0.1, 0.75  # range of quantiles in which the scores of ordinary rows are fitted

# The part of the fitted tail that must not hold more rows than it predicts, within two deviations:
# normal scores pass; of 2000 with the tail of Student's t (5), 95 % are refused.
SHOULDER = 1e-4, 0.02

# Random rows of a batch to test for drift, in 30 ms: a shift of the scores by a tenth of their
# deviation is found in four of ten such batches.
DRIFT_ROWS = 5000

# --- cells ---------------------------------------------------------------------------------------

# Rows that show how columns depend on each other: medians to 2 %; the second for many columns.
CELL_ROWS, WIDE_CELL_ROWS = 5000, 1000
CELL_RANK = 500  # columns whose dependence is kept in full, and directions to keep of more
CELL_VALUES = 1_000_000  # cells to judge at once: a few arrays of 8 MB
HOLE_COLUMNS = 200  # up to which each row with holes has its own regression: 3 ms per row

# Limit on the moves of columns from the median row to the explained row, at least two per column.
# Eight for each of 166 columns take four times as long; culprits come first as often (musk: 100 %
# if far, 95 instead of 96 % if out of place).
EXPLAIN_MOVES = 400

# Least share of the identity in the correlations: from .05 to .2, mean ROC-AUC and average
# precision of 43 tables change by less than .0003 and .003, the culprits named first by 1 %.
SHRINKAGE = 0.1

# The same where single cells are judged, or the square of what may be noise: with .01, a date 25
# days before another one that it mostly follows by 1 to 9 days, within 300, has rank 16 to 204 of
# 600 instead of 1 to 6; with .001, a row of shuffled values has rank 16 of 20 000 instead of 8.
KEEN = 0.003

# Standard errors to subtract from the surplus of odd rows; and a row is an outlier if rows like it
# are rarer than one in n to this power.  Without errors, 42 public tables have the same mean F1
# with 5.4 instead of 4.5 % false alarms, and small tables many more flags (Lymphography 14 instead
# of 10 %, WDBC 11 instead of 7 %).
SURPLUS_ERRORS, RAREST = 3, 0.7

# Heaviness of residuals above which it indicates outliers, the share of rows per unit of it, and
# the largest such share.  42 public tables have a mean F1 of .265 with 5 % false alarms, .242 with
# 4 % without this; with .12, .262 with 6 %.  Normal residuals of 400 rows have at most 1.1.
HEAVY, HEAVY_SHARE, MOST_HEAVY_SHARE = 1.05, 0.08, 0.1
