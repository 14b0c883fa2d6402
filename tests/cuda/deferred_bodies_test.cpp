// Modules whose functions are read when they are needed: the same code as those that are read at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ptx/module.hpp"

namespace nvmlkit::cuda_test {
namespace {

// Three kernels: two of them share a device function and a variable; comments, strings and braces where a quick look
// might stumble; variables of the module within bodies, of one name in two scopes.
constexpr const char* kText = R"(
.version 8.0
.target sm_90
.address_size 64
.global .align 8 .u64 table[2] = {helper, 5};
.shared .align 4 .b8 outside[32];
.func (.param .b32 out) helper(.param .b32 in)
{
  .reg .b32 %r<4>;
  .shared .align 4 .b8 in_helper[64]; // } .shared in a comment
  mov.u32 %r2, in_helper;
  ld.param.b32 %r1, [in];
  add.u32 %r1, %r1, %r2;
  st.param.b32 [out], %r1;
  ret;
}
.visible .entry first(.param .u64 data)
{
  .reg .b32 %r<9>; .reg .b64 %rd<4>; /* .global { } */
  .pragma "nounroll { .shared ";
  .shared .align 8 .b64 one[4];
  {
    .shared .align 4 .b32 two;
    .global .u32 counter = 7;
    ld.global.u32 %r1, [counter];
    st.shared.u32 [two], %r1;
  }
  {
    .shared .align 4 .b32 two;
    st.shared.u32 [two+0], 3;
    ld.shared.u32 %r2, [two];
  }
  mov.u64 %rd2, one;
  ld.param.u64 %rd1, [data];
  { .param .b32 a; .param .b32 o;
    st.param.b32 [a], %r1; call.uni (o), helper, (a); ld.param.b32 %r3, [o]; }
  st.global.u32 [%rd1], %r3;
  .loc 1 4 3
  ret;
}
.visible .entry second(.param .u64 data, .param .u32 count)
{
  .reg .b64 %rd<9>;
  .reg .b32 %r<40>;
  mov.u32 %r1, outside;
  ld.param.u64 %rd1, [data];
  cvta.global.u64 %rd2, table;
  ld.global.u64 %rd3, [%rd2];
  { .param .b32 a; .param .b32 o;
    st.param.b32 [a], %r1;
    call (o), %rd3, (a), prototype;
    ld.param.b32 %r2, [o]; }
  prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
  mov.u32 %r3, %cluster_ctarank;
  mov.u32 %r4, %clusterid.x;
  st.global.v2.u32 [%rd1], {%r2, %r4};
  ret;
}
.visible .entry third() { .shared.align 8 .b8 depot[16]; END:.shared/**/.b8 more[4]; ret; }
)";

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

void expect_same(const ptx::Function& a, const ptx::Function& b) {
  ASSERT_EQ(a.code.size(), b.code.size()) << a.name;
  for (std::size_t k = 0; k < a.code.size(); ++k) {
    EXPECT_EQ(a.code[k].handler, b.code[k].handler) << a.name << " " << k;
    EXPECT_EQ(a.code[k].immediate, b.code[k].immediate) << a.name << " " << k;
    EXPECT_EQ(a.code[k].a.packed, b.code[k].a.packed) << a.name << " " << k;
    EXPECT_EQ(a.code[k].d.packed, b.code[k].d.packed) << a.name << " " << k;
    EXPECT_EQ(a.code[k].line, b.code[k].line) << a.name << " " << k;
  }
  EXPECT_EQ(a.constants, b.constants) << a.name;
  EXPECT_EQ(a.shared_bytes, b.shared_bytes) << a.name;
  EXPECT_EQ(a.registers, b.registers) << a.name;
  EXPECT_EQ(a.local_bytes, b.local_bytes) << a.name;
  EXPECT_EQ(a.kernel_param_bytes, b.kernel_param_bytes) << a.name;
  EXPECT_EQ(a.frame_param_bytes, b.frame_param_bytes) << a.name;
  EXPECT_EQ(a.values_of_block, b.values_of_block) << a.name;
}

// Whatever the order, and whether the image has its place before or behind.
TEST(PtxDeferred, BodiesAreThoseThatAreReadAtOnce) {
  const auto at_once = ptx::load(kText);
  const auto image = ptx::place(*at_once, 0x7000);
  for (const auto& order : {std::vector{"first", "second", "third"}, std::vector{"third", "second", "first"}})
    for (const bool places_first : {true, false}) {
      const auto later = ptx::open(shared(kText));
      ASSERT_EQ(later->variables.size(), at_once->variables.size());
      EXPECT_EQ(later->shared_bytes, at_once->shared_bytes);
      EXPECT_TRUE(later->entry("first")->code.empty());
      if (places_first) {
        EXPECT_EQ(ptx::place(*later, 0x7000), image);
      }
      for (const auto* name : order) ptx::decode(*later, *later->entry(name));
      if (!places_first) {
        EXPECT_EQ(ptx::place(*later, 0x7000), image);
      }
      for (std::size_t k = 0; k < at_once->functions.size(); ++k)
        expect_same(at_once->functions[k], later->functions[k]);
    }
}

// A blank before a state space looks like a declaration: the quick look fails, and what it had declared until then
// goes.
TEST(PtxDeferred, AFailedLookLeavesNoVariables) {
  const auto module = ptx::open(shared(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry first() {
  .reg .b32 %r<2>;
  .shared .b32 own[8];
  .global .b32 all = 7;
  ld .global.u32 %r1, [all];
  st .shared.u32 [own], %r1;
  ret;
}
)"));
  EXPECT_EQ(module->variables.size(), 2u);
  ptx::place(*module, 0x7000);
  ptx::decode(*module, *module->entry("first"));
  EXPECT_EQ(module->shared_bytes, 32u);
}

// Both looks end a body at the same brace.
TEST(PtxDeferred, BracesOfDirectivesBelongToTheBody) {
  const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .func first() {\n";
  for (const auto* const line : {".file 1 {x, 5} ;", ".loc 1 } 2", "form: .callprototype } _ ();"}) {
    SCOPED_TRACE(line);
    const auto text = head + line + "\n.shared .b32 own; ret; }\n";
    const auto is_right = [&](auto read) {
      try {
        read();
        return true;
      } catch (const ptx::Error&) {
        return false;
      }
    };
    const auto later = [&] {
      const auto module = ptx::open(shared(text));
      for (auto& f : module->functions) ptx::decode(*module, f);
    };
    EXPECT_EQ(is_right([&] { ptx::load(text); }), is_right(later));
  }
}

TEST(PtxDeferred, OnlyWhatAKernelNeedsIsRead) {
  const auto module = ptx::open(shared(kText));
  ptx::decode(*module, *module->entry("third"));
  EXPECT_FALSE(module->entry("third")->code.empty());
  EXPECT_TRUE(module->entry("first")->code.empty());
  EXPECT_TRUE(module->function_named.at("helper")->code.empty());
  ptx::decode(*module, *module->entry("second"));
  EXPECT_FALSE(module->function_named.at("helper")->code.empty()) << "it may be called by address";
}

TEST(PtxDeferred, WhatIsWrongInABodyIsAnErrorOfItsKernelEachTime) {
  std::string text = kText;
  const auto at = text.find("ld.global.u64 %rd3");
  text.replace(at, 2, "xx");
  const auto module = ptx::open(shared(text));
  ptx::place(*module, 0x7000);
  for (int round = 0; round < 2; ++round) {
    try {
      ptx::decode(*module, *module->entry("second"));
      ADD_FAILURE() << "the module has no such instruction";
    } catch (const ptx::Error& e) {
      EXPECT_EQ(e.kind, ptx::ErrorKind::unknown_instruction);
      EXPECT_EQ(e.subject, "xx");
      EXPECT_EQ(e.line, 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    }
  }
  ptx::decode(*module, *module->entry("first"));
  const auto at_once = ptx::load(kText);
  ptx::place(*at_once, 0x7000);
  expect_same(*at_once->entry("first"), *module->entry("first"));
}

TEST(PtxDeferred, ATextWithoutEndIsAnErrorAtOnce) {
  const std::string text = kText;
  for (const auto cut : {text.find("ret;"), text.find("nounroll"), text.find("/* .global") + 5, text.find("two;")})
    EXPECT_THROW(ptx::open(shared(text.substr(0, cut))), ptx::Error) << cut;
}

TEST(PtxDeferred, ThreadsMayAskForTheSame) {
  const auto at_once = ptx::load(kText);
  for (int round = 0; round < 50; ++round) {
    const auto module = ptx::open(shared(kText));
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
      threads.emplace_back([&module, k] {
        ptx::decode(*module, *module->entry(k % 2 ? "first" : "second"));
        ptx::decode(*module, *module->entry(k % 2 ? "second" : "first"));
      });
    for (auto& t : threads) t.join();
    for (const auto* name : {"first", "second"}) expect_same(*at_once->entry(name), *module->entry(name));
  }
}

}  // namespace
}  // namespace nvmlkit::cuda_test
