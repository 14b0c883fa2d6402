#!/usr/bin/env python3
"""Grids and descriptions of matrices: the same statuses in libcusolverMg and in NVIDIA's library, without a GPU."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
from collections.abc import Iterator

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import beside  # noqa: E402

ZEROS = (ctypes.c_int * 40)()


def answers(library: beside.Library) -> Iterator[beside.Answer]:
    for rows, columns, mapping in itertools.product((-1, 0, 1, 2), (-1, 0, 1, 2, 40), (0, 1, 7)):
        grid = ctypes.c_void_p()
        status = library("cusolverMgCreateDeviceGrid", ctypes.byref(grid), rows, columns, ZEROS, mapping)
        yield f"a grid of {rows} by {columns}, mapping {mapping}", status
    yield "a grid without a place", library("cusolverMgCreateDeviceGrid", None, 1, 1, ZEROS, 0)
    grid = ctypes.c_void_p()
    library("cusolverMgCreateDeviceGrid", ctypes.byref(grid), 1, 1, ZEROS, 0)
    sizes = [ctypes.c_int64(size) for size in (-1, 0, 4, 5)]
    for rows, columns, row_block, column_block in itertools.product(sizes, repeat=4):
        for kind in (0, 1, 2, 99):
            made = ctypes.c_void_p()
            status = library("cusolverMgCreateMatrixDesc", ctypes.byref(made), rows, columns, row_block, column_block, kind, grid)
            yield f"a matrix of {[n.value for n in (rows, columns, row_block, column_block)]}, type {kind}", status
    made = ctypes.c_void_p()
    four = ctypes.c_int64(4)
    yield "a matrix without a grid", library("cusolverMgCreateMatrixDesc", ctypes.byref(made), four, four, four, four, 1, None)
    yield "a matrix without a place", library("cusolverMgCreateMatrixDesc", None, four, four, four, four, 1, grid)
    yield "no matrix", library("cusolverMgDestroyMatrixDesc", None)
    yield "no grid", library("cusolverMgDestroyGrid", None)


beside.main(answers, all_are_safe=True)
