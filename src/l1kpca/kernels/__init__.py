"""Kernel functions k(x, y), their coefficient, and their values on blocks of rows."""

from l1kpca.kernels.blocks import KernelBlocks, Rows, kernel_blocks
from l1kpca.kernels.kernel import Kernel, make_kernel, name_of, resolve_gamma, unit_of

__all__ = [
    "Kernel",
    "KernelBlocks",
    "Rows",
    "kernel_blocks",
    "make_kernel",
    "name_of",
    "resolve_gamma",
    "unit_of",
]
