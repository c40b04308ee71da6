"""The kernel PCAs that the paper compares with, and the joint L1 method.

Each has the interface of `l1kpca.L1KernelPCA`: to switch methods, change the name.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from l1kpca.peers.l1 import JointL1KernelPCA, KwakKernelPCA, XiaoKernelPCA
    from l1kpca.peers.l2 import L2KernelPCA
    from l1kpca.peers.r1 import R1KernelPCA

__all__ = ["JointL1KernelPCA", "KwakKernelPCA", "L2KernelPCA", "R1KernelPCA", "XiaoKernelPCA"]


def __getattr__(name: str) -> Any:
    # Imported when first used: a report compares with one of them.
    if name not in __all__:
        raise AttributeError(f"module 'l1kpca.peers' has no attribute {name!r}")
    home = {"L2KernelPCA": "l2", "R1KernelPCA": "r1"}.get(name, "l1")
    return getattr(import_module(f"l1kpca.peers.{home}"), name)
