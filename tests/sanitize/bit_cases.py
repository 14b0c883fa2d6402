"""Kernels as in cases.py that use single bits of what they read, or memory of one thread."""

from __future__ import annotations

from cases import Case, ENTRY, HEAD

GLOBAL, SHARED, LOCAL = (f"Uninitialized __{space}__ memory read of size 4 bytes" for space in ("global", "shared", "local"))
EACH = "and by 31 more threads"
RAW = "raw:1024 zero:4"
OWN = ".local .align 8 .b8 own[64];\nmov.u64 %rd5, own;\n"
USE = "add.u32 {0}, {0}, 1; st.global.u32 [%rd2], {0};"
# Three bits of a word that nothing wrote become 5.
FIELD = "ld.global.u32 %r2, [%rd4]; and.b32 %r3, %r2, -8; or.b32 %r3, %r3, 5; st.global.u32 [%rd4], %r3; ld.global.u32 %r4, [%rd4];\n"
HALF = "st.global.u16 [%rd4+2], 7; ld.global.u32 %r2, [%rd4];\n"
# A function that keeps a number in its own memory, and gives what lies there.
KEEPS = """.func (.param .b32 got) keeps(.param .b32 writes)
{
.reg .pred %p<2>;
.reg .b32 %r<4>;
.local .align 4 .b8 own[16];
.reg .b64 %rd<2>;
mov.u64 %rd1, own;
ld.param.b32 %r1, [writes];
setp.eq.u32 %p1, %r1, 0;
@!%p1 st.local.u32 [%rd1+8], %r1;
ld.local.u32 %r2, [%rd1+8];
add.u32 %r2, %r2, 1;
st.param.b32 [got], %r2;
ret;
}
"""
CALLS = """{ .param .b32 w; .param .b32 g; st.param.b32 [w], 7; call (g), keeps, (w); ld.param.b32 %r2, [g]; }
{ .param .b32 w; .param .b32 g; st.param.b32 [w], <<8||0>>; call (g), keeps, (w); ld.param.b32 %r3, [g]; }
"""
# A function of a word and a struct of two: it gives the word and the struct's second half.
HANDS = """.func (.param .align 8 .b8 got[8]) hands(.param .b32 word, .param .align 8 .b8 two[8])
{
.reg .b32 %r<4>;
ld.param.b32 %r1, [word];
ld.param.b32 %r2, [two+4];
st.param.v2.b32 [got], {%r1, %r2};
ret;
}
"""
HANDED = """{ .param .b32 w; .param .align 8 .b8 t[8]; .param .align 8 .b8 g[8]; st.param.b32 [w], %r2; st.param.v2.b32 [t], {%r3, %r4};
call (g), hands, (w, t); ld.param.v2.b32 {%r5, %r6}, [g]; }
"""
UNDER_TWO = "setp.lt.u32 %p1, %r1, 32; @%p1 st.global.u32 [%rd4], 0; ld.global.u32 %r2, [%rd4<<||+512>>]; "
WIDE = {"head": HEAD.replace("8.0", "8.3"), "module": ".shared .align 16 .b8 room[1024];\n"}
WIDE_AT = ".reg .b128 %q<4>;\nmul.wide.u32 %rd5, %r1, 16; add.s64 %rd6, %rd1, %rd5; "


def bits(name: str, body: str, says: list[str], arguments: str = RAW, **more: str) -> Case:
    return Case(name, body, says, arguments, tool="initcheck", reads=False, **more)


