"""The kernel PCAs that the paper compares against, and the joint L1 method.

Each has the interface of `l1kpca.L1KernelPCA`: to switch methods, change the name.
"""

from l1kpca.peers.l1 import JointL1KernelPCA, KwakKernelPCA, R1KernelPCA, XiaoKernelPCA
from l1kpca.peers.l2 import L2KernelPCA

__all__ = ["JointL1KernelPCA", "KwakKernelPCA", "L2KernelPCA", "R1KernelPCA", "XiaoKernelPCA"]
