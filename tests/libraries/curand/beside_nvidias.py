"""beside_nvidias.py LIBRARY PATTERN: generators of the host take and refuse what those of NVIDIA's cuRAND do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from ctypes import byref, c_double, c_float, c_int, c_size_t, c_ulonglong, c_void_p

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import beside

# All but 0, which is for tests of NVIDIA's own.
TYPES = (-1, 99, 100, 101, 102, 121, 122, 141, 142, 161, 162, 200, 201, 202, 203, 204, 205)
ORDERS = (-1, 0, *range(99, 107), 200, 201, 202)
DRAWS = {
    "curandGenerate": ((),),
    "curandGenerateLongLong": ((),),
    "curandGenerateUniform": ((),),
    "curandGenerateUniformDouble": ((),),
    "curandGenerateNormal": ((c_float(0), c_float(1)), (c_float(0), c_float(-1)), (c_float(0), c_float(0))),
    "curandGenerateNormalDouble": ((c_double(0), c_double(1)),),
    "curandGenerateLogNormal": ((c_float(0), c_float(1)),),
    "curandGenerateLogNormalDouble": ((c_double(0), c_double(1)),),
    "curandGeneratePoisson": ((c_double(3),), (c_double(0),), (c_double(-1),), (c_double(400001),)),
}


def of_type(call: beside.Library, type_: int) -> Iterator[beside.Answer]:
    made = c_void_p()
    status = call("curandCreateGeneratorHost", byref(made), type_)
    yield f"create {type_}", status
    if status != 0:
        return
    for number in (0, 1, 1 << 40):
        yield f"seed {type_} {number}", call("curandSetPseudoRandomGeneratorSeed", made, c_ulonglong(number))
        yield f"offset {type_} {number}", call("curandSetGeneratorOffset", made, c_ulonglong(number))
    for order in ORDERS:
        yield f"order {type_} {order}", call("curandSetGeneratorOrdering", made, order)
    for dimensions in (-1, 0, 1, 20000, 20001, 2):
        yield f"dimensions {type_} {dimensions}", call("curandSetQuasiRandomGeneratorDimensions", made, dimensions)
    numbers = (c_double * 64)()
    for name, rests in DRAWS.items():
        for rest in rests:
            for count in (0, 1, 2, 3, 4, 8):
                words = " ".join(str(argument.value) for argument in rest)
                yield f"{name} {type_} {words} of {count}", call(name, made, numbers, c_size_t(count), *rest)
    yield f"seeds {type_}", call("curandGenerateSeeds", made)
    yield f"destroy {type_}", call("curandDestroyGenerator", made)


def answers(call: beside.Library) -> Iterator[beside.Answer]:
    for type_ in TYPES:
        yield from of_type(call, type_)
    yield "create without a place", call("curandCreateGeneratorHost", None, 100)
    for name in ("curandDestroyGenerator", "curandGenerateSeeds"):
        yield f"{name} of none", call(name, None)
    place = c_void_p()
    for kind in (-1, 0, *range(100, 106)):
        yield f"directions {kind}", call("curandGetDirectionVectors32", byref(place), kind)
        yield f"wide directions {kind}", call("curandGetDirectionVectors64", byref(place), kind)
    for which in range(-1, 4):
        yield f"property {which}", call("curandGetProperty", which, byref(c_int()))


if __name__ == "__main__":
    beside.main(answers, all_are_safe=True)
