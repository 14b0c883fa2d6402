"""Kernels in Python, each with one fault if the second argument is `wrong`. Run by numba_test.py in this folder."""

from __future__ import annotations

import sys
import warnings

import numpy as np
from numba import cuda, float32
from numba.core.errors import NumbaPerformanceWarning

warnings.simplefilter("ignore", NumbaPerformanceWarning)
WRONG = sys.argv[2] == "wrong"


@cuda.jit(lineinfo=True)
def scale(values, factor, end):
    i = cuda.grid(1)
    if i < end:
        values[i] *= factor  # scale


@cuda.jit(lineinfo=True)
def reverse(values, out, waits):
    own = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    own[i] = values[i]
    if waits:
        cuda.syncthreads()
    out[i] = own[127 - i]  # reverse


@cuda.jit(lineinfo=True)
def spread(values, out, threads):
    own = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    if i < threads:
        own[i] = values[i]
    cuda.syncthreads()
    out[i] = own[127 - i]  # spread


def main() -> None:
    values = cuda.to_device(np.ones(128, np.float32))
    if sys.argv[1] == "scale":
        scale[1, 256](values, 2, 129 if WRONG else 128)
        cuda.synchronize()
    elif sys.argv[1] == "reverse":
        reverse[1, 128](values, cuda.to_device(np.zeros(128, np.float32)), not WRONG)
        cuda.synchronize()
    else:
        spread[1, 128](values, cuda.to_device(np.zeros(128, np.float32)), 100 if WRONG else 128)
        cuda.synchronize()
    print("done")


main()
