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

RACE, ONE_WARP = "Race reported between", "Both threads are in one warp"
IN_WARP, IN_BLOCK, ARGUMENTS = ("Barrier error detected. " + what for what in
                                ("Divergent thread(s) in warp.", "Divergent thread(s) in block.", "Invalid arguments."))
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
    head: str = HEAD
    entry: str = ENTRY
    reads: bool = True  # it uses all that it reads

    def text(self, wrong: bool) -> str:
        return choose(self.head + self.module + self.entry + self.body + "\n" + self.uses() + "ret;\n}\n", wrong)

    def uses(self) -> str:
        """What is read has to be used, too, for initcheck."""
        read = re.findall(r"\bld\.(?:global|shared|u32)\S* (%r\d+)", self.body) if self.tool == "initcheck" and self.reads else []
        return "".join(f"add.u32 {register}, {register}, 1;\nst.global.u32 [%rd2], {register};\n" for register in read)


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

# The flag of block 0 for block 1.
FLAG = """mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; @!%p1 bra OTHER;
st.global.u32 [%rd1], 5;
{put}
bra END;
OTHER: {get}
setp.eq.u32 %p2, %r3, 0; @%p2 bra OTHER;
ld.global.u32 %r4, [%rd1];
END:
"""
# An array for 64 threads, and another place in it.
WIDE = ".shared .align 16 .b8 first[512];\n"
MIRRORED = "xor.b32 %r5, %r3, 252; add.u32 %r5, %r5, %r2; "


def race(name: str, body: str, says: list[str], **more: str) -> Case:
    return Case(name, body, [RACE, *says], tool="racecheck", **more)


LAST = "setp.eq.u32 %p1, %r1, 0; @!%p1 bra END; add.s64 %rd5, %rd1, 1020;\n"
OWN_ACCESS = "Saved host backtrace at the access of the host"


def host(name: str, body: str, says: list[str], word: str, shape: str = "1 32 0") -> Case:
    behind = "\nEND:" if "END" in body else ""
    return Case(name, body + behind, [RACE, *says], tool="racecheck", arguments="host:1024 host:1024", word=word, shape=shape)


