"""Kernels in Python, as numba.cuda compiles them: each checks its own result. Run by numba_test.py."""

from __future__ import annotations

import warnings

import numpy as np
from numba import cuda, float32, int32
from numba.core.errors import NumbaPerformanceWarning

warnings.simplefilter("ignore", NumbaPerformanceWarning)


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


@cuda.jit
def sum_of_blocks(values, out):
    partial = cuda.shared.array(128, float32)
    lane = cuda.threadIdx.x
    i = cuda.grid(1)
    partial[lane] = values[i] if i < values.size else 0
    step = 64
    while step > 0:
        cuda.syncthreads()
        if lane < step:
            partial[lane] += partial[lane + step]
        step //= 2
    if lane == 0:
        cuda.atomic.add(out, 0, partial[0])


@cuda.jit
def count(values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


@cuda.jit
def sum_of_warp(out):
    value = int32(cuda.laneid)
    for offset in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
    if cuda.laneid == 0:
        out[0] = value


@cuda.jit(debug=True, opt=False)
def fails(out):
    if cuda.threadIdx.x == 3:
        raise IndexError("the fourth thread")
    out[cuda.threadIdx.x] = 1


@cuda.reduce
def largest(a, b):
    return max(a, b)


def main() -> None:
    a = np.arange(1000, dtype=np.float32)
    out = cuda.device_array_like(a)
    add[8, 128](cuda.to_device(a), cuda.to_device(a + 1), out)
    assert (out.copy_to_host() == 2 * a + 1).all()

    total = cuda.to_device(np.zeros(1, np.float32))
    sum_of_blocks[8, 128](cuda.to_device(a), total)
    assert total.copy_to_host()[0] == a.sum()

    values = (np.arange(1000) ** 2 % 16).astype(np.int32)
    bins = cuda.to_device(np.zeros(16, np.int32))
    count[8, 128](cuda.to_device(values), bins)
    assert (bins.copy_to_host() == np.bincount(values, minlength=16)).all()

    warp = cuda.device_array(1, np.int32)
    sum_of_warp[1, 32](warp)
    assert warp.copy_to_host()[0] == 496

    assert largest(np.sin(a)) == np.sin(a).max()

    try:  # with debug, numba links several modules, and a kernel tells its exception
        fails[1, 8](cuda.device_array(8, np.int32))
        raise AssertionError("no exception")
    except IndexError as error:
        assert "the fourth thread" in str(error), error
    print("device", cuda.get_current_device().name.decode(), "kernels 6")


main()
