"""The kernel PCAs that the paper compares with, and the joint L1 method.

Each has the interface of `l1kpca.L1KernelPCA`: to switch methods, change the name.
"""

from l1kpca.estimators.peers.joint import JointL1KernelPCA
from l1kpca.estimators.peers.kwak import KwakKernelPCA
from l1kpca.estimators.peers.l2 import L2KernelPCA
from l1kpca.estimators.peers.r1 import R1KernelPCA
from l1kpca.estimators.peers.xiao import XiaoKernelPCA

__all__ = ["JointL1KernelPCA", "KwakKernelPCA", "L2KernelPCA", "R1KernelPCA", "XiaoKernelPCA"]