def sync(name: str, body: str, says: list[str], **more: str) -> Case:
    return Case(name, body, says, tool="synccheck", **more)


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
    Case("null_pointer", "mov.b64 %rd5, <<%rd1||0>>; ld.global.u32 %r2, [%rd5];", [READ, "Access to 0x0 is out of bounds"]),
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
    # Order in shared memory.
    race("missing_barrier", TILE + "st.shared.u32 [%r4], %r1; <<bar.sync 0;||>> " + MIRRORED + "ld.shared.u32 %r6, [%r5];",
         ["256 hazards", "in variable first"], shape="1 64 0", module=WIDE),
    race("missing_second_barrier", TILE + "st.shared.u32 [%r4], %r1; bar.sync 0; " + MIRRORED +
         "ld.shared.u32 %r6, [%r5]; <<bar.sync 0;||>> st.shared.u32 [%r4], 7;", [], shape="1 64 0", module=WIDE),
    race("barrier_of_a_part", TILE + "st.shared.u32 [%r4], %r1; bar.sync 1, <<64||32>>; " + MIRRORED + "ld.shared.u32 %r6, [%r5];",
         [], shape="1 64 0", module=WIDE),
    race("arrival_without_wait", TILE + "setp.lt.u32 %p1, %r1, 32; @!%p1 bra OTHER; st.shared.u32 [%r4], 7; bar.arrive 1, 64; bra END;\n"
         "OTHER: <<bar.sync 1, 64;||bar.arrive 1, 64;>> ld.shared.u32 %r6, [%r4+-128];\nEND:", [], shape="1 64 0", module=WIDE),
    race("missing_warp_barrier", TILE + "st.shared.u32 [%r4], %r1; <<bar.warp.sync -1;||>> ld.shared.u32 %r6, [%r2+4];", [ONE_WARP],
         module=SHARED),
    race("shuffle_orders_nothing", TILE + "st.shared.u32 [%r4], %r1; <<bar.warp.sync||shfl.sync.bfly.b32 %r7, %r1, 1, 31,>> -1; "
         "ld.shared.u32 %r6, [%r2+4];", [ONE_WARP], module=SHARED),
    race("volatile_in_a_warp", TILE + "st.volatile.shared.u32 [%r4], %r1; <<bar.warp.sync -1;||>> ld.volatile.shared.u32 %r6, [%r2+4];",
         [ONE_WARP], module=SHARED),
    race("plain_sum", TILE + "<<atom.shared.add.u32 %r6, [%r2], 1;||ld.shared.u32 %r6, [%r2]; add.u32 %r6, %r6, 1; st.shared.u32 [%r2], %r6;>>",
         [], shape="1 64 0", module=SHARED),
    race("same_value", TILE + "st.shared.u32 [%r2], <<5||%r1>>;", [], shape="1 64 0", module=SHARED),
    race("bytes_side_by_side", TILE + "add.u32 %r5, %r2, %r1; cvt.u16.u32 %h1, %r1; st.shared.u8 [%r5<<||+0>>], %h1; "
         "<<||bar.warp.sync -1; st.shared.u16 [%r2+62], %h1;>>", [], shape="1 64 0", module=SHARED),
    race("missing_copy_wait", TILE + "cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.commit_group; <<cp.async.wait_group 0;||>> "
         "bar.sync 0; " + MIRRORED + "ld.shared.u32 %r6, [%r5];", ["The copy has not been waited for"], shape="1 64 0", module=WIDE),
    race("wait_for_the_first_copy", TILE + "cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.commit_group; "
         "cp.async.ca.shared.global [%r4+256], [%rd4], 4; cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r6, [%r4+<<0||256>>];",
         ["The copy has not been waited for"], shape="1 64 0", module=WIDE),
    race("mbarrier_wait", "mov.u32 %r2, gate; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r2], 64; bar.sync 0;\n" + TILE +
         "mov.u32 %r7, gate; st.shared.u32 [%r4], %r1; mbarrier.arrive.shared.b64 %rd5, [%r7];\n"
         "LOOP: <<mbarrier.test_wait.shared.b64 %p2, [%r7], %rd5; @!%p2 bra LOOP;||>> " + MIRRORED + "ld.shared.u32 %r6, [%r5];",
         [], shape="1 64 0", module=WIDE + ".shared .align 8 .b8 gate[8];\n"),
    # As the pipelines of CCCL end: one lane of each warp counts its lanes, once they have met, and the last one ends the barrier.
    race("end_of_a_barrier", "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [gate], 64; @%p1 st.shared.u32 [left], 64; "
         "bar.sync 0; mov.u32 %r3, 1; mbarrier.arrive.shared.b64 %rd5, [gate];\n<<||match.any.sync.b32 %r2, %r3, -1;>>\n"
         "LOOP: mbarrier.test_wait.shared.b64 %p2, [gate], %rd5; @!%p2 bra LOOP;\n<<match.any.sync.b32 %r2, %r3, -1;||>>\n"
         "and.b32 %r4, %r1, 31; setp.ne.u32 %p1, %r4, 0; @%p1 bra END; atom.acq_rel.cta.shared.add.u32 %r5, [left], -32; "
         "setp.ne.u32 %p2, %r5, 32; @%p2 bra END; mbarrier.inval.shared.b64 [gate];\nEND:", ["Write access at kernel"], shape="1 64 0",
         module=".shared .align 8 .b8 gate[8];\n.shared .align 4 .b32 left;\n"),
    # Order in global memory.
    race("blocks_write_one_place", "mov.u32 %r2, %ctaid.x; <<mul.wide.u32 %rd5, %r2, 128; add.s64 %rd4, %rd4, %rd5;||>> "
         "st.global.u32 [%rd4], %r2;", ["Write access"], shape="2 32 0"),
    race("flag_scope", FLAG.format(put="st.release.<<gpu||cta>>.global.u32 [%rd2], 1;", get="ld.acquire.gpu.global.u32 %r3, [%rd2];"),
         ["__global__ memory"], shape="2 1 0"),
    race("flag_plain", FLAG.format(put="st.<<release.gpu.||>>global.u32 [%rd2], 1;",
                                   get="ld.acquire.gpu.global.u32 %r3, [%rd2];"), [], shape="2 1 0"),
    race("missing_fence_of_writer", FLAG.format(put="<<membar.gl;||>> st.volatile.global.u32 [%rd2], 1;",
                                                get="ld.volatile.global.u32 %r3, [%rd2]; membar.gl;"), [], shape="2 1 0"),
    race("missing_fence_of_reader", FLAG.format(put="membar.gl; st.volatile.global.u32 [%rd2], 1;",
                                                get="ld.volatile.global.u32 %r3, [%rd2]; <<membar.gl;||>>"),
         ["A fence is missing behind the read"], shape="2 1 0"),
    race("fence_of_a_block", FLAG.format(put="fence.acq_rel.<<gpu||cta>>; st.relaxed.gpu.global.u32 [%rd2], 1;",
                                         get="ld.relaxed.gpu.global.u32 %r3, [%rd2]; fence.acq_rel.gpu;"), [], shape="2 1 0"),
    race("atomic_scope", "atom.global.<<gpu||cta>>.add.u32 %r2, [%rd1], 1;", ["a scope leaves out the other thread"], shape="2 32 0"),
    # The host accesses the last word of managed memory, which one thread of the kernel uses, too.
    host("host_reads", LAST + "st.global.u32 [%rd5], 5;", ["Write access at kernel", "Read access by the host", OWN_ACCESS],
         "reads<<||-early>>"),
    host("host_writes", LAST + "ld.global.u32 %r6, [%rd5];", ["Read access at kernel", "Write access by the host"], "writes<<||-early>>"),
    host("host_waits_for_an_event", LAST + "st.global.u32 [%rd5], 5;", ["Read access by the host"], "event<<||-early>>"),
    host("host_reads_beside", "add.s64 %rd5, %rd1, <<1019||1020>>; st.global.u8 [%rd5], %r1;", ["Read access by the host"], "reads-early",
         shape="1 1 0"),
    host("host_reads_what_kernels_read", LAST + "ld.global.u32 %r6, [%rd5]; <<||st.global.u32 [%rd5], %r6;>>", ["Read access by the host"],
         "reads-early"),
    host("host_waits_for_a_flag", "st.global.u32 [%rd1+1020], 5; fence.acq_rel.sys; st.<<volatile.||>>global.u32 [%rd2], 1;",
         ["Read access by the host"], "flag", shape="1 1 0"),
    # Barriers.
    sync("barrier_in_a_branch", "setp.lt.u32 %p1, %r1, 16; <<||@%p1>> bar.sync 0, 32; <<||@!%p1 bar.sync 0, 32;>>", [IN_WARP]),
    sync("ended_before_the_barrier", "setp.lt.u32 %p1, %r1, 40; <<||@%p1 ret;>> bar.sync 0;", [IN_BLOCK, "ended before the barrier"],
         shape="1 64 0"),
    sync("count_of_a_barrier", "bar.sync 1, <<64||48>>;", [ARGUMENTS, "which is no multiple of a warp"], shape="1 64 0"),
    sync("counts_differ", "setp.lt.u32 %p1, %r1, 32; mov.u32 %r2, 64; <<||@%p1 mov.u32 %r2, 32;>> bar.sync 1, %r2;",
         ["Deadlock detected", "wait at barrier 1"], shape="1 64 0"),
    sync("not_in_the_mask", "setp.lt.u32 %p1, %r1, <<16||17>>; @!%p1 bra END; shfl.sync.bfly.b32 %r2, %r1, 1, 31, 65535;\nEND:",
         [ARGUMENTS, "does not name the thread"]),
    sync("lanes_that_do_not_come", "setp.lt.u32 %p1, %r1, 16; @!%p1 bra END; vote.sync.ballot.b32 %r2, %p1, <<65535||-1>>;\n"
         "END: bar.warp.sync -1;", [IN_WARP, "which do not come"]),
    sync("masks_differ", "mov.u32 %r2, -1; setp.eq.u32 %p1, %r1, 3; <<||@%p1 mov.u32 %r2, 15;>> bar.warp.sync %r2;", [ARGUMENTS]),
    sync("warp_barrier_in_branches", "setp.lt.u32 %p1, %r1, 16; @%p1 bra HERE; bar.warp.sync -1; bra END;\nHERE: <<bar.warp.sync||vote.sync.ballot.b32 %r2, %p1,>> -1;\nEND:",
         [IN_WARP]),
    sync("deadlock_of_two_barriers", "setp.lt.u32 %p1, %r1, 32; <<||@%p1 bar.sync 1;>> bar.sync 0;",
         ["Deadlock detected", "32 threads, (0,0,0) to (31,0,0) in block (0,0,0), wait at barrier 1", "wait at barrier 0"], shape="1 64 0"),
    sync("deadlock_of_a_count", "bar.sync 1, <<64||96>>;", ["Deadlock detected", ARGUMENTS], shape="1 64 0"),
]
