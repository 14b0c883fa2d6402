"""Kernels as in cases.py: shared memory that nothing wrote, copies that run beside the threads, matrices, clusters."""

from __future__ import annotations

from cases import BOUNDS, Case, ENTRY, FLAG, HEAD, race, SHARED, TILE, WIDE

HOPPER = HEAD.replace("sm_80", "sm_90a")
GATE = ".shared .align 128 .b8 first[1024];\n.shared .align 8 .b8 gate[8];\n"
UNWRITTEN = "Uninitialized __shared__ memory read of size 4 bytes"
OTHERS = "and by 31 more threads"
# Lane 0 copies 512 bytes, and all wait for them.
LOAD = """mov.u32 %r2, first; mov.u32 %r7, gate; mul.lo.u32 %r3, %r1, 16; add.u32 %r4, %r2, %r3; add.s64 %rd6, %rd1, {offset};
setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r7], 1; bar.sync 0;
@!%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r7], 512;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd6], 512, [%r7];
WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r7], 0; @!%p2 bra WAIT;
"""
ROW = "st.shared.v4.u32 [%r4], {%r1,%r1,%r1,%r1};"
# Each lane writes 16 bytes, and lane 0 copies all of them to global memory.
STORE = """mov.u32 %r2, first; mul.lo.u32 %r3, %r1, 16; add.u32 %r4, %r2, %r3; setp.eq.u32 %p1, %r1, 0;
{write} fence.proxy.async; {barrier}
@!%p1 bra END;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 512; cp.async.bulk.commit_group;
{behind}
END:"""
ASYNC = "cp.async.ca.shared.global [%r4], [%rd4{offset}], 4; cp.async.commit_group; cp.async.wait_group 0; "
HALVES = "{%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}"
SUMS = "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}"
LOAD_TILE = f"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {HALVES}, [%r2];"
STORE_TILE = "mov.f32 %f0, 0f3F800000;" + "".join(f"mov.f32 %f{k}, %f0;" for k in range(1, 8))


def to_global(offset: str = "") -> str:
    return f"{STORE_TILE}wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1{offset}], {SUMS};"


# Threads of two warps; the second one reads what the first one writes.
BY_WARPS = "mov.u32 %r2, first; setp.lt.u32 %p1, %r1, 32; @!%p1 bra SECOND; {first} SECOND: {between} @%p1 bra END; {second}\nEND:"
PEER = "mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1; mov.u32 %r4, first; mapa.shared::cluster.u32 %r5, %r4, %r3;\n"
MEET = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
PAIR = ENTRY.replace(")\n{", ")\n.reqnctapercluster 2\n{")
# Four warps multiply a matrix in shared memory.
PRODUCT = """mov.u32 %r2, first; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; shr.u32 %r5, %r2, 4; cvt.u64.u32 %rd5, %r5;
or.b64 %rd5, %rd5, 68720001024; setp.eq.u32 %p1, %r2, %r2; wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd5, %rd5, %p1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
"""


def init(name: str, body: str, says: list[str], *arguments: str, **more: str) -> Case:
    return Case(name, body, says, *arguments, tool="initcheck", **more)


