"""beside_nvidias.py LIBRARY PATTERN: descriptions of cuSPARSE take and refuse what those of NVIDIA's library do."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from ctypes import byref, c_char, c_int, c_int64, c_size_t, c_void_p, addressof

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import beside


class Place(c_void_p):
    def __repr__(self) -> str:
        return "there" if self.value else "null"


memory = (c_char * 4096)()
HERE, NONE = Place(addressof(memory)), Place(0)
F32, I32, I64, ZERO, COLUMNS, ROWS = 0, 2, 3, 0, 1, 2
TYPES = (*range(-1, 6), 8, 10, 12, 14, 15, 20, 28, 29, 99)


def size(n: int) -> c_int64:
    return c_int64(n)


def made(call: beside.Library, name: str, *arguments: object) -> c_void_p:
    out = c_void_p()
    call(name, byref(out), *arguments)
    return out


def csr(call: beside.Library, name: str = "Csr") -> c_void_p:
    return made(call, f"cusparseCreate{name}", size(3), size(4), size(5), HERE, HERE, HERE, I32, I32, ZERO, F32)


def dense(call: beside.Library) -> Iterator[beside.Answer]:
    for type_, n, at in itertools.product(TYPES, (0, 10, -1), (HERE, NONE)):
        yield f"vector {type_} {n} {at}", call("cusparseCreateDnVec", byref(c_void_p()), size(n), at, type_)
    shapes = ((3, 4, 3), (3, 4, 2), (3, 4, 4), (0, 4, 0), (3, 0, 3), (-1, 4, 3), (3, -4, 3))
    for shape, at, type_, order in itertools.product(shapes, (HERE, NONE), (F32, 8, 99), (0, COLUMNS, ROWS, 3)):
        status = call("cusparseCreateDnMat", byref(c_void_p()), *map(size, shape), at, type_, order)
        yield f"matrix {shape} {at} {type_} {order}", status
    for order, leading in ((COLUMNS, 3), (ROWS, 4)):
        matrix = made(call, "cusparseCreateDnMat", size(3), size(4), size(leading), HERE, F32, order)
        for count, stride in itertools.product((-1, 0, 1, 2), (-13, -1, 0, 1, 11, 12, 16)):
            status = call("cusparseDnMatSetStridedBatch", matrix, count, size(stride))
            yield f"batches {order} {count} {stride}", status
    vector = made(call, "cusparseCreateDnVec", size(10), HERE, F32)
    yield "no values", call("cusparseDnVecSetValues", vector, NONE)
    yield "values of none", call("cusparseDnVecSetValues", None, HERE)


def sparse(call: beside.Library) -> Iterator[beside.Answer]:
    shapes = ((3, 4, 5), (3, 4, 0), (3, 4, 12), (3, 4, 13), (3, 4, -1), (-3, 4, 5), (0, 0, 0), (0, 4, 5), (0, 4, 0), (3, 0, 0))
    arrays = ((HERE, HERE, HERE), (NONE, HERE, HERE), (HERE, NONE, HERE), (HERE, HERE, NONE), (NONE, NONE, NONE))
    for shape, places in itertools.product(shapes, arrays):
        rest = (*map(size, shape), *places)
        for name in ("Csr", "Csc"):
            status = call(f"cusparseCreate{name}", byref(c_void_p()), *rest, I32, I32, ZERO, F32)
            yield f"{name} {shape} {places}", status
        yield f"Coo {shape} {places}", call("cusparseCreateCoo", byref(c_void_p()), *rest, I32, ZERO, F32)
        status = call("cusparseCreateSpVec", byref(c_void_p()), *map(size, shape[1:]), *places[1:], I32, ZERO, F32)
        yield f"SpVec {shape} {places}", status
    for offsets, indices, base, type_ in itertools.product(range(-1, 5), range(-1, 5), (-1, 0, 1, 2), (F32, 8, 14)):
        rest = (size(3), size(4), size(5), HERE, HERE, HERE)
        status = call("cusparseCreateCsr", byref(c_void_p()), *rest, offsets, indices, base, type_)
        yield f"types {offsets} {indices} {base} {type_}", status
    for blocks in ((2, 3, 4, 2, 2), (2, 3, 7, 2, 2), (2, 3, 4, 0, 2), (2, 3, 4, 2, 3), (-2, 3, 4, 2, 2)):
        for offsets, order in itertools.product((HERE, NONE), (0, 1, 2, 3)):
            rest = (*map(size, blocks), offsets, HERE, HERE, I32, I32, ZERO, F32, order)
            yield f"Bsr {blocks} {offsets} {order}", call("cusparseCreateBsr", byref(c_void_p()), *rest)
    for shape in ((4, 8, 2, 6), (4, 8, 0, 6), (4, 8, 4, 6), (5, 8, 2, 6), (4, 8, 2, 0)):
        for columns in (HERE, NONE):
            rest = (*map(size, shape), columns, HERE, I32, ZERO, F32)
            yield f"ELL {shape} {columns}", call("cusparseCreateBlockedEll", byref(c_void_p()), *rest)
    for shape in ((3, 4, 5, 16, 4), (3, 4, 5, 4, 4), (3, 4, 5, 16, 0), (3, 4, 5, 16, -1)):
        for offsets in (HERE, NONE):
            rest = (*map(size, shape), offsets, HERE, HERE, I32, I32, ZERO, F32)
            yield f"sliced {shape} {offsets}", call("cusparseCreateSlicedEll", byref(c_void_p()), *rest)


def changes(call: beside.Library) -> Iterator[beside.Answer]:
    matrix = csr(call)
    for attribute, bytes_, value in itertools.product(range(-1, 4), (0, 2, 4, 8), range(4)):
        status = call("cusparseSpMatSetAttribute", matrix, attribute, byref(c_int(value)), c_size_t(bytes_))
        yield f"attribute {attribute} {bytes_} {value}", status
    columns = csr(call, "Csc")
    coordinates = made(call, "cusparseCreateCoo", size(3), size(4), size(5), HERE, HERE, HERE, I32, ZERO, F32)
    two, three, four = size(2), size(3), size(4)
    blocks = made(call, "cusparseCreateBsr", two, three, four, two, two, HERE, HERE, HERE, I32, I32, ZERO, F32, 1)
    objects = {"csr": matrix, "csc": columns, "coo": coordinates, "bsr": blocks}
    for (name, of), function, at in itertools.product(objects.items(), ("Csr", "Csc", "Coo"), (HERE, NONE)):
        yield f"pointers {name} {function} {at}", call(f"cusparse{function}SetPointers", of, at, at, at)
    for (name, of), count, first, second in itertools.product(
        objects.items(), (-1, 0, 1, 2), (-1, 0, 2, 3, 4, 5), (-1, 0, 3, 4, 5)
    ):
        status = call("cusparseCsrSetStridedBatch", of, count, size(first), size(second))
        yield f"csr batches {name} {count} {first} {second}", status
        yield f"coo batches {name} {count} {first}", call("cusparseCooSetStridedBatch", of, count, size(first))
        for values in (0, 15, 16):
            status = call("cusparseBsrSetStridedBatch", of, count, size(first), size(second), size(values))
            yield f"bsr batches {name} {count} {first} {second} {values}", status


def nothing(call: beside.Library) -> Iterator[beside.Answer]:
    for name in ("DnVec", "DnMat", "SpVec", "SpMat", "MatDescr"):
        yield f"destroy {name}", call(f"cusparseDestroy{name}", None)
    for name in ("PruneInfo", "ColorInfo", "Csru2csrInfo", "Csrilu02Info", "Csric02Info", "Bsrsv2Info", "Bsrsm2Info"):
        yield f"create {name}", call(f"cusparseCreate{name}", None)
        yield f"destroy {name}", call(f"cusparseDestroy{name}", None)
    for name in ("SpSV", "SpSM", "SpGEMM"):
        yield f"create {name}", call(f"cusparse{name}_createDescr", None)
        yield f"destroy {name}", call(f"cusparse{name}_destroyDescr", None)
    yield "run of no plan", call("cusparseSpMMOp", None, None)
    yield "plan without a handle", call("cusparseSpMMOp_createPlan", *[None] * 16)
    for name in ("Type", "FillMode", "DiagType", "IndexBase"):
        yield f"set {name}", call(f"cusparseSetMat{name}", None, 0)
        options = made(call, "cusparseCreateMatDescr")
        for value in range(-1, 5):
            yield f"set {name} {value}", call(f"cusparseSetMat{name}", options, value)
            yield f"get {name} {value}", call(f"cusparseGetMat{name}", options)
    for path in (None, b"/nonexistent/log"):
        yield f"log {path!r}", call("cusparseLoggerOpenFile", path)
    for level in range(-2, 9):
        yield f"log level {level}", call("cusparseLoggerSetLevel", level)
    for mask in (-1, 0, 31, 32):
        yield f"log mask {mask}", call("cusparseLoggerSetMask", mask)


def answers(call: beside.Library) -> Iterator[beside.Answer]:
    for part in (dense, sparse, changes, nothing):
        yield from part(call)


if __name__ == "__main__":
    beside.main(answers)
