"""The kernel PCAs that the paper compares against, and the joint L1 method.

Each has the interface of `l1kpca.L1KernelPCA`: to switch methods, change the name.
"""

from typing import TYPE_CHECKING, Any

from l1kpca.peers.l2 import L2KernelPCA

if TYPE_CHECKING:
    from l1kpca.peers.l1 import JointL1KernelPCA, KwakKernelPCA, R1KernelPCA, XiaoKernelPCA

__all__ = ["JointL1KernelPCA", "KwakKernelPCA", "L2KernelPCA", "R1KernelPCA", "XiaoKernelPCA"]


def __getattr__(name: str) -> Any:
    # Imported when first used: a report needs the classical one alone.
    if name in __all__:
        from l1kpca.peers import l1  # noqa: PLC0415

        return getattr(l1, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
