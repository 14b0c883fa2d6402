"""beside_nvidias.py LIBRARY PATTERN: descriptors of cuDNN take, refuse and return what those of NVIDIA's library do."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from ctypes import addressof, byref, c_char_p, c_double, c_float, c_int, c_size_t, c_void_p, create_string_buffer

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import beside

# All but the types of vectors of int8, which are of one format.
TYPES = (*range(-1, 5), 6, *range(9, 16))
VECTORS = (5, 7, 8)
FORMATS = range(-1, 4)
OF_VECTORS = 2
no_handle = create_string_buffer(1 << 16)


def made(call: beside.Library, kind: str) -> c_void_p:
    out = c_void_p()
    call(f"cudnnCreate{kind}Descriptor", byref(out))
    return out


def integers(*values: int) -> object:
    return (c_int * len(values))(*values)


def tensors(call: beside.Library) -> Iterator[beside.Answer]:
    of = made(call, "Tensor")
    sizes = ((2, 3, 4, 5), (0, 3, 4, 5), (-1, 3, 4, 5), (2, 0, 4, 5), (2, 3, 4, 0), (1, 1, 1, 1), (2, 32, 4, 5), (2, 4, 3, 3))
    for format_, type_, shape in itertools.product(FORMATS, TYPES, sizes):
        bytes_ = c_size_t(99)
        got = [c_int(99) for _ in range(9)]
        yield f"4d {format_} {type_} {shape}", (
            call("cudnnSetTensor4dDescriptor", of, format_, type_, *shape),
            call("cudnnGetTensorSizeInBytes", of, byref(bytes_)),
            bytes_.value,
            call("cudnnGetTensor4dDescriptor", of, *map(byref, got)),
            [g.value for g in got],
        )
    strides = ((60, 20, 5, 1), (1, 1, 1, 1), (0, 20, 5, 1), (60, 1, 15, 3), (100, 30, 6, 1), (4, 20, 5, 1))
    for type_, one in itertools.product((-1, 0, 2, 3, 6, 9, 99), strides):
        bytes_ = c_size_t(99)
        status = call("cudnnSetTensor4dDescriptorEx", of, type_, 2, 3, 4, 5, *one)
        yield f"4d strides {type_} {one}", (status, call("cudnnGetTensorSizeInBytes", of, byref(bytes_)), bytes_.value)
    dimensions = ((), (4,), (3, 4), (2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 5, 6), (1, 2, 1, 2, 1, 2, 1, 2), (1,) * 9, (2, 0, 4), (2, -3, 4))
    for type_, shape in itertools.product((-1, 0, 2, 3, 99), dimensions):
        packed = [1]
        for n in reversed(shape[1:]):
            packed.insert(0, packed[0] * n)
        bytes_, count, kind = c_size_t(99), c_int(99), c_int(99)
        all_sizes, all_strides = integers(*[99] * 9), integers(*[99] * 9)
        yield f"nd {type_} {shape}", (
            call("cudnnSetTensorNdDescriptor", of, type_, len(shape), integers(*shape, 0), integers(*packed, 0)),
            call("cudnnGetTensorSizeInBytes", of, byref(bytes_)),
            bytes_.value,
            call("cudnnGetTensorNdDescriptor", of, 8, byref(kind), byref(count), all_sizes, all_strides),
            kind.value,
            count.value,
            list(all_sizes)[: count.value],
            list(all_strides)[: count.value],
        )
        for format_ in FORMATS if len(shape) != 2 else ():  # which it takes, and makes nothing sensible of
            status = call("cudnnSetTensorNdDescriptorEx", of, format_, type_, len(shape), integers(*shape, 0))
            yield f"nd of format {format_} {type_} {shape}", (status, call("cudnnGetTensorSizeInBytes", of, byref(bytes_)), bytes_.value)
    for wanted in range(-1, 10):
        count, kind = c_int(99), c_int(99)
        call("cudnnSetTensorNdDescriptor", of, 0, 5, integers(2, 3, 4, 5, 6), integers(360, 120, 30, 6, 1))
        all_sizes, all_strides = integers(*[99] * 12), integers(*[99] * 12)
        status = call("cudnnGetTensorNdDescriptor", of, wanted, byref(kind), byref(count), all_sizes, all_strides)
        yield f"get nd {wanted}", (status, count.value, list(all_sizes), list(all_strides))


def vectors(call: beside.Library) -> Iterator[beside.Answer]:
    of, w, how = made(call, "Tensor"), made(call, "Filter"), made(call, "Convolution")
    call("cudnnSetConvolution2dDescriptor", how, 1, 1, 1, 1, 1, 1, 1, 4)
    shapes = ((2, 32, 4, 5), (2, 64, 4, 5), (2, 8, 4, 5), (2, 3, 4, 5), (0, 32, 4, 5), (2, 32, 4), (2, 64, 4, 5, 6), (2, 36, 3, 3))
    for type_, shape in itertools.product(VECTORS, shapes):
        bytes_, count, kind, all_sizes, all_strides = c_size_t(99), c_int(99), c_int(99), integers(*[99] * 9), integers(*[99] * 9)
        status = call("cudnnSetTensorNdDescriptorEx", of, OF_VECTORS, type_, len(shape), integers(*shape, 0))
        call("cudnnGetTensorNdDescriptor", of, 8, byref(kind), byref(count), all_sizes, all_strides)
        call("cudnnGetTensorSizeInBytes", of, byref(bytes_))
        yield f"vectors {type_} {shape}", (status, kind.value, count.value, list(all_sizes), list(all_strides), bytes_.value)
        got, format_ = integers(*[99] * 9), c_int(99)
        status = call("cudnnSetFilterNdDescriptor", w, type_, OF_VECTORS, len(shape), integers(*shape, 0))
        call("cudnnGetFilterNdDescriptor", w, 8, byref(kind), byref(format_), byref(count), got)
        call("cudnnGetFilterSizeInBytes", w, byref(bytes_))
        yield f"filter of vectors {type_} {shape}", (status, kind.value, format_.value, count.value, list(got)[: count.value], bytes_.value)
        if len(shape) == 4:
            of_four = [c_int(99) for _ in range(6)]
            yield f"filter of four dimensions {type_} {shape}", (status, call("cudnnGetFilter4dDescriptor", w, *map(byref, of_four)), [g.value for g in of_four])
    for type_, channels in itertools.product(VECTORS, (32, 64)):
        out = [c_int(99) for _ in range(4)]
        call("cudnnSetTensor4dDescriptor", of, OF_VECTORS, type_, 2, channels, 7, 8)
        call("cudnnSetFilter4dDescriptor", w, type_, OF_VECTORS, 16, 32, 3, 3)
        status = call("cudnnGetConvolution2dForwardOutputDim", how, of, w, *map(byref, out))
        yield f"output of vectors {type_} {channels}", (status, [o.value for o in out] if status == 0 else ())


def filters(call: beside.Library) -> Iterator[beside.Answer]:
    of = made(call, "Filter")
    for type_, format_, shape in itertools.product(TYPES, FORMATS, ((2, 3, 4, 5), (0, 3, 4, 5), (-1, 3, 4, 5), (2, 32, 3, 3))):
        bytes_, got = c_size_t(99), [c_int(99) for _ in range(6)]
        yield f"filter {type_} {format_} {shape}", (
            call("cudnnSetFilter4dDescriptor", of, type_, format_, *shape),
            call("cudnnGetFilterSizeInBytes", of, byref(bytes_)),
            bytes_.value,
            call("cudnnGetFilter4dDescriptor", of, *map(byref, got)),
            [g.value for g in got],
        )
    for count in range(-1, 10):
        yield f"filter of {count}", call("cudnnSetFilterNdDescriptor", of, 0, 0, count, integers(*[2] * 10))


def convolutions(call: beside.Library) -> Iterator[beside.Answer]:
    of, x, w = made(call, "Convolution"), made(call, "Tensor"), made(call, "Filter")
    call("cudnnSetTensor4dDescriptor", x, 0, 0, 2, 6, 11, 13)
    call("cudnnSetFilter4dDescriptor", w, 0, 0, 4, 3, 3, 5)
    rests = ((0, 0, 1, 1, 1, 1), (1, 2, 2, 3, 1, 2), (-1, 0, 1, 1, 1, 1), (0, 0, 0, 1, 1, 1), (0, 0, 1, 1, 0, 1), (9, 9, 1, 1, 1, 1), (0, 0, 1, 1, 9, 9))
    for rest, mode, type_, groups in itertools.product(rests, range(-1, 3), (-1, 0, 1, 2, 3, 99), (1, 2, 3)):
        got, out = [c_int(99) for _ in range(8)], [c_int(99) for _ in range(4)]
        yield f"convolution {rest} {mode} {type_} {groups}", (
            call("cudnnSetConvolution2dDescriptor", of, *rest, mode, type_),
            call("cudnnSetConvolutionGroupCount", of, groups),
            call("cudnnGetConvolution2dDescriptor", of, *map(byref, got)),
            [g.value for g in got],
            call("cudnnGetConvolution2dForwardOutputDim", of, x, w, *map(byref, out)),
            [o.value for o in out],
        )
    for count in range(-1, 9):
        status = call("cudnnSetConvolutionNdDescriptor", of, count, integers(*[0] * 9), integers(*[1] * 9), integers(*[1] * 9), 0, 0)
        yield f"convolution of {count}", status
    for value in range(-1, 5):
        got = c_int(99)
        yield f"math {value}", (call("cudnnSetConvolutionMathType", of, value), call("cudnnGetConvolutionMathType", of, byref(got)), got.value)
        yield f"groups {value}", (call("cudnnSetConvolutionGroupCount", of, value), call("cudnnGetConvolutionGroupCount", of, byref(got)), got.value)
        yield f"reorder {value}", (call("cudnnSetConvolutionReorderType", of, value), call("cudnnGetConvolutionReorderType", of, byref(got)), got.value)


def pooling(call: beside.Library) -> Iterator[beside.Answer]:
    of, x = made(call, "Pooling"), made(call, "Tensor")
    call("cudnnSetTensor4dDescriptor", x, 0, 0, 2, 3, 11, 13)
    rests = ((2, 2, 0, 0, 2, 2), (3, 2, 1, 0, 1, 2), (0, 2, 0, 0, 2, 2), (-1, 2, 0, 0, 2, 2), (2, 2, -1, 0, 2, 2), (2, 2, 0, 0, 0, 2), (20, 20, 0, 0, 1, 1), (2, 2, 2, 2, 1, 1))
    for mode, nan, rest in itertools.product(range(-1, 6), range(-1, 3), rests):
        got, out = [c_int(99) for _ in range(8)], [c_int(99) for _ in range(4)]
        yield f"pooling {mode} {nan} {rest}", (
            call("cudnnSetPooling2dDescriptor", of, mode, nan, *rest),
            call("cudnnGetPooling2dDescriptor", of, *map(byref, got)),
            [g.value for g in got],
            call("cudnnGetPooling2dForwardOutputDim", of, x, *map(byref, out)),
            [o.value for o in out],
        )
    for count in range(-1, 10):
        status = call("cudnnSetPoolingNdDescriptor", of, 0, 0, count, integers(*[2] * 10), integers(*[0] * 10), integers(*[2] * 10))
        yield f"pooling of {count}", status


def settings(call: beside.Library) -> Iterator[beside.Answer]:
    of = made(call, "Activation")
    for mode, nan, limit in itertools.product(range(-1, 9), range(-1, 3), (-1.0, 0.0, 6.0)):
        got, value = [c_int(99), c_int(99)], c_double(99)
        yield f"activation {mode} {nan} {limit}", (
            call("cudnnSetActivationDescriptor", of, mode, nan, c_double(limit)),
            call("cudnnGetActivationDescriptor", of, *map(byref, got), byref(value)),
            [g.value for g in got],
            value.value,
        )
    of = made(call, "OpTensor")
    for operation, type_, nan in itertools.product(range(-1, 8), (-1, 0, 1, 2, 3, 99), range(-1, 3)):
        got = [c_int(99) for _ in range(3)]
        status = call("cudnnSetOpTensorDescriptor", of, operation, type_, nan)
        yield f"combination {operation} {type_} {nan}", (status, call("cudnnGetOpTensorDescriptor", of, *map(byref, got)), [g.value for g in got])
    of = made(call, "ReduceTensor")
    for operation, type_, indices, width in itertools.product(range(-1, 11), (0, 1, 2, 99), range(-1, 3), range(-1, 5)):
        status = call("cudnnSetReduceTensorDescriptor", of, operation, type_, 0, indices, width)
        got = [c_int(99) for _ in range(5)]
        yield f"reduction {operation} {type_} {indices} {width}", (status, call("cudnnGetReduceTensorDescriptor", of, *map(byref, got)), [g.value for g in got])
    of = made(call, "CTCLoss")
    for type_, norm, nan in itertools.product((-1, 0, 1, 2, 99), range(-1, 3), range(-1, 3)):
        yield f"loss {type_}", call("cudnnSetCTCLossDescriptor", of, type_)
        yield f"loss {type_} {norm} {nan}", call("cudnnSetCTCLossDescriptorEx", of, type_, norm, nan)
        for longest in (-1, 0, 10, 256):
            yield f"loss 8 {type_} {norm} {nan} {longest}", call("cudnnSetCTCLossDescriptor_v8", of, type_, norm, nan, longest)
    of = made(call, "SpatialTransformer")
    for sampler, type_, count in itertools.product(range(-1, 2), (-1, 0, 1, 2, 99), range(-1, 7)):
        yield f"transformer {sampler} {type_} {count}", call("cudnnSetSpatialTransformerNdDescriptor", of, sampler, type_, count, integers(*[2] * 8))
    derived, x = made(call, "Tensor"), made(call, "Tensor")
    for mode, type_, shape in itertools.product(range(-1, 4), (0, 1, 2, 9), ((2, 3, 4, 5), (2, 3, 1, 1))):
        call("cudnnSetTensor4dDescriptor", x, 0, type_, *shape)
        got = [c_int(99) for _ in range(9)]
        yield f"normalization {mode} {type_} {shape}", (
            call("cudnnDeriveBNTensorDescriptor", derived, x, mode),
            call("cudnnGetTensor4dDescriptor", derived, *map(byref, got)),
            [g.value for g in got],
        )
    sequences = made(call, "RNNData")
    fill = c_float(0)
    for type_, layout, longest, batch, width in itertools.product((-1, 0, 1, 2, 9), range(-1, 4), (-1, 0, 4), (-1, 0, 2), (-1, 0, 3)):
        status = call("cudnnSetRNNDataDescriptor", sequences, type_, layout, longest, batch, width, integers(4, 2, 1), byref(fill))
        yield f"sequences {type_} {layout} {longest} {batch} {width}", status


def responses(call: beside.Library) -> Iterator[beside.Answer]:
    of = made(call, "LRN")
    values = (-1.0, 0.0, 9e-6, 1e-5, 9e-3, 1e-2, 0.75, 2.0)
    for n, alpha, beta, k in itertools.product((0, 1, 5, 16, 17), (-1.0, 0.0, 1e-4), values, values):
        width, got = c_int(99), [c_double(99) for _ in range(3)]
        yield f"response {n} {alpha} {beta} {k}", (
            call("cudnnSetLRNDescriptor", of, n, c_double(alpha), c_double(beta), c_double(k)),
            call("cudnnGetLRNDescriptor", of, byref(width), *map(byref, got)),
            width.value,
            [g.value for g in got],
        )
    x = made(call, "Tensor")
    call("cudnnSetTensor4dDescriptor", x, 0, 0, 2, 3, 4, 5)
    for mode, groups in itertools.product(range(-1, 3), range(4)):
        scale, statistics = made(call, "Tensor"), made(call, "Tensor")
        status = call("cudnnDeriveNormTensorDescriptor", scale, statistics, x, mode, groups)
        sizes = []
        for derived in (scale, statistics):
            kind, count, all_sizes, all_strides = c_int(99), c_int(99), integers(*[99] * 9), integers(*[99] * 9)
            call("cudnnGetTensorNdDescriptor", derived, 8, byref(kind), byref(count), all_sizes, all_strides)
            sizes.append((kind.value, count.value, list(all_sizes)[: max(count.value, 0)]))
        yield f"normalization {mode} {groups}", (status, sizes)


def transforms(call: beside.Library) -> Iterator[beside.Answer]:
    of, source = made(call, "TensorTransform"), made(call, "Tensor")

    def got(wanted: int) -> tuple[object, ...]:
        kind, direction = c_int(99), c_int(99)
        before, after, folds = integers(*[99] * 9), integers(*[99] * 9), integers(*[99] * 9)
        status = call("cudnnGetTensorTransformDescriptor", of, wanted, byref(kind), before, after, folds, byref(direction))
        return (status, kind.value, list(before), list(after), list(folds), direction.value)

    def destination() -> tuple[object, ...]:
        to, bytes_ = made(call, "Tensor"), c_size_t(99)
        kind, count, all_sizes, all_strides = c_int(99), c_int(99), integers(*[99] * 9), integers(*[99] * 9)
        status = call("cudnnInitTransformDest", of, source, to, byref(bytes_))
        if status != 0:
            return (status,)
        call("cudnnGetTensorNdDescriptor", to, 8, byref(kind), byref(count), all_sizes, all_strides)
        return (status, bytes_.value, kind.value, list(all_sizes)[: count.value], list(all_strides)[: count.value])

    yield "transform of none", (call("cudnnInitTransformDest", of, source, made(call, "Tensor"), byref(c_size_t())),)
    for wanted in range(9):
        yield f"fresh transform {wanted}", got(wanted)
    for count in (-1, 0, 1, 2, 3, 5, 8, 9):
        status = call("cudnnSetTensorTransformDescriptor", of, count, 0, integers(*[count] * 9), None, None, 0)
        yield f"transform of {count}", (status, got(8))
    pads = (((0, 0, 0, 0), (0, 0, 0, 0)), ((0, 0, 1, 2), (1, 2, 0, 0)), ((0, -1, -1, 0), (0, 0, -1, 1)), ((0, 0, -9, 0), (0, 0, 0, 0)))
    kinds = ((0, (0, 0), 0), (1, (2, 3), 0), (0, (2, 3), 1), (1, (1, 2), 1), (2, (0, 0), 0), (-1, (1, 1), 0), (3, (1, 1), 0))
    for shape, (before, after), (format_, fold, way) in itertools.product(((2, 3, 6, 8), (2, 4, 5, 7)), pads, kinds):
        call("cudnnSetTensor4dDescriptor", source, 0, 2 if way else 0, *shape)
        status = call("cudnnSetTensorTransformDescriptor", of, 4, format_, integers(*before), integers(*after), integers(*fold), way)
        yield f"transform {shape} {before} {after} {format_} {fold} {way}", (status, got(4), destination())
    for shape in ((2, 3, 4), (2, 3, 4, 5, 6)):
        packed = [1]
        for n in reversed(shape[1:]):
            packed.insert(0, packed[0] * n)
        call("cudnnSetTensorNdDescriptor", source, 0, len(shape), integers(*shape), integers(*packed))
        for format_, fold in itertools.product((0, 1), (1, 2)):
            status = call("cudnnSetTensorTransformDescriptor", of, len(shape), format_, integers(*[1] * 5), integers(*[0] * 5), integers(*[fold] * 3), 0)
            yield f"transform {shape} {format_} {fold}", (status, got(6), destination())


def folded_convolutions(call: beside.Library) -> Iterator[beside.Answer]:
    """NVIDIA's library looks at no more of the handle than whether it is null."""
    handle = c_void_p()
    os.environ.setdefault("NVMLKIT_MACHINE", "h100")
    if call("cudnnCreate", byref(handle)) != 0:
        handle = c_void_p(addressof(no_handle))

    def tensor(of: c_void_p) -> tuple[object, ...]:
        got = [c_int(99) for _ in range(9)]
        return call("cudnnGetTensor4dDescriptor", of, *map(byref, got)), [g.value for g in got]

    def folded(n, c, k, size, window, pad, stride, dilation=1, groups=1, format_=0, last=0, type_=0, mode=1, to_last=True):
        w, to_w = made(call, "Filter"), made(call, "Filter")
        dy, dx, to_dy, to_dx = (made(call, "Tensor") for _ in range(4))
        of, to = made(call, "Convolution"), made(call, "Convolution")
        ways = [made(call, "TensorTransform") for _ in range(4)]
        call("cudnnSetFilter4dDescriptor", w, type_, last, k, c // groups, *window)
        call("cudnnSetTensor4dDescriptor", dx, last, type_, n, c, *size)
        call("cudnnSetConvolution2dDescriptor", of, *pad, *stride, dilation, dilation, mode, 0)
        call("cudnnSetConvolutionGroupCount", of, groups)
        call("cudnnSetConvolutionMathType", of, 1)
        sizes = [c_int() for _ in range(4)]
        call("cudnnGetConvolution2dForwardOutputDim", of, dx, w, *map(byref, sizes))
        call("cudnnSetTensor4dDescriptor", dy, last, type_, *(s.value for s in sizes))
        rest = ways if to_last else [*ways[:3], None]
        status = call("cudnnGetFoldedConvBackwardDataDescriptors", handle, w, dy, of, dx, format_, to_w, to_dy, to, to_dx, *rest)
        filters, count, math, kind, steps = [c_int(99) for _ in range(6)], c_int(99), c_int(99), [c_int(99) for _ in range(2)], [integers(9, 9) for _ in range(3)]
        call("cudnnGetFilter4dDescriptor", to_w, *map(byref, filters))
        call("cudnnGetConvolutionNdDescriptor", to, 2, byref(count), *steps, *map(byref, kind))
        call("cudnnGetConvolutionMathType", to, byref(math))
        transforms = []
        for way in ways:
            form, direction, before, after, folds = c_int(99), c_int(99), integers(*[99] * 4), integers(*[99] * 4), integers(99, 99)
            call("cudnnGetTensorTransformDescriptor", way, 4, byref(form), before, after, folds, byref(direction))
            transforms.append((form.value, list(before), list(after), list(folds), direction.value))
        convolution = ([list(s) for s in steps], count.value, math.value, [x.value for x in kind])
        return status, [f.value for f in filters], tensor(to_dy), tensor(to_dx), convolution, transforms

    shapes = ((3, 4, (8, 8), (3, 3)), (5, 6, (9, 7), (3, 3)), (1, 1, (5, 6), (1, 1)), (8, 9, (11, 13), (5, 3)), (7, 16, (12, 12), (2, 4)), (3, 64, (31, 32), (7, 7)))
    for (c, k, size, window), pad, stride in itertools.product(shapes, ((0, 0), (1, 1), (2, 1), (3, 0)), ((1, 1), (2, 2), (3, 3), (3, 1), (4, 2), (5, 1))):
        yield f"folded {c} {k} {size} {window} {pad} {stride}", folded(2, c, k, size, window, pad, stride)
    for changes in ({"format_": 1}, {"format_": 2}, {"format_": -1}, {"last": 1}, {"last": 1, "format_": 1}, {"dilation": 2}, {"groups": 2}, {"type_": 2}, {"type_": 1}, {"mode": 0}, {"to_last": False}):
        for c, stride in itertools.product((4, 6), ((2, 2), (1, 3))):
            yield f"folded {c} {stride} {changes}", folded(1, c, 4, (12, 13), (3, 3), (1, 1), stride, **changes)


def fused_packs(call: beside.Library) -> Iterator[beside.Answer]:
    parts = ("ConstParamPack", "VariantParamPack", "Plan")
    for ops, part in itertools.product(range(-1, 8), parts):
        pack = c_void_p()
        yield f"fused {part} {ops}", (call(f"cudnnCreateFusedOps{part}", byref(pack), ops), bool(pack.value), call(f"cudnnDestroyFusedOps{part}", pack))
    tensor, filter_, convolution, activation = made(call, "Tensor"), made(call, "Filter"), made(call, "Convolution"), made(call, "Activation")
    call("cudnnSetTensor4dDescriptor", tensor, 1, 2, 2, 8, 3, 3)
    call("cudnnSetFilter4dDescriptor", filter_, 2, 1, 8, 8, 3, 3)
    call("cudnnSetConvolution2dDescriptor", convolution, 1, 2, 1, 2, 1, 1, 1, 0)
    call("cudnnSetActivationDescriptor", activation, 1, 0, c_double(0))
    kinds = {label: (tensor, "Tensor") for label in (0, 3, 12, 14, 16, 19, 26, 28, 31, 33, 35)} | {8: (filter_, "Filter"), 10: (filter_, "Filter"), 7: (convolution, "Convolution"), 6: (activation, "Activation")}

    def held(kind: str, of: c_void_p) -> list[int]:
        got = [c_int(99) for _ in range(9)]
        if kind == "Tensor":
            call("cudnnGetTensor4dDescriptor", of, *map(byref, got))
        elif kind == "Filter":
            call("cudnnGetFilter4dDescriptor", of, *map(byref, got[:6]))
        elif kind == "Convolution":
            call("cudnnGetConvolution2dDescriptor", of, *map(byref, got[:8]))
        else:
            call("cudnnGetActivationDescriptor", of, *map(byref, got[:2]), byref(c_double(0)))
        return [g.value for g in got]

    for ops in range(7):
        constants, variants = c_void_p(), c_void_p()
        call("cudnnCreateFusedOpsConstParamPack", byref(constants), ops)
        call("cudnnCreateFusedOpsVariantParamPack", byref(variants), ops)
        for label in range(-1, 41):
            number, is_null = c_int(99), c_int(99)
            get = lambda to: (call("cudnnGetFusedOpsConstParamPackAttribute", constants, label, to, byref(is_null)), is_null.value)
            put = lambda what: call("cudnnSetFusedOpsConstParamPackAttribute", constants, label, what)
            yield f"fused constant {ops} {label} fresh", (*get(byref(number)), number.value)
            if label in kinds:
                of, kind = kinds[label]
                to = made(call, kind)
                yield f"fused constant {ops} {label} set", (put(of), answer := get(to), held(kind, to) if answer[0] == 0 else [])
            else:
                for value in (1, 2, 7):
                    yield f"fused constant {ops} {label} {value}", (put(byref(c_int(value))), *get(byref(number)), number.value)
            yield f"fused constant {ops} {label} reset", (put(None), *get(byref(number)))
            yield f"fused constant {ops} {label} to null", (get(None)[0], call("cudnnGetFusedOpsConstParamPackAttribute", constants, label, byref(number), None))
        for label in (*range(-1, 26), *range(99, 106)):
            value, got = c_size_t(77), c_size_t(99)
            put = lambda what: call("cudnnSetFusedOpsVariantParamPackAttribute", variants, label, what)
            get = lambda: (call("cudnnGetFusedOpsVariantParamPackAttribute", variants, label, byref(got)), got.value == addressof(value), got.value if label > 99 else 0)
            yield f"fused variant {ops} {label}", (*get(), put(byref(value)), *get(), put(None), *get())
            yield f"fused variant {ops} {label} set", (put(byref(value)), put(None))
            yield f"fused variant {ops} {label} to null", call("cudnnGetFusedOpsVariantParamPackAttribute", variants, label, None)


def attentions(call: beside.Library) -> Iterator[beside.Answer]:
    of, fresh = made(call, "Attn"), made(call, "Attn")

    def got(descriptor: c_void_p) -> tuple[object, ...]:
        first, scale, rest = [c_int(99) for _ in range(2)], c_double(99), [c_int(99) for _ in range(14)]
        drops = [c_void_p(5), c_void_p(5)]
        places = (*map(byref, first), byref(scale), *map(byref, rest[:3]), *map(byref, drops), *map(byref, rest[3:]))
        status = call("cudnnGetAttnDescriptor", descriptor, *places)
        return status, [x.value for x in first], scale.value, [x.value for x in rest], [x.value for x in drops]

    yield "fresh attention", got(fresh)
    usual = {"mode": 0, "heads": 2, "scale": 1.0, "type": 0, "math": 0, "math_type": 0, "of_shares": None, "of_output": None}
    usual |= {"q": 8, "k": 8, "v": 8, "q_to": 4, "k_to": 4, "v_to": 4, "o_to": 8, "queries": 5, "keys": 6, "batches": 2, "beams": 1}

    def attention(**changes: object) -> beside.Answer:
        values = usual | changes
        status = call("cudnnSetAttnDescriptor", of, *(c_double(v) if isinstance(v, float) else v for v in values.values()))
        return f"attention {changes}", (status, got(of))

    for name in ("heads", "q", "k", "v", "q_to", "k_to", "v_to", "o_to", "queries", "keys", "batches", "beams"):
        for value in (-1, 0, 1, 3, 8):
            yield attention(**{name: value})
    for mode, scale, math_type in itertools.product((*range(5), 8), (-1.0, 0.0, 0.5), (-1, 0, 3, 4)):
        yield attention(mode=mode, scale=scale, math_type=math_type)
    for type_, math in itertools.product((-1, 0, 1, 2, 3, 9, 12), (-1, 0, 1, 2, 3, 9)):
        yield attention(type=type_, math=math)
    for q, k in itertools.product((0, 4, 8), (0, 4, 8)):
        yield attention(q_to=q, k_to=k, k=4, mode=2)


def sequences_of_attention(call: beside.Library) -> Iterator[beside.Answer]:
    of, fresh = made(call, "SeqData"), made(call, "SeqData")

    def got(descriptor: c_void_p, dimensions: int, lengths: int) -> tuple[object, ...]:
        type_, count, size, fill = c_int(99), c_int(99), c_size_t(99), c_float(99)
        sizes, axes, all_lengths = integers(*[99] * 6), integers(*[99] * 6), integers(*[99] * 6)
        asked = (descriptor, byref(type_), byref(count), dimensions, sizes, axes, byref(size), c_size_t(lengths), all_lengths, byref(fill))
        return call("cudnnGetSeqDataDescriptor", *asked), type_.value, count.value, list(sizes), list(axes), size.value, list(all_lengths), fill.value

    yield "fresh sequences of attention", got(fresh, 4, 2)
    for type_, count, fill in itertools.product((-1, 0, 1, 2, 3, 9, 12), (0, 1, 3, 4, 5), (None, 0.5)):
        if type_ != 0 and fill:
            continue
        value = byref(c_float(fill)) if fill else None
        status = call("cudnnSetSeqDataDescriptor", of, type_, count, integers(5, 2, 1, 8, 1), integers(0, 1, 2, 3, 3), c_size_t(2), integers(5, 3), value)
        yield f"sequences of attention {type_} {count} {fill}", (status, got(of, 4, 2))
    for axes in itertools.product(range(-1, 5), repeat=4):
        if len(set(axes)) >= 3:
            yield f"axes {axes}", call("cudnnSetSeqDataDescriptor", of, 0, 4, integers(5, 2, 1, 8), integers(*axes), c_size_t(2), integers(5, 3), None)
    for sizes, lengths in itertools.product(((5, 2, 1, 8), (5, 1, 2, 8), (0, 2, 1, 8), (5, -1, 1, 8), (5, 2, 1, 0), (5, 2, 2, 8)), ((5, 3), (1, 1), (0, 1), (6, 1), (-1, 5), (5,), (1, 2, 3, 4))):
        status = call("cudnnSetSeqDataDescriptor", of, 0, 4, integers(*sizes), integers(0, 1, 2, 3), c_size_t(len(lengths)), integers(*lengths), None)
        yield f"sequences of attention {sizes} {lengths}", (status, *(got(of, n, n) for n in (0, 2, 6)))


def nothing(call: beside.Library) -> Iterator[beside.Answer]:
    kinds = ("Tensor", "Filter", "Convolution", "OpTensor", "ReduceTensor", "Activation", "Pooling", "LRN", "SpatialTransformer", "TensorTransform", "CTCLoss", "Dropout", "RNN", "RNNData", "Attn", "SeqData")
    for kind in kinds:
        yield f"create {kind}", call(f"cudnnCreate{kind}Descriptor", None)
        yield f"destroy {kind}", call(f"cudnnDestroy{kind}Descriptor", None)
    bytes_ = c_size_t(99)
    yield "size of none", call("cudnnGetTensorSizeInBytes", None, byref(bytes_))
    yield "size of a filter of none", call("cudnnGetFilterSizeInBytes", None, byref(bytes_))
    yield "set none", call("cudnnSetTensor4dDescriptor", None, 0, 0, 1, 1, 1, 1)
    fresh = made(call, "Tensor")
    got = [c_int(99) for _ in range(9)]
    yield "fresh", (call("cudnnGetTensor4dDescriptor", fresh, *map(byref, got)), [g.value for g in got], call("cudnnGetTensorSizeInBytes", fresh, byref(bytes_)), bytes_.value)
    call.functions.cudnnGetErrorString.restype = c_char_p
    for status in (*range(6), 1000, 1001, 1002, 1003, 2000, 2001, 2002, 2003, 2004, 2012, 3000, 3001, 4000, 4001, 5000, 5003, -1):
        text = call("cudnnGetErrorString", status)
        yield f"text {status}", text.decode() if isinstance(text, bytes) else text


def answers(call: beside.Library) -> Iterator[beside.Answer]:
    """What a descriptor holds after a call that it refused is left open: some of it may have changed."""
    for part in (tensors, vectors, filters, convolutions, pooling, settings, responses, transforms, folded_convolutions, fused_packs, attentions, sequences_of_attention, nothing):
        for name, answer in part(call):
            is_refused = isinstance(answer, tuple) and answer[0] != 0
            yield name, answer[0] if is_refused else answer


if __name__ == "__main__":
    beside.main(answers)
