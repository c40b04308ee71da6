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

_HOMES = dict(zip(__all__, ("l1", "l1", "l2", "r1", "l1"), strict=True))


def __getattr__(name: str) -> Any:
    # Imported when first used: the report needs one of them alone.
    if name in _HOMES:
        return getattr(import_module(f"l1kpca.peers.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'l1kpca.peers' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
