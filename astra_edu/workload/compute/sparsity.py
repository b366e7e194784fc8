"""Structured sparsity: weights with at most 2 non-zero values in any 4 consecutive ones along K."""

from __future__ import annotations

from dataclasses import replace

from astra_edu.base.errors import instance_of
from astra_edu.workload.compute.gemm import Gemm


def two_of_four(gemm: Gemm) -> Gemm:
    """The product that is left to compute when the k × n factor, the weights, keeps 2 of every 4 values along K.

    Half of K is left; of a last, incomplete group two values at most. Whether a systolic array gains by it is for a
    Folding to say: half the folds where K was folded, half the streaming where K passes by in time, and nothing where K
    fitted on the array anyway. Not counted are the 2 bits that say where each kept value stood, and the wiring by which
    a MAC picks its partner among four (with inputs stationary, each PE would even have to hold all four).
    Source: Mishra et al., "Accelerating Sparse Deep Neural Networks", 2021 (arXiv 2104.08378), for the 2:4 pattern.

    >>> from astra_edu.workload.compute import two_of_four
    >>> two_of_four(ae.Gemm(128, 128, 64))
    Gemm(m=128, n=128, k=32, count=1, moved=None)
    """
    instance_of("gemm", gemm, Gemm, "give a product such as ae.Gemm(64, 48, 40)")
    groups, rest = divmod(gemm.k, 4)
    return replace(gemm, k=2 * groups + min(rest, 2))
