"""Kernel PCAs of other papers, behind the interface of `L1KernelPCA`."""
