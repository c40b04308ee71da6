"""Kernel functions k(x, y), their coefficient, and their values on blocks of rows."""

from l1kpca.kernels.blocks import KernelBlocks as KernelBlocks
from l1kpca.kernels.blocks import Rows as Rows
from l1kpca.kernels.blocks import kernel_blocks as kernel_blocks
from l1kpca.kernels.kernel import Kernel as Kernel
from l1kpca.kernels.kernel import make_kernel as make_kernel
from l1kpca.kernels.kernel import name_of as name_of
from l1kpca.kernels.kernel import resolve_gamma as resolve_gamma
from l1kpca.kernels.kernel import unit_of as unit_of