CASES = [
    # Single bits of a word.
    bits("field_of_bits", FIELD + "and.b32 %r5, %r4, <<7||15>>; " + USE.format("%r5"), [GLOBAL, EACH]),
    bits("field_by_bfe", FIELD + "bfe.u32 %r5, %r4, 1, <<2||3>>; " + USE.format("%r5"), [GLOBAL, EACH]),
    bits("field_by_bfi", "ld.global.u32 %r2, [%rd4]; bfi.b32 %r3, %r1, %r2, 4, 8; st.global.u32 [%rd4], %r3; ld.global.u32 %r4, [%rd4]; "
         "shr.u32 %r4, %r4, <<4||3>>; and.b32 %r4, %r4, 255; " + USE.format("%r4"), [GLOBAL]),
    bits("field_that_counts", FIELD + "add.u32 %r5, %r4, 1; and.b32 %r5, %r5, <<7||9>>; " + USE.format("%r5"), [GLOBAL]),
    bits("half_of_a_word", HALF + "shr.u32 %r3, %r2, <<16||15>>; " + USE.format("%r3"), [GLOBAL]),
    bits("byte_of_a_word", HALF + "prmt.b32 %r3, %r2, 0, <<17459||17457>>; " + USE.format("%r3"), [GLOBAL]),
    bits("halves_of_a_word", HALF + "mov.b32 {%h1, %h2}, %r2; cvt.u32.u16 %r3, <<%h2||%h1>>; add.u32 %r3, %r3, 1; " + USE.format("%r3"), [GLOBAL]),
    bits("sign_of_a_word", "ld.global.u32 %r2, [%rd4]; or.b32 %r2, %r2, <<-2147483648||1>>; setp.lt.s32 %p1, %r2, 0; "
         "@%p1 st.global.u32 [%rd2], 1;", [GLOBAL]),
    bits("order_of_words", HALF + "setp.lt.u32 %p1, %r2, <<458752||458753>>; @%p1 bra END; st.global.u32 [%rd2], 1;\nEND:", [GLOBAL]),
    bits("condition_of_two", "ld.global.u32 %r2, [%rd4]; setp.eq.u32 %p1, %r2, 3; setp.lt.u32 %p2, %r1, 32; <<and||or>>.pred %p3, %p1, <<!%p2||%p2>>; "
         "<<||xor.pred %p3, %p3, %p1;>> @%p3 bra END; st.global.u32 [%rd2], 1;\nEND:", [GLOBAL]),
    bits("choice_of_two", "ld.global.u32 %r2, [%rd4]; add.u32 %r3, %r2, 1; setp.lt.u32 %p1, %r1, 32; selp.b32 %r4, <<%r1, %r3||%r3, %r1>>, %p1; "
         + USE.format("%r4"), [GLOBAL]),
    # From lane to lane: the first 16 lanes have words that were written.
    bits("shuffled_word", "setp.lt.u32 %p1, %r1, 16; @%p1 st.global.u32 [%rd4], %r1; bar.warp.sync -1; ld.global.u32 %r2, [%rd4]; "
         "shfl.sync.idx.b32 %r3, %r2, <<15||16>>, 31, -1; " + USE.format("%r3"), [GLOBAL, EACH]),
    bits("shuffled_half", HALF + "shfl.sync.bfly.b32 %r2|%p1, %r2, 1, 31, -1; shr.u32 %r3, %r2, <<16||15>>; " + USE.format("%r3"), [GLOBAL]),
    bits("shuffled_down", "setp.ge.u32 %p1, %r1, 16; @%p1 st.global.u32 [%rd4], %r1; bar.warp.sync -1; ld.global.u32 %r2, [%rd4]; "
         "shfl.sync.down.b32 %r3, %r2, <<16||15>>, 31, -1; " + USE.format("%r3"), [GLOBAL]),
    bits("ballot_of_some", "setp.lt.u32 %p1, %r1, 16; @%p1 st.global.u32 [%rd4], %r1; bar.warp.sync -1; ld.global.u32 %r2, [%rd4]; "
         "setp.eq.u32 %p2, %r2, 3; vote.sync.ballot.b32 %r3, %p2, -1; and.b32 %r3, %r3, <<65535||131071>>; " + USE.format("%r3"), [GLOBAL, EACH]),
    bits("vote_of_all", "setp.lt.u32 %p1, %r1, <<32||31>>; @%p1 st.global.u32 [%rd4], %r1; bar.warp.sync -1; ld.global.u32 %r2, [%rd4]; "
         "setp.eq.u32 %p2, %r2, 3; vote.sync.any.pred %p3, %p2, -1; @%p3 st.global.u32 [%rd2], 1;", [GLOBAL]),
    bits("sum_of_lanes", "setp.lt.u32 %p1, %r1, <<32||31>>; @%p1 st.global.u32 [%rd4], %r1; bar.warp.sync -1; ld.global.u32 %r2, [%rd4]; "
         "redux.sync.add.u32 %r3, %r2, -1; " + USE.format("%r3"), [GLOBAL, EACH]),
    bits("copy_of_a_word", "ld.global.u32 %r2, [%rd4]; st.global.u32 [%rd2], %r2;", [GLOBAL, EACH], "<<zero||raw>>:1024 zero:4"),
    bits("part_of_a_word", "ld.global.u32 %r2, [%rd4]; <<or.b32 %r2, %r2, 255;||>> and.b32 %r2, %r2, 255; st.global.u32 [%rd2], %r2;", [GLOBAL]),
    bits("double_of_a_word", "<<st.global.u32 [%rd4], %r1;||st.global.u16 [%rd4], 7;>> ld.global.u32 %r2, [%rd4]; shl.b32 %r2, %r2, 1; "
         "st.global.u32 [%rd2], %r2;", [GLOBAL]),
    bits("copy_of_a_struct", "cvt.u16.u32 %h1, %r1; mul.wide.u32 %rd5, %r1, 8; add.s64 %rd5, %rd1, %rd5; st.global.u8 [%rd5], %h1; "
         "st.global.u32 [%rd5+4], %r1; ld.global.u64 %rd6, [%rd5]; st.global.u64 [%rd5+512], %rd6; ld.global.u32 %r2, [%rd5+<<516||512>>]; "
         "add.u32 %r2, %r2, 1; " + USE.format("%r2"), [GLOBAL, EACH]),
    bits("field_in_shared_memory", "mov.u32 %r2, room; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; ld.shared.u32 %r5, [%r4]; or.b32 %r5, %r5, 16; "
         "st.shared.u32 [%r4], %r5; ld.shared.u32 %r6, [%r4]; and.b32 %r6, %r6, <<16||48>>; " + USE.format("%r6"), [SHARED],
         module=".shared .align 4 .b8 room[128];\n"),
    # Memory of a thread.
    bits("own_array", OWN + "st.local.u32 [%rd5+8], %r1; ld.local.u32 %r2, [%rd5+<<8||12>>]; add.u32 %r2, %r2, 1; " + USE.format("%r2"), [LOCAL, EACH]),
    bits("own_array_copied", OWN + "<<st.local.v2.u32 [%rd5], {%r1, %r1};||st.local.u32 [%rd5], %r1;>> ld.local.v2.u32 {%r2, %r3}, [%rd5]; "
         "xor.b32 %r3, %r3, %r2; st.global.u32 [%rd2], %r3;", ["Uninitialized __local__ memory read of size 8 bytes"]),
    bits("own_array_by_generic_address", OWN + "cvta.local.u64 %rd6, %rd5; <<st.u32 [%rd6+4], 1;||>> ld.u32 %r2, [%rd6+4]; add.u32 %r2, %r2, 1; "
         + USE.format("%r2"), [LOCAL]),
    bits("own_struct_copied", OWN + "cvt.u16.u32 %h1, %r1; st.local.u8 [%rd5], %h1; st.local.u32 [%rd5+4], %r1; ld.local.u64 %rd6, [%rd5]; "
         "st.local.u64 [%rd5+8], %rd6; ld.local.u32 %r2, [%rd5+<<12||8>>]; add.u32 %r2, %r2, 1; " + USE.format("%r2"), [LOCAL]),
    bits("own_condition", OWN + "st.local.u32 [%rd5], %r1; ld.local.u32 %r2, [%rd5+<<0||4>>]; setp.gt.u32 %p1, %r2, 7; @%p1 bra END; "
         "st.global.u32 [%rd2], 1;\nEND:", [LOCAL]),
    bits("own_index", OWN + "st.local.u32 [%rd5], 4; ld.local.u32 %r2, [%rd5+<<0||4>>]; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd1, %rd6; "
         "ld.global.u32 %r3, [%rd6];", [LOCAL], "zero:1024 zero:4"),
    bits("own_memory_of_a_call", CALLS + "add.u32 %r2, %r2, %r3; " + USE.format("%r2"), [LOCAL, "at keeps+", "Device Frame: kernel+"], module=KEEPS),
    # Parameters and results of functions that are called.
    bits("half_of_a_parameter", HALF + "mov.u32 %r3, 0; mov.u32 %r4, 0; " + HANDED + "shr.u32 %r5, %r5, <<16||15>>; " + USE.format("%r5"),
         [GLOBAL, "at kernel+", EACH], module=HANDS),
    bits("part_of_a_struct_parameter", "st.global.u32 [%rd4], 7; mov.u32 %r2, 0; ld.global.u32 %r3, [%rd4+512]; ld.global.u32 %r4, [%rd4<<||+512>>]; "
         + HANDED + USE.format("%r6"), [GLOBAL], module=HANDS),
    bits("parameter_for_a_driver_function", "ld.global.u32 %r2, [%rd4]; <<mov.u32 %r2, 8;||>> cvt.u64.u32 %rd5, %r2; "
         "{ .param .b64 n; .param .b64 p; st.param.b64 [n], %rd5; call (p), malloc, (n); }", [GLOBAL],
         module=".extern .func (.param .b64 p) malloc(.param .b64 n);\n"),
    # Ways that a value decides on, and barriers that get one.
    bits("index_of_a_table", UNDER_TWO + "brx.idx %r2, ways;\nWAY: st.global.u32 [%rd2], 0;\nEND:", [GLOBAL],
         entry=ENTRY + "ways: .branchtargets WAY, END;\n", arguments="raw:1024 zero:4"),
    bits("number_of_a_barrier", UNDER_TWO + "barrier.sync %r2;", [GLOBAL]),
    # Registers of 128 bits.
    bits("wide_word_copied", WIDE_AT + "<<st.global.v2.u64 [%rd6], {%rd5, %rd5};||st.global.u64 [%rd6], %rd5;>> ld.global.b128 %q1, [%rd6]; "
         "mov.b128 %q2, %q1; mov.b128 {%rd7, %rd8}, %q2; add.u64 %rd8, %rd8, 1; cvt.u32.u64 %r2, %rd8; " + USE.format("%r2"),
         ["Uninitialized __global__ memory read of size 16 bytes", EACH], **WIDE),
    bits("half_of_a_wide_word", WIDE_AT + "st.global.u64 [%rd6+8], %rd5; ld.global.b128 %q1, [%rd6]; mov.b128 {%rd7, %rd8}, %q1; "
         "cvt.u32.u64 %r2, <<%rd8||%rd7>>; " + USE.format("%r2"), ["memory read of size 16 bytes"], **WIDE),
    bits("wide_word_of_halves", WIDE_AT + "st.global.u64 [%rd6], %rd5; ld.global.u64 %rd7, [%rd6]; ld.global.u64 %rd8, [%rd6+8]; "
         "mov.b128 %q1, {%rd7, %rd8}; mov.u32 %r3, room; cvt.u32.u64 %r4, %rd5; add.u32 %r3, %r3, %r4; st.shared.b128 [%r3], %q1; "
         "ld.shared.u32 %r2, [%r3+<<0||8>>]; " + USE.format("%r2"), ["memory read of size"], **WIDE),
]
