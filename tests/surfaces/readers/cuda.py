"""CUDA: the devices of a program that starts now, and a kernel that it runs on each."""

from __future__ import annotations

import ctypes
import uuid as uuids_of
from pathlib import Path

KERNEL = b"""
.version 6.0
.target sm_70
.address_size 64
.visible .entry answer(.param .u64 where) {
  .reg .u64 %rd<2>;
  .reg .u32 %r<2>;
  ld.param.u64 %rd0, [where];
  mov.u32 %r0, 42;
  st.global.u32 [%rd0], %r0;
  ret;
}
"""


class Cuda:
    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))

    def name(self, result: int) -> str:
        text = ctypes.c_char_p()
        self.library.cuGetErrorName(result, ctypes.byref(text))
        return (text.value or b"?").decode().removeprefix("CUDA_ERROR_").removeprefix("CUDA_")

    def run_kernel(self, device: ctypes.c_int) -> str:
        """`works`, or the error and its function."""
        cuda = self.library
        context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        memory, out = ctypes.c_uint64(), ctypes.c_uint32()
        where = ctypes.byref(memory)
        parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(memory), ctypes.c_void_p))
        size = ctypes.c_size_t(4)
        for name, call in (
            ("cuCtxCreate", lambda: cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device)),
            ("cuMemAlloc", lambda: cuda.cuMemAlloc_v2(where, size)),
            ("cuModuleLoadData", lambda: cuda.cuModuleLoadData(ctypes.byref(module), KERNEL)),
            ("cuModuleGetFunction", lambda: cuda.cuModuleGetFunction(ctypes.byref(function), module, b"answer")),
            ("cuLaunchKernel", lambda: cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, parameters, None)),
            ("cuMemcpyDtoH", lambda: cuda.cuMemcpyDtoH_v2(ctypes.byref(out), memory, size)),
            ("cuCtxDestroy", lambda: cuda.cuCtxDestroy_v2(context)),
        ):
            if result := call():
                return f"{name}: {self.name(result)}"
        return "works" if out.value == 42 else f"the kernel wrote {out.value}"

    def uuid_of(self, device: ctypes.c_int) -> str:
        raw = (ctypes.c_ubyte * 16)()
        result = self.library.cuDeviceGetUuid_v2(raw, device)
        return str(uuids_of.UUID(bytes=bytes(raw))) if result == 0 else self.name(result)


def read(library: Path, uuids: list[str]) -> dict[str, str]:
    cuda = Cuda(library)
    result = cuda.library.cuInit(0)
    out = {"cuInit": cuda.name(result)}
    if result != 0:
        return out
    count = ctypes.c_int()
    cuda.library.cuDeviceGetCount(ctypes.byref(count))
    out["count"] = str(count.value)
    for i in range(count.value):
        device = ctypes.c_int()
        result = cuda.library.cuDeviceGet(ctypes.byref(device), i)
        uuid = cuda.uuid_of(device) if result == 0 else cuda.name(result)
        name = f"gpu{uuids.index('GPU-' + uuid)}" if "GPU-" + uuid in uuids else f"MIG-{uuid}"
        out[name] = f"device {i}"
        out[f"{name} kernel"] = cuda.run_kernel(device)
    return out