CASES = [
    # Shared memory that nothing wrote.
    init("shared_unwritten", TILE + "setp.lt.u32 %p1, %r1, <<32||16>>; @%p1 st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r5, [%r4];",
         [UNWRITTEN, "by thread (16,0,0)", "and by 15 more threads", "is inside variable first"], module=SHARED),
    init("shared_half_words", TILE + "cvt.u16.u32 %h1, %r1; st.shared.<<u32||u16>> [%r4], <<%r1||%h1>>; ld.shared.u32 %r5, [%r4];",
         [UNWRITTEN, OTHERS], module=SHARED),
    init("shared_other_place", TILE + "st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r5, [%r4+<<0||128>>];", [UNWRITTEN],
         shape="1 32 128", module=WIDE),
    init("shared_of_the_block_before", TILE + "mov.u32 %r5, %ctaid.x; setp.eq.u32 %p1, %r5, 0; <<||@%p1>> st.shared.u32 [%r4], %r1; "
         "ld.shared.u32 %r5, [%r4];", [UNWRITTEN, "in block (1,0,0)"], shape="2 32 0", module=SHARED),
    init("shared_sum", TILE + "<<st.shared.u32 [%r4], 0;||>> bar.sync 0; atom.shared.add.u32 %r5, [%r4], 1;", [UNWRITTEN], module=SHARED),
    init("shared_of_launch_unwritten", "mov.u32 %r2, room; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; <<st.shared.u32 [%r4], 1;||>> "
         "ld.shared.u32 %r5, [%r4];", [UNWRITTEN], shape="1 32 128", module=".extern .shared .align 4 .b8 room[];\n"),
    init("shared_generic_unwritten", "mov.u64 %rd5, first; cvta.shared.u64 %rd6, %rd5; add.s64 %rd6, %rd6, %rd3; <<st.u32 [%rd6], 1;||>> "
         "ld.u32 %r5, [%rd6];", [UNWRITTEN], module=SHARED),
    init("async_copy_of_unwritten", TILE + ASYNC.format(offset="") + "ld.shared.u32 %r6, [%r4];",
         ["Uninitialized __global__ memory read of size 4 bytes", OTHERS], "<<zero||raw>>:1024 zero:4", module=WIDE),
    init("beside_an_async_copy", TILE + ASYNC.format(offset="") + "ld.shared.u32 %r6, [%r4+<<0||128>>];", [UNWRITTEN], module=WIDE),
    init("bulk_copy_of_unwritten", LOAD.format(offset=256) + "ld.shared.u32 %r6, [%r4];", [UNWRITTEN, "by thread (16,0,0)"],
         "<<zero||half>>:1024 zero:4", module=GATE, head=HOPPER),
    init("beside_a_bulk_copy", LOAD.format(offset=0) + "ld.shared.u32 %r6, [%r4+<<0||512>>];", [UNWRITTEN, OTHERS], module=GATE, head=HOPPER),
    init("bulk_store_of_unwritten", STORE.format(write="<<||setp.lt.u32 %p2, %r1, 16; @%p2>> " + ROW, barrier="bar.sync 0;",
         behind="cp.async.bulk.wait_group 0; ld.global.u32 %r5, [%rd1+256];"), ["Uninitialized __global__ memory read of size 4 bytes"],
         "raw:512 zero:4", module=GATE, head=HOPPER),
    init("matrix_of_unwritten_rows", TILE + "mul.lo.u32 %r5, %r1, 16; add.u32 %r5, %r2, %r5; setp.lt.u32 %p1, %r1, <<32||16>>; "
         "@%p1 st.shared.v4.u32 [%r5], {%r1,%r1,%r1,%r1}; bar.sync 0; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8,%r9,%r10,%r11}, [%r5];",
         ["Uninitialized __shared__ memory read of size 16 bytes", "by thread (16,0,0)"], module=WIDE),
    init("tile_of_unwritten_rows", TILE + "mul.lo.u32 %r5, %r1, 16; add.u32 %r5, %r2, %r5; setp.lt.u32 %p1, %r1, <<32||31>>; "
         "@%p1 st.shared.v4.u32 [%r5], {%r1,%r1,%r1,%r1}; bar.sync 0; " + LOAD_TILE,
         ["Uninitialized __shared__ memory read of size 16 bytes", "by thread (31,0,0)"], module=WIDE),
    init("beside_a_stored_tile", to_global() + "ld.global.u32 %r2, [%rd4+<<0||1024>>];",
         ["Uninitialized __global__ memory read of size 4 bytes", OTHERS], "raw:2048 zero:4"),
    init("barrier_that_was_not_made", "mov.u32 %r7, gate; setp.eq.u32 %p1, %r1, 0; <<@%p1 mbarrier.init.shared.b64 [%r7], 32;||>> bar.sync 0; "
         "mbarrier.arrive.shared.b64 %rd5, [%r7];", ["Uninitialized __shared__ memory read of size 8 bytes"], module=GATE),
    init("managed_memory", "ld.global.u32 %r2, [%rd4];", ["Uninitialized __global__ memory read of size 4 bytes"],
         "<<host||managed>>:1024 zero:4"),
    # Addresses of copies, matrices and barriers in memory. Threads that are right go on.
    Case("async_copy_behind", TILE + ASYNC.format(offset="+<<0||920>>"), ["Invalid __global__ read of size 4 bytes", BOUNDS,
         "by thread (26,0,0)", "and by 5 more threads", "is 1 bytes after the nearest allocation"], module=WIDE),
    Case("async_copy_into_the_next_variable", TILE + "cp.async.ca.shared.global [%r4+<<0||4>>], [%rd4], 4;",
         ["Invalid __shared__ write of size 4 bytes", "is 1 bytes after variable first", "by thread (31,0,0)"], module=SHARED),
    Case("end_of_an_async_copy", "mov.u32 %r2, first; setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, <<4||8>>; "
         "@%p1 cp.async.cg.shared.global [%r2], [%rd1+1008], 16, %r3;", ["Invalid __global__ read of size 8 bytes"], "zero:1012 zero:4", module=WIDE),
    Case("misaligned_async_copy", TILE + "cp.async.ca.shared.global [%r4], [%rd4+<<0||2>>], 4;",
         ["Invalid __global__ read of size 4 bytes", "is misaligned"], module=WIDE),
    Case("matrix_behind", TILE + "mul.lo.u32 %r5, %r1, 16; add.u32 %r5, %r2, %r5; "
         "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8,%r9,%r10,%r11}, [%r5+<<0||16>>];",
         ["Invalid __shared__ read of size 16 bytes", "by thread (31,0,0)", "is 1 bytes after variable first"], module=WIDE),
    Case("tile_behind", to_global("+<<0||256>>"), ["Invalid __global__ write", "is 1 bytes after the nearest allocation"]),
    Case("barrier_behind", "mov.u32 %r7, gate; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r7+<<0||8>>], 32;",
         ["Invalid __shared__ write of size 8 bytes", "is 1 bytes after variable gate"], module=GATE),
    Case("bulk_copy_behind", "mov.u32 %r2, first; setp.eq.u32 %p1, %r1, 0; "
         "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], <<1024||1040>>;",
         ["Invalid __shared__ read of size 16 bytes", "is 1 bytes after variable first", "by thread (0,0,0)"], "zero:4096 zero:4",
         module=GATE, head=HOPPER),
    Case("bulk_copy_to_less_memory", "mov.u32 %r2, first; setp.eq.u32 %p1, %r1, 0; "
         "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 1024;",
         ["Invalid __global__ write of size 16 bytes", "is 1 bytes after the nearest allocation"], "zero:<<1024||512>> zero:4",
         module=GATE, head=HOPPER),
    Case("free_of_other_memory", "setp.eq.u32 %p1, %r1, 3; @!%p1 bra END;\n{ .param .b64 p; .param .b64 got; mov.u64 %rd5, 16; "
         "st.param.b64 [p], %rd5; call (got), malloc, (p); ld.param.b64 %rd6, [got]; }\n"
         "{ .param .b64 p; st.param.b64 [p], <<%rd6||%rd1>>; call free, (p); }\nEND:",
         ["Malloc/Free error encountered : Invalid pointer to free", "by thread (3,0,0) in block (0,0,0)", "is inside the nearest allocation"],
         module=".extern .func (.param .b64 got) malloc(.param .b64 size);\n.extern .func free(.param .b64 p);\n"),
    # Order of matrices and of copies that run beside the threads.
    race("tile_of_another_warp", BY_WARPS.format(
        first=STORE_TILE + f"wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r2], {SUMS};", between="<<bar.sync 0;||>>",
        second=LOAD_TILE), ["__shared__ memory", "in variable first"], shape="1 64 0", module=GATE),
    race("tile_in_global_memory", to_global() + "<<bar.warp.sync -1;||>> xor.b32 %r2, %r1, 31; mul.wide.u32 %rd5, %r2, 32; "
         "add.s64 %rd5, %rd1, %rd5; ld.global.u32 %r3, [%rd5];", ["__global__ memory", "Both threads are in one warp"]),
    race("shared_memory_that_a_copy_reads", STORE.format(write=ROW, barrier="bar.sync 0;", behind="<<cp.async.bulk.wait_group.read 0;||>> "
         "st.shared.u32 [%r2], 7;"), ["The copy has not been waited for", "__shared__ memory"], module=GATE, head=HOPPER),
    race("global_memory_that_a_copy_writes", STORE.format(write=ROW, barrier="bar.sync 0;", behind="cp.async.bulk.wait_group<<||.read>> 0; "
         "ld.global.u32 %r5, [%rd1];"), ["The copy has not been waited for", "__global__ memory"], module=GATE, head=HOPPER),
    race("copy_of_what_another_thread_writes", STORE.format(write=ROW, barrier="<<bar.sync 0;||>>", behind="cp.async.bulk.wait_group 0;"),
         ["__shared__ memory"], shape="1 64 0", module=GATE, head=HOPPER),
    race("shared_memory_that_a_product_reads", PRODUCT + "<<wgmma.wait_group.sync.aligned 0;||>> bar.sync 0; st.shared.u32 [%r4], %r1;",
         ["The copy has not been waited for"], shape="1 128 0", module=".shared .align 128 .b8 first[2048];\n", head=HOPPER),
    race("flag_of_a_cluster", FLAG.format(put="st.release.<<gpu||cluster>>.global.u32 [%rd2], 1;", get="ld.acquire.gpu.global.u32 %r3, [%rd2];"),
         ["__global__ memory"], shape="2 1 0", head=HOPPER),
    race("flag_within_a_cluster", FLAG.format(put="st.release.<<cluster||cta>>.global.u32 [%rd2], 1;",
                                              get="ld.acquire.cluster.global.u32 %r3, [%rd2];"),
         ["__global__ memory"], shape="2 1 0", head=HOPPER, entry=PAIR),
    race("memory_of_a_peer", PEER + f"setp.eq.u32 %p1, %r1, 0; {MEET} @%p1 st.shared::cluster.u32 [%r5], 5; <<{MEET}||>> @%p1 ld.shared.u32 %r6, [%r4]; {MEET}",
         ["__shared__ memory", "in block (1,0,0)"], shape="2 32 0", module=GATE, head=HOPPER, entry=PAIR),
]
