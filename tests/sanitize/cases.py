"""Kernels, each right and with one fault. `<<right||wrong>>` is where both differ."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

HEAD = """.version 8.0
.target sm_80
.address_size 64
"""
ENTRY = """.visible .entry kernel(.param .u64 data, .param .u64 other)
{
.reg .pred %p<4>;
.reg .b16 %h<4>;
.reg .b32 %r<16>;
.reg .f32 %f<8>;
.reg .b64 %rd<16>;
ld.param.u64 %rd1, [data];
ld.param.u64 %rd2, [other];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
"""

BOUNDS = "out of bounds"
READ, WRITE, ATOMIC = (f"Invalid __global__ {what} of size 4 bytes" for what in ("read", "write", "atomic"))


@dataclass
class Case:
    name: str
    body: str
    says: list[str]  # of the wrong one
    arguments: str = "zero:1024 zero:1024"
    shape: str = "1 32 0"
    module: str = ""  # variables and functions
    tool: str = "memcheck"
    options: list[str] = field(default_factory=list)
    word: str = ""  # in front of the arguments of run_kernel

    def text(self, wrong: bool) -> str:
        return choose(HEAD + self.module + ENTRY + self.body + "\nret;\n}\n", wrong)


def choose(text: str, wrong: bool) -> str:
    return re.sub(r"<<(.*?)\|\|(.*?)>>", lambda m: m.group(2 if wrong else 1), text, flags=re.S)


SHARED = ".shared .align 4 .b8 first[128];\n.shared .align 4 .b8 second[128];\n"
TILE = "mov.u32 %r2, first; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;\n"
FUNCTION = """.func put(.param .b64 where)
{
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [where];
st.u32 [%rd1+<<0||4096>>], 7;
ret;
}
"""
CALL = "{ .param .b64 p; st.param.b64 [p], %rd4; call put, (p); }"

CASES = [
    # Global memory: behind, before, at the ends of rows, by vectors, by parts of a warp.
    Case("read_behind", "ld.global.u32 %r2, [%rd4+<<896||1000>>];", [READ, BOUNDS, "and by", "after the nearest allocation"]),
    Case("read_one_behind", "ld.global.u32 %r2, [%rd1+<<1020||1024>>];", [READ, "is 1 bytes after", "of size 1,024 bytes"]),
    Case("read_last_bytes", "ld.global.u8 %r2, [%rd1+<<1000||1001>>];", ["Invalid __global__ read of size 1 bytes"], "zero:1001 zero:4"),
    Case("read_before", "ld.global.u32 %r2, [%rd4+<<0||-4>>];", [READ, "is 4 bytes before the nearest allocation"]),
    Case("write_behind", "st.global.u32 [%rd4+<<896||900>>], %r1;", [WRITE, "by thread (31,0,0) in block (0,0,0)"]),
    Case("write_of_vector", "st.global.v4.u32 [%rd1+<<1008||1024>>], {%r1,%r1,%r1,%r1};", ["Invalid __global__ write of size 16 bytes"]),
    Case("read_of_vector", "ld.global.v2.u32 {%r2,%r3}, [%rd1+<<1016||1024>>];", ["Invalid __global__ read of size 8 bytes"]),
    Case("off_by_one", "setp.<<ge||gt>>.u32 %p1, %r1, 16; @%p1 bra END; st.global.u32 [%rd4], %r1;\nEND:",
         [WRITE, "by thread (16,0,0)"], "zero:64 zero:4"),
    Case("half_warp", "setp.lt.u32 %p1, %r1, 16; @%p1 st.global.u32 [%rd4+<<0||4096>>], %r1;", [WRITE, "and by 15 more threads"]),
    Case("atomic_behind", "atom.global.add.u32 %r2, [%rd1+<<0||1024>>], 1;", [ATOMIC, "and by 31 more threads"]),
    Case("reduction_behind", "red.global.add.u32 [%rd1+<<0||1024>>], 1;", [ATOMIC]),
    Case("exchange_behind", "atom.global.cas.b32 %r2, [%rd1+<<0||1024>>], 0, 1;", [ATOMIC]),
    Case("generic_behind", "st.u32 [%rd1+<<0||1024>>], 5;", [WRITE]),
    Case("null_pointer", "mov.b64 %rd5, <<%rd1||0>>; ld.global.u32 %r2, [%rd5];", [READ, "Address 0x0 is out of bounds"]),
    Case("wide_stride", "mul.wide.u32 %rd5, %r1, <<32||36>>; add.s64 %rd5, %rd1, %rd5; st.global.u32 [%rd5], %r1;",
         [WRITE, "by thread (29,0,0)"]),
    Case("second_block", "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, <<32||256>>, %r1; mul.wide.u32 %rd5, %r3, 4; "
         "add.s64 %rd5, %rd1, %rd5; st.global.u32 [%rd5], 1;", [WRITE, "in block (1,0,0)"], shape="2 32 0"),
    # Misaligned.
    Case("misaligned_read", "ld.global.u32 %r2, [%rd1+<<4||2>>];", [READ, "is misaligned", "is inside the nearest allocation"]),
    Case("misaligned_vector", "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1+<<16||8>>];", ["size 16 bytes", "is misaligned"]),
    Case("misaligned_atomic", "atom.global.add.u32 %r2, [%rd1+<<4||1>>], 1;", [ATOMIC, "is misaligned"]),
    Case("misaligned_shared", TILE + "st.shared.u32 [%r4+<<0||1>>], %r1;", ["Invalid __shared__ write", "is misaligned"], module=SHARED),
    # Life of memory.
    Case("use_after_free", "ld.global.u32 %r2, [%rd1];", [READ, "that was freed", "at allocation time", "at the time of its release"],
         "<<zero||freed>>:1024 zero:4"),
    Case("pool_behind", "st.global.u32 [%rd1+<<1020||1024>>], 1;", [WRITE, "is 1 bytes after"], "pool:1024 pool:1024"),
    Case("pinned_behind", "st.global.u32 [%rd1+<<1020||4096>>], 1;", [WRITE], "pinned:1024 zero:4"),
    Case("double_free", "st.global.u32 [%rd1], 1;", ["Program hit CUDA_ERROR_INVALID_VALUE (error 1)", "on CUDA API call to cuMemFree_v2"],
         word="<<||twice>>"),
    Case("leak", "st.global.u32 [%rd1], 1;", ["Leaked 1,024 bytes at 0x", "LEAK SUMMARY: 1024 bytes leaked in 1 allocations"],
         "<<zero||leak>>:1024 zero:4", options=["--leak-check", "full"]),
    Case("bad_call", "st.global.u32 [%rd1], 1;", ["Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"invalid argument\"",
                                                  "on CUDA API call to cuMemcpyDtoD_v2."], word="<<||bad-call>>"),
    # Shared memory: behind all, from one variable into the next, memory of the launch.
    Case("shared_behind", TILE + "st.shared.u32 [%r4+<<0||8192>>], %r1;", ["Invalid __shared__ write of size 4 bytes"], module=SHARED),
    Case("shared_next_variable", TILE + "st.shared.u32 [%r4+<<0||4>>], %r1;",
         ["Invalid __shared__ write", "is 1 bytes after variable first", "by thread (31,0,0)"], module=SHARED),
    Case("shared_before", TILE + "mov.u32 %r5, second; ld.shared.u32 %r6, [%r5+<<0||-4>>];",
         ["Invalid __shared__ read", "is 4 bytes before variable second"], module=SHARED),
    Case("shared_of_launch", "mov.u32 %r2, room; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1;",
         ["Invalid __shared__ write", "by thread (16,0,0)"], shape="1 32 <<128||64>>", module=".extern .shared .align 4 .b8 room[];\n"),
    Case("shared_generic", "mov.u64 %rd5, first; cvta.shared.u64 %rd6, %rd5; add.s64 %rd6, %rd6, %rd3; st.u32 [%rd6+<<0||512>>], 1;",
         ["Invalid __shared__ write"], module=SHARED),
    Case("shared_atomic", TILE + "atom.shared.add.u32 %r5, [%r2+<<0||128>>], 1;", ["Invalid __shared__ atomic"], module=SHARED),
    # Local memory, constants and variables of the module.
    Case("local_behind", ".local .align 4 .b8 own[64];\nmov.u64 %rd5, own; st.local.u32 [%rd5+<<60||64>>], %r1; ld.local.u32 %r2, [%rd5+60];",
         ["Invalid __local__ write of size 4 bytes"]),
    Case("local_generic", ".local .align 4 .b8 own[64];\nmov.u64 %rd5, own; cvta.local.u64 %rd6, %rd5; st.u32 [%rd6+<<0||4096>>], %r1;",
         ["Invalid __local__ write"]),
    Case("constant_behind", "mov.u64 %rd5, table; add.s64 %rd5, %rd5, %rd3; ld.const.u32 %r2, [%rd5+<<0||4>>];",
         ["Invalid __constant__ read", "is 1 bytes after variable table", "by thread (31,0,0)"], module=".const .align 4 .b8 table[128];\n"),
    Case("variable_behind", "mov.u64 %rd5, one; st.global.u32 [%rd5+<<0||4>>], 3;",
         [WRITE, "after variable one"], module=".global .align 4 .b8 one[4];\n.global .align 4 .b8 two[4];\n"),
    # Functions, and errors that end a kernel.
    Case("in_function", CALL, ["at put+0x10", "Device Frame: kernel+", WRITE], module=FUNCTION),
    Case("trap", "<<||trap;>>", ["Kernel ended with an error: kernel kernel: trap"]),
    # Memory that nothing wrote.
    Case("unwritten_read", "ld.global.u32 %r2, [%rd4];", ["Uninitialized __global__ memory read of size 4 bytes", "and by 31 more threads"],
         "<<zero||raw>>:1024 zero:4", tool="initcheck"),
    Case("half_written", "mul.wide.u32 %rd5, %r1, 32; add.s64 %rd5, %rd1, %rd5; ld.global.u32 %r2, [%rd5];",
         ["Uninitialized", "by thread (16,0,0)"], "<<zero||half>>:1024 zero:4", tool="initcheck"),
    Case("unwritten_copy", "ld.global.u32 %r2, [%rd1];", ["Uninitialized"], "<<zero||copy>>:1024 zero:4", tool="initcheck"),
    Case("written_by_kernel", "st.global.<<u32||u16>> [%rd4], <<%r1||%h1>>; ld.global.u32 %r2, [%rd4];", ["Uninitialized"],
         "raw:1024 zero:4", tool="initcheck"),
    Case("unwritten_atomic", "atom.global.add.u32 %r2, [%rd1], 1;", ["Uninitialized", "by thread (0,0,0)"],
         "<<zero||raw>>:1024 zero:4", tool="initcheck"),
]
